"""Tells the robot's own voice from a person's. In: answers with the time they are spoken in, and words heard.

Out: own or not.

Without echo cancellation the microphone hears the loudspeaker. While an answer is spoken, and shortly after, words that
are those of the answer in its order are its echo; other words are a person who interrupts.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from remembr_ros.hear.segmenter import Utterance
from remembr_ros.hear.words import tokens
from remembr_ros.records import NANOSECONDS

KEPT_ANSWERS = 8
MOST_ADDED, FEWEST_ECHOED = 3, 2
LATE_S, LATE_SIMILARITY, LATE_TOKENS = 10.0, 0.9, 4
"""A speaker may begin late and end late: for so long, nearly the same words, if there are enough of them, are still its
echo.
"""

MISHEARD = 15.0
"""Letters in common are found in any two sentences [%]: likeness of letters counts so much less than words in common.
"""


@dataclass(frozen=True, slots=True)
class _Answer:
    words: list[str]
    names_robot: bool
    start_ns: int
    until_ns: int


class OwnVoice:
    """Remembers the latest answers."""

    def __init__(self, similarity: float, tail_s: float) -> None:
        self._similarity = similarity
        self._tail_s = tail_s
        self._answers: deque[_Answer] = deque(maxlen=KEPT_ANSWERS)

    def spoken(self, text: str, start_ns: int, until_ns: int, *, names_robot: bool = False) -> None:
        """An answer; one with the same start is replaced (its end is known better).

        `names_robot`: the wake phrase is in it.
        """
        known = [answer for answer in self._answers if answer.start_ns != start_ns]
        self._answers = deque([*known, _Answer(tokens(text), names_robot, start_ns, until_ns)], maxlen=KEPT_ANSWERS)

    def heard(self, words: list[str], utterance: Utterance, *, called: bool = False) -> str:
        """The reason to take `words` for an echo; empty: a person said them, as where the robot is `called` but did not
        name itself.
        """
        for answer in self._answers:
            if utterance.speech_end_ns < answer.start_ns or (called and not answer.names_robot):
                continue
            after_s = (utterance.speech_start_ns - answer.until_ns) / NANOSECONDS
            share = echo_share(words, answer.words)
            if after_s <= self._tail_s and share >= self._similarity:
                return f"the robot's own voice ({share:.0%} of its answer's words)"
            if after_s <= LATE_S and share >= LATE_SIMILARITY and len(words) >= LATE_TOKENS:
                return "the robot's own voice, late"
        return ""

    def after_echo(self, words: list[str], utterance: Utterance) -> list[str]:
        """The last words, where they follow the robot's own in one breath and are not its own; empty: there are none.

        Somebody answers before the robot has finished, and both end up in one utterance.
        """
        for answer in self._answers:
            after_s = (utterance.speech_start_ns - answer.until_ns) / NANOSECONDS
            if utterance.speech_end_ns < answer.start_ns or after_s > self._tail_s:
                continue
            for count in range(1, min(MOST_ADDED, len(words) - FEWEST_ECHOED) + 1):
                echo, added = words[:-count], words[-count:]
                if echo_share(echo, answer.words) >= self._similarity and not set(added) & set(answer.words):
                    return added
        return []


def echo_share(words: list[str], answer: list[str]) -> float:
    """Part of `words` that stands in `answer` in the same order, or the likeness of the letters where words were
    misheard.
    """
    from rapidfuzz import fuzz
    from rapidfuzz.distance import LCSseq

    if not words or not answer:
        return 0.0
    in_order = LCSseq.similarity(words, answer) / len(words)
    heard, spoken = " ".join(words), " ".join(answer)
    if len(heard) < 12 or len(heard) > 1.3 * len(spoken):
        return float(in_order)
    return float(max(in_order, (fuzz.partial_ratio(heard, spoken) - MISHEARD) / 100.0))
