"""The memories that an evaluation asks. In: the records of each; out: a MemoryStore for each, in one Milvus Lite file.

What is stored already stays: a second run embeds nothing. A memory of other captions or another embedder is another
collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from remembr_ros.memory.embedders import Embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory

_BATCH = 256
TIMEOUT_S = 60.0


@contextmanager
def stored(
    file: Path,
    embedder: Embedder,
    memories: Mapping[str, Sequence[Memory]],
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[dict[str, MemoryStore]]:
    """One open store for each key of `memories`, a name of a collection. Raises as MemoryStore.open and write do."""
    file.parent.mkdir(parents=True, exist_ok=True)
    total, done = sum(map(len, memories.values())), 0
    with ExitStack() as stack:
        stores = {}
        for collection, rows in memories.items():
            store = stack.enter_context(
                MemoryStore.open(str(file), embedder, collection=collection, timeout_s=TIMEOUT_S)
            )
            complete = store.count() >= len(rows)
            for start in range(0, len(rows), _BATCH):
                if not complete:
                    store.write(rows[start : start + _BATCH])
                done += len(rows[start : start + _BATCH])
                if progress is not None:
                    progress(done, total)
            stores[collection] = store
        yield stores
