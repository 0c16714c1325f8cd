"""Is a caption about what was asked for? In: words asked for, caption, cosine similarity; out: a score in [0, 1].

Similar meaning is the embedder's work (the cosine); this file adds what it is bad at: exact words, colours,
negations ("no chairs") and captions that say that nothing was recognised.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

STOP_WORDS = frozenset(
    """a an the this that these those some any such own same other another there here it its itself i me my we us our you your he she they them
    his her their him is are was were be been being am do does did done doing have has had having can could will would shall should may might must
    and or but if then than so as of at by for with about into through during to from in on off over under again once only just very too not no
    nor what which who whom whose where when why how all both each few more most please ever now also one ones robot hey get got find found
    see saw seen seeing look looked looking notice noticed spot spotted observe observed pass passed remember recall encounter encountered come came
    across show tell know s t d ll m re ve thing things something anything kind type sort like many much
    wear wearing wore dressed stay stayed staying remain remained spend spent often
    around near nearby close closest nearest next first last time times ago go went visible""".split()
)
COLOURS = frozenset(
    "red green blue yellow orange purple pink brown black white gray grey beige silver gold golden turquoise violet".split()
)
_PERSON = frozenset(
    "man woman child boy girl guy lady gentleman pedestrian worker employee student visitor guard cyclist bicyclist kid".split()
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
_NOTHING = frozenset("nothing recognise recognize identify sure unsure certain unclear recognizable recognisable name".split())
_IRREGULAR = {
    "people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child", "stairs": "stair", "gray": "grey",
    "mice": "mouse", "feet": "foot", "knives": "knife", "shelves": "shelf", "drove": "drive", "stood": "stand", "sat": "sit",
}  # fmt: skip

# Cosines from which a caption that lacks some of the words still counts. Measured with all-MiniLM-L6-v2 on short and long
# captions (test_matching.py holds the pairs): the same thing in other words lies above, related but other things below.
ONE_WORD_COSINE = 0.47
"""A single word asked for that is not in the caption: "kitty" for a cat 0.48, "bicycle" for a scooter 0.39."""
NO_WORD_COSINE = 0.55
"""Several words, fewer than half of them there: "coffee table" for an espresso 0.51."""
HALF_COSINE = 0.50
"""Half of the words there; less is enough when more are there: "soda machine" for a vending machine 0.56, "steel table" for
a wooden one 0.41."""
SURE_COSINE = 0.62
"""From here a caption with a part of the words supports a "yes" or a count: "bike rack" 0.67, "broken elevator" 0.59."""


class Match(NamedTuple):
    """`score` in [0, 1] orders the captions of one question, 0 = no match. `sure` = good enough for a "yes" or a count."""

    score: float
    sure: bool


NO_MATCH = Match(0.0, False)


def words_of(text: str) -> list[str]:
    """Lower-case words in order."""
    return [w.removesuffix("'s") for w in _WORD.findall(text.lower().replace("\u2019", "'"))]


def stem(word: str) -> str:
    """A crude stem: plural, -ing and -ed endings off, so that "benches" meets "bench" and "parked" meets "park"."""
    word = _IRREGULAR.get(word, word)
    for suffix in ("ing", "ed"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls" else word.removesuffix("e")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|z)es$", word):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def content_words(text: str) -> list[str]:
    """The stems that carry meaning, in order, each once."""
    return list(dict.fromkeys(stem(w) for w in words_of(text) if w not in STOP_WORDS))


def says_nothing(caption: str) -> bool:
    """True for a caption that only says that nothing was recognised."""
    words = [w for w in words_of(caption) if w not in STOP_WORDS]
    return all(w in _NOTHING for w in words)


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
    if set(wanted) & set(_denied(caption)) or _other_colour(wanted, affirmed):
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


def _affirmed(caption: str) -> frozenset[str]:
    affirmed = {stem(w) for w in words_of(caption)}
    if affirmed & {stem(w) for w in _PERSON}:
        affirmed.add("person")
    return frozenset(affirmed.difference(_denied(caption)))


def _denied(caption: str) -> list[str]:
    """Stems of the words that follow "no", "without" or "not any" up to the end of the phrase."""
    denied: list[str] = []
    for phrase in re.finditer(r"\b(?:no|without(?: any| an?)?|not any|not an?) ([\w' -]{1,60})", caption.lower()):
        before_preposition = re.split(r"\b(?:in|on|at|near|and|but|with|by|is|are)\b", phrase[1])[0]
        denied += [stem(w) for w in words_of(before_preposition) if w not in STOP_WORDS]
    return denied


def _other_colour(asked: Sequence[str], affirmed: frozenset[str]) -> bool:
    colours = {stem(colour) for colour in COLOURS}
    wanted = colours.intersection(asked)
    return bool(wanted) and not wanted & affirmed and bool(colours & affirmed)
