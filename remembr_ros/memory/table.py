"""The collection as a table of candidates: the few requests that searching is made of.

In: filter terms (`filters.py`), unit vectors. Out: `Candidate`s with what ranking needs, whole memories, the span of
time that is remembered.

Milvus Lite is always fresh. On a server, waiting for freshness (consistency level Strong) costs up to 200 ms; it is
paid by the writer, who has the time: `settle` returns when the server answers from all that was written before it, so
that every reader finds it with Bounded reads of 3 ms. Bounded also limits how far a replica may lag: 5 s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from remembr_ros.memory import filters
from remembr_ros.memory.connection import LOAD_TIMEOUT_S, Connection
from remembr_ros.memory.schema import ALL_FIELDS, RANK_FIELDS, VECTOR, from_row, start_of
from remembr_ros.records import NANOSECONDS, Memory

if TYPE_CHECKING:
    import numpy as np

MAX_ROWS = 16384
"""The most rows that Milvus returns from one request."""
_IDS_PER_REQUEST = 1000
_FEW = 128
_FEW_SIMILAR = 256
"""So many rows are asked for whole, which saves the second request: they are a few kilobytes more."""
_EXACT_ROWS = 4096
"""So many vectors are compared here: 16 MB of 1024 dimensions, some 50 ms."""
_SPAN_FIELDS = ("start_ns", "end_ns")
_EDGE_NS = 60 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that may be returned. x, y [m] mean something only if `has_position`; `score` NaN: not searched by text;
    `row`: all its fields, None when only these were asked for."""

    id: str
    episode: str
    start_ns: int
    end_ns: int
    has_position: bool
    x: float
    y: float
    score: float = math.nan
    row: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    def distance_to(self, place: tuple[float, float]) -> float:
        """[m] in the plane."""
        return math.hypot(self.x - place[0], self.y - place[1])

    def gap_to(self, at_ns: int) -> tuple[int, int]:
        """Time between `at_ns` and the window, 0 inside it; then between `at_ns` and its middle [ns]."""
        outside_ns = max(self.start_ns - at_ns, at_ns - self.end_ns, 0)
        return outside_ns, abs((self.start_ns + self.end_ns) // 2 - at_ns)


class Table:
    """One collection seen through one connection."""

    def __init__(self, connection: Connection, collection: str) -> None:
        self._connection = connection
        self.collection = collection
        self._reading: dict[str, Any] = {} if connection.embedded else {"consistency_level": "Bounded"}
        self._span: tuple[int, int] | None = None
        self._last_end_ns = 0
        self.usual_radius_m = 0.25
        """Where the next search around a place begins, by what the last one found."""

    def warm_up(self, dimension: int) -> None:
        """Load the collection and search it once, so that the first question is not the one that waits for the disk."""
        import numpy as np

        vector = np.zeros(dimension, dtype=np.float32)
        vector[0] = 1.0
        self._connection.call("load_collection", self.collection, timeout_s=LOAD_TIMEOUT_S)
        self._connection.call(
            "search", self.collection, data=[vector], limit=1, anns_field=VECTOR, timeout_s=LOAD_TIMEOUT_S
        )
        self.span()

    def settle(self) -> None:
        """Return when readers in every process find what was written, or no longer find what was deleted."""
        if not self._connection.embedded:
            nothing = filters.equals("id", "-")
            self._connection.call(
                "query", self.collection, filter=nothing, output_fields=["id"], consistency_level="Strong"
            )

    def scan(self, terms: Iterable[str], limit: int = MAX_ROWS) -> list[Candidate]:
        """Up to `limit` rows that satisfy all terms, in no promised order. A few come whole."""
        expression = filters.all_of(terms)
        few = min(limit, _FEW)
        rows = self._query(expression, ALL_FIELDS, few)
        if len(rows) < few or few == limit:
            return list({row["id"]: _candidate(row, whole=row) for row in rows}.values())
        rows = self._query(expression, RANK_FIELDS, limit)
        return list({row["id"]: _candidate(row) for row in rows}.values())

    def similar(
        self, vector: np.ndarray[Any, Any], terms: Iterable[str], limit: int, *, only_ids: bool = False
    ) -> list[Candidate]:
        """The `limit` rows nearest to the unit `vector`, best first. A few come whole; with `only_ids` many come with
        nothing but their id and score, in a third of the time."""
        limit, expression = min(limit, MAX_ROWS), filters.all_of(terms)
        whole = limit <= _FEW_SIMILAR
        # ef: how many neighbours HNSW keeps while it walks; at least the number of rows asked for.
        params = {} if self._connection.embedded else {"ef": min(32768, max(64, 2 * limit))}
        found = self._connection.call(
            "search",
            self.collection,
            data=[vector],
            filter=expression,
            limit=limit,
            output_fields=list(ALL_FIELDS if whole else ("id",) if only_ids else RANK_FIELDS),
            anns_field=VECTOR,
            search_params={"metric_type": "COSINE", "params": params},
            **self._reading,
        )
        candidates: dict[str, Candidate] = {}
        for hit in found[0]:
            entity = hit["entity"]
            score = min(1.0, hit["distance"])
            if only_ids and not whole:
                candidates.setdefault(entity["id"], Candidate(entity["id"], "", 0, 0, False, 0.0, 0.0, score))
            else:
                candidates.setdefault(entity["id"], _candidate(entity, score, entity if whole else None))
        if len(found[0]) < limit and not self._connection.embedded:
            return self._exactly_similar(vector, expression, limit) or list(candidates.values())
        return list(candidates.values())

    def _exactly_similar(self, vector: np.ndarray[Any, Any], expression: str, limit: int) -> list[Candidate]:
        """As `similar`, by comparing with every row that satisfies the expression; empty when these are too many.

        A server's indexes are approximate: where a filter or deletions leave few rows, that of recent rows (IVF) looks
        into parts that hold none of them and finds less than there is.
        """
        import numpy as np

        if self._count(expression) > _EXACT_ROWS:
            return []
        rows = self._query(expression, (*ALL_FIELDS, VECTOR), _EXACT_ROWS)
        if not rows:
            return []
        scores = np.asarray([row[VECTOR] for row in rows], dtype=np.float32) @ vector
        best = np.argsort(-scores, kind="stable")[:limit]
        return [_candidate(rows[number], min(1.0, float(scores[number])), rows[number]) for number in best]

    def whole(self, candidates: Sequence[Candidate]) -> dict[str, Memory]:
        """The memories of candidates that still exist, by id."""
        memories = self.fetch([candidate.id for candidate in candidates if candidate.row is None])
        memories.update(
            {candidate.id: from_row(candidate.row) for candidate in candidates if candidate.row is not None}
        )
        return memories

    def fetch(self, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories that exist, by id."""
        memories = {}
        for start in range(0, len(ids), _IDS_PER_REQUEST):
            rows = self._query(filters.one_of("id", ids[start : start + _IDS_PER_REQUEST]), ALL_FIELDS, MAX_ROWS)
            memories.update({row["id"]: from_row(row) for row in rows})
        return memories

    def with_vectors(self, ids: Sequence[str]) -> dict[str, tuple[Memory, np.ndarray[Any, Any]]]:
        """The memories that exist and their vectors, by id."""
        import numpy as np

        found = {}
        for start in range(0, len(ids), _IDS_PER_REQUEST):
            expression = filters.one_of("id", ids[start : start + _IDS_PER_REQUEST])
            for row in self._query(expression, (*ALL_FIELDS, VECTOR), MAX_ROWS):
                found[row["id"]] = from_row(row), np.asarray(row[VECTOR], dtype=np.float32)
        return found

    def existing(self, ids: Sequence[str]) -> set[str]:
        """Which of `ids` are stored."""
        keys = set(ids)
        starts = [start_of(id_) for id_ in ids]
        if starts and None not in starts:
            # Ids of ours say when: a range of time at the end of 1,000,000 rows takes Milvus Lite 2 ms, ids 50 to
            # 90 ms.
            known = [start for start in starts if start is not None]
            span = [filters.at_least("start_ns", min(known)), filters.less_than("start_ns", max(known) + 1)]
            rows = self._query(filters.all_of(span), ("id",), MAX_ROWS)
            if len(rows) < MAX_ROWS:
                return keys & {row["id"] for row in rows}
        found: set[str] = set()
        for start in range(0, len(ids), _IDS_PER_REQUEST):
            rows = self._query(filters.one_of("id", ids[start : start + _IDS_PER_REQUEST]), ("id",), MAX_ROWS)
            found.update(row["id"] for row in rows)
        return found

    def count(self, after_ns: int | None = None) -> int:
        """Of the rows that start after `after_ns`, None: of all."""
        return self._count("" if after_ns is None else filters.more_than("start_ns", after_ns))

    def _count(self, expression: str) -> int:
        rows = self._connection.call(
            "query", self.collection, filter=expression, output_fields=["count(*)"], **self._reading
        )
        return int(rows[0]["count(*)"])

    def span(self, *, refresh: bool = False) -> tuple[int, int] | None:
        """The first and last start_ns, None when empty. Without `refresh` as known, which may be out of date."""
        if self._span is None or refresh:
            self._span = self._find_span()
        return self._span

    def bounds(self) -> tuple[int, int] | None:
        """The first start_ns and the last end_ns, None when empty."""
        span = self.span(refresh=True)
        return None if span is None else (span[0], max(span[1], self._last_end_ns))

    def saw(self, candidates: Iterable[Candidate]) -> None:
        """Rows beyond the known span widen it, so that the next search from an end begins there."""
        span = self._span
        starts = [candidate.start_ns for candidate in candidates]
        if span is not None and starts:
            self._span = min(span[0], *starts), max(span[1], *starts)

    def _find_span(self) -> tuple[int, int] | None:
        # Milvus 2 sorts no query: the edges are bracketed by growing steps from the last known ones, then halved.
        known = self._span
        if known is not None:
            edges = self._edge(known[0], -1), self._edge(known[1], 1)
            if edges[0] is not None and edges[1] is not None:
                return edges[0], edges[1]
        # Nothing is known, or somebody has deleted what was at an edge.
        anywhere = self._query(filters.at_least("start_ns", 0), ("start_ns",), 1)
        if not anywhere:
            return None
        start_ns = int(anywhere[0]["start_ns"])
        first_ns, last_ns = self._edge(start_ns, -1), self._edge(start_ns, 1)
        return (start_ns if first_ns is None else first_ns, start_ns if last_ns is None else last_ns)

    def _edge(self, inside_ns: int, sign: int) -> int | None:
        """The start_ns that is farthest from `inside_ns` in the direction of `sign`; None when there is none there."""

        def beyond(ns: int) -> bool:
            clamped = max(0, min(ns, 2**63 - 1))
            term = (filters.more_than if sign > 0 else filters.less_than)("start_ns", clamped)
            return bool(self._query(term, ("start_ns",), 1))

        # As last time, or little farther: one request, in which Milvus Lite skips what cannot match.
        term = (filters.at_least("start_ns", inside_ns)) if sign > 0 else filters.less_than("start_ns", inside_ns + 1)
        rows = self._query(term, _SPAN_FIELDS, MAX_ROWS)
        if len(rows) < MAX_ROWS:
            return self._farthest(rows, sign)
        near, step = inside_ns, _EDGE_NS
        while beyond(inside_ns + sign * step):
            near, step = inside_ns + sign * step, step * 2
        far = inside_ns + sign * step
        while abs(far - near) > _EDGE_NS:
            middle = (near + far) // 2
            near, far = (middle, far) if beyond(middle) else (near, middle)
        low, high = sorted((near, far))
        terms = [filters.at_least("start_ns", max(low, 0)), filters.less_than("start_ns", min(high + 1, 2**63 - 1))]
        return self._farthest(self._query(filters.all_of(terms), _SPAN_FIELDS, MAX_ROWS), sign)

    def _farthest(self, rows: Sequence[Mapping[str, Any]], sign: int) -> int | None:
        if sign > 0:
            self._last_end_ns = max((int(row["end_ns"]) for row in rows), default=0)
        return (max if sign > 0 else min)((int(row["start_ns"]) for row in rows), default=None)

    def _query(self, expression: str, fields: Sequence[str], limit: int) -> list[dict[str, Any]]:
        return list(
            self._connection.call(
                "query", self.collection, filter=expression, output_fields=list(fields), limit=limit, **self._reading
            )
        )


def _candidate(row: Mapping[str, Any], score: float = math.nan, whole: Mapping[str, Any] | None = None) -> Candidate:
    has_position = row["pose_state"] > 0
    return Candidate(
        row["id"], row["episode"], row["start_ns"], row["end_ns"], has_position, row["x"], row["y"], score, whole
    )
