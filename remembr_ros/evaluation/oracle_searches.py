"""The searches of the oracle. In: a question, and what the agent has shown so far; out: calls of the agent's tools.

Nothing here knows a truth. The words of a query are words of the question, or of captions that were shown; which of
those, an embedding of words and a list of everyday words that mean the same decide. So does a language model that reads
captions and tries the words it finds there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

from remembr_ros.memory.query import Order
from remembr_ros.recall.matching import content_words, overlap
from remembr_ros.recall.other_words import OtherWords, colours_of, groups_of, says
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.same_words import everyday
from remembr_ros.recall.understand import Asked, understand
from remembr_ros.recall.vocabulary import STOP_WORDS
from remembr_ros.records import NANOSECONDS, Question

AT_ONCE = 6
"""Calls of one turn."""
CAPTIONS, OCCASIONS = 20, 8
"""Results of a search by meaning, and of one in order of time."""
AROUND_M = 6.0
_ANCHORS = 3
_LONGEST = 4
"""Content words of a phrase that is searched for as it is; more are hardly one thing."""
_TOGETHER = 3
"""Of them, those that are put together with those of another phrase."""
_ALIKE = 8
"""Phrases of captions that are tried for one phrase of the question, the most alike first."""
# fmt: off
_ASKING = frozenset([
    "how", "long", "say", "says", "said", "read", "reads", "time", "times", "many", "often", "much", "hi", "hello",
    "idea", "know", "tell", "mean", "last", "first", "now", "please", "remember", "recall", "thanks", "hey", "robot",
])
# fmt: on
"""Words that ask, and are not what is asked about."""
_QUOTED = re.compile(r"^(?P<before>[^\"]+)\"")
Call = tuple[str, dict[str, Any]]
Shown = dict[int, tuple[str, str]]
"""Start [s] of each shown memory: its id and its caption, empty where only its time was shown."""


class Searcher:
    """Searches for one question; `made`: the calls of the turns before, by the agent or from here."""

    def __init__(self, question: str, now_ns: int, zone: ZoneInfo, words: OtherWords) -> None:
        self._question = question
        self._asked = understand(Question(question, now_ns), zone)
        self._words = words
        self._period = _period(self._asked)
        self._anchors = _anchors(question, self._asked)

    def calls(self, number: int, shown: Shown, made: Sequence[Call]) -> list[Call]:
        """Those of turn `number`, from 0, each for the first time."""
        wanted = self._first() if number == 0 else self._later(number, shown)
        chosen: list[Call] = []
        for call in wanted:
            if call not in made and call not in chosen:
                chosen.append(call)
            if len(chosen) == AT_ONCE:
                break
        return chosen or [_text(self._question, CAPTIONS, {})]

    def _first(self) -> Iterator[Call]:
        """In the words of the question."""
        for words in self._anchors[:2]:
            yield _text(words, CAPTIONS, self._period)
            yield from self._ordered(words, self._period)
        for words in self._anchors:
            yield _text(words, CAPTIONS, {})

    def _later(self, number: int, shown: Shown) -> Iterator[Call]:
        """In words that captions have for the same."""
        captions = [caption for _, caption in shown.values() if caption]
        alike = [self._alike(anchor, captions) for anchor in self._anchors]
        if self._asked.written:
            alike = [some for some in (alike[0][:2], self._signs(captions)) if some]
        together = [" ".join(dict.fromkeys(words)) for words in product(*(some[:_TOGETHER] for some in alike))]
        if self._asked.form is Form.HOW_LONG and not self._asked.until_about:
            yield from self._stays(alike, shown, self._period if number < 2 else {**self._period, "before": "now"})
        if len(alike) > 1:
            for words in together[:AT_ONCE]:
                yield from self._ordered(words, self._period)
            yield _text(together[0], CAPTIONS, self._period)
        for rank in range(_ALIKE):
            for some in alike:
                for words in some[rank : rank + 1]:
                    yield from self._ordered(words, self._period)
                    yield _text(words, CAPTIONS, self._period)
                    if number > 1 and self._period:  # the time may have been misunderstood
                        yield from self._ordered(words, {})

    def _alike(self, anchor: str, captions: Sequence[str]) -> list[str]:
        """The phrase itself where a caption says it, and phrases of captions, the most alike first."""
        colours = colours_of(anchor)
        same = [words for words in everyday().others(anchor) if any(says(words, caption) for caption in captions)]
        near = [f"{colours} {phrase}".strip() for phrase in self._words.nearest(anchor, captions, _ALIKE)]
        said = [anchor] if any(overlap(anchor, caption) == 1.0 for caption in captions) else []
        return list(dict.fromkeys([*said, *same, *near])) or [anchor]

    def _signs(self, captions: Sequence[str]) -> list[str]:
        """What shown captions call the things that they quote, the most like a sign first."""
        befores = [found["before"] for caption in captions if (found := _QUOTED.match(caption))]
        ends = [" ".join(group for group in groups_of(before)[-2:]) for before in befores]
        sign = next((anchor for anchor in self._anchors[1:]), self._anchors[0])
        return self._words.nearest(sign, ends, _ALIKE)

    def _ordered(self, words: str, period: Mapping[str, str]) -> Iterator[Call]:
        for order in _orders(self._asked):
            more: dict[str, Any] = {"order": order}
            if order == "nearest":
                more["near"] = "me"
            yield _text(words, CAPTIONS if order == "nearest" else OCCASIONS, {**period, **more})

    def _stays(self, alike: Sequence[Sequence[str]], shown: Shown, period: Mapping[str, str]) -> Iterator[Call]:
        """Visits to places whose captions have the most alike words, at the time asked about."""
        time = self._asked.time
        for words in [some[0] for some in alike if some]:
            there = [
                identity
                for second, (identity, caption) in shown.items()
                if overlap(words, caption) == 1.0
                and (time is None or time.after_ns is None or second * NANOSECONDS >= time.after_ns)
                and (time is None or time.before_ns is None or second * NANOSECONDS < time.before_ns)
            ]
            for identity in there[:1]:
                for order in ("first", "last"):
                    within = {"near": identity, "within_m": AROUND_M, "limit": OCCASIONS, "order": order}
                    yield "search_position", {**within, **period}


def _text(words: str, limit: int, more: Mapping[str, Any]) -> Call:
    return "search_text", {"query": words, "limit": limit, **more}


def _period(asked: Asked) -> dict[str, str]:
    """The time in the question's own words."""
    return {"after": asked.time_text, "before": asked.time_text} if asked.time is not None else {}


def _orders(asked: Asked) -> tuple[str, ...]:
    if asked.until_about:
        return ("first", "last")
    if asked.order is Order.NEAREST:
        return ("nearest",)
    if asked.order in (Order.FIRST, Order.LAST):
        return (asked.order.value,)
    if asked.form in (Form.HOW_LONG, Form.HOW_LONG_SINCE, Form.HOW_LONG_BETWEEN):
        return ("first", "last")
    return ("first",) if asked.form is Form.HOW_MANY else ("last",)


def _anchors(question: str, asked: Asked) -> list[str]:
    """What to look for: what the question is about, and its phrases."""
    things = [words for words in (asked.about, asked.until_about) if words]
    short = [words for words in things if len(content_words(words)) <= _LONGEST]
    of_time = set(content_words(asked.time_text))
    own = [_without_asking(group) for text in (*things, question) for group in groups_of(text)]
    known: list[str] = []
    for words in [*short, *own]:
        new = set(content_words(words))
        if new and not new <= of_time and not any(new <= set(content_words(other)) for other in known):
            known.append(words)
    return known[:_ANCHORS] or [question]


def _without_asking(group: str) -> str:
    return " ".join(word for word in group.split() if word not in _ASKING and word not in STOP_WORDS)
