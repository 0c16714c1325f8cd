"""A circuit breaker: after a call that nobody answered, those that follow need not wait as long to learn the same.

In: that a call was answered, or not. Out: whether the next one may try. Closed: all may. Open: none, for `pause_s`.
Then half open: one is the probe, the others are still refused, until the probe tells (Nygard, Release It!, 2007).
"""

from __future__ import annotations

import threading
import time

PAUSE_S = 2.0


class Breaker:
    """Thread-safe. A caller asks `refusal`; when that is empty, `is_probe` says whether it is the one that finds
    out."""

    def __init__(self, pause_s: float = PAUSE_S) -> None:
        self.pause_s = pause_s
        self._lock = threading.Lock()
        self._reason = ""
        self._closed_until = 0.0
        self._prober: int | None = None

    def refusal(self) -> str:
        """Why this call should not be made; empty when it may, and then perhaps as the probe."""
        with self._lock:
            if not self._reason:
                return ""
            if time.monotonic() < self._closed_until:
                return self._reason
            # Whoever comes next is the probe; if it never tells, another one is after the same pause.
            self._closed_until = time.monotonic() + self.pause_s
            self._prober = threading.get_ident()
            return ""

    def is_probe(self) -> bool:
        """Whether the calling thread was let through to find out."""
        with self._lock:
            return bool(self._reason) and self._prober == threading.get_ident()

    def answered(self) -> None:
        """A call was answered, whatever the answer."""
        if self._reason:
            with self._lock:
                self._reason, self._prober = "", None

    def silent(self, reason: str) -> None:
        """A call was not answered in its time."""
        with self._lock:
            self._reason, self._prober = reason, None
            self._closed_until = time.monotonic() + self.pause_s
