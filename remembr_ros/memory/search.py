"""How a `Query` becomes the memories that answer it: distinct episodes, in the order asked for.

In: a Query, the vector of its text, a Table. Out: candidates, best first. Milvus filters and ranks by meaning; what it
cannot do (sort by time, circles, one row per episode) is done here on as few rows as the answer allows: ranges grow
until they hold enough, and a stay of any length counts once.

A question that names something (a number, an abbreviation, a name) is also compared word by word with the nearest
captions (`lexical.py`); the scores of hits stay those of meaning.

First, last and nearest with a text take what is relevant: a score of at least `RELEVANT_SHARE` of the best score and
of `RELEVANT_SCORE`; of those, the first, last or nearest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from remembr_ros.memory import filters, lexical
from remembr_ros.memory.query import Order, Query
from remembr_ros.memory.table import MAX_ROWS, Candidate, Table
from remembr_ros.records import MAX_COORDINATE_M, NANOSECONDS

if TYPE_CHECKING:
    import numpy as np

RELEVANT_SHARE = 0.62
RELEVANT_SCORE = 0.2
"""Cosine similarities. Seen with all-MiniLM-L6-v2 on short and long captions of the same thing: a long one reaches 0.62
to 0.8 of the score of the shortest, captions of other things 0.3 to 0.6; below 0.2 nothing is about the question."""

_POOL = 400
_MAX_ROUNDS = 8
_MAX_RANGES = 64
_CAP = MAX_ROWS // 4
_FEW_ENOUGH = 512
"""A range that holds more is narrowed: transferring rows costs more than looking again."""
_FIRST_SPAN_NS = 300 * NANOSECONDS
_SMALLEST_SPAN_NS = 1_000_000
_SMALLEST_RADIUS_M = 0.01
_WANTED_AROUND = 64
"""Rows in the box that a search around a place begins with, going by the density that the last one met."""

Key = Callable[[Candidate], Any]


def search(
    table: Table, query: Query, vector: np.ndarray[Any, Any] | None, visible_before_ns: int | None = None
) -> list[Candidate]:
    """Up to `query.limit` candidates; `vector` is the unit vector of `query.text`, None when there is no text."""
    return _Search(table, query, vector, visible_before_ns).run()


class _Search:
    def __init__(
        self, table: Table, query: Query, vector: np.ndarray[Any, Any] | None, visible_before_ns: int | None
    ) -> None:
        self.table = table
        self.query = query
        self.vector = vector
        uppers = [bound for bound in (query.before_ns, visible_before_ns) if bound is not None]
        self.before_ns = min(uppers) if uppers else None
        self.order = _resolved_order(query, vector is not None)
        self.by_place = query.near is not None and (query.within_m is not None or self.order is Order.NEAREST)
        self.once = query.each_caption_once and vector is not None and self.order is Order.RELEVANCE
        self.terms = self._terms()
        self.chosen: dict[str, Candidate] = {}
        self.words_bonus: dict[str, float] = {}

    def run(self) -> list[Candidate]:
        if self.vector is not None:
            self._relevant() if self.order is Order.RELEVANCE else self._relevant_ordered()
        elif self.order in (Order.FIRST, Order.LAST):
            self._by_start(latest_first=self.order is Order.LAST)
        elif self._is_around_place():
            self._around_place()
        else:
            self._around_time()
        return self._best()

    # --- criteria ---

    def _terms(self) -> list[str]:
        query = self.query
        terms = filters.overlaps(query.after_ns, self.before_ns)
        for field in ("robot_id", "camera"):
            if getattr(query, field):
                terms.append(filters.equals(field, getattr(query, field)))
        if query.map_id or self.by_place:
            terms.append(filters.equals("map_id", query.map_id))
        if query.localized_only:
            terms.append("localized == true")
        if self.by_place:
            terms.append("pose_state > 0")
        # Without a text, `_around_place` has boxes of its own; each term costs a pass over all rows.
        if query.near is not None and query.within_m is not None and not self._is_around_place():
            terms += filters.box(*query.near, query.within_m)
        return terms

    def _is_around_place(self) -> bool:
        return self.vector is None and self.order is Order.NEAREST and self.query.near is not None

    def _matches(self, candidate: Candidate) -> bool:
        near, within_m = self.query.near, self.query.within_m
        return near is None or within_m is None or candidate.distance_to(near) <= within_m

    def _key(self, candidate: Candidate) -> Any:
        if self.order is Order.FIRST:
            return candidate.start_ns
        if self.order is Order.LAST:
            return -candidate.start_ns
        if self.order is Order.RELEVANCE:
            return -candidate.score - self.words_bonus.get(candidate.id, 0.0)
        if self.query.near is not None:
            return candidate.distance_to(self.query.near), -candidate.start_ns
        assert self.query.at_ns is not None
        return candidate.gap_to(self.query.at_ns)

    # --- one row per episode ---

    def _take(self, candidates: Iterable[Candidate]) -> None:
        """Keep the best row of each episode."""
        for candidate in candidates:
            if not self._matches(candidate):
                continue
            group = self._group(candidate)
            known = self.chosen.get(group)
            if known is None or self._key(candidate) < self._key(known):
                self.chosen[group] = candidate

    def _group(self, candidate: Candidate) -> str:
        if self.once:  # equal captions have equal vectors
            return repr(candidate.score)
        return candidate.episode if self.query.collapse else candidate.id

    def _best(self) -> list[Candidate]:
        return sorted(self.chosen.values(), key=self._key)[: self.query.limit]

    def _complete(self) -> bool:
        return len(self.chosen) >= self.query.limit

    def _cap(self) -> int:
        return min(_CAP, max(_FEW_ENOUGH, 4 * self.query.limit))

    def _others(self) -> list[str]:
        """The term that leaves out what is chosen: so one parked night never hides the rest."""
        if not self.chosen or self.once:
            return []
        return [filters.none_of("episode" if self.query.collapse else "id", self.chosen)]

    # --- by text ---

    def _relevant(self) -> None:
        assert self.vector is not None
        names = self.query.words and lexical.names_something(self.query.text)
        pool = max(lexical.POOL if names else 16, 2 * self.query.limit)
        largest = MAX_ROWS if self.once else _CAP
        if self.once:
            pool = min(16 * pool, largest)
        for _ in range(_MAX_ROUNDS):
            only_ids = self.once and self.query.near is None
            found = self.table.similar(self.vector, self.terms + self._others(), pool, only_ids=only_ids)
            if names:
                self._count_words(found)
            self._take(found)
            if self._complete() or len(found) < pool or (self.once and pool == largest):
                return
            pool = min(pool * 4, largest)

    def _count_words(self, found: Sequence[Candidate]) -> None:
        whole = [candidate for candidate in found if candidate.row is not None]
        shares = lexical.telling_shares(
            self.query.text, [candidate.row["caption"] for candidate in whole if candidate.row]
        )
        for candidate, share in zip(whole, shares, strict=True):
            self.words_bonus[candidate.id] = lexical.WEIGHT * share

    def _relevant_ordered(self) -> None:
        assert self.vector is not None
        threshold = RELEVANT_SCORE
        tighter: list[str] = []
        for round_ in range(_MAX_ROUNDS):
            found = self.table.similar(self.vector, self.terms + tighter, _POOL)
            if round_ == 0 and found:
                threshold = max(RELEVANT_SCORE, RELEVANT_SHARE * found[0].score)
            relevant = [candidate for candidate in found if candidate.score >= threshold]
            self._take(relevant)
            if len(found) < _POOL or len(relevant) < len(found):
                return
            tighter = self._better_than_chosen()

    def _better_than_chosen(self) -> list[str]:
        """Terms for rows that could still change the result: another episode, or an earlier (later) row of one."""
        best = self._best()
        terms = self._others()
        if not best:
            return terms
        if self.order is Order.FIRST:
            terms = [filters.any_of([*terms, filters.less_than("start_ns", best[0].start_ns)])]
            return terms + ([filters.less_than("start_ns", best[-1].start_ns)] if self._complete() else [])
        if self.order is Order.LAST:
            terms = [filters.any_of([*terms, filters.more_than("start_ns", best[0].start_ns)])]
            return terms + ([filters.more_than("start_ns", best[-1].start_ns)] if self._complete() else [])
        if self._complete() and self.query.near is not None:
            terms += filters.box(*self.query.near, best[-1].distance_to(self.query.near))
        elif self._complete() and self.query.at_ns is not None:
            gap_ns = best[-1].gap_to(self.query.at_ns)[0] + 1
            terms += filters.overlaps(self.query.at_ns - gap_ns, self.query.at_ns + gap_ns)
        return terms

    # --- by time ---

    def _edges(self, *, refresh: bool = False) -> tuple[int, int] | None:
        """Between which start_ns the matches are, as far as known."""
        span = self.table.span(refresh=refresh)
        if span is None:
            return None
        begin = span[0] if self.query.after_ns is None else max(span[0], self.query.after_ns)
        end = span[1] + 1 if self.before_ns is None else min(span[1] + 1, self.before_ns)
        return begin, end

    def _by_start(self, *, latest_first: bool) -> None:
        """Adjacent ranges of time from one end, growing, until they held enough."""
        edges = self._edges()
        if edges is None:
            return
        cap, width, refreshed = self._cap(), _FIRST_SPAN_NS, False
        edge = edges[1] if latest_first else edges[0]
        outer: list[str] = []  # the first range is open: the span may be out of date, windows may lie across `after`
        for _ in range(_MAX_RANGES):
            inner_ns = edge - width if latest_first else edge + width
            done = inner_ns <= edges[0] if latest_first else inner_ns >= edges[1]
            bound = filters.at_least if latest_first else filters.less_than
            inner = [] if done else [bound("start_ns", inner_ns)]
            found = self.table.scan(self.terms + outer + inner + self._others(), cap)
            if len(found) >= cap and width > _SMALLEST_SPAN_NS:
                if not outer and not refreshed:
                    refreshed, edges = True, self._edges(refresh=True) or edges
                    edge = edges[1] if latest_first else edges[0]
                else:
                    width = max(min(width, edges[1] - edges[0]) // 8, _SMALLEST_SPAN_NS)
                continue
            self.table.saw(found)
            self._take(found)
            if self._complete() or done:
                return
            edge, width = inner_ns, width * 4
            outer = [filters.less_than("start_ns", edge) if latest_first else filters.at_least("start_ns", edge)]

    def _around_time(self) -> None:
        at_ns, span = self.query.at_ns, self.table.span()
        if at_ns is None or span is None:
            return
        cap, reach = self._cap(), _Reach(_FIRST_SPAN_NS, _SMALLEST_SPAN_NS)
        for _ in range(_MAX_RANGES):
            gap_ns = int(reach.value)
            everything = at_ns - gap_ns < span[0] and at_ns + gap_ns > span[1]
            around = [] if everything else filters.overlaps(at_ns - gap_ns, at_ns + gap_ns)
            found = self.table.scan(self.terms + around + self._others(), cap)
            if len(found) >= cap and reach.shrink():
                continue
            self._take(found)
            if self._complete() or everything:
                return
            reach.grow()

    # --- by place ---

    def _around_place(self) -> None:
        near = self.query.near
        assert near is not None
        largest_m = self.query.within_m or 2.0 * MAX_COORDINATE_M
        cap, reach = self._cap(), _Reach(min(self.table.usual_radius_m, largest_m), _SMALLEST_RADIUS_M)
        for _ in range(_MAX_RANGES):
            radius_m = min(reach.value, largest_m)
            found = self.table.scan(self.terms + filters.box(*near, radius_m) + self._others(), cap)
            crowded = len(found) >= cap
            if crowded and reach.shrink():
                continue
            self._take(found)
            # Corners of the box are farther than its sides: only what is inside the circle is surely nearest.
            certain = sum(1 for candidate in self.chosen.values() if candidate.distance_to(near) <= radius_m)
            if certain >= self.query.limit or (radius_m >= largest_m and not crowded):
                fitting_m = radius_m * math.sqrt(max(_WANTED_AROUND, 4 * self.query.limit) / max(1, len(found)))
                self.table.usual_radius_m = max(_SMALLEST_RADIUS_M, fitting_m)
                return
            if not crowded:
                reach.grow()


class _Reach:
    """How far around a point to look: grows while it holds too little, shrinks towards what fitted when too much."""

    def __init__(self, value: float, smallest: float) -> None:
        self.value = value
        self._smallest = smallest
        self._fitted = 0.0

    def grow(self) -> None:
        self._fitted = self.value
        self.value *= 4.0

    def shrink(self) -> bool:
        """False when it cannot get smaller: all there is at one place or instant."""
        smaller = (self._fitted + self.value) / 2.0 if self._fitted else self.value / 8.0
        if self.value - smaller < self._smallest:
            return False
        self.value = smaller
        return True


def _resolved_order(query: Query, has_text: bool) -> Order:
    """Relevance without a text: nearest where a place or instant is given, else latest first."""
    if query.order is not Order.RELEVANCE or has_text:
        return query.order
    return Order.NEAREST if query.near is not None or query.at_ns is not None else Order.LAST
