"""The robot speaks, and somebody answers into its sentence: one utterance holds both."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("rapidfuzz", reason="rapidfuzz not installed: pip install -r requirements-voice.txt")

from remembr_ros.hear.gate import Gate, VerdictKind
from remembr_ros.hear.segmenter import Utterance
from remembr_ros.hear.transcribers import Transcript

SECOND = 1_000_000_000
SAYS = "All right, I am going there."


def judged(text: str, *, pending: bool = False, driving: bool = False) -> VerdictKind:
    """While the robot says SAYS, from second 10 to 12, and what is heard begins at 10.2."""
    gate = Gate()
    gate.set_situation(pending=pending, driving=driving, now_ns=9 * SECOND)
    gate.answer_spoken(SAYS, 10 * SECOND, 12 * SECOND)
    start_ns = 10 * SECOND + SECOND // 5
    utterance = Utterance(start_ns, 13 * SECOND, np.zeros(16, np.float32), start_ns, 13 * SECOND)
    return gate.judge(Transcript(text), utterance, 13 * SECOND).kind


@pytest.mark.parametrize(
    "text", [f"{SAYS} Stop!", "I am going there. Stop, stop!", f"{SAYS} No!", "All right, I'm going there, no."]
)
def test_a_stop_into_the_robots_own_sentence_stops_it(text):
    assert judged(text, driving=True) is VerdictKind.STOP


def test_a_no_into_it_declines():
    assert judged(f"{SAYS} No.", pending=True) is VerdictKind.DECLINE


@pytest.mark.parametrize("text", [SAYS, "I am going there", f"{SAYS} Yes.", f"{SAYS} Thank you."])
def test_its_own_sentence_alone_does_nothing_and_a_yes_is_asked_for_again(text):
    assert judged(text, pending=True) is VerdictKind.REJECTED
    assert judged(text, driving=True) is VerdictKind.REJECTED


def test_without_a_goal_there_is_nothing_to_stop():
    assert judged(f"{SAYS} Stop!") is VerdictKind.REJECTED
