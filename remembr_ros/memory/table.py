"""The collection as a table of candidates: the few requests that searching is made of.

In: filter terms (`filters.py`), unit vectors. Out: `Candidate`s with what ranking needs, whole memories by id, the span
of time that is remembered.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from remembr_ros.memory import filters
from remembr_ros.memory.connection import LOAD_TIMEOUT_S, Connection
from remembr_ros.memory.schema import ALL_FIELDS, RANK_FIELDS, VECTOR, from_row
from remembr_ros.records import NANOSECONDS, Memory

if TYPE_CHECKING:
    import numpy as np

MAX_ROWS = 16384
"""The most rows that Milvus returns from one request."""
_IDS_PER_REQUEST = 1000
_EDGE_NS = 60 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that may be returned. x, y [m] mean something only if `has_position`; `score` NaN: not searched by text."""

    id: str
    episode: str
    start_ns: int
    end_ns: int
    has_position: bool
    x: float
    y: float
    score: float = math.nan

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
        # Milvus Lite is always fresh. On a server only Strong promises that what another process has just written is
        # found; it costs up to 200 ms. Weighing that per query belongs here.
        self._freshness: dict[str, Any] = {} if connection.embedded else {"consistency_level": "Strong"}
        self._span: tuple[int, int] | None = None

    def warm_up(self, dimension: int) -> None:
        """Load the collection and search it once, so that the first question is not the one that waits for the disk."""
        import numpy as np

        vector = np.zeros(dimension, dtype=np.float32)
        vector[0] = 1.0
        self._connection.call("load_collection", self.collection, timeout_s=LOAD_TIMEOUT_S)
        self._connection.call(
            "search", self.collection, data=[vector], limit=1, anns_field=VECTOR, timeout_s=LOAD_TIMEOUT_S
        )

    def scan(self, terms: Iterable[str], limit: int = MAX_ROWS) -> list[Candidate]:
        """Up to `limit` rows that satisfy all terms, in no promised order."""
        rows = self._query(filters.all_of(terms), RANK_FIELDS, limit)
        return list({row["id"]: _candidate(row) for row in rows}.values())

    def similar(self, vector: np.ndarray[Any, Any], terms: Iterable[str], limit: int) -> list[Candidate]:
        """The `limit` rows nearest to the unit `vector`, best first."""
        limit = min(limit, MAX_ROWS)
        # ef: how many neighbours HNSW keeps while it walks; at least the number of rows asked for.
        params = {} if self._connection.embedded else {"ef": min(32768, max(64, 2 * limit))}
        found = self._connection.call(
            "search",
            self.collection,
            data=[vector],
            filter=filters.all_of(terms),
            limit=limit,
            output_fields=list(RANK_FIELDS),
            anns_field=VECTOR,
            search_params={"metric_type": "COSINE", "params": params},
            **self._freshness,
        )
        candidates: dict[str, Candidate] = {}
        for hit in found[0]:
            candidates.setdefault(hit["entity"]["id"], _candidate(hit["entity"], min(1.0, hit["distance"])))
        return list(candidates.values())

    def fetch(self, ids: Sequence[str]) -> dict[str, Memory]:
        """The memories that exist, by id."""
        memories = {}
        for start in range(0, len(ids), _IDS_PER_REQUEST):
            rows = self._query(filters.one_of("id", ids[start : start + _IDS_PER_REQUEST]), ALL_FIELDS, MAX_ROWS)
            memories.update({row["id"]: from_row(row) for row in rows})
        return memories

    def existing(self, ids: Sequence[str]) -> set[str]:
        """Which of `ids` are stored."""
        found: set[str] = set()
        for start in range(0, len(ids), _IDS_PER_REQUEST):
            rows = self._query(filters.one_of("id", ids[start : start + _IDS_PER_REQUEST]), ("id",), MAX_ROWS)
            found.update(row["id"] for row in rows)
        return found

    def count(self) -> int:
        rows = self._connection.call("query", self.collection, filter="", output_fields=["count(*)"], **self._freshness)
        return int(rows[0]["count(*)"])

    def span(self, *, refresh: bool = False) -> tuple[int, int] | None:
        """The first and last start_ns, None when empty. Without `refresh` as known, which may be out of date."""
        if self._span is None or refresh:
            self._span = self._find_span()
        return self._span

    def _find_span(self) -> tuple[int, int] | None:
        # Milvus 2 sorts no query: the edges are bracketed by growing steps, then halved. Some 30 requests of a
        # millisecond (10 ms at 1,000,000 rows) each.
        start = self._span or self._anywhere()
        return None if start is None else (self._edge(start[0], -1), self._edge(start[1], 1))

    def _anywhere(self) -> tuple[int, int] | None:
        rows = self.scan([filters.at_least("start_ns", 0)], 1)
        return (rows[0].start_ns, rows[0].start_ns) if rows else None

    def _edge(self, inside_ns: int, sign: int) -> int:
        """The start_ns that is farthest from `inside_ns` in the direction of `sign`, or `inside_ns`."""

        def beyond(ns: int) -> list[Candidate]:
            clamped = max(0, min(ns, 2**63 - 1))
            return self.scan([(filters.more_than if sign > 0 else filters.less_than)("start_ns", clamped)], 1)

        near, step = inside_ns, _EDGE_NS
        while beyond(inside_ns + sign * step):
            near, step = inside_ns + sign * step, step * 2
        far = inside_ns + sign * step
        while abs(far - near) > _EDGE_NS:
            middle = (near + far) // 2
            near, far = (middle, far) if beyond(middle) else (near, middle)
        low, high = sorted((near, far))
        terms = [filters.at_least("start_ns", max(low, 0)), filters.less_than("start_ns", min(high + 1, 2**63 - 1))]
        starts = [candidate.start_ns for candidate in self.scan(terms)]
        return (max if sign > 0 else min)(starts, default=inside_ns)

    def _query(self, expression: str, fields: Sequence[str], limit: int) -> list[dict[str, Any]]:
        return list(
            self._connection.call(
                "query", self.collection, filter=expression, output_fields=list(fields), limit=limit, **self._freshness
            )
        )


def _candidate(row: dict[str, Any], score: float = math.nan) -> Candidate:
    return Candidate(
        row["id"], row["episode"], row["start_ns"], row["end_ns"], row["pose_state"] > 0, row["x"], row["y"], score
    )
