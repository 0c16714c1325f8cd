"""Terms of several words as one word, so that the rules do not read a part of them. In: lower-case English text; out:
the same with the words of each term joined, and apart again.
"""

from __future__ import annotations

import re
from itertools import pairwise

from remembr_ros.recall import question_forms as forms
from remembr_ros.recall.same_words import everyday
from remembr_ros.recall.vocabulary import STOP_WORDS
from remembr_ros.recall.when import MONTH, WEEKDAY

_JOINT = "\u02cd"
"""A letter to regular expressions; of a question's own none is left."""
_TOKEN = re.compile(r"\w+(?:'\w+)*")
_PART_OF_THE_DAY = r"(?:morning|noon|midday|afternoon|evening|night|midnight)"
_THE = r"(?:the|an?|any|my|your|our|his|her|their)"
# fmt: off
_BESIDE_A_TIME = frozenset([
    "before", "after", "until", "till", "since", "between", "while", "yesterday", "today", "tonight", "early", "late",
    "out", "up", "away", "down", "nobody", "everybody", "anywhere", "somewhere", "outside", "inside", "two", "three",
])
# fmt: on
"""Words, beside function words, that may follow a part of the day that is one."""
_NO_NOUN = "|".join(sorted(STOP_WORDS | _BESIDE_A_TIME))
_BESIDE = ("in", "on", "during", "through", "over", "by", "from", "since", "until", "till", "before", "after", "and")
_OF_THE_DAY = re.compile(
    "".join(rf"(?<!\b{word} )" for word in _BESIDE)
    + rf"\b{_THE} {_PART_OF_THE_DAY}( )(?!(?:{_NO_NOUN})\b|{WEEKDAY}\b|{MONTH}\b)[a-z]{{3}}"
    rf"|\b{_PART_OF_THE_DAY}( )(?:meeting|club|bus|train|class|course|dress|gown|coat|party|safe|market|school|news"
    r"|newspaper|paper|service|session|briefing|nurse|guard|watchman)s?\b"
)
"""A thing that is called after a part of the day: the night watchman, an evening dress, in the morning meeting."""
_DO = re.compile(r"\b(?:do|does|did|will|can|could) (?!you\b|i\b|we\b|they\b)(?:\w+ ){0,2}$")
_VERBS = frozenset(["stop", "park", "stand"])
"""At the end of a term: "when did the bus stop" is about a bus."""
_END = re.compile(
    r"\W*$| (?:here|there|in|on|at|near|by|beside|next|behind|yesterday|today|last|this|since|until|for)\b"
)
_UNREADABLE = frozenset(["ironing", "cutting", "chopping", "toilet", "loo", "skate", "plastic"])
"""At the beginning of a term that ends like a sign: an ironing board."""


def terms_as_words(text: str) -> str:
    """`text` with each term of several words that people share as one word: then the night of a night stand is no time,
    the paper of a paper shredder nothing written, and a bus stop does not stop. So is a thing with the part of the day
    that it is called after. Not for what can be read: a notice board is a board to the rules. `apart` undoes it."""
    text = text.replace(_JOINT, " ")
    joined, tokens = list(text), list(_TOKEN.finditer(text))
    for start, end in everyday().terms_in([token[0].removesuffix("'s") for token in tokens]):
        gaps = [(left.end(), right.start()) for left, right in pairwise(tokens[start:end])]
        one = all(text[left:right] in (" ", "-") for left, right in gaps)
        if one and _is_thing(text, tokens[start], tokens[end - 1]):
            for left, right in gaps:
                joined[left:right] = _JOINT
    for named in _OF_THE_DAY.finditer("".join(joined)):
        joined[named.start(named.lastindex or 0)] = _JOINT
    return "".join(joined)


def _is_thing(text: str, first: re.Match[str], last: re.Match[str]) -> bool:
    """Whether the term from `first` to `last` is nothing to read, no thing with what it does, and no way."""
    if first[0] == "way" or (forms.SIGNS.fullmatch(last[0]) and first[0] not in _UNREADABLE):
        return False
    does = last[0] in _VERBS and _DO.search(text[max(0, first.start() - 40) : first.start()])
    return not (does and _END.match(text, last.end()))


def apart(text: str) -> str:
    """`text` with the words of terms apart again."""
    return text.replace(_JOINT, " ")
