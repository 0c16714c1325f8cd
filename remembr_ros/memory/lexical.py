"""Words beside meaning: names and signs ("AED", "room 204") that an embedding takes for their likes.

In: a question and the captions of the memories nearest to it in meaning. Out: for each caption the share of the
question's telling words that it has, 0 to 1. Telling are words that few of these captions have: in a hundred captions
of doors "204" says much, "door" nothing (inverse document frequency, Sparck Jones 1972).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

POOL = 200
"""So many of the nearest captions are looked at, if the question names something."""
WEIGHT = 0.2
"""What a caption with all telling words gains over one with none, in cosine similarity. bench/names.py, with captions
and questions that it was not chosen with: questions by a name have their long caption first in 18 of 20, by meaning
alone 8."""
RARE = 0.1
"""A word that more of the captions have tells nothing."""
_NAME = re.compile(r"\d|[A-Z][^\W\d_]*[A-Z]|(?<=[\w,;:\"'] )(?!I\b)[A-Z]")
"""A digit, two capitals in a word, or a capital in the middle of a sentence."""
_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(
    _WORD.findall(
        "a an the is are was were be been do does did you your i me my we it its this that there here he she they of "
        "in on at to from by for with and or not no where when what which who how many much long time first last see "
        "saw seen ever any some have has had take go can could near next"
    )
)


def names_something(question: str) -> bool:
    """Whether it has a number, an abbreviation or a name, as people and speech recognition write them."""
    return _NAME.search(question) is not None


def words(text: str) -> list[str]:
    """The words of a text that could tell something, in lower case; a plural is its singular."""
    found = (word.casefold() for word in _WORD.findall(text))
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in found if word not in _STOP]


def telling_shares(question: str, captions: Sequence[str]) -> list[float]:
    """For each caption, the share (by weight) of the question's telling words that it contains; all 0 when there are
    none that any caption has."""
    asked = set(words(question))
    present = [asked & set(words(caption)) for caption in captions]
    counts = Counter(word for found in present for word in found)
    weights = {
        word: math.log(len(captions) / count) for word, count in counts.items() if count <= max(1, RARE * len(captions))
    }
    total = sum(weights.values())
    if total <= 0.0:
        return [0.0] * len(captions)
    return [sum(weights.get(word, 0.0) for word in found) / total for found in present]
