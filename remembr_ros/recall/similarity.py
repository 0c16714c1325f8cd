"""Cosine similarities of any embedding model on the scale that the rules were measured on. In: a cosine; out: a cosine.

The thresholds of matching.py were measured with all-MiniLM-L6-v2. Other models spread otherwise: with some, sentences
that have nothing in common reach 0.5. So two handfuls of pairs are embedded once: the same thing in other words, and
different things. Their means are laid upon MiniLM's. A model that does not tell them apart decides nothing: then only
words count, for a thing not found is a smaller fault than a thing made up.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import Any, Protocol

SAME = (
    ("kitty", "I see an Egyptian cat."),
    ("lift", "An elevator with steel doors."),
    ("sofa", "A grey couch stands in a lounge."),
    ("bicycle", "Several bikes are parked along a wall."),
    ("soda machine", "A vending machine with drinks in a hallway."),
    ("automobile", "A red car is parked by the road."),
    ("notebook computer", "A laptop lies on a table."),
    ("rubbish bin", "A trash can stands next to a door."),
)
OTHER = (
    ("kitty", "A white fire extinguisher hangs on the wall."),
    ("lift", "I see an espresso, a cup."),
    ("sofa", "A long corridor with doors on both sides."),
    ("bicycle", "Two people in yellow jackets talk in a hallway."),
    ("soda machine", "A red chair stands next to a wide window."),
    ("automobile", "A potted plant in front of a brick wall."),
    ("notebook computer", "Cars drive along a road with trees."),
    ("rubbish bin", "A whiteboard with writing on it."),
)
MINILM_SAME, MINILM_OTHER = 0.478, 0.129
"""Mean cosines of these pairs with all-MiniLM-L6-v2."""


class QueryEmbedder(Protocol):
    """The part of memory.embedders.Embedder that is used here: unit vectors, (n, dimension) float32."""

    def embed_queries(self, texts: Any) -> Any: ...

    def embed_documents(self, texts: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Scale:
    """`same` and `other`: the model's mean cosines of those pairs. `trusted` False: its cosines say nothing."""

    same: float = MINILM_SAME
    other: float = MINILM_OTHER
    trusted: bool = True

    def to_minilm(self, cosine: float) -> float:
        """NaN (unknown) stays NaN."""
        if math.isnan(cosine) or (self.same, self.other) == (MINILM_SAME, MINILM_OTHER):
            return cosine
        if not self.trusted:
            return 0.0
        share = (cosine - self.other) / (self.same - self.other)
        return MINILM_OTHER + share * (MINILM_SAME - MINILM_OTHER)


MINILM = Scale()


def measure(embedder: QueryEmbedder) -> Scale:
    """Blocking; sixteen short sentences and eight captions."""
    same, other = _cosines(embedder, SAME), _cosines(embedder, OTHER)
    means = statistics.fmean(same), statistics.fmean(other)
    if all(abs(mean - known) < 0.02 for mean, known in zip(means, (MINILM_SAME, MINILM_OTHER), strict=True)):
        return MINILM
    return Scale(*means, trusted=statistics.median(same) > max(other))


def _cosines(embedder: QueryEmbedder, pairs: tuple[tuple[str, str], ...]) -> list[float]:
    asked = embedder.embed_queries([query for query, _ in pairs])
    captions = embedder.embed_documents([caption for _, caption in pairs])
    return [float(query @ caption) for query, caption in zip(asked, captions, strict=True)]
