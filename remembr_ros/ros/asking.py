"""Questions on their way: how many at once, their feedback and their cancellation."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from remembr_interfaces.action import AskQuestion
from remembr_ros.recall.progress import Progress
from remembr_ros.records import Answer, AnswerError, AnswerKind


class Places:
    """A bounded number of questions at once; one more is told so at once, it does not wait."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._free = threading.BoundedSemaphore(most)
        self.taken = 0

    @contextmanager
    def take(self) -> Iterator[bool]:
        """True: a place is yours inside the block. False: all are taken."""
        got = self._free.acquire(blocking=False)
        try:
            self.taken += got
            yield got
        finally:
            if got:
                self.taken -= 1
                self._free.release()


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
