"""Memories that are acknowledged but not yet in Milvus. In: `Memory`. Out: the same, in the order they came.

A file (SQLite, write-ahead log, synchronous = FULL): when `put` returns, the memory survives `kill -9` and a power cut.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from remembr_ros.errors import ConfigurationError
from remembr_ros.memory.interchange import memory_from_json, memory_to_json
from remembr_ros.records import Memory

SCHEMA = """
CREATE TABLE IF NOT EXISTS outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    problem TEXT NOT NULL DEFAULT ''
)
"""


class Outbox:
    """A durable queue of memories in one file. Thread-safe. What was set aside is pending again after a restart.

    Raises ConfigurationError for a file that cannot be used.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._lock = threading.Lock()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=5.0, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute(SCHEMA)
            self._database.execute("UPDATE outbox SET problem = ''")
        except (OSError, sqlite3.Error) as error:
            raise ConfigurationError(f"outbox_path: {self.path} cannot be used as the outbox: {error}") from error

    def put(self, memory: Memory) -> None:
        """Keep a memory; on disk when this returns. One of the same id replaces the earlier. Raises sqlite3.Error."""
        with self._lock:
            self._database.execute(
                "INSERT OR REPLACE INTO outbox (id, body) VALUES (?, ?)", (memory.id, memory_to_json(memory))
            )

    def pending(self, limit: int = 100) -> list[Memory]:
        """The oldest memories not yet done, in order. A row that cannot be read is set aside, not returned."""
        with self._lock:
            rows = self._database.execute(
                "SELECT id, body FROM outbox WHERE problem = '' ORDER BY number LIMIT ?", (limit,)
            ).fetchall()
        memories = []
        for memory_id, body in rows:
            try:
                memories.append(memory_from_json(body))
            except (ValueError, TypeError, KeyError) as error:
                self._set_aside(memory_id, body, f"cannot be read: {error}")
        return memories

    def done(self, memories: Sequence[Memory]) -> None:
        """These are in Milvus: forget them. One that was put again meanwhile with other content stays."""
        with self._lock, self._database:  # one transaction
            self._database.execute("BEGIN")
            self._database.executemany(
                "DELETE FROM outbox WHERE id = ? AND body = ?",
                [(memory.id, memory_to_json(memory)) for memory in memories],
            )

    def set_aside(self, memory: Memory, problem: str) -> None:
        """Milvus does not take this one: it stays in the file with the reason, and is not pending for now."""
        self._set_aside(memory.id, memory_to_json(memory), problem)

    def forget(self, matches: Callable[[Memory], bool], *, dry_run: bool = False) -> list[Memory]:
        """Delete the memories, pending or set aside, that `matches` holds for, and return them."""
        with self._lock:
            rows = self._database.execute("SELECT body FROM outbox ORDER BY number").fetchall()
        found = []
        for (body,) in rows:
            try:
                memory = memory_from_json(body)
            except (ValueError, TypeError, KeyError):
                continue  # what cannot be read is kept for people to look at
            if matches(memory):
                found.append(memory)
        if not dry_run:
            self.done(found)
        return found

    def aside(self) -> list[tuple[str, str]]:
        """(id, problem) of the rows set aside, in order."""
        with self._lock:
            query = "SELECT id, problem FROM outbox WHERE problem != '' ORDER BY number"
            return self._database.execute(query).fetchall()

    def __len__(self) -> int:
        """How many are pending."""
        with self._lock:
            return int(self._database.execute("SELECT count(*) FROM outbox WHERE problem = ''").fetchone()[0])

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _set_aside(self, memory_id: str, body: str, problem: str) -> None:
        with self._lock:
            self._database.execute(
                "UPDATE outbox SET problem = ? WHERE id = ? AND body = ?", (problem or "unknown", memory_id, body)
            )
