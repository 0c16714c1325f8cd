"""Other words for a thing: "couch" where captions say "settee". In: words asked for, captions; out: phrases of these
captions that mean the same.

A caption of three sentences is near in meaning to all that it mentions and to none of it very much; its phrases are
compared one by one. Vectors of phrases are kept: captions repeat themselves.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from remembr_ros.recall.matching import content_words, says_nothing
from remembr_ros.recall.similarity import MINILM, QueryEmbedder, Scale
from remembr_ros.recall.vocabulary import COLOURS

if TYPE_CHECKING:
    import numpy as np

LIKE = 0.54
"""Cosine (all-MiniLM-L6-v2) from which a phrase means what was asked: "fire extinguisher" is "something to put out
flames" with 0.63, "dog" is "horse" with 0.53."""
LESS_LIKE = 0.46
"""Enough for a phrase whose captions stand out: "children playing" are "youngsters" with 0.47, "accordion" nothing."""
TOGETHER = 0.63
"""What being alike and standing out must come to then."""
STANDS_OUT = 0.04
"""How much nearer to the question than the usual caption a phrase's nearest caption is, at least: else it is one of
many that are a little alike (a surfboard among boards 0.00, children for youngsters 0.18)."""
_USUAL = 100
"""Of different captions, nearest first, the one that counts as usual; with fewer captions nothing is known of that."""
PART = 0.1
"""Taken off for a phrase that is only a part of the words: a "person" is not yet a "delivery person"."""
MARGIN = 0.06
"""Phrases so much less alike than the best one mean something else."""
MOST = 4
"""Phrases that are searched for."""
_KEPT = 50_000
_LONGEST = 5
# fmt: off
_BOUNDARY = frozenset([
    "a", "an", "the", "in", "on", "of", "with", "at", "by", "to", "from", "and", "or", "is", "are", "was", "were",
    "can", "be", "been", "being", "has", "have", "there", "where", "which", "that", "who", "this", "these", "those",
    "behind",
    "above", "below", "over", "under", "into", "onto", "near", "next", "beside", "between", "along", "against",
    "through", "towards", "past", "across", "around", "after", "before", "while", "for", "as", "its", "their",
    "his", "her", "it",
    "some", "several", "two", "three", "many", "one", "another", "other", "no", "not", "without", "image", "picture",
    "photo", "robot", "camera", "scene", "view", "shows", "show", "showing", "looks", "look", "sees", "see", "seen",
    "visible", "stands", "stand", "standing", "lies", "lie", "lying", "hangs", "hang", "hanging", "sits", "sit",
    "sitting", "moves", "passes", "drives", "holds", "holding", "wearing", "left", "right", "front", "close", "middle",
])
# fmt: on
"""Words between the phrases of a caption."""
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*", re.UNICODE)


class OtherWords:
    """Finds phrases. Thread-safe; vectors of phrases are kept between questions. `scale`: of `embedder`."""

    def __init__(self, embedder: QueryEmbedder, scale: Scale = MINILM) -> None:
        self._embedder = embedder
        self._scale = scale
        self._known: dict[str, np.ndarray[Any, Any]] = {}
        self._lock = threading.Lock()

    def of(
        self,
        asked: str,
        captions: Sequence[tuple[str, float]],
        least: Callable[[str], float] = lambda phrase: 0.0,
    ) -> list[tuple[str, float]]:
        """At most `MOST` phrases that mean `asked` (colours left out), with how alike they are, best first; each at
        least as alike as `least` wants of it.

        `captions`: different ones with their cosines to `asked`, nearest first.
        """
        core = without_colours(asked)
        nearest: dict[str, float] = {}
        for caption, cosine in captions:
            if says_nothing(caption):
                continue
            for phrase in phrases_of(caption):
                nearest.setdefault(phrase, cosine)
        if not core or not nearest or not self._scale.trusted:
            return []
        usual = captions[_USUAL][1] if len(captions) > _USUAL else None
        wanted = self._embedder.embed_queries([core])[0]
        words = set(content_words(core))
        found: list[tuple[str, float]] = []
        for phrase, cosine in zip(nearest, self._vectors(list(nearest)) @ wanted, strict=True):
            alike = self._scale.to_minilm(float(cosine)) - PART * (set(content_words(phrase)) < words)
            stands_out = 0.0 if usual is None else nearest[phrase] - usual
            if usual is None:
                means_it = alike >= LIKE
            else:
                enough = alike >= LIKE or (alike >= LESS_LIKE and alike + stands_out >= TOGETHER)
                means_it = enough and stands_out >= STANDS_OUT
            if means_it and alike >= least(phrase):
                found.append((phrase, alike + max(0.0, stands_out)))
        best = max((score for _, score in found), default=0.0)
        found = [(phrase, min(1.0, score)) for phrase, score in found if score >= best - MARGIN]
        return sorted(found, key=lambda pair: -pair[1])[:MOST]

    def nearest(self, asked: str, captions: Sequence[str], number: int) -> list[str]:
        """The `number` phrases of `captions` that are the most alike, however little."""
        phrases = list(dict.fromkeys(phrase for caption in captions for phrase in phrases_of(caption)))
        if not phrases:
            return []
        alike = self._vectors(phrases) @ self._embedder.embed_queries([without_colours(asked) or asked])[0]
        ranked = sorted(zip(phrases, alike, strict=True), key=lambda pair: -float(pair[1]))
        return [phrase for phrase, _ in ranked[:number]]

    def _vectors(self, phrases: Sequence[str]) -> Any:
        import numpy as np

        with self._lock:
            if len(self._known) > _KEPT:
                self._known.clear()
            new = [phrase for phrase in phrases if phrase not in self._known]
            if new:
                self._known.update(zip(new, self._embedder.embed_documents(new), strict=True))
            return np.stack([self._known[phrase] for phrase in phrases])


@lru_cache(maxsize=8192)
def groups_of(caption: str) -> tuple[str, ...]:
    """The groups of words between function words: "red armchair", "wide lobby"."""
    found: list[str] = []
    for part in re.split(r"[^\w\s'-]+", caption.lower()):
        group: list[str] = []
        for word in [*_WORD.findall(part), "the"]:
            if word not in _BOUNDARY:
                group.append(word)
            elif group:
                found.append(" ".join(group))
                group = []
    return tuple(found)


@lru_cache(maxsize=8192)
def phrases_of(caption: str) -> tuple[str, ...]:
    """The groups of up to five words, without colours, each once."""
    phrases = (without_colours(group) for group in groups_of(caption) if group.count(" ") < _LONGEST)
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))


def says(phrase: str, caption: str) -> bool:
    """Whether one group of words of `caption` has all words of `phrase`: a red lamp beside a chair is no red chair."""
    wanted = set(content_words(phrase))
    return bool(wanted) and any(wanted <= set(content_words(group)) for group in groups_of(caption))


def without_colours(words: str) -> str:
    """ "red armchair" is an armchair; a colour alone stays."""
    kept = [word for word in words.split() if word not in COLOURS]
    return " ".join(kept)


def colours_of(words: str) -> str:
    return " ".join(word for word in words.split() if word in COLOURS)
