"""From the outbox to Milvus, in a thread of its own. In: memories on disk. Out: the same in the store, once, in order.

A batch that fails because the store is away is tried again, ever more seldom, for as long as the writer lives. One that
is refused is written row by row, and the row that is to blame is set aside.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from remembr_ros.errors import InvalidInput, ModelFailed
from remembr_ros.records import Memory
from remembr_ros.remember.outbox import Outbox

FIRST_RETRY_S = 0.5
LAST_RETRY_S = 30.0
ROW_ATTEMPTS = 3
"""A row refused so often while others are taken is set aside until the next start: it must not hold up the rest."""


class MemoryWriter:
    """Begins with what an earlier run left in the outbox. `store_write` is MemoryStore.write; `on_problem` gets a
    sentence for the log, from the writer's thread. The outbox stays the caller's to close."""

    def __init__(
        self,
        outbox: Outbox,
        store_write: Callable[[Sequence[Memory]], None],
        on_problem: Callable[[str], None],
        batch: int = 64,
    ) -> None:
        self._outbox = outbox
        self._store_write = store_write
        self._on_problem = on_problem
        self._batch = batch
        self._changed = threading.Condition()
        self._measuring = threading.Lock()
        self._waiting = len(outbox)
        self._writing = False
        self._closing = False  # no more waiting for a store that is away
        self._no_more = False  # nothing will be put any more
        self._attempts: dict[str, int] = {}
        self._stored = self._set_aside = 0
        self._thread = threading.Thread(target=self._write_memories, name="remembr-write", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> tuple[int, int, int]:
        """Memories stored, set aside, and on disk but not yet stored."""
        with self._changed:
            return self._stored, self._set_aside, self._waiting

    def notice(self) -> None:
        """Something was put into the outbox."""
        # Never under `_changed`: the disk may be slow, and whoever asks for the counts must not wait for it.
        with self._measuring:
            length = len(self._outbox)
            with self._changed:
                self._waiting = length
                self._changed.notify_all()

    def drain(self, timeout_s: float) -> bool:
        """Wait until everything is stored; False when that took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._waiting or self._writing), timeout_s)

    def hurry(self) -> None:
        """The end is near: what fails from now on is not tried again."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def close(self, timeout_s: float) -> bool:
        """Nothing will be put any more: a last attempt to write what waits; False when that took too long."""
        with self._changed:
            self._closing = self._no_more = True
            self._changed.notify_all()
        self._thread.join(max(0.0, timeout_s))
        return not self._thread.is_alive()

    def _write_memories(self) -> None:
        failures = 0
        while True:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting > 0 or self._no_more)
                if self._waiting == 0:
                    return
                self._writing = True
                last_attempt = self._closing
            try:
                self._write_once()
                self.notice()
            except Exception as error:  # Milvus is away: it may come back in a minute or tomorrow
                failures += 1
                if failures == 1:
                    self._on_problem(
                        f"memories cannot be stored, they wait in {self._outbox.path}: {type(error).__name__}: {error}"
                    )
                if last_attempt:
                    return
                wait_s = min(LAST_RETRY_S, FIRST_RETRY_S * 2.0 ** min(failures - 1, 16))
                with self._changed:
                    self._changed.wait_for(lambda: self._closing, wait_s)
            else:
                if failures:
                    self._on_problem(f"memories are stored again after {failures} failed attempts")
                failures = 0

    def _write_once(self) -> None:
        """Write one batch. Raises what the store raised when no row of it left the outbox."""
        batch = self._outbox.pending(self._batch)
        try:
            if batch:
                self._store_write(batch)
        except (InvalidInput, ModelFailed):
            if not self._write_singly(batch):
                raise
        else:
            self._finish(batch)

    def _write_singly(self, batch: Sequence[Memory]) -> bool:
        """The store answers but refuses the batch: find the row that is to blame. True when any row left the outbox.

        A row is blamed only if it is invalid or others are taken: an embedder that fails on all is no row's fault.
        """
        refused: list[tuple[Memory, Exception]] = []
        for memory in batch:
            try:
                self._store_write([memory])
            except (InvalidInput, ModelFailed) as error:
                refused.append((memory, error))
            else:
                self._finish([memory])
        progress = len(refused) < len(batch)
        for memory, reason in refused:
            if len(refused) == len(batch) and memory.id not in self._attempts and not isinstance(reason, InvalidInput):
                continue
            self._attempts[memory.id] = self._attempts.get(memory.id, 0) + 1
            if self._attempts[memory.id] < ROW_ATTEMPTS:
                continue
            problem = f"{type(reason).__name__}: {reason}"
            self._outbox.set_aside(memory, problem)
            del self._attempts[memory.id]
            with self._changed:
                self._set_aside += 1
            self._on_problem(f"memory {memory.id} is set aside in {self._outbox.path}: {problem}")
            progress = True
        return progress

    def _finish(self, memories: Sequence[Memory]) -> None:
        self._outbox.done(memories)
        for memory in memories:
            self._attempts.pop(memory.id, None)
        with self._changed:
            self._stored += len(memories)
