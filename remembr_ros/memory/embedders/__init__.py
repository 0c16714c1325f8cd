"""Sentence embedders: captions and questions to unit vectors.

Embedding is shared by the writing and the reading side, which must use the same model; so it lives with the memory,
where both paths meet. Backends are picked by a `provider:model` string in `create_embedder`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from remembr_ros.errors import ConfigurationError, UnknownBackend

if TYPE_CHECKING:
    import numpy as np

PROVIDERS = ("packaged", "sentence_transformers", "hashing")


class Embedder(Protocol):
    """One loaded embedding model. Both methods return (N, dimension) float32 with rows of length 1, all finite,
    and raise ModelFailed otherwise. Thread-safe."""

    name: str
    """`provider:model`, stored with the collection: vectors of different names never mix."""
    dimension: int

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Captions, with the model's document prompt."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Questions, with the model's query prompt."""
        ...


def create_embedder(
    spec: str, *, device: str = "", truncate_dim: int | None = None, parameter: str = "embedder"
) -> Embedder:
    """Load the embedder that `spec` (`provider:model`) names. Takes seconds for a real model.

    `device` as torch names it, empty = chosen by the library. Raises ConfigurationError, UnknownBackend,
    MissingDependency, ModelFailed.
    """
    provider, _, model = spec.partition(":")
    if provider == "packaged":
        from remembr_ros.memory.embedders.sentence_transformers import packaged

        return packaged(device=device)
    if provider == "sentence_transformers":
        from remembr_ros.memory.embedders.sentence_transformers import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(model, device=device, truncate_dim=truncate_dim)
    if provider == "hashing":
        from remembr_ros.memory.embedders.hashing import HashingEmbedder

        if model and not (re.fullmatch(r"[0-9]{1,5}", model) and 2 <= int(model) <= 32768):
            raise ConfigurationError(f"{parameter}: {spec!r} is not hashing:DIMENSION, with a dimension of 2 to 32768")
        return HashingEmbedder(int(model) if model else 384)
    raise UnknownBackend(parameter, spec, PROVIDERS)
