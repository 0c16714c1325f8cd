"""The searches of a language model: what one call of a tool looks through. In: a Query; out: hits, or occasions where
it asks for an order in time.

By meaning each caption is shown once, so that a model sees what captions call a thing. In order of time, what says all
the words goes before what is only similar, and memories of one occasion are put together. Every search blocks and
raises MemoryUnavailable.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache

from remembr_ros.memory import lexical
from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.matching import content_words, overlap, words_of
from remembr_ros.recall.occasions import Occasion, Occasions, occasions_of
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.searches import CAPTIONS, MAX_DEEPER, beyond
from remembr_ros.recall.sightings import last_of_stay
from remembr_ros.recall.vocabulary import IRREGULAR
from remembr_ros.records import Hit, Memory

POOL = 120
"""Episodes among which an ordered search looks for those that say all the words."""
ALIKE_POOL = 60
"""Episodes among which it looks for what is similar."""
SAME_NAME = 4
"""Captions with a name whose windows are looked for."""
MOST_ALIKE = 3
MOST_ENDS = 6
"""Stays whose very last window is looked up."""


class ModelSearch:
    """Searches of `memory` as it is at `now_ns`."""

    def __init__(self, memory: SearchableMemory, now_ns: int) -> None:
        self._memory = memory
        self._now_ns = now_ns

    def find(self, query: Query, *, by_place: bool) -> list[Hit] | Occasions:
        """`by_place`: what was around a place; in order of time these are visits to it."""
        in_time = query.order in (Order.FIRST, Order.LAST)
        if query.text and in_time:
            return self._in_time(query)
        if query.text and query.order is Order.NEAREST:
            return self._nearest(query)
        if query.text and lexical.names_something(query.text):
            return self._by_name(query)[: query.limit]
        if by_place and in_time:
            return self._visits(query)
        return self._search(query)

    def _search(self, query: Query) -> list[Hit]:
        return self._memory.search(query, visible_before_ns=self._now_ns)

    def _nearest(self, query: Query) -> list[Hit]:
        """What is only similar may be nearer than what was asked for."""
        hits = self._search(dataclasses.replace(query, limit=max(query.limit, ALIKE_POOL)))
        return sorted(hits, key=lambda hit: not _says(query.text, hit.memory.caption))[: query.limit]

    def _by_name(self, query: Query) -> list[Hit]:
        """Captions with the names or numbers of the text first: among windows, one caption would hide the others."""
        hits = self._search(dataclasses.replace(query, limit=CAPTIONS, words=False, each_caption_once=True))
        shares = lexical.telling_shares(query.text, [hit.memory.caption for hit in hits])
        ranked = sorted(zip(hits, shares, strict=True), key=lambda pair: -pair[0].score - lexical.WEIGHT * pair[1])
        return [hit for hit, _ in ranked]

    def _in_time(self, query: Query) -> Occasions:
        latest_first = query.order is Order.LAST
        fitting = self._fitting(query)
        found = occasions_of(fitting, latest_first=latest_first)
        alike: Sequence[Hit] = ()
        if len(found) < query.limit:
            hits = self._search(dataclasses.replace(query, limit=ALIKE_POOL))
            known = {hit.memory.id for hit in fitting}
            also = [hit for hit in hits if _says(query.text, hit.memory.caption)]
            if any(hit.memory.id not in known for hit in also):
                found = occasions_of([*fitting, *also], latest_first=latest_first)
            alike = [hit for hit in hits if hit not in also]
        most_alike = query.limit if not found else min(MOST_ALIKE, query.limit - len(found))
        return Occasions(
            tuple(self._whole(found[: query.limit])),
            tuple(occasions_of(alike, latest_first=latest_first)[: max(0, most_alike)]),
            latest_first,
        )

    def _fitting(self, query: Query) -> list[Hit]:
        """Windows that say all the words, those at the wanted end of time surely among them where their captions are
        the most similar ones."""
        by_meaning = dataclasses.replace(query, order=Order.RELEVANCE, limit=POOL, each_caption_once=False)
        fitting = self._that_say(by_meaning)
        if not fitting and lexical.names_something(query.text):
            captions = [hit.memory.caption for hit in self._by_name(query) if _says(query.text, hit.memory.caption)]
            fitting = [hit for text in captions[:SAME_NAME] for hit in self._that_say(by_meaning, text)]
        deeper = fitting
        for _ in range(MAX_DEEPER):
            if not deeper:
                break
            farther = beyond(by_meaning, [hit.memory for hit in deeper], query.order, self._now_ns)
            if farther is None:
                break
            deeper = self._that_say(farther)
            fitting = [*fitting, *deeper]
        return fitting

    def _that_say(self, query: Query, text: str = "") -> list[Hit]:
        """Hits for `text`, else for the query's own, that say all words of the query."""
        hits = self._search(dataclasses.replace(query, text=text or query.text))
        return [hit for hit in hits if _says(query.text, hit.memory.caption)]

    def _visits(self, query: Query) -> Occasions:
        latest_first = query.order is Order.LAST
        hits = self._search(dataclasses.replace(query, limit=POOL))
        found = occasions_of(hits, latest_first=latest_first)[: query.limit]
        return Occasions(tuple(self._whole(found)), latest_first=latest_first)

    def _whole(self, found: Sequence[Occasion]) -> list[Occasion]:
        """From the first to the last window of stays that share an episode, of which a search gives only one."""
        return [self._to_its_ends(occasion) for occasion in found[:MOST_ENDS]] + list(found[MOST_ENDS:])

    def _to_its_ends(self, occasion: Occasion) -> Occasion:
        first, last = occasion.first, last_of_stay(self._memory, occasion.last, self._now_ns)
        begin_ns = first.memory.episode_start_ns
        if begin_ns < first.memory.start_ns:
            rows = self._memory.between(begin_ns, begin_ns + 1, 10)
            first = next((Hit(row, first.score) for row in rows if _same_stay(row, first.memory)), first)
        added = (first is not occasion.first) + (last is not occasion.last)
        return Occasion(first, last, occasion.number + added)


def _same_stay(one: Memory, other: Memory) -> bool:
    return (one.robot_id, one.camera, one.episode_start_ns) == (other.robot_id, other.camera, other.episode_start_ns)


def _says(text: str, caption: str) -> bool:
    """All its words, or all its numbers: who asks for room 204 has no other word in common with its plate."""
    numbers = _numbers(text)
    if numbers:
        return numbers <= set(words_of(caption))
    lower = caption.lower()
    return all(part in lower for part in _parts(text)) and overlap(text, caption) == 1.0


@lru_cache(maxsize=64)
def _numbers(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if any(character.isdigit() for character in word))


@lru_cache(maxsize=64)
def _parts(text: str) -> tuple[str, ...]:
    """Letters without which no caption can say all the words: of two hundred captions, most need not be taken apart."""
    regular = (stem for stem in content_words(text) if stem not in _CHANGED)
    return tuple(stem[:-1] if len(stem) > 2 else stem for stem in regular)


_CHANGED = frozenset(IRREGULAR.values()) | {"person"}
"""Stems of words that may look different in a caption."""
