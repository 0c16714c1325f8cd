"""The memory, measured: writing and searching beside the same calls of pymilvus without this package.

In: simulated deployments (`_deployment.py`). Out, for each of: embedded 384-d from 1,000 to 1,000,000 memories,
embedded with a robot that is parked most of the time, embedded 1024-d, and a Milvus server with 1024-d:

- `SET_SEARCH_ms`: p50 of ours, p95 in the note; `SET_SEARCH_raw_ms`: that of the raw call; `SET_SEARCH_over`: ours
  divided by what is allowed, max(1.3 raw, raw + 5 ms). Medians of five runs, in which ours and raw take turns.
- Raw is one pymilvus request with the same vector, filter, consistency level and fields. Its limit is what the answer
  takes: 5 for a text; every row of the minute for the first five of a minute; every row of the box for the five nearest
  to a place, as Milvus can sort by neither. `SET_place_any_raw_ms` is the request that takes any 5 rows of the box.
- `name` is a text that names something, for which 200 captions are compared word by word.
- Embedding is left out of all of it.
"""

from __future__ import annotations

import importlib.util
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench._deployment import MAP, START_NS, WINDOW_NS, Deployment
from bench._milvus_server import MilvusServer
from bench.report import Figure, Result
from remembr_ros.memory import filters
from remembr_ros.memory.query import Order, Query
from remembr_ros.memory.schema import ALL_FIELDS, VECTOR, CollectionInfo, UnloadedEmbedder, to_row
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS

RUNS = 5
THINGS = ("cup", "lamp", "chair", "door", "plant", "phone", "stairs", "window")
QUERIES = len(THINGS)
GROWTH = (1_000, 10_000, 100_000, 1_000_000)
PARKED = 200_000
LARGE, LARGE_DIMENSION = 200_000, 1024
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "memory_growth.png"
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
class _Set:
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


def run(quick: bool) -> Result:
    """About twenty minutes on an idle machine; `quick` stops at 2,000 memories and leaves the server out."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        figures += _growth(folder / "growth.db", (500, 2_000) if quick else GROWTH, draw=not quick)
        figures += _parked(folder / "parked.db", 2_000 if quick else PARKED)
        if not quick:
            figures += _large(folder / "large.db")
            if importlib.util.find_spec("milvus"):
                with MilvusServer(folder) as server:
                    figures += _server(server)
    return Result(tuple(figures))


# --- the sets ---


def _growth(db_file: Path, sizes: Sequence[int], *, draw: bool) -> list[Figure]:
    figures: list[Figure] = []
    with _opened(str(db_file), 384) as store:
        growing = _Set("", Deployment(384), store, _raw_client(store))
        for rows in sizes:
            growing.name, before = f"lite_{_short(rows)}", growing.rows
            growing.add("write_per_s", (rows - before) / growing.grow(rows), "1/s", "in batches, acknowledged")
            growing.add("single_write_ms", _single_write_ms(growing), "ms", "acknowledged")
            growing.add("bytes_per_memory", db_file.stat().st_size / growing.rows, "B")
            _searches(growing)
        figures = growing.figures
        growing.raw.close()
    if draw:
        _draw(figures, sizes)
    return figures


def _parked(db_file: Path, rows: int) -> list[Figure]:
    with _opened(str(db_file), 384) as store:
        parked = _Set(f"parked_{_short(rows)}", Deployment(384, parked_heavy=True), store, _raw_client(store))
        parked.grow(rows)
        _searches(parked)
        parked.raw.close()
        return parked.figures


def _large(db_file: Path) -> list[Figure]:
    with _opened(str(db_file), LARGE_DIMENSION) as store:
        large = _Set(f"lite_{_short(LARGE)}_1024d", Deployment(LARGE_DIMENSION), store, _raw_client(store))
        large.grow(LARGE)
        large.add("bytes_per_memory", db_file.stat().st_size / large.rows, "B")
        _searches(large)
        large.raw.close()
        return large.figures


def _server(server: MilvusServer) -> list[Figure]:
    """HNSW: throughput beside raw upserts, recall against exact search, latencies."""
    with _opened(server.uri, LARGE_DIMENSION) as store:
        served = _Set(f"server_{_short(LARGE)}_1024d", Deployment(LARGE_DIMENSION), store, _raw_client(store))
        _throughput(served, 40_000)
        served.grow(LARGE)
        began = time.perf_counter()
        served.raw.flush(store.collection, timeout=300.0)
        _wait_for_index(served.raw, store.collection)
        served.add("index_s", time.perf_counter() - began, "s", "flush and HNSW, after the last write")
        served.add(
            "write_settle_ms",
            statistics.median([_timed(store._table.settle) for _ in range(20)]),
            "ms",
            "a write waits for it",
        )
        _recall(served)
        _searches(served)
        served.raw.close()
        return served.figures


def _throughput(served: _Set, rows: int) -> None:
    """Ours and raw upserts of the same rows into a second collection, in turns."""
    with MemoryStore.open(str(served.store._connection.location), _Vectors(LARGE_DIMENSION), collection="raw") as other:
        collection, seconds, raw_seconds = other.collection, 0.0, 0.0
        for start in range(0, rows, 20_000):
            seconds += served.grow(start + 20_000)
            for memories, vectors in Deployment(LARGE_DIMENSION).batches(start, start + 20_000, 500):
                data = [to_row(memory, vector) for memory, vector in zip(memories, vectors, strict=True)]
                began = time.perf_counter()
                served.raw.upsert(collection, data)
                raw_seconds += time.perf_counter() - began
        served.raw.drop_collection(collection)
    served.add("write_per_s", rows / seconds, "1/s", "batches of 500, acknowledged")
    served.add("write_raw_per_s", rows / raw_seconds, "1/s")
    served.add("write_share", raw_seconds / seconds, "", "of raw throughput")


def _recall(served: _Set) -> None:
    """recall@5 before episodes are collapsed, of the pool that a search asks for; exact: all vectors, in numpy."""
    again = Deployment(LARGE_DIMENSION)  # drawn a second time: the same vectors as are stored
    everything = np.concatenate([vectors for _, vectors in again.batches(0, LARGE, 5_000)])
    queries = served.deployment.vectors(list(range(0, 200, 4)))
    share = LARGE // 100
    ranges = {"recall": (0, LARGE), "recall_1_percent": (LARGE // 2, LARGE // 2 + share)}
    for name, (first, last) in ranges.items():
        terms = [] if last - first == LARGE else [
            filters.at_least("start_ns", START_NS + first * WINDOW_NS),
            filters.less_than("start_ns", START_NS + last * WINDOW_NS),
        ]  # fmt: skip
        found = 0
        for query in queries:
            best = first + np.argpartition(-(everything[first:last] @ query), 5)[:5]
            ids = {served.deployment.memory(int(number)).id for number in best}
            found += len(ids & {candidate.id for candidate in served.store._table.similar(query, terms, 16)[:5]})
        served.add(f"{name}_at_5", found / (5 * len(queries)), "", "HNSW against exact")


# --- the searches ---


def _searches(data: _Set) -> None:
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
        lambda n: raw_query(filters.all_of(filters.overlaps(*minute(n))), 128),
    )  # fmt: skip
    _compare(
        data, "place", lambda n: searched(near=place(n), within_m=2.0, map_id=MAP), lambda n: raw_query(box(n), 16384)
    )
    _compare(data, "name", lambda n: searched(text=f"where is Room 204 with the {THINGS[n]}"), None)
    _compare(data, "place_any", None, lambda n: raw_query(box(n), 5))
    _compare(
        data, "mixed", lambda n: searched(text=f"where is the {THINGS[n]}", map_id=MAP, **bounds(half(n))),
        lambda n: raw_search(n, [filters.equals("map_id", MAP), *filters.overlaps(*half(n))]),
    )  # fmt: skip
    _compare(data, "text_first", lambda n: searched(text=f"where is the {THINGS[n]}", order=Order.FIRST), None)
    _compare(data, "text_last", lambda n: searched(text=f"where is the {THINGS[n]}", order=Order.LAST), None)
    _compare(data, "latest", lambda n: searched(order=Order.LAST, limit=2), None)


def _compare(data: _Set, name: str, ours: Call | None, raw: Call | None) -> None:
    """Medians over five runs of p50 and p95; in a run, ours and raw take turns. One run before warms up."""
    calls = {suffix: call for suffix, call in (("", ours), ("_raw", raw)) if call is not None}
    p50: dict[str, list[float]] = {suffix: [] for suffix in calls}
    p95: dict[str, list[float]] = {suffix: [] for suffix in calls}
    for run_ in range(RUNS + 1):
        times: dict[str, list[float]] = {suffix: [] for suffix in calls}
        for number in range(QUERIES):
            for suffix, call in calls.items():
                times[suffix].append(_timed(lambda call=call, n=number: call(n)))  # type: ignore[misc]
        for suffix, values in times.items():
            if run_ > 0:
                p50[suffix].append(statistics.median(values))
                p95[suffix].append(sorted(values)[int(0.95 * len(values))])
    for suffix in calls:
        note = f"p95 {statistics.median(p95[suffix]):.1f} ms"
        data.add(f"{name}{suffix}_ms", statistics.median(p50[suffix]), "ms", note)
    if ours and raw:
        allowed = [max(1.3 * each, each + 5.0) for each in p50["_raw"]]
        data.add(f"{name}_over", statistics.median(p50[""]) / statistics.median(allowed), "", "of what is allowed")


def _single_write_ms(data: _Set) -> float:
    times = []
    for memories, vectors in data.deployment.batches(data.rows, data.rows + 10, 1):
        times.append(_timed(lambda memories=memories, vectors=vectors: data.store.write(memories, vectors)))
    data.rows += 10
    return statistics.median(times)


def _timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1e3


def _short(rows: int) -> str:
    return f"{rows // 1_000_000}m" if rows >= 1_000_000 else f"{rows // 1000}k" if rows >= 1000 else str(rows)


def _opened(uri: str, dimension: int) -> MemoryStore:
    return MemoryStore.open(uri, _Vectors(dimension), timeout_s=120.0)


def _raw_client(store: MemoryStore) -> Any:
    from pymilvus import MilvusClient

    server = store._connection._server
    return MilvusClient(server.uri if server else str(store._connection.location))


def _wait_for_index(client: Any, collection: str) -> None:
    deadline = time.monotonic() + 1200.0
    while True:
        state = client.describe_index(collection, index_name=VECTOR)
        # What is pending counts segments that have been merged since as well.
        if state.get("indexed_rows", 0) >= state.get("total_rows", 1):
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"the index of {collection} is not built: {state}")
        time.sleep(0.5)


def _draw(figures: Sequence[Figure], sizes: Sequence[int]) -> None:
    """The growth of latencies and bytes, as a picture in docs/."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    values = {figure.name: figure.value for figure in figures}
    picture, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4))
    for search in ("text", "time", "place", "text_first", "latest"):
        left.plot(sizes, [values[f"lite_{_short(rows)}_{search}_ms"] for rows in sizes], marker="o", label=search)
    left.plot(sizes, [values[f"lite_{_short(rows)}_text_raw_ms"] for rows in sizes], "k--", label="text, raw pymilvus")
    left.set(xscale="log", yscale="log", xlabel="memories", ylabel="p50 [ms]", title="Search, embedded, 384-d")
    left.legend()
    right.plot(sizes, [values[f"lite_{_short(rows)}_bytes_per_memory"] for rows in sizes], marker="o")
    right.set(xscale="log", ylim=(0, 3500), xlabel="memories", ylabel="bytes per memory", title="Size of the file")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    picture.tight_layout()
    PICTURE.parent.mkdir(exist_ok=True)
    picture.savefig(PICTURE, dpi=110)
