"""Names of the site that may have been misheard. In: the words understood, and `asr.vocabulary`. Out: other readings.

Whisper knows no building: a wheelchair is "wheel care" to it. Where words that it is not sure of look like a name that
the owner gave, the name is another reading; which of them was said is for the model to judge by the sound
(transcribers/second_reading.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.words import NO, STOP, YES, reply, tokens

MOST_NAMES, LONGEST_NAME = 200, 40
LEAST_LIKENESS = 50.0
"""Letters in common, of 100, from which a name is worth a question to the model."""
SAME_PLACE = 8.0
"""A name is tried only where it is most like the words, and where it is so little less like them."""
MOST_READINGS = 5
_REPLIES = frozenset(" ".join(text for table in (YES, NO, STOP) for text in table.values()).split())
"""Never taken for a name: who says stop in a building with a shop must be obeyed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`name`, with the punctuation of what it replaces, in place of the words [first, last)."""

    name: str
    first: int
    last: int
    likeness: float


def names_of_site(
    given: str,
    calls: Callable[[str], bool] = lambda name: False,
    on_problem: Callable[[str], None] = lambda text: None,
    parameter: str = "asr.vocabulary",
) -> tuple[str, ...]:
    """The names in `given`, which commas or line ends separate, each once.

    One that `calls` the robot, or that is a yes, no or stop, is left out, which is told: it must not be put into
    anybody's mouth. Raises ConfigurationError for too many, too long, or wordless ones.
    """
    names: dict[str, str] = {}
    for name in (" ".join(part.split()) for part in given.replace("\n", ",").split(",")):
        if not name:
            continue
        if len(name) > LONGEST_NAME or not tokens(name):
            raise ConfigurationError(
                f"{parameter}: {name[:60]!r} given; names of at most {LONGEST_NAME} characters, separated by commas, "
                "wanted"
            )
        if calls(name) or reply(tokens(name), "en") is not None:
            on_problem(f"{parameter}: {name!r} is left out: it calls the robot, or is a yes, a no or a stop")
            continue
        names.setdefault(" ".join(tokens(name)), name)
    if len(names) > MOST_NAMES:
        raise ConfigurationError(f"{parameter}: {len(names)} names given, at most {MOST_NAMES} wanted")
    return tuple(names.values())


def readings(words: Sequence[str], sure: Sequence[bool], names: Sequence[str]) -> list[Reading]:
    """What else may have been said, likeliest letters first: one name in place of a few words, not all of them sure.

    `words` as they stand between spaces, punctuation with them; `sure`: for each, whether no other can be meant.
    """
    from rapidfuzz import fuzz

    plain = ["".join(tokens(word)) for word in words]
    known = {at for name in names for first, last in _places(plain, tokens(name)) for at in range(first, last)}
    settled = [at in known or word in _REPLIES for at, word in enumerate(plain)]
    found: list[Reading] = []
    for name in names:
        count, letters = len(tokens(name)), "".join(tokens(name))
        places: list[Reading] = []
        for length in range(max(1, count - 1), count + 3):
            for first in range(len(words) - length + 1):
                last = first + length
                if any(settled[first:last]) or all(sure[first:last]):
                    continue
                likeness = fuzz.ratio("".join(plain[first:last]), letters)
                if likeness >= LEAST_LIKENESS:
                    places.append(Reading(name + _mark(words[last - 1]), first, last, likeness))
        best = max((place.likeness for place in places), default=0.0)
        found += [place for place in places if place.likeness >= best - SAME_PLACE]
    return sorted(found, key=lambda reading: -reading.likeness)[:MOST_READINGS]


def _places(plain: Sequence[str], name: Sequence[str]) -> list[tuple[int, int]]:
    """Where the name stands, also in the plural."""
    count, letters = len(name), "".join(name).rstrip("s")
    ends = [(at, at + count) for at in range(len(plain) - count + 1)]
    return [(first, last) for first, last in ends if "".join(plain[first:last]).rstrip("s") == letters]


def _mark(word: str) -> str:
    """The punctuation that ends a word."""
    return word[len(word.rstrip(".,;:!?\u2026")) :]
