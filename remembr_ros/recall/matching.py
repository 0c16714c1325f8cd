"""Is a caption about what was asked for? In: words asked for, caption, cosine similarity; out: a score in [0, 1].

Similar meaning is the embedder's work (the cosine); this file adds what it is bad at: exact words, colours,
negations ("no chairs") and captions that say that nothing was recognised.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from remembr_ros.recall.vocabulary import COLOURS, IRREGULAR, NOTHING, PEOPLE, STOP_WORDS

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
# Cosines from which a caption that lacks some of the words still counts. Measured with all-MiniLM-L6-v2 on short and
# long
# captions (test_matching.py holds the pairs): the same thing in other words lies above, related but other things below.
ONE_WORD_COSINE = 0.47
"""A single word asked for that is not in the caption: "kitty" for a cat 0.48, "bicycle" for a scooter 0.39."""
NO_WORD_COSINE = 0.55
"""Several words, fewer than half of them there: "coffee table" for an espresso 0.51."""
HALF_COSINE = 0.50
"""Half of the words there; less is enough when more are there: "soda machine" for a vending machine 0.56, "steel
table" for
a wooden one 0.41."""
SURE_COSINE = 0.62
"""From here a caption with a part of the words supports a "yes" or a count: "bike rack" 0.67, "broken elevator"
0.59."""


class Match(NamedTuple):
    """`score` in [0, 1] orders the captions of one question, 0 = no match. `sure` = good enough for a "yes" or a
    count."""

    score: float
    sure: bool


NO_MATCH = Match(0.0, False)


def words_of(text: str) -> list[str]:
    """Lower-case words in order."""
    return [w.removesuffix("'s") for w in _WORD.findall(text.lower().replace("\u2019", "'"))]


def stem(word: str) -> str:
    """A crude stem: plural, -ing and -ed endings off, so that "benches" meets "bench" and "parked" meets "park"."""
    word = IRREGULAR.get(word, word)
    for suffix in ("ing", "ed"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            return (
                word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word.removesuffix("e")
            )
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=256)
def content_words(text: str) -> tuple[str, ...]:
    """The stems that carry meaning, in order, each once."""
    return tuple(dict.fromkeys(stem(w) for w in words_of(text) if w not in STOP_WORDS and not w.endswith("n't")))


@lru_cache(maxsize=4096)
def says_nothing(caption: str) -> bool:
    """True for a caption that only says that nothing was recognised."""
    words = [w for w in words_of(caption) if w not in STOP_WORDS]
    return all(w in NOTHING for w in words)


def overlap(asked: str, caption: str) -> float:
    """The share of the content words of `asked` that `caption` affirms; 0 when `asked` has none."""
    wanted = content_words(asked)
    if not wanted:
        return 0.0
    affirmed = _affirmed(caption)
    return sum(1 for word in wanted if word in affirmed) / len(wanted)


def match(asked: str, caption: str, cosine: float) -> Match:
    """How well `caption` fits `asked`, given their cosine similarity (NaN = unknown).

    All words there is a match whatever the cosine. A caption that says nothing, denies the thing, or shows it only in
    another colour or with another number is none.
    """
    if says_nothing(caption):
        return NO_MATCH
    wanted = content_words(asked)
    affirmed = _affirmed(caption)
    share = sum(1 for word in wanted if word in affirmed) / len(wanted) if wanted else 0.0
    similarity = 0.0 if math.isnan(cosine) else max(0.0, min(1.0, cosine))
    if share == 1.0:
        return Match(0.9 + 0.1 * similarity, True)
    if not _denied(caption).isdisjoint(wanted) or _other_colour(wanted, affirmed):
        return NO_MATCH
    if any(any(c.isdigit() for c in word) and word not in affirmed for word in wanted):
        return NO_MATCH
    if share >= 0.5:
        needed, sure = HALF_COSINE - 0.3 * (share - 0.5), SURE_COSINE
    elif len(wanted) == 1:
        needed = sure = ONE_WORD_COSINE
    else:
        needed, sure = NO_WORD_COSINE, SURE_COSINE
    return Match(0.5 * similarity + 0.4 * share, similarity >= sure) if similarity >= needed else NO_MATCH


@lru_cache(maxsize=4096)
def _affirmed(caption: str) -> frozenset[str]:
    affirmed = {stem(w) for w in words_of(caption)}
    if not affirmed.isdisjoint(_PEOPLE):
        affirmed.add("person")
    return frozenset(affirmed.difference(_denied(caption)))


@lru_cache(maxsize=4096)
def _denied(caption: str) -> frozenset[str]:
    """Stems of the words that follow "no", "without" or "not any" up to the end of the phrase."""
    denied: list[str] = []
    for phrase in re.finditer(r"\b(?:no|without(?: any| an?)?|not any|not an?) ([\w' -]{1,60})", caption.lower()):
        before_preposition = re.split(r"\b(?:in|on|at|near|and|but|with|by|is|are)\b", phrase[1])[0]
        denied += [stem(w) for w in words_of(before_preposition) if w not in STOP_WORDS]
    return frozenset(denied)


def _other_colour(asked: Sequence[str], affirmed: frozenset[str]) -> bool:
    wanted = _COLOURS.intersection(asked)
    return bool(wanted) and not wanted & affirmed and not _COLOURS.isdisjoint(affirmed)


_PEOPLE = frozenset(stem(word) for word in PEOPLE)
_COLOURS = frozenset(stem(word) for word in COLOURS)
