"""Searches within the bounds of one question. In: what to look for; out: hits that the robot had noted by then.

Times ns since the epoch; cosines on the scale of all-MiniLM-L6-v2, whatever the embedder.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.matching import says_nothing
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.similarity import MINILM, Scale
from remembr_ros.recall.when import TimeExpression
from remembr_ros.records import Hit, Memory

CAPTIONS = 200
"""Different captions in which words for a thing are looked for."""


MAX_DEEPER = 6
"""Searches for a first or last sighting that more hits than one search gives may hide."""


def beyond(query: Query, found: Iterable[Memory], order: Order, now_ns: int) -> Query | None:
    """`query` for what lies before the first of `found`, or with order LAST after the last of them; None where nothing
    can. A search that gives as many hits as it may need not have the very first among them."""
    if order is Order.FIRST:
        edge_ns = min(memory.start_ns for memory in found)
        nothing = query.after_ns is not None and edge_ns <= query.after_ns
        return None if nothing else dataclasses.replace(query, before_ns=edge_ns)
    edge_ns = max(memory.end_ns for memory in found)
    nothing = edge_ns >= min(now_ns, query.before_ns or now_ns)
    return None if nothing else dataclasses.replace(query, after_ns=edge_ns)


class Searches:
    """`time`: what the question is about, None = all of it. Every search blocks and raises MemoryUnavailable."""

    def __init__(
        self,
        memory: SearchableMemory,
        now_ns: int,
        time: TimeExpression | None,
        on_progress: Callable[[Progress], None] | None = None,
        scale: Scale = MINILM,
    ) -> None:
        self._memory = memory
        self._now_ns = now_ns
        self._time = time
        self._on_progress = on_progress
        self._scale = scale

    def hits(self, query: Query) -> list[Hit]:
        hits = self._memory.search(query, visible_before_ns=self._now_ns)
        if query.text:
            hits = [Hit(hit.memory, self._scale.to_minilm(hit.score)) for hit in hits]
        if self._on_progress is not None:
            detail = query.text or (
                f"near ({query.near[0]:.1f}, {query.near[1]:.1f})" if query.near else query.order.value
            )
            self._on_progress(Progress("searching", 1, "search", detail, len(hits)))
        return hits

    def captions(self, about: str, limit: int = CAPTIONS) -> list[tuple[str, float]]:
        """Different captions of all times, those nearest to `about` first, with their cosines."""
        hits = self.hits(Query(text=about, limit=limit, each_caption_once=True))
        return [(hit.memory.caption, hit.score) for hit in hits if not says_nothing(hit.memory.caption)]

    def nearest_captions(self, about: str, windows: int) -> list[str]:
        """Those of the windows nearest to `about`, which may be few different ones: a tenth of the time."""
        hits = self.hits(Query(text=about, limit=windows, collapse=False))
        return list(dict.fromkeys(hit.memory.caption for hit in hits if not says_nothing(hit.memory.caption)))

    def rows(self, after_ns: int, before_ns: int, limit: int) -> list[Memory]:
        """All that was noted between, in time order."""
        return self._memory.between(after_ns, min(before_ns, self._now_ns), limit)

    def query(
        self,
        *,
        text: str = "",
        order: Order = Order.RELEVANCE,
        limit: int,
        near: tuple[float, float] | None = None,
        within_m: float | None = None,
        map_id: str = "",
        each_caption_once: bool = False,
    ) -> Query:
        """A query within the time that the question is about."""
        after, before = (self._time.after_ns, self._time.before_ns) if self._time is not None else (None, None)
        return Query(
            text=text,
            near=near,
            within_m=within_m,
            after_ns=after,
            before_ns=before,
            map_id=map_id,
            order=order,
            limit=limit,
            each_caption_once=each_caption_once,
        )
