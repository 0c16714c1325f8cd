"""Finds the wake phrase where somebody calls the robot by it. In: what was understood.

Out: called or not, and the rest.

The phrase counts at the head of an utterance, after a greeting at most, or as its last word: "robot" in the middle of a
sentence is somebody talking about robots.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from remembr_ros.errors import MissingDependency
from remembr_ros.hear.words import tokens

INSTALL = "pip install 'rapidfuzz>=3.9,<4'"
_GREETINGS = (
    "hey hi hello hay ay a ok okay oh um uh so well please listen excuse me dear good morning "
    "hallo guten morgen he hé bonjour salut hola oye"
)
GREETINGS = frozenset(_GREETINGS.split())
ARTICLES = frozenset(
    ("the", "a", "an", "this", "that", "my", "your", "our", "his", "her", "their", "der", "die", "das", "den", "dem")
)
"""Before the last word they make it one that is talked about: "I like the robot"."""
MAX_GREETING = 3
_OPENERS = (
    "who whom whose what what's which when where where's why how is are was were am do does did don't can could "
    "will would should shall have has had may might must please take bring go come drive show find tell give "
    "guide lead look search remember stop halt cancel wait turn follow return describe list count yes no ok okay "
    "and wer was wann wo wohin woher warum wie welche welcher ist sind war waren hast hat habe kannst kann bist "
    "bring fahr geh komm zeig finde such sag bitte stopp abbrechen ja nein qui que quoi quand où pourquoi comment "
    "combien quel quelle est-ce est as peux va amène montre trouve dis arrête oui non quién qué cuándo dónde por "
    "cómo cuánto cuántos cuál es está has puedes ve lleva llévame muestra busca di para alto sí"
)
OPENERS = frozenset(_OPENERS.split())
"""How questions, requests and replies begin. "Robot" without a greeting or a comma behind it calls only before one of
them: "robot vacuum cleaners are cheap" is about robots.
"""
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_EDGES = " \t\n,.;:!?-\u2013\u2014\u2026\u00bf\u00a1\"'"


class Wake:
    """`phrase` of one or more words; empty: everybody is always called. Raises MissingDependency."""

    def __init__(self, phrase: str, similarity: float) -> None:
        self._phrase = "".join(tokens(phrase))
        self._length = len(tokens(phrase))
        self._similarity = similarity
        _rapidfuzz()  # here, not at the first word that is heard; own_voice wants it, too

    def strip(self, text: str) -> tuple[bool, str]:
        """Whether `text` calls the robot, and `text` without greeting and wake phrase; without one, `text` as it is."""
        text = text.strip()
        if not self._phrase:
            return False, text
        words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
        lower = [tokens(text[start:end]) for start, end in words]
        plain = ["".join(parts) for parts in lower]
        head = 0
        for head in range(min(MAX_GREETING, len(plain)) + 1):
            if length := self._at(plain, head):
                rest = text[words[head + length - 1][1] :]
                if head or _is_address(rest):
                    return True, _sentence(rest, text)
            if head < len(plain) and plain[head] not in GREETINGS:
                break
        for length in self._lengths():
            first = len(plain) - length
            if first > 0 and plain[first - 1] not in ARTICLES and self._alike(plain[first:]):
                return True, _sentence(text[: words[first][0]], text)
        return False, text

    def is_named(self, text: str) -> bool:
        """Whether the wake phrase stands anywhere in `text`."""
        words = tokens(text)
        return bool(self._phrase) and any(self._at(words, first) for first in range(len(words)))

    def _at(self, plain: list[str], first: int) -> int:
        """How many words at `first` are the wake phrase; 0: none."""
        for length in self._lengths():
            if first + length <= len(plain) and self._alike(plain[first : first + length]):
                return length
        return 0

    def _lengths(self) -> list[int]:
        """A transcriber may run the phrase's words together, or apart."""
        return [length for length in (self._length, self._length + 1, self._length - 1) if length > 0]

    def _alike(self, words: list[str]) -> bool:
        heard = "".join(words)
        if heard == self._phrase + "s":
            return False  # "robots are ..." is about robots
        likeness = self._likeness(heard)
        # "the robot is ..." is about the robot: not the phrase run apart, but a word more than it.
        within = [words[at : at + self._length] for at in range(len(words) - self._length + 1)]
        if len(words) > self._length and any(self._likeness("".join(part)) >= likeness for part in within):
            return False
        return likeness >= 100.0 * self._similarity

    def _likeness(self, heard: str) -> float:
        """0 to 100."""
        return float(_rapidfuzz().fuzz.ratio(heard, self._phrase))


def _is_address(rest: str) -> bool:
    """Whether what follows the wake phrase at the very beginning makes it a call."""
    words = tokens(rest)
    return (
        not words or rest.lstrip()[:1] in ",.!?:;-\u2013\u2014\u2026" or words[0] in OPENERS or words[0].endswith("n't")
    )


def _sentence(rest: str, whole: str) -> str:
    """`rest` as a sentence again: edges cleaned, first letter large, the mark that ended the whole."""
    rest = rest.strip(_EDGES)
    mark = whole.rstrip()[-1:]
    return rest[:1].upper() + rest[1:] + (mark if rest and mark in "?.!" else "")


@lru_cache(maxsize=1)
def _rapidfuzz() -> Any:
    try:
        import rapidfuzz
    except ImportError as error:
        raise MissingDependency("rapidfuzz", INSTALL, needed_for="the wake phrase") from error
    return rapidfuzz
