"""The searches that `bench/memory.py` measures, each beside the raw call that it is compared with.

In: a deployment in a store. Out: figures

- `SET_SEARCH_ms`: p50 of ours, p95 in the note; `SET_SEARCH_raw_ms`: that of the raw call; `SET_SEARCH_over`: ours
  divided by what is allowed, max(1.3 raw, raw + 5 ms). Medians of five runs, in which ours and raw take turns; the
  p95 is over all runs. Embedding is left out.

Raw is one request of pymilvus from a client of its own, with the same vector, filter, consistency level and fields (all
of a memory's), whose limit is the number of rows that the answer must be chosen from:

- text and mixed: the 5 nearest vectors, which Milvus sorts itself. Ours asks for 16, as an episode counts once.
- time: all rows of the minute; ours is the first five of it, and Milvus sorts no query.
- place: all rows in the box around the circle; ours is the nearest five in the circle. `SET_place_any_raw_ms` is the
  same request with limit 5: any 5 rows of the box. It answers nothing, and is what a filter alone costs.
- `name` is a text that names something, for which 200 captions are compared word by word: no raw call does that, nor
  what `text_first`, `text_last` and `latest` do.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench._deployment import MAP, START_NS, WINDOW_NS, Deployment
from bench.report import Figure
from remembr_ros.memory import filters
from remembr_ros.memory.query import Order, Query
from remembr_ros.memory.schema import ALL_FIELDS, VECTOR, CollectionInfo, UnloadedEmbedder
from remembr_ros.memory.store import DEFAULT_COLLECTION, MemoryStore
from remembr_ros.memory.table import MAX_ROWS
from remembr_ros.records import NANOSECONDS

RUNS = 5
THINGS = ("cup", "lamp", "chair", "door", "plant", "phone", "stairs", "window")
QUERIES = len(THINGS)
_MINUTE_NS = 60 * NANOSECONDS
_FIELDS = list(ALL_FIELDS)
Call = Callable[[int], object]


class _Vectors(UnloadedEmbedder):
    """An embedding model of prepared answers: the question that ends with THINGS[3] has vector number 3."""

    def __init__(self, dimension: int) -> None:
        super().__init__(CollectionInfo(1, "bench", dimension))
        self.vectors = np.zeros((0, dimension), np.float32)

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self.vectors[[THINGS.index(text.rsplit(" ", 1)[1]) for text in texts]]


@dataclass
class MeasuredSet:
    """One deployment in one collection, growing."""

    name: str
    deployment: Deployment
    store: MemoryStore
    raw: Any
    """A MilvusClient of its own."""
    rows: int = 0
    figures: list[Figure] = field(default_factory=list)

    def grow(self, rows: int) -> float:
        """Write up to `rows` in all; the seconds that writing took, without making the data."""
        seconds = 0.0
        for memories, vectors in self.deployment.batches(self.rows, rows, 20_000):
            began = time.perf_counter()
            self.store.write(memories, vectors)
            seconds += time.perf_counter() - began
        self.rows = rows
        return seconds

    def add(self, name: str, value: float, unit: str, note: str = "") -> None:
        self.figures.append(Figure(f"{self.name}_{name}", value, unit, note))

    def searches(self) -> None:
        """All searches, compared."""
        _searches(self)


def _searches(data: MeasuredSet) -> None:
    store, raw, collection = data.store, data.raw, data.store.collection
    embedder = store.embedder
    assert isinstance(embedder, _Vectors)
    # Kinds of which there are many, some seen while driving only; the same for each size.
    embedder.vectors = data.deployment.vectors([3 + 11 * number for number in range(QUERIES)])
    level = {} if store._connection.embedded else {"consistency_level": "Bounded"}
    middle_ns = START_NS + data.rows // 2 * WINDOW_NS

    def minute(number: int) -> tuple[int, int]:
        after_ns = middle_ns + number * 20 * WINDOW_NS
        return after_ns, after_ns + _MINUTE_NS

    def half(number: int) -> tuple[int, int]:
        return middle_ns - data.rows // 4 * WINDOW_NS, middle_ns + (data.rows // 4 + number) * WINDOW_NS

    def place(number: int) -> tuple[float, float]:
        return 20.0 + 5.0 * number, 12.0 + 4.0 * number

    def box(number: int) -> str:
        terms = [filters.equals("map_id", MAP), "pose_state > 0", *filters.box(*place(number), 2.0)]
        return filters.all_of(terms)

    def raw_search(number: int, terms: Sequence[str] = ()) -> object:
        return raw.search(
            collection, data=[embedder.vectors[number]], limit=5, output_fields=_FIELDS, anns_field=VECTOR,
            filter=filters.all_of(terms), search_params={"metric_type": "COSINE", "params": {}}, **level,
        )  # fmt: skip

    def raw_query(terms: str, limit: int) -> object:
        return raw.query(collection, filter=terms, limit=limit, output_fields=_FIELDS, **level)

    def searched(**criteria: Any) -> object:
        return store.search(Query(**criteria))

    def bounds(span: tuple[int, int]) -> dict[str, int]:
        return {"after_ns": span[0], "before_ns": span[1]}

    _compare(data, "text", lambda n: searched(text=f"where is the {THINGS[n]}"), raw_search)
    _compare(
        data, "time", lambda n: searched(order=Order.FIRST, **bounds(minute(n))),
        lambda n: raw_query(filters.all_of(filters.overlaps(*minute(n))), MAX_ROWS),
    )  # fmt: skip
    _compare(
        data, "place", lambda n: searched(near=place(n), within_m=2.0, map_id=MAP),
        lambda n: raw_query(box(n), MAX_ROWS),
    )  # fmt: skip
    _compare(data, "name", lambda n: searched(text=f"where is Room 204 with the {THINGS[n]}"), None)
    _compare(data, "place_any", None, lambda n: raw_query(box(n), 5))
    _compare(
        data, "mixed", lambda n: searched(text=f"where is the {THINGS[n]}", map_id=MAP, **bounds(half(n))),
        lambda n: raw_search(n, [filters.equals("map_id", MAP), *filters.overlaps(*half(n))]),
    )  # fmt: skip
    _compare(data, "text_first", lambda n: searched(text=f"where is the {THINGS[n]}", order=Order.FIRST), None)
    _compare(data, "text_last", lambda n: searched(text=f"where is the {THINGS[n]}", order=Order.LAST), None)
    _compare(data, "latest", lambda n: searched(order=Order.LAST, limit=2), None)


def _compare(data: MeasuredSet, name: str, ours: Call | None, raw: Call | None) -> None:
    """Medians over five runs of p50; in a run, ours and raw take turns. One run before warms up."""
    calls = {suffix: call for suffix, call in (("", ours), ("_raw", raw)) if call is not None}
    runs: dict[str, list[list[float]]] = {suffix: [] for suffix in calls}
    for run in range(RUNS + 1):
        times: dict[str, list[float]] = {suffix: [] for suffix in calls}
        for number in range(QUERIES):
            for suffix in calls if (run + number) % 2 else reversed(calls):
                times[suffix].append(timed_ms(lambda call=calls[suffix], n=number: call(n)))  # type: ignore[misc]
        for suffix, values in times.items():
            if run > 0:
                runs[suffix].append(values)
    p50 = {suffix: [statistics.median(values) for values in runs[suffix]] for suffix in calls}
    for suffix in calls:
        p95 = float(np.percentile(np.concatenate(runs[suffix]), 95))
        data.add(f"{name}{suffix}_ms", statistics.median(p50[suffix]), "ms", f"p95 {p95:.1f} ms")
    if ours and raw:
        allowed = [max(1.3 * each, each + 5.0) for each in p50["_raw"]]
        data.add(f"{name}_over", statistics.median(p50[""]) / statistics.median(allowed), "", "of what is allowed")


def timed_ms(call: Callable[[], object]) -> float:
    """How long a call took [ms]."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1e3


def opened(uri: str, dimension: int, *, collection: str = DEFAULT_COLLECTION) -> MemoryStore:
    """A store whose embedder gives prepared vectors."""
    return MemoryStore.open(uri, _Vectors(dimension), collection=collection, timeout_s=120.0)


def raw_client(store: MemoryStore) -> Any:
    """A MilvusClient of its own on the same Milvus."""
    from pymilvus import MilvusClient

    server = store._connection._server
    return MilvusClient(server.uri if server else str(store._connection.location))
