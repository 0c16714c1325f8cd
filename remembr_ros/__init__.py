"""remembr_ros: a robot that remembers what it saw and answers questions about it (ReMEmbR, arXiv 2409.13682)."""

__version__ = "0.1.0"
