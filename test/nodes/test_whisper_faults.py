"""The whisper node among things that are absent, wrong, endless or hostile. Field faults 57 and E1 at node level."""

from __future__ import annotations

import random
import signal
from pathlib import Path

import numpy as np
import pytest
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from processes import Nodes, wait_until
from speech import spoken
from std_msgs.msg import String, UInt8MultiArray
from voice_robot import VoiceRobot

from remembr_interfaces.msg import Speech
from remembr_ros.hear.speakers import espeak

pytestmark = [pytest.mark.ros, pytest.mark.voice]
TRANSITIONS = (
    Transition.TRANSITION_CONFIGURE,
    Transition.TRANSITION_ACTIVATE,
    Transition.TRANSITION_DEACTIVATE,
    Transition.TRANSITION_CLEANUP,
)


@pytest.fixture
def robot(nodes: Nodes):
    with VoiceRobot(nodes.namespace) as robot:
        yield robot


def script(folder: Path, *transcripts: str, delay_s: float = 0.0) -> str:
    """A transcriber that understands these texts, one an utterance."""
    file = folder / "transcripts.yaml"
    lines = "".join(f"  - {text!r}\n" for text in transcripts)
    file.write_text(f"delay_s: {delay_s}\ntranscripts:\n{lines}")
    return f"scripted:{file}"


def hear(robot: VoiceRobot) -> Speech:
    """Something is said; what it is says the script."""
    return robot.say("Something.", live=True)


def threads_and_children(pid: int) -> tuple[int, int]:
    tasks = list(Path(f"/proc/{pid}/task").iterdir())
    return len(tasks), sum(len((task / "children").read_text().split()) for task in tasks)


def test_transitions_in_any_order_leave_nothing_behind(nodes, robot):
    if not espeak.available():
        pytest.skip("espeak-ng not installed")
    speaker = f"wav:{nodes.folder / 'said.wav'}"
    node = nodes.whisper(asr__model="scripted:robot hello", speaker__model=speaker)
    node.wait_for("active")
    robot.wait_for_listener()
    change = robot.node.create_client(ChangeState, "whisper/change_state")
    get = robot.node.create_client(GetState, "whisper/get_state")

    def call(client, request):
        assert client.wait_for_service(10.0)
        future = client.call_async(request)
        wait_until(future.done, client.srv_name)
        return future.result()

    def go(transition: int) -> None:
        call(change, ChangeState.Request(transition=Transition(id=transition)))

    go(Transition.TRANSITION_DEACTIVATE)
    go(Transition.TRANSITION_ACTIVATE)
    before = threads_and_children(node.process.pid)
    order = random.Random(7)
    for _ in range(20):
        robot.sound(spoken("robot hello"))
        robot.answers.publish(String(data="A long answer that is said for some seconds to come."))
        go(order.choice(TRANSITIONS))
    for transition in TRANSITIONS[:2]:
        go(transition)
    assert call(get, GetState.Request()).current_state.id == State.PRIMARY_STATE_ACTIVE
    wait_until(lambda: threads_and_children(node.process.pid) <= before, f"threads and children as before, {before}")
    assert hear(robot).text == "robot hello"


def test_without_a_microphone_it_stays_and_says_so(nodes, robot):
    """Field fault 57. The computer that runs the tests has none of this name, perhaps none at all."""
    pytest.importorskip("sounddevice", reason="sounddevice not installed", exc_type=(ImportError, OSError))
    node = nodes.whisper(audio__source="microphone:no such thing", asr__model="scripted:hello")
    node.wait_for("active")
    wait_until(lambda: "no such thing" in robot.diagnostics.get("message", ""), "diagnostics to say so")
    assert robot.diagnostics["level"] == "1" and node.running


def test_a_backend_that_is_none_leaves_it_inactive_with_the_reason(nodes):
    node = nodes.whisper(asr__model="scripted:hello", speaker__model="parrot")
    log = node.wait_for("cannot activate")
    assert "speaker.model" in log and "parrot" in log and "Traceback" not in log
    assert node.running


def test_a_topic_that_is_wrong_costs_messages_and_not_the_node(nodes):
    with VoiceRobot(nodes.namespace, UInt8MultiArray) as robot:
        node = nodes.whisper(
            audio__message="std_msgs/UInt8MultiArray",
            audio__channels=2,
            audio__silent_warning_s=1.0,
            asr__model="scripted:robot what is that",
        )
        node.wait_for("active")
        robot.wait_for_listener()
        for data in ([1], [1, 2, 3], [], [0] * 4_000_004):
            robot.audio.publish(UInt8MultiArray(data=data))
        wait_until(lambda: robot.diagnostics.get("bad messages") == "3", "three bad messages")
        assert f"{nodes.namespace}/audio: message dropped: data: 1 bytes are no whole frames" in node.log
        stereo = np.repeat((spoken("what is that") * 32767).astype("<i2"), 2)
        robot.audio.publish(UInt8MultiArray(data=stereo.tobytes()))
        wait_until(lambda: robot.questions_heard == ["What is that"], "the question, without a pause after it")
        robot.audio.publish(UInt8MultiArray(data=bytes(4 * 8_000)))
        wait_until(lambda: "no sound for" in robot.diagnostics["message"], "the warning that sound has ended")
        assert robot.diagnostics["level"] == "1" and len(robot.received["speech"]) == 1, "silence is nothing"


def test_a_stop_in_the_middle_of_a_transcription_and_of_an_answer(nodes, robot):
    """Field fault E1: within 5 s, with 0. Before that, a voice silences the answer: interrupted_by speech."""
    if not espeak.available():
        pytest.skip("espeak-ng not installed")
    said = nodes.folder / "said.wav"
    slow = script(nodes.folder, "slow", delay_s=30.0)
    node = nodes.whisper(asr__model=slow, speaker__model=f"wav:{said}", speaker__interrupted_by="speech")
    node.wait_for("active")
    robot.wait_for_listener()
    answer = String(data="This is a very long answer that nobody wants to hear to its end, which is far away. " * 3)
    robot.answers.publish(answer)
    wait_until(lambda: said.exists() and said.stat().st_size > 20_000, "the answer")
    robot.sound(spoken("something"))
    wait_until(lambda: robot.diagnostics.get("utterances") == "1", "the utterance")
    assert said.stat().st_size < 400_000, "9 s of an answer of 15 s"
    robot.answers.publish(answer)
    node.stop(signal.SIGINT)


def test_a_flood_of_answers_and_hostile_ones(nodes, robot):
    if not espeak.available():
        pytest.skip("espeak-ng not installed")
    said = nodes.folder / "said.wav"
    node = nodes.whisper(asr__model="scripted:robot hello", speaker__model=f"wav:{said}")
    node.wait_for("active")
    robot.wait_for_listener()
    for text in ("\x00\x1b[2J\x07", "<speak><break time='1h'/></speak>", "x" * 1_000_000, "$(reboot)", "", "%n%s{}"):
        robot.answers.publish(String(data=text))
    for number in range(500):
        robot.answers.publish(String(data=f"Answer number {number} is here."))
    robot.answers.publish(String(data="The end."))
    wait_until(said.exists, "speech")
    assert hear(robot).text == "robot hello"
    assert node.running and "Traceback" not in node.log
