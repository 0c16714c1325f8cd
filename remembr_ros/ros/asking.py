"""Questions on their way: how many at once, their feedback and their cancellation."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from remembr_interfaces.action import AskQuestion
from remembr_ros.recall.progress import Progress
from remembr_ros.records import Answer, AnswerError, AnswerKind


class Places:
    """A bounded number of questions at once and of questions that wait for a place. Thread-safe."""

    def __init__(self, most: int, most_waiting: int = 0) -> None:
        self.most = most
        self.most_waiting = most_waiting
        self.taken = 0
        self._waiting: deque[tuple[bytes, Callable[[bool], None]]] = deque()
        self._lock = threading.Lock()

    def enter(self, key: bytes, wake: Callable[[bool], None]) -> bool | None:
        """True: a place is yours until you call `leave`. False: all are taken and as many wait as may. None: wait for
        `wake(True)`, the place, or `wake(False)`, given up; it is called from any thread."""
        with self._lock:
            if self.taken < self.most:
                self.taken += 1
                return True
            if len(self._waiting) >= self.most_waiting:
                return False
            self._waiting.append((key, wake))
            return None

    def leave(self) -> None:
        """Hand the place to who waited longest."""
        with self._lock:
            if not self._waiting:
                self.taken -= 1
                return
            _, wake = self._waiting.popleft()
        wake(True)

    def give_up(self, key: bytes | None = None) -> None:
        """Send away those who wait under `key`; None: all."""
        with self._lock:
            gone = [wake for waiting, wake in self._waiting if key is None or waiting == key]
            self._waiting = deque(pair for pair in self._waiting if pair[1] not in gone)
        for wake in gone:
            wake(False)


def no_answer(question: str, error: AnswerError, message: str) -> Answer:
    """An answer that says why there is none; `message` names the cause."""
    texts = {
        AnswerError.BUSY: "I am still thinking about other questions.",
        AnswerError.NOT_ACTIVE: "I am not ready yet.",
        AnswerError.MEMORY_UNAVAILABLE: "I cannot reach my memory.",
        AnswerError.CANCELED: "All right, I stopped thinking about that.",
        AnswerError.INVALID_QUESTION: "I do not understand that request.",
    }
    text = texts.get(error, "Something went wrong inside me.")
    return Answer(question=question, kind=AnswerKind.TEXT, text=text, error=error, error_msg=message)


def feedback_message(progress: Progress) -> AskQuestion.Feedback:
    return AskQuestion.Feedback(
        stage=progress.stage,
        round=min(progress.round, 255),
        tool=progress.tool,
        detail=progress.detail,
        hits=progress.hits,
    )
