"""Which words were meant for the robot. In: a transcript, its utterance, the robot's situation. Out: a `Verdict`. Pure.

Times are int nanoseconds of one clock (ROS time in the node).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from remembr_ros.hear.segmenter import Utterance
from remembr_ros.hear.transcribers import Transcript


class VerdictKind(Enum):
    """What an utterance is to the robot."""

    QUESTION = "question"
    CONFIRM = "confirm"
    DECLINE = "decline"
    STOP = "stop"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`question_text` is what to ask, without the wake phrase; empty unless `kind` is QUESTION. `reason` is for people."""

    kind: VerdictKind
    reason: str
    question_text: str = ""
    listening: bool = False
    """The wake phrase was said alone: what comes next needs none."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What counts as meant for the robot."""

    wake_phrase: str = "robot"
    """Empty: none is needed."""
    wake_similarity: float = 0.75
    listening_s: float = 8.0
    """After the wake phrase alone, speech that begins within this needs none."""
    max_no_speech_prob: float = 0.6
    min_avg_logprob: float = -1.0
    max_compression_ratio: float = 2.4
    min_language_probability: float = 0.5
    own_voice_similarity: float = 0.7
    own_voice_tail_s: float = 1.5
    duplicate_s: float = 1.0
    max_questions_per_minute: int = 10


class Gate:
    """Thread-safe."""

    def __init__(self, settings: GateSettings | None = None) -> None:
        raise NotImplementedError

    def judge(self, transcript: Transcript, utterance: Utterance, now_ns: int) -> Verdict:
        """Never raises for anything a transcriber returns."""
        raise NotImplementedError

    def answer_spoken(self, text: str, start_ns: int, until_ns: int) -> None:
        """The robot says `text` aloud in this time; until_ns may be an estimate, and may be given again when it is known."""
        raise NotImplementedError

    def set_situation(self, *, pending: bool, driving: bool, now_ns: int) -> None:
        """Whether a proposed goal waits for a yes, and whether the robot drives to one. A yes that began before does not count."""
        raise NotImplementedError
