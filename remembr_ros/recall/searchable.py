"""What the reading path needs of the memory: the part of MemoryStore it calls, as a structural type, and the view of it
that shows the memories of one robot only."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from remembr_ros.memory.query import MAX_LIMIT, Order, Query
from remembr_ros.records import Hit, Memory


class SearchableMemory(Protocol):
    """Blocking, thread-safe. Every method may raise MemoryUnavailable. Times are ns since the Unix epoch."""

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        """Distinct episodes that fit `query`, none that starts at or after `visible_before_ns`."""
        ...

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids, in the order asked; unknown ids are left out."""
        ...

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        """The windows around one memory in time, same robot and camera."""
        ...

    def between(self, after_ns: int, before_ns: int, limit: int) -> list[Memory]:
        """Windows that overlap [after_ns, before_ns), in time order."""
        ...

    def bounds(self) -> tuple[int, int] | None:
        """(first start_ns, last end_ns) of all that is remembered; None while empty."""
        ...


class OneRobot:
    """`memory` as far as it is `robot_id`'s: a fleet that shares a database does not answer for each other."""

    def __init__(self, memory: SearchableMemory, robot_id: str) -> None:
        self._memory = memory
        self._robot_id = robot_id

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        own = dataclasses.replace(query, robot_id=self._robot_id)
        return self._memory.search(own, visible_before_ns=visible_before_ns)

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return [memory for memory in self._memory.get(ids) if memory.robot_id == self._robot_id]

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        return self._memory.neighbours(memory_id, before, after) if self.get([memory_id]) else []

    def between(self, after_ns: int, before_ns: int, limit: int) -> list[Memory]:
        query = Query(
            after_ns=after_ns, before_ns=before_ns, order=Order.FIRST, limit=min(limit, MAX_LIMIT), collapse=False
        )
        return [hit.memory for hit in self.search(query)]

    def bounds(self) -> tuple[int, int] | None:
        first = self.search(Query(order=Order.FIRST, limit=1, collapse=False))
        last = self.search(Query(order=Order.LAST, limit=1, collapse=False))
        return (first[0].memory.start_ns, last[0].memory.end_ns) if first and last else None
