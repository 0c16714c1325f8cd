"""A trace of every question as JSON Lines: what was searched, what the language model was sent and said, the answer.

In: what happens during a question; out: one line per question in a file that only its owner may read. It holds
questions and captions, never a key. Times of steps are seconds since the question; instants are ns since the epoch.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from remembr_ros.errors import ConfigurationError
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.replies import Reply
from remembr_ros.records import Answer, Pose, Question

MAX_BYTES = 64 * 2**20
"""A larger file is set aside as `<name>.1`, replacing the one before."""

log = logging.getLogger(__name__)


class QuestionTrace:
    """What happened during one question."""

    def __init__(self, question: Question) -> None:
        self._began = time.monotonic()
        self._sent = 1  # the rules, which are the same for every question, are left out
        self._steps: list[dict[str, Any]] = []
        self._line: dict[str, Any] = {
            "question": question.text,
            "conversation": question.conversation,
            "navigate": question.navigate.value,
            "now_ns": question.now_ns,
            "pose": _place(question.pose),
            "map_id": question.map_id,
            "steps": self._steps,
        }

    def progress(self, progress: Progress) -> None:
        """A search, with its arguments and the number of memories it returned."""
        if progress.tool:
            self._step(round=progress.round, tool=progress.tool, detail=progress.detail, hits=progress.hits)

    def exchange(self, messages: Sequence[dict[str, Any]], reply: Reply, took_s: float) -> None:
        """One request to the language model; of its messages those that are new."""
        new, self._sent = list(messages[self._sent :]), len(messages)
        calls = [{"name": c.name, "arguments": dict(c.arguments or {}), "fault": c.fault} for c in reply.calls]
        self._step(messages=new, reply={"text": reply.text, "calls": calls, "cut": reply.cut}, took_s=round(took_s, 4))

    def line(self, answer: Answer) -> str:
        """The whole question as one line of JSON."""
        self._line["answer"] = {
            "kind": answer.kind.value,
            "text": answer.text,
            "yes_no": answer.yes_no,
            "pose": _place(answer.pose),
            "time_ns": answer.time_ns,
            "duration_s": answer.duration_s,
            "count": answer.count,
            "evidence": [hit.memory.id for hit in answer.evidence],
            "source": answer.source,
            "wants_goal": answer.wants_goal,
            "rounds": answer.rounds,
            "llm_calls": answer.llm_calls,
            "elapsed_s": round(answer.elapsed_s, 4),
            "error": answer.error.name if answer.error else None,
            "error_msg": answer.error_msg,
        }
        return json.dumps(self._line, default=str)

    def _step(self, **what: Any) -> None:
        self._steps.append({"after_s": round(time.monotonic() - self._began, 4), **what})


class TraceFile:
    """Appends lines to a file; thread-safe. A disk that fails costs the trace, never an answer."""

    def __init__(self, path: str, *, parameter: str = "trace_path", max_bytes: int = MAX_BYTES) -> None:
        """Raises ConfigurationError naming the parameter when nothing can be written there."""
        self._path = Path(path).expanduser()
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._append("")
        except OSError as error:
            raise ConfigurationError(f"{parameter}: cannot write to {path!r}: {error}") from error

    def write(self, line: str) -> None:
        """Blocking."""
        with self._lock:
            try:
                if self._path.stat().st_size + len(line) > self._max_bytes:
                    os.replace(self._path, self._path.with_name(self._path.name + ".1"))
                self._append(line + "\n")
            except OSError as error:
                log.warning("the trace of a question is lost: %s: %s", self._path, error)

    def _append(self, text: str) -> None:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8") as file:
            file.write(text)


def _place(pose: Pose | None) -> dict[str, Any] | None:
    return None if pose is None else {"frame_id": pose.frame_id, "x": pose.x, "y": pose.y, "yaw": pose.yaw}
