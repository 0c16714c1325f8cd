"""A memory as one question of an evaluation may see it. In: a memory, bounds in time [ns]; out: the same, less of it.

NaVQA asks about the same drive at many moments, each with its own past; a plain vector store is the same memory without
what this package adds to searching.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from remembr_ros.memory.embedders import Embedder
from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.records import Hit, Memory


class Within:
    """The windows of `memory` that overlap [not_before_ns, before_ns); None is open."""

    def __init__(self, memory: SearchableMemory, not_before_ns: int | None, before_ns: int) -> None:
        self._memory = memory
        self._not_before_ns = not_before_ns
        self._before_ns = before_ns
        self.embedder = embedder_of(memory)

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        before_ns = self._before_ns if visible_before_ns is None else min(self._before_ns, visible_before_ns)
        after_ns = self._later(query.after_ns)
        if after_ns is not None and query.before_ns is not None and after_ns >= query.before_ns:
            return []
        return self._memory.search(dataclasses.replace(query, after_ns=after_ns), visible_before_ns=before_ns)

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return [memory for memory in self._memory.get(ids) if self._is_visible(memory)]

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        return [memory for memory in self._memory.neighbours(memory_id, before, after) if self._is_visible(memory)]

    def between(self, after_ns: int, before_ns: int, limit: int) -> list[Memory]:
        after_ns, before_ns = self._later(after_ns) or after_ns, min(before_ns, self._before_ns)
        return self._memory.between(after_ns, before_ns, limit) if after_ns < before_ns else []

    def bounds(self) -> tuple[int, int] | None:
        first = self.search(Query(order=Order.FIRST, limit=1, collapse=False))
        last = self.search(Query(order=Order.LAST, limit=1, collapse=False))
        return (first[0].memory.start_ns, last[0].memory.end_ns) if first and last else None

    def _later(self, after_ns: int | None) -> int | None:
        bounds = [bound for bound in (after_ns, self._not_before_ns) if bound is not None]
        return max(bounds, default=None)

    def _is_visible(self, memory: Memory) -> bool:
        begins = self._not_before_ns is None or memory.end_ns > self._not_before_ns
        return begins and memory.start_ns < self._before_ns


class Lesser:
    """`memory` without some of what searching it can do: `words` of names and numbers counted beside meaning;
    `distinct`: one row per stay, and first, last and nearest among what is relevant."""

    def __init__(self, memory: SearchableMemory, *, words: bool, distinct: bool) -> None:
        self._memory = memory
        self._words = words
        self._distinct = distinct
        self.embedder = embedder_of(memory)

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        query = dataclasses.replace(query, words=self._words and query.words)
        if not self._distinct:
            order = Order.RELEVANCE if query.text.strip() else query.order
            query = dataclasses.replace(query, collapse=False, order=order, each_caption_once=False)
        return self._memory.search(query, visible_before_ns=visible_before_ns)

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return self._memory.get(ids)

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        return self._memory.neighbours(memory_id, before, after)

    def between(self, after_ns: int, before_ns: int, limit: int) -> list[Memory]:
        return self._memory.between(after_ns, before_ns, limit)

    def bounds(self) -> tuple[int, int] | None:
        return self._memory.bounds()


def embedder_of(memory: SearchableMemory) -> Embedder | None:
    """What embeds its captions, where it is known."""
    embedder: Embedder | None = getattr(memory, "embedder", None)
    return embedder
