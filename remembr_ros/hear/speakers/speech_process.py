"""A speaker in a process of its own (program.py), killed when it hangs. In: texts. Out: reports of what sounds.

The newest text wins. One thread hands texts over, one at a time, and waits for the process's reports within limits.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from remembr_ros.errors import ModelFailed
from remembr_ros.hear.speakers import OnSound
from remembr_ros.hear.speakers.wording import seconds_to_say, sentences

MOST_WAITING = 3


@dataclass(frozen=True, slots=True)
class Limits:
    """How long the process may take before it counts as hung [s]."""

    load_s: float = 30.0
    synthesis_s: float = 15.0
    over_s: float = 3.0
    """Playing may take so much longer than the sound is."""
    stop_s: float = 0.5


def program(engine: str, voice: str, output: str) -> list[str]:
    """The command of program.py."""
    return [sys.executable, "-m", "remembr_ros.hear.speakers.program", engine, voice, output]


class SpeechProcess:
    """See `Speaker`. A process that died or was killed is started again by the next text, never for the same one."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        most_chars: int = 300,
        english: bool = True,
        on_sound: OnSound = lambda text, seconds_left: None,
        on_problem: Callable[[str], None] = lambda text: None,
        limits: Limits | None = None,
    ) -> None:
        self.name = name
        self.problem = ""
        self._command = list(command)
        self._most_chars = most_chars
        self._english = english
        self._on_sound, self._on_problem = on_sound, on_problem
        self._limits = limits or Limits()
        self._lock = threading.Condition()
        self._waiting: deque[list[str]] = deque()
        self._busy = False
        self._interrupted = False
        self._closed = False
        self._process: subprocess.Popen[str] | None = None
        self._events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        self._thread = threading.Thread(target=self._run, name="remembr-speaker", daemon=True)

    @property
    def speaking(self) -> bool:
        with self._lock:
            return self._busy or bool(self._waiting)

    def start(self) -> None:
        self._ensure_process()
        self._thread.start()

    def say(self, text: str) -> None:
        said = sentences(text, self._most_chars, english=self._english)
        with self._lock:
            self._interrupt()
            self._put(said)

    def add(self, text: str) -> None:
        said = sentences(text, self._most_chars, english=self._english)
        with self._lock:
            if len(self._waiting) < MOST_WAITING:
                self._put(said)

    def interrupt(self) -> None:
        with self._lock:
            self._interrupt()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._interrupt()
            self._lock.notify_all()
        self._end_process()  # also what the thread waits for
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(1.0)
        self._end_process()

    def _put(self, said: list[str]) -> None:
        if said and not self._closed:
            self._waiting.append(said)
            self._lock.notify_all()

    def _interrupt(self) -> None:
        self._waiting.clear()
        if self._busy:
            self._interrupted = True
            self._events.put(None)  # wakes the thread

    def _run(self) -> None:
        while True:
            with self._lock:
                while not self._waiting and not self._closed:
                    self._lock.wait()
                if self._closed:
                    return
                said, self._busy, self._interrupted = self._waiting.popleft(), True, False
            try:
                self._speak(said)
                self.problem = ""
            except ModelFailed as error:
                self._end_process()
                if not self._closed:
                    self.problem = str(error)
                    self._on_problem(self.problem)
            finally:
                self._on_sound(" ".join(said), 0.0)
                with self._lock:
                    self._busy = False

    def _speak(self, said: list[str]) -> None:
        """Raises ModelFailed when the process fails or hangs."""
        self._ensure_process()
        self._number += 1
        self._send({"say": self._number, "sentences": said})
        until = time.monotonic() + self._limits.synthesis_s
        heard = 0
        while not self._interrupted:
            event = self._event(until)
            if event is None:
                continue
            if event["event"] == "done":
                return
            if event["event"] == "sounds":
                heard += 1
                seconds = float(event["seconds"])
                self._on_sound(" ".join(said), seconds + seconds_to_say(" ".join(said[heard:])))
                until = time.monotonic() + seconds + self._limits.over_s + self._limits.synthesis_s
        self._stop()

    def _stop(self) -> None:
        """Silence within `stop_s`, by the process or by its end."""
        try:
            self._send({"stop": True})
            until = time.monotonic() + self._limits.stop_s
            while True:
                event = self._event(until)
                if event is not None and event["event"] == "done":
                    return
        except ModelFailed:
            self._end_process()

    def _event(self, until: float) -> dict[str, Any] | None:
        """The next report about the text at hand; None: look whether somebody interrupts. Raises ModelFailed."""
        try:
            event = self._events.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise ModelFailed(f"speaker {self.name}: hung, and was ended") from None
        if event is None or event["event"] == "ready" or event.get("say") not in (None, self._number):
            return None
        if event["event"] == "ended":
            raise ModelFailed(f"speaker {self.name}: its process ended with {event['code']}")
        if event["event"] == "problem":
            raise ModelFailed(f"speaker {self.name}: {event['text']}")
        return event

    def _ensure_process(self) -> None:
        """Raises ModelFailed when it cannot be started."""
        if self._process is not None and self._process.poll() is None:
            return
        self._end_process()
        # A session of its own: Ctrl-C in a terminal is for the node, which closes it.
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            bufsize=1,
            start_new_session=True,
        )
        events: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._process, self._events = process, events
        threading.Thread(target=_read, args=(process, events), name="remembr-speech-reports", daemon=True).start()
        until = time.monotonic() + self._limits.load_s
        while True:
            try:
                event = events.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                self._end_process()
                raise ModelFailed(f"speaker {self.name}: not ready after {self._limits.load_s:g} s") from None
            if event is None:
                continue
            if event["event"] == "ready":
                return
            self._end_process()
            raise ModelFailed(f"speaker {self.name}: {event.get('text') or 'its process ended at once'}")

    def _send(self, order: dict[str, Any]) -> None:
        process = self._process
        try:
            if process is None or process.stdin is None:
                raise BrokenPipeError
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
        except (OSError, ValueError):
            raise ModelFailed(f"speaker {self.name}: its process is gone") from None

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with what it has started; it keeps nothing that could be lost
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _read(process: subprocess.Popen[str], events: queue.Queue[dict[str, Any] | None]) -> None:
    """Passes the reports on until the process ends. What is no report (a library that prints) is skipped."""
    assert process.stdout is not None
    try:
        for line in process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if isinstance(event, dict) and "event" in event:
                events.put(event)
    except ValueError:  # closed meanwhile
        pass
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(1.0)
    events.put({"event": "ended", "code": process.returncode})
