"""A question asked and answered aloud, a goal confirmed and stopped by voice: over real DDS, with real Whisper.

Field fault 35 (the robot hears itself) with its kinds.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from processes import Nodes, wait_until
from speech import silence, spoken
from std_msgs.msg import String
from voice_robot import VoiceRobot, read_wav

from remembr_interfaces.msg import NavigationStatus, Speech
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.schema import memory_id
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory, Pose

OWN_ANSWER = "The robot was near the window. It noted a coffee machine."
"""It begins like a call of the wake phrase."""

pytestmark = [pytest.mark.ros, pytest.mark.voice]


def remember(uri: str) -> None:
    """An elevator at (7.7, 1.5) 10 minutes ago and a coffee machine at (13.7, 1.5) 5 minutes ago."""
    rows = []
    for minutes, x, caption in (
        (10, 7.7, "An elevator with steel doors."),
        (5, 13.7, "A coffee machine in a kitchen."),
    ):
        start_ns = (time.time_ns() // NANOSECONDS - 60 * minutes) * NANOSECONDS
        rows.append(
            Memory(
                id=memory_id("robot", "front", start_ns),
                start_ns=start_ns,
                end_ns=start_ns + 3 * NANOSECONDS,
                episode_start_ns=start_ns,
                caption=caption,
                pose=Pose(start_ns, "map", x, 1.5, yaw=0.0),
                localized=True,
                map_id="office",
                robot_id="robot",
                camera="front",
            )
        )
    store = MemoryStore.open(uri, create_embedder("hashing"))
    store.write(rows)
    store.close()


@pytest.fixture(scope="module")
def building(tmp_path_factory):
    pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh")
    nodes = Nodes(tmp_path_factory.mktemp("voice"))
    remember(nodes.memory_uri)
    with VoiceRobot(nodes.namespace) as robot:
        started = [
            nodes.query(),
            nodes.whisper(speaker__model=f"wav:{nodes.folder}/spoken.wav", speaker__max_chars=120),
            nodes.fixture("fake_nav2.py", "--speed", "0.5"),
        ]
        try:
            for node in started[:2]:
                node.wait_for("active", 40.0)
            robot.wait_for_listener()
            yield nodes, robot
        finally:
            nodes.close()


@pytest.fixture
def robot(building) -> VoiceRobot:
    """Nothing is being said, nothing waits, nothing drives."""
    robot = building[1]
    robot.call("cancel")
    wait_until(lambda: robot.diagnostics.get("proposal") == robot.diagnostics.get("goal") == "", "an idle robot")
    robot.received["answer_text"].clear()
    return robot


def test_a_spoken_question_is_answered_aloud(building, robot):
    wav = building[0].folder / "spoken.wav"
    verdict = robot.say("Hey robot, where did you see the elevator?")
    assert verdict.verdict == Speech.QUESTION, (verdict.text, verdict.reason)
    assert "elevator" in verdict.question and "robot" not in verdict.question.lower()
    assert (
        abs(time.time() - verdict.header.stamp.sec) < 20
        and 1.0 < verdict.duration.sec + verdict.duration.nanosec / 1e9 < 4
    )
    wait_until(lambda: "elevator" in robot.last_text.lower() and "7.7" in robot.last_text, "the answer")
    wait_until(lambda: verdict.question in robot.questions_heard, "the question")
    wait_until(lambda: wav.exists() and len(read_wav(wav)) > 16_000, "the answer in the file")


def test_a_goal_is_confirmed_by_yes_and_ended_by_stop(robot):
    assert robot.say("Robot, take me to the elevator.").verdict == Speech.QUESTION
    proposed = wait_until(lambda: robot.diagnostics.get("proposal"), "the proposal")
    assert robot.say("Yes.", live=True).verdict == Speech.CONFIRM
    wait_until(lambda: NavigationStatus.ACTIVE in robot.states(proposed), "the robot to drive")
    wait_until(lambda: "All right, I am going there." in robot.texts, "the reply")
    wait_until(lambda: robot.diagnostics.get("goal") == proposed, "the node to know of it")
    assert robot.say("Robot, stop!").verdict == Speech.STOP
    wait_until(lambda: NavigationStatus.CANCELED in robot.states(proposed), "the robot to stop")


def test_a_goal_is_declined_by_no(robot):
    assert robot.say("Robot, take me to the coffee machine.").verdict == Speech.QUESTION
    proposed = wait_until(lambda: robot.diagnostics.get("proposal"), "the proposal")
    assert robot.say("No.", live=True).verdict == Speech.DECLINE
    wait_until(lambda: NavigationStatus.CANCELED in robot.states(proposed), "the end of the proposal")
    wait_until(lambda: robot.last_text == "All right, I stay here.", "the reply")
    assert NavigationStatus.SENT not in robot.states(proposed)


def test_yes_means_nothing_when_nothing_waits(robot):
    verdict = robot.say("Yes, go ahead.")
    assert verdict.verdict == Speech.REJECTED and verdict.reason


def test_questions_by_voice_are_one_conversation(robot):
    assert robot.say("Robot, where did you see the coffee machine?").verdict == Speech.QUESTION
    wait_until(lambda: "13.7" in robot.last_text, "the answer")
    wait_until(lambda: robot.diagnostics.get("message") == "listening", "the node to go on")
    assert robot.say("Robot, take me there.").verdict == Speech.QUESTION
    proposed = wait_until(lambda: robot.diagnostics.get("proposal"), "the proposal")
    status = wait_until(lambda: robot.drives(proposed), "the proposal's status")[-1]
    assert status.goal.pose.position.x == pytest.approx(13.7)


@pytest.mark.parametrize("kind", ["late and noisy", "in parts"])
def test_the_robots_own_answer_is_no_question(building, robot, kind):
    """Field fault 35: what the loudspeaker says comes back through the microphone, while and after it is said."""
    wav = building[0].folder / "spoken.wav"
    already = len(read_wav(wav)) if wav.exists() else 0
    questions = len(robot.questions_heard)
    robot.answers.publish(String(data=OWN_ANSWER))
    wait_until(lambda: wav.exists() and len(read_wav(wav)) > already + 16_000, "the start of the answer")
    # What sounds is what the file will hold: said again by the same voice, it is what the microphone hears meanwhile.
    echo = spoken(OWN_ANSWER, "en")
    if kind == "late and noisy":
        echo = 0.3 * echo + 0.003 * np.random.default_rng(1).normal(size=len(echo)).astype(np.float32)
    heard = len(robot.received["speech"])
    if kind == "in parts":
        for part in np.array_split(echo, 3):
            robot.sound_live(np.concatenate((part, silence(0.8))))
    else:
        robot.sound_live(np.concatenate((silence(0.5), echo, silence(0.9))))
    wait_until(lambda: len(robot.received["speech"]) > heard, "a verdict on the echo")
    robot.diagnostics.clear()
    wait_until(
        lambda: robot.diagnostics and robot.diagnostics["utterances"] == robot.diagnostics["utterances transcribed"],
        "the rest of them",
    )
    verdicts = robot.received["speech"][heard:]
    assert all(v.verdict == Speech.REJECTED for v in verdicts), [(v.text, v.reason) for v in verdicts]
    assert len(robot.questions_heard) == questions
    assert robot.say("Robot, when did you see a person?").verdict == Speech.QUESTION, "a person is still heard"
