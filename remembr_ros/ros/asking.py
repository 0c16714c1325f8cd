"""Questions on their way: who answers them, how many at once, their feedback, and answers that say why there is none.

In: a node's parameters, places and state. Out: records and messages; nothing here blocks.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from rclpy.executors import Executor
from rclpy.task import Future

from remembr_interfaces.action import AskQuestion
from remembr_ros.errors import MemoryUnavailable
from remembr_ros.memory.store import MemoryStore
from remembr_ros.recall.answerer import Recall, create_recall
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError, AnswerKind
from remembr_ros.ros.lifecycle import ManagedNode
from remembr_ros.ros.parameters import Parameters

CANCELED = "canceled by the asker or a stop of the node"


def load_recall(parameters: Parameters, memory: MemoryStore) -> Recall:
    """What answers questions from `memory`. Raises RemembrError naming llm.model, timezone,
    trace_path or recall.words_file."""
    return create_recall(
        parameters["llm.model"],
        memory,
        base_url=parameters["llm.base_url"],
        timezone=parameters["timezone"],
        robot_id=parameters["robot_id"],
        settings=RecallSettings(
            max_rounds=parameters["agent.max_rounds"],
            memories_per_query=parameters["agent.memories_per_query"],
            prefetch=parameters["agent.prefetch"],
            time_limit_s=parameters["agent.time_limit_s"],
            llm_timeout_s=parameters["llm.timeout_s"],
            api_key_env=parameters["llm.api_key_env"],
            vision_model=parameters["llm.vision_model"],
            trace_path=parameters["trace_path"],
            words_file=parameters["recall.words_file"],
        ),
        parameter="llm.model",
    )


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

    async def take(
        self, key: bytes, executor: Executor, on_progress: Callable[[Progress], None] | None
    ) -> tuple[AnswerError, str] | None:
        """In a callback of `executor`: None once a place is yours until you call `leave`, else why there is none."""
        turn = Future(executor=executor)
        got = self.enter(key, lambda mine: executor.create_task(turn.set_result, mine))
        if got is False:
            what = f"{self.most} questions are being answered (agent.max_questions)"
            return AnswerError.BUSY, f"{what}, {self.most_waiting} may wait (agent.max_waiting)"
        if got is None:
            if on_progress is not None:
                on_progress(Progress("queued"))
            if not await turn:
                return AnswerError.CANCELED, CANCELED
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


def why_inactive(node: ManagedNode) -> tuple[AnswerError, str]:
    """Why a node that is not active cannot answer."""
    why = node.problem or "stopping"
    if isinstance(node.problem_error, MemoryUnavailable):
        return AnswerError.MEMORY_UNAVAILABLE, why
    return AnswerError.NOT_ACTIVE, f"the query node is not active: {why}"


def feedback_message(progress: Progress) -> AskQuestion.Feedback:
    return AskQuestion.Feedback(
        stage=progress.stage,
        round=min(progress.round, 255),
        tool=progress.tool,
        detail=progress.detail,
        hits=progress.hits,
    )
