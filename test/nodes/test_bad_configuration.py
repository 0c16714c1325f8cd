"""Parameters and backends that cannot work: one clear line that names the parameter; the node stays up where it can.

Field faults 51 and E1 at node level.
"""

from __future__ import annotations

import signal
import time

import pytest
from processes import Nodes, wait_until
from sim_robot import SimRobot

from remembr_interfaces.msg import Answer

pytestmark = pytest.mark.ros


@pytest.mark.parametrize(
    ("start", "parameters", "words"),
    [
        ("captioner", {"robot_id": 4}, ("robot_id", "4 (integer) given", "string wanted")),
        ("captioner", {"window_s": 0}, ("window_s", "0 (integer) given", "0.5 to 60")),
        ("query", {"navigation__mode": "automatic"}, ("navigation.mode", "automatic", "off, confirm, auto")),
    ],
)
def test_a_wrong_parameter_ends_the_node_with_one_line(nodes: Nodes, start, parameters, words):
    process = getattr(nodes, start)(**parameters)
    assert process.exit_code() == 1
    lines = process.log.strip().splitlines()
    assert len(lines) == 1 and "FATAL" in lines[0], process.log
    assert all(word in lines[0] for word in words)


def test_an_integer_for_a_double_and_a_misspelt_name(nodes):
    process = nodes.captioner(window_s=3, window_secs=4.0)
    log = process.wait_for("active")
    assert "window_secs" in log and "did you mean window_s?" in log


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"llm__model": "gpt:4"}, ("llm.model", "gpt:4", "extractive")),
        ({"navigation__navigator": "teleport"}, ("navigation.navigator", "teleport", "action")),
        ({"memory__uri": "/no/such/folder/memory.db"}, ("memory.uri", "/no/such/folder")),
        ({"recall__words_file": "/no/such/words.txt"}, ("recall.words_file", "/no/such/words.txt", "No such file")),
    ],
)
def test_the_query_node_stays_up_and_says_what_is_wrong(nodes, robot: SimRobot, parameters, words):
    query = nodes.query(**parameters)
    log = query.wait_for("cannot activate")
    assert all(word in log for word in words), log
    assert "Traceback" not in log
    answer = robot.ask("where did you see a door?")
    assert answer.error_code == Answer.NOT_ACTIVE
    assert all(word in answer.error_msg for word in words)
    assert robot.call("search", text="door").error_code == Answer.NOT_ACTIVE
    assert query.running


def test_a_line_of_a_sites_words_that_is_wrong_is_named(nodes, robot):
    file = nodes.folder / "site_words.txt"
    file.write_text("bertha, forklift\n\nrobot lab: \n")
    log = nodes.query(recall__words_file=file).wait_for("cannot activate")
    assert f"recall.words_file: {file}, line 3: 'robot lab:'" in log and "Traceback" not in log, log
    answer = robot.ask("where did you see a door?")
    assert answer.error_code == Answer.NOT_ACTIVE and "line 3" in answer.error_msg


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"captioner__model": "oracle"}, ("captioner.model", "oracle", "tagger")),
        ({"embedder__model": "word2vec"}, ("embedder.model", "word2vec")),
        ({"memory__uri": "/no/such/folder/memory.db"}, ("memory.uri", "/no/such/folder")),
        ({"outbox_path": "/proc/none/outbox.db"}, ("outbox_path", "/proc/none")),
    ],
)
def test_the_captioner_stays_up_and_says_what_is_wrong(nodes, parameters, words):
    captioner = nodes.captioner(**parameters)
    log = captioner.wait_for("cannot activate")
    assert all(word in log for word in words), log
    assert "Traceback" not in log and captioner.running


def test_a_milvus_that_is_away_is_tried_again_and_asks_say_so(nodes, robot):
    query = nodes.query(memory__uri="http://127.0.0.1:9", memory__timeout_s=1.0)
    log = query.wait_for("cannot activate")
    assert "127.0.0.1:9" in log and "again" in log
    answer = robot.ask("where did you see a door?")
    assert answer.error_code == Answer.MEMORY_UNAVAILABLE and "127.0.0.1:9" in answer.error_msg


def test_captions_wait_in_the_outbox_while_milvus_is_away(nodes, robot):
    """Nothing is lost: the next run, with a memory, stores what the first could only keep."""
    captioner = nodes.captioner(memory__uri="http://127.0.0.1:9", memory__timeout_s=1.0)
    captioner.wait_for("wait in")
    captioner.wait_for("active")
    robot.wait_for_camera_listener()
    until = time.monotonic() + 10.0
    while not robot.captions and time.monotonic() < until:
        robot.watch_live(0.5)
    captioner.stop()
    nodes.captioner("captioner_again").wait_for("active")
    nodes.query().wait_for("active")
    found = wait_until(lambda: robot.call("search", text="red", limit=1).memories, "the memory from the outbox")
    assert found[0].window_start == robot.captions[0].window_start


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_in_the_middle_of_a_caption(nodes, robot, number):
    """Field fault E1: within 5 s, with 0, whatever the model is doing."""
    script = nodes.folder / "slow.yaml"
    script.write_text("captions: [slow]\ndelay_s: 30.0\n")
    captioner = nodes.captioner(captioner__model=f"scripted:{script}")
    captioner.wait_for("active")
    robot.wait_for_camera_listener()
    robot.watch_live(4.0)
    captioner.stop(number)


def test_a_stop_while_a_model_is_loading(nodes):
    """Also before the node is active."""
    captioner = nodes.captioner(embedder__model="packaged", captioner__model="tagger")
    wait_until(lambda: captioner.running, "the start")
    time.sleep(0.8)  # any moment of start-up will do
    captioner.process.send_signal(signal.SIGINT)
    assert captioner.exit_code(8.0) in (0, -signal.SIGINT)  # -2: before Python ran our first line
    assert "Traceback" not in captioner.log or "KeyboardInterrupt" in captioner.log
