"""The connection to Milvus: one `call` for every request, with a time limit, a bounded retry, and our own errors.

In: a place from `uri.locate`. A database file is served by our host process (`server.py`), which a failed call starts
again; a Milvus server is somebody else's to restart. Whatever goes wrong is MemoryUnavailable naming the place.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from remembr_ros.errors import MemoryUnavailable, MissingDependency
from remembr_ros.memory.breaker import Breaker
from remembr_ros.memory.host_watch import HostWatch, Revival
from remembr_ros.memory.server import ServerHandle, ensure_server
from remembr_ros.memory.uri import FileLocation, ServerLocation

LOAD_TIMEOUT_S = 300.0
"""For opening: Milvus Lite reads the whole file first, 2.7 GB for 1,000,000 rows of 384 dimensions."""
PROBE_S = 1.0
"""A Milvus that is well says within milliseconds which collections it has."""
_START_S = 30.0
"""For the server of a file to come back, however short `timeout_s`: 1 s on an idle machine, several on a busy one."""
_RETRY_PAUSE_S = 0.1
_RECONNECTING = {"grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 500}
"""After each failed attempt gRPC waits longer for the next one, by itself up to 2 min, and all channels of a process to
one address wait together: a Milvus that is back would be taken for one that is away."""
_NO_COLLECTION = 100  # Milvus error code: collection not found
_NOT_LOADED = 101  # Milvus error code: collection not loaded


class ConnectionLost(MemoryUnavailable):
    """The connection broke during a request that must not be sent twice; it works again, the outcome is unknown."""


class CollectionMissing(MemoryUnavailable):
    """The collection that was there when the memory was opened is not there any more."""


class Connection:
    """A client of one Milvus. Thread-safe. `timeout_s` bounds each call, retries included.

    After a call that got no answer in all that time, those that follow fail at once; every `breaker.PAUSE_S` one of
    them asks again, briefly, whether Milvus answers.
    """

    def __init__(self, location: FileLocation | ServerLocation, *, token: str = "", timeout_s: float = 10.0) -> None:
        """Raises MemoryUnavailable, MemoryHeld, MissingDependency."""
        try:
            import pymilvus  # noqa: F401
        except ImportError as error:
            raise MissingDependency("pymilvus", "pip install 'pymilvus>=2.6,<3'", needed_for="the memory") from error
        # It logs each failed call with a traceback, also those that are tried again here; we raise instead.
        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)
        self.location = location
        self.timeout_s = timeout_s
        self._token = token
        self._lock = threading.Lock()
        self._server: ServerHandle | None = ensure_server(location.path) if isinstance(location, FileLocation) else None
        self._client: Any = None
        self._breaker = Breaker()
        self.on_revived: Callable[[], None] | None = None
        """Called, on a thread of its own, when the server of a file had to be started again."""
        self._watch: HostWatch | None = None
        self._revival: Revival | None = None
        self._stopped = False
        try:
            self._client = self._connect(self._server)
        except BaseException:
            self.close()
            raise
        if self._server is not None:
            self._watch = HostWatch(self._server, self._revive_early)

    @property
    def embedded(self) -> bool:
        """Whether this is Milvus Lite: exact search, always fresh."""
        return isinstance(self.location, FileLocation)

    def call(
        self, method: str, *args: Any, timeout_s: float | None = None, repeatable: bool = True, **kwargs: Any
    ) -> Any:
        """`MilvusClient.<method>(*args, **kwargs)`, again after a lost connection if doing it twice is doing it once.

        Raises MemoryUnavailable; for a request that is not `repeatable`, ConnectionLost.
        """
        from grpc import RpcError
        from pymilvus.exceptions import MilvusException

        limit_s = self.timeout_s if timeout_s is None else timeout_s
        self._check_answers()
        deadline = time.monotonic() + limit_s
        while True:
            client = self._client
            if client is None:
                raise MemoryUnavailable(f"the memory {self.location} is closed")
            remaining_s = max(0.1, deadline - time.monotonic())
            server = self._server
            mark = server.log_mark() if server else 0
            try:
                result = getattr(client, method)(*args, timeout=remaining_s, **kwargs)
                self._breaker.answered()
                if server and not repeatable and (refusal := server.refusal_since(mark)):
                    raise MemoryUnavailable(f"{self.location}: {method} failed: {refusal}")
                return result
            except (MilvusException, RpcError, ConnectionError, ValueError) as error:
                # Also when there is no time for another try: what is repaired now, the next call finds.
                if not self._recover(client, error, deadline, args) or time.monotonic() + _RETRY_PAUSE_S >= deadline:
                    if _is_silence(error) or _is_lost_connection(error):
                        self._breaker.silent(_reason(error))
                    if _is_missing_collection(error) and args:
                        raise CollectionMissing(
                            f"memory.collection: {self.location} no longer has the collection {args[0]!r}: was it "
                            "dropped, or is this another server? The next memory that is written makes it again, empty."
                        ) from error
                    raise MemoryUnavailable(f"{self.location}: {method} failed: {_reason(error)}") from error
                if not repeatable:
                    raise ConnectionLost(f"{self.location}: {method}: {_reason(error)}") from error
                time.sleep(_RETRY_PAUSE_S)

    def _check_answers(self) -> None:
        """Raises MemoryUnavailable, soon, while Milvus gives no answer."""
        from grpc import RpcError
        from pymilvus.exceptions import MilvusException

        reason = self._breaker.refusal()
        if reason:
            raise MemoryUnavailable(f"{self.location}: {reason}; asked again within {self._breaker.pause_s:g} s")
        client = self._client
        if client is None or not self._breaker.is_probe():
            return
        try:
            client.list_collections(timeout=min(PROBE_S, self.timeout_s))
        except (MilvusException, RpcError, ConnectionError, ValueError) as error:
            if _is_silence(error) or (self._server is None and _is_lost_connection(error)):
                self._breaker.silent(_reason(error))
                raise MemoryUnavailable(f"{self.location}: {_reason(error)}") from error
            # A refusal is an answer; a lost server of a file is started again by the call itself.
        self._breaker.answered()

    def writing(self) -> contextlib.AbstractContextManager[None]:
        """While looking what is missing and inserting it: nobody else may do so with the same file. Raises
        MemoryUnavailable when it is not one's turn within `timeout_s`."""
        server = self._server
        return contextlib.nullcontext() if server is None else server.writing(self.timeout_s)

    def restart_server(self) -> None:
        """End the server of a file, if it is ours; the next call starts it again, from what is on the disk."""
        with self._lock:
            if self._server is not None:
                self._stopped = True
                self._server.stop(self.timeout_s)

    def close(self) -> None:
        """Disconnect and drop the lease on the server. Idempotent."""
        with self._lock:
            client, self._client = self._client, None
            server, self._server = self._server, None
            watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()
        if client is not None:
            client.close()
        if server is not None:
            server.close()

    def _connect(self, server: ServerHandle | None) -> Any:
        from pymilvus import MilvusClient
        from pymilvus.exceptions import MilvusException

        address = server.uri if server else str(self.location)
        options = dict(_RECONNECTING)
        if server:
            # pymilvus pings every 10 s also when idle, which Milvus Lite answers by hanging up ("too_many_pings"). On a
            # socket of this machine there is no router that could forget an idle connection.
            options |= {"grpc.keepalive_time_ms": 2**31 - 1, "grpc.keepalive_permit_without_calls": 0}
        deadline = time.monotonic() + (_START_S if server else self.timeout_s)
        while True:
            try:
                limit_s = max(0.5, min(self.timeout_s, deadline - time.monotonic()))
                return MilvusClient(address, token=self._token, timeout=limit_s, grpc_options=options)
            except MilvusException as error:
                if server is None or self._server is None or time.monotonic() > deadline:
                    problem = f"memory.uri: cannot reach Milvus at {self.location}: {_reason(error)}"
                    raise MemoryUnavailable(problem) from error
                server.revive(max(0.5, deadline - time.monotonic()))
                time.sleep(_RETRY_PAUSE_S)

    def _recover(self, failed_client: Any, error: Exception, deadline: float, args: tuple[Any, ...]) -> bool:
        """Whether the call that failed is worth another try, after what could be repaired was repaired."""
        from pymilvus.exceptions import MilvusException

        if getattr(error, "code", None) == _NOT_LOADED and args:
            with contextlib.suppress(MilvusException):  # it may take longer than this call has; a later one finds it
                failed_client.load_collection(args[0], timeout=max(0.1, deadline - time.monotonic()))
            return True
        if not _is_lost_connection(error):
            return False
        if self._server is None:
            return True  # the channel reconnects by itself
        with self._lock:
            if self._server is None:
                return False
            if self._server.is_alive() and self._client is not failed_client:
                return True  # another thread was faster
            revival = self._start_revival(self._server)
        if not revival.wait(max(0.0, deadline - time.monotonic())):
            raise MemoryUnavailable(f"{self.location}: its server is being started again and is not ready yet")
        return True

    def _revive_early(self) -> None:
        """The host has died, perhaps while nobody called. Its Milvus may answer for 2 s more, as an orphan: that it
        does says nothing. When a call was faster, the server is only joined again."""
        with self._lock:
            if self._server is None or self._stopped:
                return
            revival = self._start_revival(self._server)
        revival.wait(None)

    def _start_revival(self, server: ServerHandle) -> Revival:
        """The one under way, else a new one. With the lock held."""
        if self._revival is None or self._revival.ended:
            self._stopped = False
            self._revival = Revival(lambda: self._revive(server))
        return self._revival

    def _revive(self, server: ServerHandle) -> None:
        client = None
        try:
            server.revive(_START_S)
            client = self._connect(server)
        finally:
            with self._lock:
                closed = self._server is None
                if closed:
                    server.close()  # it may have taken a new lease since
                elif client is not None:
                    self._client = client
                    if self._watch is not None:
                        self._watch.start()
        if closed:
            client.close()
        elif self.on_revived is not None:
            threading.Thread(target=self.on_revived, name="memory-warm-up", daemon=True).start()


def _is_lost_connection(error: Exception) -> bool:
    from pymilvus.exceptions import MilvusUnavailableException

    # pymilvus wraps most gRPC failures in a MilvusException without a code of their own. "closed channel" is a
    # ValueError of gRPC: another thread has reconnected.
    signs = ("server unavailable", "StatusCode.UNAVAILABLE", "StatusCode.CANCELLED", "closed channel")
    return isinstance(error, (MilvusUnavailableException, ConnectionError)) or any(sign in str(error) for sign in signs)


def _is_missing_collection(error: Exception) -> bool:
    return getattr(error, "code", None) == _NO_COLLECTION or "collection not found" in str(error)


def _is_silence(error: Exception) -> bool:
    return "DEADLINE_EXCEEDED" in str(getattr(error, "message", "") or error)


def _reason(error: Exception) -> str:
    text = str(getattr(error, "message", "") or error)
    if _is_silence(error):
        return "no answer in time (memory.timeout_s): Milvus is busy, or hangs"
    return " ".join(text.split())[:300]
