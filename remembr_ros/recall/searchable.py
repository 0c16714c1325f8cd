"""What the reading path needs of the memory: the part of MemoryStore it calls, as a structural type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from remembr_ros.memory.query import Query
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
