"""What was asked and answered before, so that "take me there" and "when was that?" mean something.

In: questions and their answers, by the name of their conversation; out: the turns before a question, oldest first.
Bounded in conversations and turns, forgotten after a pause. Times are those of the questions (ROS time, ns).
"""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass

from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.records import NANOSECONDS, Answer, AnswerError, Hit, Question

MAX_EVIDENCE = 5
"""Memories kept of one answer: what "there" and "that" may stand for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and its answer."""

    question: Question
    answer: Answer

    @property
    def shown(self) -> tuple[Hit, ...]:
        """What the answer rests on, the memory that gave its position first."""
        hits = self.answer.evidence[:MAX_EVIDENCE]
        place = self.answer.pose
        return tuple(sorted(hits, key=lambda hit: place is None or hit.memory.pose != place))


class Conversations:
    """Keeps the last `turns` of up to `most` conversations, each for `idle_s` after its last question. Thread-safe."""

    def __init__(self, *, most: int = 64, turns: int = 4, idle_s: float = 600.0) -> None:
        self._most = most
        self._turns = turns
        self._idle_ns = round(idle_s * NANOSECONDS)
        self._kept: OrderedDict[bytes, tuple[Turn, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def before(self, question: Question) -> tuple[Turn, ...]:
        """The turns that `question` may refer to; none for a question of its own (empty name)."""
        with self._lock:
            turns = self._kept.get(_key(question), ())
            # After a clock that jumped back (a bag in a loop) the old turns lie in the future: they never happened.
            if turns and not 0 <= question.now_ns - turns[-1].question.now_ns <= self._idle_ns:
                del self._kept[_key(question)]
                return ()
            return turns

    def add(self, question: Question, answer: Answer) -> None:
        """Remember a turn. Failures (timeout, canceled ...) are no turn: nothing was said that one could refer to."""
        if not question.conversation or answer.error not in (None, AnswerError.NOT_FOUND):
            return
        earlier = self.before(question)
        turn = Turn(dataclasses.replace(question, conversation=""), answer)
        with self._lock:
            self._kept[_key(question)] = (*earlier, turn)[-self._turns :]
            self._kept.move_to_end(_key(question))
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def _key(question: Question) -> bytes:
    """Names may be of any length; what is kept of them is not."""
    return hashlib.sha256(question.conversation.encode("utf-8", "surrogatepass")).digest()


def still_remembered(turns: tuple[Turn, ...], memory: SearchableMemory) -> tuple[Turn, ...]:
    """The turns without evidence that was forgotten meanwhile. Blocking. Raises MemoryUnavailable."""
    ids = list(dict.fromkeys(hit.memory.id for turn in turns for hit in turn.shown))
    kept = {found.id for found in memory.get(ids)} if ids else set()
    return tuple(
        Turn(
            turn.question,
            dataclasses.replace(turn.answer, evidence=tuple(h for h in turn.shown if h.memory.id in kept)),
        )
        for turn in turns
    )
