"""From the parameters of a node to its memory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

from remembr_ros.errors import MemoryUnavailable, ModelMismatch
from remembr_ros.memory.embedders import Embedder, create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory
from remembr_ros.ros.parameters import Parameters


def load_embedder(parameters: Parameters) -> Embedder:
    """Takes seconds for a real model. Raises RemembrError naming embedder.model."""
    return create_embedder(
        parameters["embedder.model"], device=parameters["embedder.device"], parameter="embedder.model"
    )


def open_memory(parameters: Parameters, embedder: Embedder) -> MemoryStore:
    """Raises MemoryUnavailable or ConfigurationError naming memory.uri."""
    try:
        return MemoryStore.open(
            parameters["memory.uri"],
            embedder,
            collection=parameters["memory.collection"],
            token=os.environ.get(parameters["memory.token_env"], "") if parameters["memory.token_env"] else "",
            timeout_s=parameters["memory.timeout_s"],
        )
    except MemoryUnavailable as error:
        if "memory.uri" in str(error):
            raise
        raise type(error)(f"memory.uri: {error}") from error


class LateMemory:
    """A memory for the writing side, which may not be there yet: opened by the first write that finds it.

    What cannot be written now waits in the outbox, so a Milvus that starts after the robot costs nothing.
    """

    def __init__(self, parameters: Parameters, embedder: Embedder, on_opened: Callable[[], None]) -> None:
        self._parameters = parameters
        self._embedder = embedder
        self._on_opened = on_opened
        self._lock = threading.Lock()
        self._store: MemoryStore | None = None
        self.problem = "not opened yet"

    def open(self) -> None:
        """Raises ConfigurationError and ModelMismatch (waiting does not help) and MemoryUnavailable (it may)."""
        with self._lock:
            if self._store is not None:
                return
            try:
                self._store = open_memory(self._parameters, self._embedder)
            except MemoryUnavailable as error:
                self.problem = str(error)
                raise
            self.problem = ""
        self._on_opened()

    def open_if_there(self) -> None:
        """As `open`, but a memory that is only away for now is no error."""
        try:
            self.open()
        except ModelMismatch:
            raise
        except MemoryUnavailable:
            return

    def write(self, memories: Sequence[Memory]) -> None:
        """Raises what MemoryStore.open and MemoryStore.write raise."""
        self.open()
        assert self._store is not None
        try:
            self._store.write(memories)
        except MemoryUnavailable as error:
            self.problem = str(error)
            raise
        self.problem = ""

    def close(self) -> None:
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None
