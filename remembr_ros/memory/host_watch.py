"""Notices at once that the host of a file has died, so that it is back, and warm, before the next question.

In: a `ServerHandle`, and what to do when its host is gone. Out: that is done, once for each death. A host that dies
again within `QUICK_S` (a damaged file, a full disk) is left to the next call, which says why. A `Revival` brings one
back in its own time, however little the calls have that wait for it.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable

from remembr_ros.errors import RemembrError
from remembr_ros.memory.server import ServerHandle

QUICK_S = 10.0


class Revival:
    """Runs `revive` once, on a thread of its own. Whoever needs its outcome waits for as long as he has; it goes on
    without him. A start that ended with the first call that gave up would, on a busy machine, never come to its end."""

    def __init__(self, revive: Callable[[], None]) -> None:
        self._revive = revive
        self._ended = threading.Event()
        self._error: Exception | None = None
        threading.Thread(target=self._run, name="memory-revival", daemon=True).start()

    def wait(self, timeout_s: float | None) -> bool:
        """Whether it ended within `timeout_s`, None: whenever it does. Raises what `revive` raised."""
        ended = self._ended.wait(timeout_s)
        if self._error is not None:
            raise self._error
        return ended

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    def _run(self) -> None:
        try:
            self._revive()
        except Exception as error:
            self._error = error
        finally:
            self._ended.set()


class HostWatch:
    """A thread that sleeps until the host of `server` has died, then calls `died`."""

    def __init__(self, server: ServerHandle, died: Callable[[], None]) -> None:
        self._server = server
        self._died = died
        self._wakes, self._waker = socket.socketpair()
        self._thread: threading.Thread | None = None
        self.start()

    def start(self) -> None:
        """Watch, if this does not already."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="memory-host-watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Watch no longer. Returns at once, also within `died`. Idempotent."""
        self._waker.close()  # the other end reads that

    def _run(self) -> None:
        began = -QUICK_S
        while self._server.wait_for_end(self._wakes.fileno()) and time.monotonic() - began >= QUICK_S:
            began = time.monotonic()
            try:
                self._died()
            except RemembrError:
                return
