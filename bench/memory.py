"""The memory, measured: writing and searching beside the same calls of pymilvus without this package.

In: simulated deployments (`_deployment.py`). Out, for each of `PARTS`: embedded 384-d from 1,000 to 1,000,000 memories,
embedded with a robot that is parked most of the time, embedded 1024-d, and a Milvus server (HNSW) with 1024-d, where
writing is measured apart. How searches are compared, and what "raw" is, says `_memory_searches.py`.

- `SET_write_per_s`: rows a second in batches of 500, durable. On a server, `write_share` is that divided by raw upserts
  of rows that were made before, in turns with ours, and one wait until all is found is part of ours.
- `SET_recall_at_5` is taken before episodes are collapsed, of what a search asks for, against all vectors in numpy.
- `SET_index_s`: flush and HNSW after the last write, part of nothing else.

All parts take about 20 minutes on an idle machine with 2 cores; `quick` runs each with some thousand memories.
"""

from __future__ import annotations

import contextlib
import importlib.util
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench._deployment import START_NS, WINDOW_NS, Deployment
from bench._memory_searches import MeasuredSet, opened, raw_client, timed_ms
from bench._milvus_server import MilvusServer
from bench.report import Figure
from remembr_ros.memory import filters
from remembr_ros.memory.schema import VECTOR, to_row

GROWTH = (1_000, 10_000, 100_000, 1_000_000)
PARKED = 100_000
LARGE, LARGE_DIMENSION = 200_000, 1024
QUICK = 2_000
WRITES, WRITE_BATCH, WRITES_ALONE = 40_000, 500, 20
PICTURE = Path(__file__).resolve().parent.parent / "docs" / "memory_growth.png"


def growth(quick: bool) -> list[Figure]:
    """Embedded, 384-d, uniform: sizes, latencies and writing as the memory grows; the picture in docs/."""
    sizes = (500, QUICK) if quick else GROWTH
    with _folder() as folder, opened(str(folder / "growth.db"), 384) as store:
        growing = MeasuredSet("", Deployment(384), store, raw_client(store))
        for rows in sizes:
            growing.name, before = f"lite_{_short(rows)}", growing.rows
            growing.add("write_per_s", (rows - before) / growing.grow(rows), "1/s", "in batches of 500, acknowledged")
            growing.add("single_write_ms", _single_write_ms(growing), "ms", "acknowledged")
            growing.add("bytes_per_memory", (folder / "growth.db").stat().st_size / growing.rows, "B")
            growing.searches()
        growing.raw.close()
    if not quick:
        _draw(growing.figures, sizes)
    return growing.figures


def parked(quick: bool) -> list[Figure]:
    """Embedded, 384-d: a robot that stands at a dock for two thirds of each day."""
    return _embedded("parked", 384, QUICK if quick else PARKED, parked_heavy=True)


def large(quick: bool) -> list[Figure]:
    """Embedded, 1024-d, uniform."""
    return _embedded("lite", LARGE_DIMENSION, QUICK if quick else LARGE, suffix="_1024d")


def server_write(quick: bool) -> list[Figure]:
    """Writing to a server: streams beside raw upserts of the same rows into a second collection; single writes."""
    rows = QUICK if quick else WRITES
    figures: list[Figure] = []
    with _served() as server, opened(server.uri, LARGE_DIMENSION) as store, opened(
        server.uri, LARGE_DIMENSION, collection="raw"
    ) as other:  # fmt: skip
        written = MeasuredSet("server", Deployment(LARGE_DIMENSION), store, raw_client(store))
        seconds = raw_seconds = 0.0
        for number, (memories, vectors) in enumerate(written.deployment.batches(0, rows, WRITE_BATCH)):
            data = [to_row(memory, vector) for memory, vector in zip(memories, vectors, strict=True)]
            for ours in (True, False) if number % 2 else (False, True):
                if ours:
                    seconds += timed_ms(lambda m=memories, v=vectors: store.write(m, v, settle=False)) / 1e3
                else:
                    raw_seconds += timed_ms(lambda d=data: written.raw.upsert(other.collection, d)) / 1e3
        seconds += timed_ms(store.settle) / 1e3
        written.rows = rows
        written.add("write_per_s", rows / seconds, "1/s", "a stream of 500 each, then one wait until all is found")
        written.add("write_raw_per_s", rows / raw_seconds, "1/s", "upserts of 500")
        written.add("write_share", raw_seconds / seconds, "", "of raw throughput")
        written.add("single_write_ms", _single_write_ms(written), "ms", "found by every process on return")
        alone = [timed_ms(lambda m=m, v=v: store.write(m, v, settle=False)) for m, v in _next(written, WRITES_ALONE)]
        written.add("single_write_unsettled_ms", statistics.median(alone), "ms", "durable on return")
        figures = written.figures
        written.raw.close()
    return figures


def server(quick: bool) -> list[Figure]:
    """A server, HNSW, 1024-d: index time, recall against exact search, latencies."""
    rows = QUICK if quick else LARGE
    with _served() as milvus, opened(milvus.uri, LARGE_DIMENSION) as store:
        served = MeasuredSet(f"server_{_short(rows)}_1024d", Deployment(LARGE_DIMENSION), store, raw_client(store))
        served.grow(rows)
        began = time.perf_counter()
        served.raw.flush(store.collection, timeout=300.0)
        _wait_for_index(served.raw, store.collection)
        served.add("index_s", time.perf_counter() - began, "s", "flush and HNSW, after the last write")
        _recall(served)
        served.searches()
        served.raw.close()
        return served.figures


PARTS = {"growth": growth, "parked": parked, "large": large}
if importlib.util.find_spec("milvus"):  # the server's wheel, x86_64 only
    PARTS |= {"server_write": server_write, "server": server}


# --- what the parts are made of ---


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name).resolve()


@contextlib.contextmanager
def _served() -> Iterator[MilvusServer]:
    with _folder() as folder, MilvusServer(folder) as server_:
        yield server_


def _embedded(kind: str, dimension: int, rows: int, *, suffix: str = "", parked_heavy: bool = False) -> list[Figure]:
    with _folder() as folder, opened(str(folder / "memory.db"), dimension) as store:
        deployment = Deployment(dimension, parked_heavy=parked_heavy)
        data = MeasuredSet(f"{kind}_{_short(rows)}{suffix}", deployment, store, raw_client(store))
        data.add("write_per_s", rows / data.grow(rows), "1/s", "in batches of 500, acknowledged")
        data.add("bytes_per_memory", (folder / "memory.db").stat().st_size / data.rows, "B")
        data.searches()
        data.raw.close()
        return data.figures


def _recall(served: MeasuredSet) -> None:
    """Of the pool that a search asks for; also under filters by time that leave 1 %."""
    again = Deployment(LARGE_DIMENSION)  # drawn a second time: the same vectors as are stored
    everything = np.concatenate([vectors for _, vectors in again.batches(0, served.rows, 5_000)])
    queries = served.deployment.vectors(list(range(0, 200, 4)))
    share = served.rows // 100
    ranges = {"recall": (0, served.rows), "recall_1_percent": (served.rows // 2, served.rows // 2 + share)}
    for name, (first, last) in ranges.items():
        terms = [] if last - first == served.rows else [
            filters.at_least("start_ns", START_NS + first * WINDOW_NS),
            filters.less_than("start_ns", START_NS + last * WINDOW_NS),
        ]  # fmt: skip
        found = 0
        for query in queries:
            best = first + np.argpartition(-(everything[first:last] @ query), 5)[:5]
            ids = {served.deployment.memory(int(number)).id for number in best}
            found += len(ids & {candidate.id for candidate in served.store._table.similar(query, terms, 16)[:5]})
        served.add(f"{name}_at_5", found / (5 * len(queries)), "", "HNSW against exact")


def _single_write_ms(data: MeasuredSet) -> float:
    return statistics.median(
        [timed_ms(lambda m=memories, v=vectors: data.store.write(m, v)) for memories, vectors in _next(data, 10)]
    )


def _next(data: MeasuredSet, count: int) -> Iterator[tuple[list[Any], Any]]:
    """The next memories, one by one."""
    first = data.rows
    data.rows += count
    yield from data.deployment.batches(first, first + count, 1)


def _short(rows: int) -> str:
    return f"{rows // 1_000_000}m" if rows >= 1_000_000 else f"{rows // 1000}k" if rows >= 1000 else str(rows)


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
