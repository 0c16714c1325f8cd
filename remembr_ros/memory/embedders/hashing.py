"""An embedder without a model, for tests: words and letter triples hashed to a vector. Texts that share words are near.

In: texts. Out: (N, dimension) float32 unit vectors, equal in every process and on every machine.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

_COMMON_WORDS = (
    "a an and are at be been by did do for from has have i in is it its me my of on or robot see seen that the there "
    "this to was were what when where which with you"
)
_COMMON = frozenset(_COMMON_WORDS.split())
_WORD_WEIGHT, _TRIPLE_WEIGHT = 1.0, 0.25


class HashingEmbedder:
    """Feature hashing (Weinberger et al. 2009) of words, and of letter triples so that "phones" is near "phone"."""

    def __init__(self, dimension: int = 384) -> None:
        self.name = f"hashing:{dimension}"
        self.dimension = dimension

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text):
                hashed = hashlib.blake2b(feature.encode(errors="replace"), digest_size=8).digest()
                digest = int.from_bytes(hashed, "big")
                vectors[row, (digest >> 1) % self.dimension] += weight if digest & 1 else -weight
            if not vectors[row].any():
                vectors[row, 0] = 1.0  # a text without words still needs a direction
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    embed_queries = embed_documents


def _features(text: str) -> list[tuple[str, float]]:
    words = re.findall(r"\w+", text.lower())
    features = []
    for word in [word for word in words if word not in _COMMON] or words:
        features.append((word, _WORD_WEIGHT))
        padded = f"^{word}$"
        features += [(padded[i : i + 3], _TRIPLE_WEIGHT) for i in range(len(padded) - 2)]
    return features
