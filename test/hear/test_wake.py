"""Who calls the robot, and who only talks about it."""

from __future__ import annotations

import pytest

pytest.importorskip("rapidfuzz", reason="rapidfuzz not installed: pip install -r requirements-voice.txt")

from remembr_ros.hear.wake import Wake


@pytest.mark.parametrize(
    "text",
    [
        "Robot, where is it?",
        "Hey robot where is it?",
        "Ro bot, where is it?",
        "Rowbot where is it?",
        "Where is it, robot?",
    ],
)
def test_the_phrase_calls_also_misheard_and_run_apart(text):
    assert Wake("robot", 0.75).strip(text) == (True, "Where is it?")


@pytest.mark.parametrize(
    "text",
    [
        "The robot is over there.",
        "My robot is here.",
        "That robot was near the window.",
        "Robots are nice.",
        "I like the robot.",
        "Is this your robot?",
    ],
)
def test_a_sentence_about_the_robot_calls_nobody(text):
    assert Wake("robot", 0.75).strip(text) == (False, text)
