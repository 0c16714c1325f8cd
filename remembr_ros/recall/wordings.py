"""What captions call a thing. In: the words of a question; out: words of captions, with how alike they are in (0, 1].

"The kangaroo in the gym" is looked for as its captions say it: by its own words, by words that people use for the same
(same_words.py), or by phrases that an embedding model finds alike (other_words.py).
"""

from __future__ import annotations

import itertools
import re

from remembr_ros.recall.matching import content_words, words_of
from remembr_ros.recall.other_words import OtherWords, colours_of, says, without_colours
from remembr_ros.recall.same_words import SameWords
from remembr_ros.recall.searches import CAPTIONS, Searches
from remembr_ros.recall.vocabulary import COLOURS

ALTERNATIVES = 8
"""Searches for other words for a thing; a kind of thing with more members is searched for by several at a time."""
ALIKE_THOUGH_KNOWN = 0.65
"""Least likeness to a known thing, which captions do not say, of a phrase that names another known thing or shares a
word: a guard is no "soldier" (0.56), a stamp machine no "cash machine". An espresso, of which no group tells, may be
the coffee."""
_FEW = 24
"""Windows among which one says what is looked for, if any does."""
_SENTENCE = 4
"""Words from which on what is asked for is more than a compound noun."""
_LONGEST_PART = 4
"""Words of a thing within a sentence, at most."""
_IS = ("is", "are", "was", "were")
_POSSESSIVE = ("his", "her", "its", "their", "my", "your", "our")
_IN = re.compile(r" (?:in|inside|at|within) (?:the |a |an )?")

Wording = tuple[str, float]
"""(words, likeness)."""


class Wordings:
    """Looks for them in the captions of all times. `other_words` None: no embedding model is asked."""

    def __init__(self, searches: Searches, same_words: SameWords, other_words: OtherWords | None) -> None:
        self._searches = searches
        self._same_words = same_words
        self._other_words = other_words

    def of_both(self, about: str) -> tuple[list[Wording], list[Wording]]:
        """(wordings of the thing, of the place it is in) for "kangaroo in the gym"; no place where there is none."""
        thing, place = thing_and_place(about)
        ways = self.of(thing)
        places = self.of(place) if place else []
        if place and not places:  # "man in army uniform" is one thing
            return self.of(about), []
        return ways or self._of_a_part(thing), places

    def of(self, about: str) -> list[Wording]:
        """By its own words, spelled as captions do; by words that mean the same; else by phrases that are alike."""
        others = self._same_words.others(about)
        if others:  # what people call it is known: its captions are found without a look at many others
            said = [about] if self._is_said(about) else self._said(others)
            if said:
                return [(words, 1.0) for words in said]
        near = self._searches.captions(about)
        spelled = self._same_words.spelled(about, {word for caption, _ in near for word in words_of(caption)})
        if spelled != about:
            near = self._searches.captions(spelled)
        if any(self._says_own(spelled, caption) for caption, _ in near):
            return [(spelled, 1.0)]
        same = [] if spelled == about else self._said(self._same_words.others(spelled))
        if same or self._other_words is None:
            return [(words, 1.0) for words in same]
        colours = colours_of(spelled)
        known = self._same_words.has(words_of(without_colours(spelled)))

        asked = set(content_words(spelled))

        def least(phrase: str) -> float:
            told = known and (self._same_words.mentions(phrase) or not asked.isdisjoint(content_words(phrase)))
            return ALIKE_THOUGH_KNOWN if told else 0.0

        found = self._other_words.of(spelled, near, least)
        return [(f"{colours} {phrase}".strip(), likeness) for phrase, likeness in found]

    def _is_said(self, words: str) -> bool:
        return any(self._says_own(words, caption) for caption in self._searches.nearest_captions(words, _FEW))

    def _says_own(self, words: str, caption: str) -> bool:
        """`says`, for "chain saw" and "show room", too, of which a part has no meaning of its own."""
        parts = words_of(words)
        if len(content_words(words)) < len(parts) and self._same_words.has(parts):
            return re.search(rf"\b{re.escape(words)}", caption.lower()) is not None
        return says(words, caption)

    def _said(self, alternatives: list[str]) -> list[str]:
        """Those of `alternatives` that captions say."""
        several = -(-len(alternatives) // ALTERNATIVES)
        said: list[str] = []
        for first in range(0, len(alternatives), several or 1):
            some = alternatives[first : first + several]
            if len(some) > 1:
                captions = [caption for caption, _ in self._searches.captions(", ".join(some), CAPTIONS // 4 * several)]
            else:
                captions = self._searches.nearest_captions(some[0], _FEW)
            said += [words for words in some if any(says(words, caption) for caption in captions)]
        return said

    def _of_a_part(self, thing: str) -> list[Wording]:
        """Wordings of the part of `thing` that is a thing: of "choir meets from time to time" the choir.

        The longest part that the words people share know, the first of several; with its colour.
        """
        words = words_of(thing)
        if len(words) < _SENTENCE:  # a coffee table is neither coffee nor any table
            return []
        for length in range(min(_LONGEST_PART, len(words) - 1), 0, -1):
            for start in range(len(words) - length + 1):
                part = words[start : start + length]
                if part[-1] in COLOURS or part == ["person"] or not self._same_words.has(part):
                    continue
                before = words[start - 1 : start] if start and words[start - 1] in COLOURS else []
                found = self.of(" ".join([*before, *part]))
                if found:
                    return found
        return []


def thing_and_place(about: str) -> tuple[str, str]:
    """("tool", "workshop") for "tool was in the workshop"; ("man at his post", ""), where no place is named."""
    found = _IN.search(about)
    thing, place = (about[: found.start()], about[found.end() :]) if found else (about, "")
    thing = " ".join(itertools.takewhile(lambda word: word not in _IS, thing.split())) or thing
    if not content_words(thing) or not content_words(place):
        return about, ""
    return thing, "" if place.split()[0] in _POSSESSIVE else place
