"""The memory: how long writing and searching take beside the same calls of pymilvus without this package.

"Raw" is the same pymilvus request with the same vector, filter, fields and limit; embedding is left out of both.
Vectors are clustered as those of captions are: 200 kinds of scene, windows of one kind alike. 384 dimensions, embedded.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.report import Figure, Result
from remembr_ros.memory.query import Order, Query
from remembr_ros.memory.schema import ALL_FIELDS, memory_id
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory, Pose

DIMENSION = 384
KINDS = 200
START_NS = 1_796_061_600_000_000_000
WINDOW_NS = 3 * NANOSECONDS
RUNS = 5


class ClusteredEmbedder:
    """A vector near the centre of the kind that a text ends with."""

    name = "bench"
    dimension = DIMENSION

    def __init__(self) -> None:
        self._random = np.random.default_rng(7)
        self._centres = self._random.normal(size=(KINDS, DIMENSION))

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        kinds = [int(text.rsplit(" ", 1)[1]) % KINDS for text in texts]
        vectors = self._centres[kinds] + 0.6 * self._random.normal(size=(len(texts), DIMENSION))
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    embed_queries = embed_documents


class PreparedEmbedder(ClusteredEmbedder):
    """Hands out vectors computed before, so that embedding costs nothing."""

    def __init__(self, vectors: np.ndarray[Any, Any]) -> None:
        self.vectors = vectors

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self.vectors[[int(text.rsplit(" ", 1)[1]) for text in texts]]


def run(quick: bool) -> Result:
    """Write a deployment, then search it by text, time and place, each search next to its raw call."""
    rows = 5_000 if quick else 100_000
    embedder = ClusteredEmbedder()
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryStore.open(str(Path(folder).resolve() / "bench.db"), embedder, timeout_s=60.0) as store,
    ):
        began = time.perf_counter()
        for first in range(0, rows, 2000):
            store.write([_memory(number) for number in range(first, min(rows, first + 2000))])
        figures = [Figure("rows", rows, "memories"), Figure("write_per_s", rows / (time.perf_counter() - began), "1/s")]
        singles = [_timed(lambda n=n: store.write([_memory(n)])) for n in range(rows, rows + 20)]
        figures.append(Figure("single_write_ms", statistics.median(singles), "ms", "durable on return"))
        vectors = embedder.embed_queries([f"x {number}" for number in range(20)])
        store.embedder = PreparedEmbedder(vectors)
        for name, ours, raw in _searches(store, vectors, START_NS + rows // 2 * WINDOW_NS):
            figures += _compared(name, ours, raw)
        figures.append(Figure("bytes_per_memory", (Path(folder) / "bench.db").stat().st_size / rows, "B"))
    return Result(tuple(figures))


def _memory(number: int) -> Memory:
    start_ns = START_NS + number * WINDOW_NS
    pose = Pose(start_ns, "map", 40 * math.sin(number * 0.0137), 30 * math.cos(number * 0.0071), yaw=0.1)
    caption = (
        f"I see a scene that people would describe in about as many words as this, of kind {number * 7919 % KINDS}"
    )
    return Memory(
        memory_id("r", "c", start_ns), start_ns, start_ns + WINDOW_NS, start_ns, caption, pose, True, "floor", "r", "c"
    )


Call = Callable[[int], object]


def _searches(store: MemoryStore, vectors: np.ndarray[Any, Any], middle_ns: int) -> list[tuple[str, Call, Call | None]]:
    fields = list(ALL_FIELDS)
    call, collection = store._connection.call, store.collection

    def minute(number: int) -> tuple[int, int]:
        return middle_ns + number * 50 * WINDOW_NS, middle_ns + number * 50 * WINDOW_NS + 60 * NANOSECONDS

    def in_time(number: int) -> str:
        after_ns, before_ns = minute(number)
        return f"end_ns > {after_ns} and start_ns < {before_ns}"

    def in_box(number: int) -> str:
        return (
            f'pose_state > 0 and map_id == "floor" and x >= {number - 12} and x <= {number - 8} and y >= 1 and y <= 5'
        )

    def by_time(number: int) -> object:
        after_ns, before_ns = minute(number)
        return store.search(Query(after_ns=after_ns, before_ns=before_ns, order=Order.FIRST))

    def by_place(number: int) -> object:
        return store.search(Query(near=(number - 10.0, 3.0), within_m=2.0, map_id="floor"))

    def raw_search(number: int) -> object:
        return call("search", collection, data=[vectors[number]], limit=5, output_fields=fields)

    def raw_query(terms: str) -> object:
        return call("query", collection, filter=terms, limit=5, output_fields=fields)

    return [
        ("text", lambda n: store.search(Query(text=f"q {n}")), raw_search),
        ("time", by_time, lambda n: raw_query(in_time(n))),
        ("place", by_place, lambda n: raw_query(in_box(n))),
        ("text_first", lambda n: store.search(Query(text=f"q {n}", order=Order.FIRST)), None),
        ("text_last", lambda n: store.search(Query(text=f"q {n}", order=Order.LAST)), None),
        ("latest", lambda n: store.search(Query(order=Order.LAST, limit=2)), None),
    ]


def _compared(name: str, ours: Call, raw: Call | None) -> list[Figure]:
    """Medians of interleaved calls."""
    ours(0)
    times: list[float] = []
    raw_times: list[float] = []
    for _ in range(RUNS):
        for number in range(10):
            times.append(_timed(lambda n=number: ours(n)))
            if raw is not None:
                raw_times.append(_timed(lambda n=number: raw(n)))
    figures = [
        Figure(f"{name}_ms", statistics.median(times), "ms", f"p95 {sorted(times)[int(len(times) * 0.95)]:.1f} ms")
    ]
    if raw_times:
        figures.append(Figure(f"{name}_raw_ms", statistics.median(raw_times), "ms"))
    return figures


def _timed(call: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1e3
