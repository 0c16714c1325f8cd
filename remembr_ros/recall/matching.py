"""Is a caption about what was asked for? In: words asked for, caption, cosine similarity; out: a score in [0, 1].

Similar meaning is the embedder's work (the cosine); this file adds what it is bad at: exact words, colours,
negations ("no chairs") and captions that say that nothing was recognised.
"""

from __future__ import annotations

import math
import re

STOP_WORDS = frozenset(
    """a an the this that these those some any such own same other another there here it its itself i me my we us our you your he she they them
    his her their him is are was were be been being am do does did done doing have has had having can could will would shall should may might must
    and or but if then than so as of at by for with about into through during to from in on off over under again once only just very too not no
    nor what which who whom whose where when why how all both each few more most please ever now right also one ones robot hey get got find found
    see saw seen seeing look looked looking notice noticed spot spotted observe observed pass passed remember recall encounter encountered come came
    across show tell know s t d ll m re ve thing things something anything someone anyone somebody anybody kind type sort like many much
    around near nearby close closest nearest next first last time times ago go went visible""".split()
)
COLOURS = frozenset(
    "red green blue yellow orange purple pink brown black white gray grey beige silver gold golden turquoise violet".split()
)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
_NOTHING = frozenset("nothing recognise recognize identify sure unsure certain unclear recognizable recognisable name".split())
_IRREGULAR = {
    "people": "person", "persons": "person", "men": "man", "women": "woman", "children": "child", "stairs": "stair", "gray": "grey",
    "mice": "mouse", "feet": "foot", "knives": "knife", "shelves": "shelf", "left": "leave", "drove": "drive", "stood": "stand", "sat": "sit",
}  # fmt: skip

STRONG_COSINE = 0.62
"""Above it a caption is about the words even when it uses none of them (MiniLM, short captions; see test_forms)."""
WEAK_COSINE = 0.40
"""Below it only a caption that holds all the words counts."""


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


def match_score(asked: str, caption: str, cosine: float) -> float:
    """How sure it is that `caption` is about `asked`: 1 = every word is there, 0 = it is not.

    Scores are comparable between captions of one question. A caption that says nothing, denies the thing, or shows it
    only in another colour scores 0.
    """
    if says_nothing(caption):
        return 0.0
    share = overlap(asked, caption)
    similarity = 0.0 if math.isnan(cosine) else max(0.0, min(1.0, cosine))
    if share == 1.0:
        return 0.9 + 0.1 * similarity
    wanted = set(content_words(asked))
    affirmed = _affirmed(caption)
    if wanted & set(_denied(caption)) or _other_colour(asked, affirmed):
        return 0.0
    if similarity >= STRONG_COSINE or (similarity >= WEAK_COSINE and share >= 0.5):
        return 0.5 * similarity + 0.4 * share
    return 0.0


def _affirmed(caption: str) -> frozenset[str]:
    denied = set(_denied(caption))
    return frozenset(stem(w) for w in words_of(caption)) - denied


def _denied(caption: str) -> list[str]:
    """Stems of the words that follow "no", "without" or "not any" up to the end of the phrase."""
    denied: list[str] = []
    for phrase in re.finditer(r"\b(?:no|without(?: any| an?)?|not any|not an?) ([\w' -]{1,60})", caption.lower()):
        before_preposition = re.split(r"\b(?:in|on|at|near|and|but|with|by|is|are)\b", phrase[1])[0]
        denied += [stem(w) for w in words_of(before_preposition) if w not in STOP_WORDS]
    return denied


def _other_colour(asked: str, affirmed: frozenset[str]) -> bool:
    colours = {stem(c) for c in COLOURS}
    wanted = {w for w in content_words(asked) if w in colours}
    return bool(wanted) and not wanted & affirmed and bool(colours & affirmed)
