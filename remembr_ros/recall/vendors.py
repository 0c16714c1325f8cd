"""Where the known servers of the OpenAI chat API listen, and what sets them apart before the first request.

Everything else about a server is learned from what it refuses (dialect.py), so a server not named here works too, as
`openai:<model>` with a base_url.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vendor:
    """`base_url` empty: the client's own default. `api_key_env`: the variable that holds the key, empty = none is
    needed. `strict`: the server can hold tool arguments to their schema."""

    base_url: str
    api_key_env: str = ""
    strict: bool = False


VENDORS = {
    "openai": Vendor("", "OPENAI_API_KEY", strict=True),
    "nvidia": Vendor("https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
    "ollama": Vendor("http://localhost:11434/v1"),
    "vllm": Vendor("http://localhost:8000/v1"),
    "llama_cpp": Vendor("http://localhost:8080/v1"),
}
