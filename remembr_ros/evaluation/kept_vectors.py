"""An embedder that is asked once for each text: a robot that sees the same again often says the same again.

In: texts; out: their (N, dimension) float32 unit vectors, those of documents kept in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from remembr_ros.memory.embedders import Embedder

if TYPE_CHECKING:
    import numpy as np


class KeptVectors:
    """`embedder` with its answers for documents kept."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dimension = embedder.name, embedder.dimension
        self._known: dict[str, np.ndarray[Any, Any]] = {}

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed_documents(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self._embedder.embed_queries(texts)
