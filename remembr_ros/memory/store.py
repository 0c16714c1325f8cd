"""The memory store: writes memories to Milvus and finds them again, by text, place and time.

In: `Memory` records and `Query` records. Out: `Hit`s and `Memory` records. Positions in metres in the frame of their
map, times in nanoseconds. One collection holds the vectors of one embedding model, says of which, and refuses others.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import MemoryUnavailable, ModelFailed
from remembr_ros.memory import collections, filters
from remembr_ros.memory.connection import CollectionMissing, Connection, ConnectionLost
from remembr_ros.memory.embedders import Embedder
from remembr_ros.memory.query import MAX_LIMIT, Order, Query
from remembr_ros.memory.schema import UnloadedEmbedder, to_row
from remembr_ros.memory.search import search
from remembr_ros.memory.table import Candidate, Table
from remembr_ros.memory.uri import FileLocation, locate
from remembr_ros.records import Hit, Memory

if TYPE_CHECKING:
    import numpy as np

logger = logging.getLogger("remembr_ros.memory.store")
DEFAULT_COLLECTION = "memories"
_WRITE_TRIES = 3
_FREE_BYTES = 64 * 1024 * 1024
"""On a disk with less, nothing more is written: SQLite needs room for its journal, other programs for theirs."""
_BATCH = 500
"""Rows per insert: 384 dimensions make 1 MB, far below the 64 MB of a gRPC message."""
_TURN_S = 0.005
"""Between two batches, so that another process that waits to write has its turn."""
_QUERIES = 256
"""Texts whose vectors are kept: one question looks for the same words in several orders and times."""
_OVERLAPPING = 8
"""A range of time begins with the window at its edge and those that overlap it; sliding windows would be a few."""


class MemoryStore:
    """One collection of memories. Thread-safe. Every call ends within its time limit and raises MemoryUnavailable
    when Milvus cannot be reached; a later call works again when it can."""

    def __init__(self, connection: Connection, embedder: Embedder, collection: str) -> None:
        """Use `open`."""
        self.embedder = embedder
        self.collection = collection
        self._connection = connection
        self._table = Table(connection, collection)
        self._write_lock = threading.Lock()
        self._queried = lru_cache(_QUERIES)(self._embedded_query)

    @classmethod
    def open(
        cls,
        uri: str,
        embedder: Embedder,
        *,
        collection: str = DEFAULT_COLLECTION,
        token: str = "",
        timeout_s: float = 10.0,
    ) -> MemoryStore:
        """Connect, make the collection if there is none, and load it, so that the first search is not slow.

        `uri` as in `uri.locate`; `token` for a server ("user:password" or an API key); `timeout_s` for each call.
        Raises ConfigurationError, MissingDependency, MemoryHeld, ModelMismatch, MemoryUnavailable.
        """
        collections.check_name(collection)
        connection = Connection(locate(uri), token=token, timeout_s=timeout_s)
        return cls._prepared(connection, lambda: embedder, collection)

    @classmethod
    def open_existing(
        cls, uri: str, *, collection: str = DEFAULT_COLLECTION, token: str = "", timeout_s: float = 10.0
    ) -> MemoryStore:
        """As `open`, of a collection that exists, without its embedding model: to look at, copy and delete memories.

        Searching by text and writing without vectors raise ModelFailed.
        """
        collections.check_name(collection)
        location = locate(uri)
        if isinstance(location, FileLocation) and not location.path.exists():
            raise MemoryUnavailable(f"memory.uri: there is no memory at {location}")
        connection = Connection(location, token=token, timeout_s=timeout_s)
        return cls._prepared(
            connection, lambda: UnloadedEmbedder(collections.read_info(connection, collection)), collection
        )

    @classmethod
    def _prepared(cls, connection: Connection, embedder: Callable[[], Embedder], collection: str) -> MemoryStore:
        """A loaded collection behind `connection`, which is closed if that fails."""
        try:
            store = cls(connection, embedder(), collection)
            collections.prepare(connection, collection, store.embedder)
            store._warm_up()
            connection.on_revived = store._warm_up_again
        except BaseException:
            connection.close()
            raise
        return store

    def write(
        self, memories: Sequence[Memory], vectors: np.ndarray[Any, Any] | None = None, *, settle: bool = True
    ) -> None:
        """Store `memories`; on return they are durable, and found by a search of any process. One that is already
        stored (same id) stays as it is. A collection that is gone (a server that came back empty) is made again.
        `vectors`: (N, dimension) float32 unit vectors of their captions, if known.

        `settle` False: durable on return, but on a server found only up to 0.4 s later; for a stream of writes that
        ends with `settle`, which waits once for all of them.

        Raises InvalidInput (a record that fits no row), ModelFailed, MemoryUnavailable; in each case writing the
        same memories again later is right.
        """
        known = (
            {} if vectors is None else dict(zip(map(_key, memories), self._finite(vectors, len(memories)), strict=True))
        )
        unique = {_key(memory): memory for memory in reversed(memories)}
        ordered = list(reversed(unique.items()))
        with self._write_lock:
            for start in range(0, len(ordered), _BATCH):
                if start:
                    time.sleep(_TURN_S)
                batch = dict(ordered[start : start + _BATCH])
                try:
                    self._write_batch(batch, known)
                except CollectionMissing as error:
                    logger.warning("%s It is made now.", error)
                    collections.prepare(self._connection, self.collection, self.embedder)
                    self._warm_up()
                    self._write_batch(batch, known)
        if ordered and settle:
            self.settle()

    def settle(self) -> None:
        """Return when a search of any process finds all that was written before. Raises MemoryUnavailable."""
        self._table.settle()

    def _write_batch(self, memories: dict[str, Memory], known: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self._check_disk()
        rows = {key: to_row(memory, known[key]) for key, memory in memories.items() if key in known}
        if unembedded := [key for key in memories if key not in rows]:
            stored = self._table.existing(unembedded)
            if new := [key for key in unembedded if key not in stored]:
                vectors = self._embedded([memories[key] for key in new])
                rows |= {key: to_row(memories[key], vector) for key, vector in zip(new, vectors, strict=True)}
        for _ in range(_WRITE_TRIES):
            with self._connection.writing():
                # Milvus Lite's upsert searches the whole file (0.1 s at 60,000 rows); its insert does not, but would
                # store a row twice.
                stored = self._table.existing(list(rows))
                data = [rows[key] for key in memories if key in rows and key not in stored]
                if not data:
                    return
                try:
                    if self._connection.embedded:
                        self._connection.call("insert", self.collection, data=data, repeatable=False)
                    else:
                        self._connection.call("upsert", self.collection, data=data)
                    return
                except ConnectionLost as error:
                    lost = error
                except MemoryUnavailable:
                    # What Milvus Lite could not write to the disk it still shows until it ends: a later write would
                    # take it for stored.
                    self._connection.restart_server()
                    raise
        raise lost

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        """At most `query.limit` memories that satisfy `query`, as `search.py` orders them.

        Nothing that starts at or after `visible_before_ns`. Raises ModelFailed, MemoryUnavailable.
        """
        vector = self._queried(query.text) if query.text.strip() else None
        found = search(self._table, query, vector, visible_before_ns)
        memories = self._table.whole(found)
        return [Hit(memories[candidate.id], candidate.score) for candidate in found if candidate.id in memories]

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories of `ids`, in that order; those that do not exist are left out."""
        keys = [filters.clean_id(id_) for id_ in ids]
        memories = self._table.fetch(list(dict.fromkeys(keys)))
        return [memories[key] for key in keys if key in memories]

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        """Up to `before` windows before that memory, itself, up to `after` windows after it: in time order, of the same
        robot and camera. Empty when there is no such memory."""
        own = self.get([memory_id])
        if not own:
            return []
        start_ns = own[0].start_ns
        found: list[Candidate] = []
        for wanted, later in ((before, False), (after, True)):
            if wanted <= 0:
                continue
            query = Query(
                after_ns=start_ns if later else None,
                before_ns=None if later else start_ns,
                robot_id=own[0].robot_id,
                camera=own[0].camera,
                order=Order.FIRST if later else Order.LAST,
                limit=min(wanted + _OVERLAPPING, MAX_LIMIT),
                collapse=False,
            )
            others = [other for other in search(self._table, query, None) if (other.start_ns > start_ns) == later]
            found += others[:wanted]
        memories = self._table.whole(found)
        return sorted([*own, *memories.values()], key=lambda memory: (memory.start_ns, memory.id))

    def between(self, after_ns: int | None, before_ns: int | None, limit: int) -> list[Memory]:
        """The first `limit` (1 to 1000) windows that overlap [after_ns, before_ns), in time order; None is open."""
        query = Query(after_ns=after_ns, before_ns=before_ns, order=Order.FIRST, limit=limit, collapse=False)
        return [hit.memory for hit in self.search(query)]

    def count(self, *, after_ns: int | None = None) -> int:
        """How many memories there are, or how many that start after `after_ns`."""
        return self._table.count(after_ns)

    def bounds(self) -> tuple[int, int] | None:
        """When the first memory starts and the last one ends, None when there are none."""
        return self._table.bounds()

    def select(self, query: Query, *, limit: int | None = None) -> list[str]:
        """The ids of all windows that satisfy `query` (the first `limit` of them), in time order; its text, order,
        limit and collapse are ignored."""
        ids: list[str] = []
        for page in self._pages(query):
            ids += [candidate.id for candidate in page]
            if limit is not None and len(ids) >= limit:
                return ids[:limit]
        return ids

    def walk(self, query: Query) -> Iterator[list[tuple[Memory, np.ndarray[Any, Any]]]]:
        """As `select`, the memories themselves with their vectors, in pages of at most 1000."""
        for page in self._pages(query):
            found = self._table.with_vectors([candidate.id for candidate in page])
            yield [found[candidate.id] for candidate in page if candidate.id in found]

    def _pages(self, query: Query) -> Iterator[list[Candidate]]:
        everything = dataclasses.replace(query, text="", order=Order.FIRST, limit=MAX_LIMIT, collapse=False)
        known: set[str] = set()
        while page := search(self._table, everything, None):
            yield [candidate for candidate in page if candidate.id not in known]
            if len(page) < MAX_LIMIT:
                return
            known = {candidate.id for candidate in page}
            # Windows that overlap the last one's start come again.
            everything = dataclasses.replace(everything, after_ns=page[-1].start_ns)

    def delete(self, ids: Sequence[str]) -> int:
        """Forget these memories for good. Returns how many there were."""
        existing = sorted(self._table.existing([filters.clean_id(id_) for id_ in ids]))
        for start in range(0, len(existing), _BATCH):
            # Not ids=: pymilvus puts these between apostrophes as they are.
            expression = filters.one_of("id", existing[start : start + _BATCH])
            try:
                self._connection.call("delete", self.collection, filter=expression)
            except MemoryUnavailable:
                self._connection.restart_server()  # as after a write: it may show what is not so on the disk
                self._check_disk()
                raise
        if existing:
            self._table.settle()
        return len(existing)

    def close(self) -> None:
        """Disconnect. The server of a file stops when nobody else needs it. Idempotent."""
        self._connection.close()

    def __enter__(self) -> MemoryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def info(self) -> tuple[str, int | None]:
        """Where the memory is, and the size of its file [bytes], None on a server."""
        location = self._connection.location
        return str(location), location.path.stat().st_size if isinstance(location, FileLocation) else None

    def _warm_up(self) -> None:
        self._table.warm_up(self.embedder.dimension)

    def _warm_up_again(self) -> None:
        """After the server of a file was started again: so that the question after this call does not wait for it."""
        with contextlib.suppress(MemoryUnavailable):  # closed, or killed again: whoever calls next is told
            self._warm_up()

    def _check_disk(self) -> None:
        location = self._connection.location
        if isinstance(location, FileLocation):
            free = shutil.disk_usage(location.path.parent).free
            if free < _FREE_BYTES:
                raise MemoryUnavailable(
                    f"{location}: the disk is full ({free // 2**20} MB free, {_FREE_BYTES // 2**20} MB wanted): "
                    "free some space. What is stored stays readable."
                )

    def _embedded(self, memories: Sequence[Memory]) -> Any:
        return self._finite(self.embedder.embed_documents([memory.caption for memory in memories]), len(memories))

    def _embedded_query(self, text: str) -> Any:
        return self._finite(self.embedder.embed_queries([filters.clean_text(text)]), 1)[0]

    def _finite(self, vectors: Any, count: int) -> Any:
        import numpy as np

        vectors = np.asarray(vectors, dtype=np.float32)
        if vectors.shape != (count, self.embedder.dimension) or not np.isfinite(vectors).all():
            raise ModelFailed(
                f"embedder {self.embedder.name} returned shape {vectors.shape} or values that are not finite"
            )
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        if not lengths.all():
            raise ModelFailed(f"embedder {self.embedder.name} returned a vector of zeros, which has no direction")
        if np.allclose(lengths, 1.0, atol=1e-3):
            return vectors
        return (vectors / lengths).astype(np.float32)  # Milvus finds no vector whose square is beyond a float


def _key(memory: Memory) -> str:
    """The id as it is stored."""
    return filters.clean_id(memory.id)
