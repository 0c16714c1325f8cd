"""The command as a process: usage, what is missing, and a question to a real query node."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("typer", reason="typer not installed: pip install -r requirements.txt")

from processes import Nodes

from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory, Pose

pytestmark = pytest.mark.ros
T0 = 1_796_061_600 * 10**9


def remembr(*arguments: str, typed: str = "", timeout_s: float = 40.0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "remembr_ros.cli.main", *arguments]
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, timeout=timeout_s, check=False, env=environment
    )


@pytest.fixture(scope="module")
def namespace(tmp_path_factory):
    """A query node that remembers a door at (2, 1) and, later, a window at (8, 1)."""
    nodes = Nodes(tmp_path_factory.mktemp("cli"))
    with MemoryStore.open(nodes.memory_uri, create_embedder("hashing")) as store:
        for index, (caption, x) in enumerate((("I see a door.", 2.0), ("I see a window.", 8.0))):
            start = T0 + index * 60 * 10**9
            pose = Pose(start, "map", x, 1.0, yaw=0.0)
            store.write(
                [Memory(caption, start, start + 3 * 10**9, start, caption, pose, True, "office", "robot", "front")]
            )
    query = nodes.query(navigation__navigator="topic")
    query.wait_for("active")
    yield nodes.namespace
    nodes.close()


def test_help_names_the_commands_and_costs_no_ros():
    result = remembr("--help")
    assert result.returncode == 0 and "ask" in result.stdout and "search" in result.stdout


def test_a_missing_node_is_named_within_the_time_given():
    result = remembr("ask", "where?", "--namespace", "/nobody", "--wait", "0.5")
    assert result.returncode == 3
    assert "/nobody/remembr/ask" in result.stderr and "query node" in result.stderr and "ROS_DOMAIN_ID" in result.stderr
    assert "Traceback" not in result.stderr and "instead: /nobody" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--within", "3"),
        ("--near", "1", "1", "--within", "inf"),
        ("--first", "--last"),
        ("--limit", "0"),
        ("--after", "yesterday"),
        ("--after", "0001-01-01"),
        ("--before", "2150-01-01"),
        ("--namespace", "no name!"),
    ],
)
def test_wrong_usage_is_refused(arguments):
    result = remembr("search", "door", *arguments)
    assert result.returncode == 2 and "Traceback" not in result.stderr and "─" not in result.stderr


def test_words_that_are_no_utf8_are_no_traceback(namespace):
    result = remembr("ask", "a \udcff door?", "--namespace", namespace)
    assert result.returncode in (0, 1) and "Error" not in result.stderr, result.stderr


def test_a_question_is_answered_with_place_and_evidence(namespace):
    result = remembr("ask", "where did you see a door?", "-v", "--namespace", namespace)
    assert result.returncode == 0, result.stderr
    assert "x 2.00 m, y 1.00 m in map" in result.stdout and "I see a door." in result.stdout
    assert "extractive" in result.stdout
    assert re.search(r"^ +\d+\.\d\d s +search door: \d+ memories \(round 1\)$", result.stdout, re.MULTILINE), (
        result.stdout
    )


def test_a_question_in_the_sites_own_words(tmp_path_factory):
    """Nobody but the people of this site calls its forklift Bertha."""
    nodes = Nodes(tmp_path_factory.mktemp("site"))
    words = nodes.folder / "site_words.txt"
    words.write_text("# ours\nBertha, big forklift, forklift\n")
    with MemoryStore.open(nodes.memory_uri, create_embedder("hashing")) as store:
        for index, (caption, x) in enumerate((("A grey door.", 2.0), ("A forklift by the shelves.", 8.0))):
            start = T0 + index * 60 * 10**9
            pose = Pose(start, "map", x, 1.0, yaw=0.0)
            store.write(
                [Memory(caption, start, start + 3 * 10**9, start, caption, pose, True, "office", "robot", "front")]
            )
    try:
        nodes.query("without").wait_for("active")
        result = remembr("ask", "Where is Bertha?", "--namespace", nodes.namespace)
        assert result.returncode == 1 and "forklift" not in result.stdout, result.stdout
        nodes.started[-1].stop()
        nodes.query(recall__words_file=words).wait_for("active")
        result = remembr("ask", "Where is Bertha?", "--namespace", nodes.namespace)
        assert result.returncode == 0, result.stderr
        assert "x 8.0 m, y 1.0 m" in result.stdout and "A forklift by the shelves." in result.stdout
    finally:
        nodes.close()


def test_what_was_never_seen_is_exit_code_1(namespace):
    result = remembr("ask", "where did you see a unicorn?", "--namespace", namespace)
    assert result.returncode == 1 and "NOT_FOUND" in result.stdout


def test_search_by_place_and_order(namespace):
    near = remembr("search", "--near", "8", "1", "--limit", "1", "--namespace", namespace)
    assert near.returncode == 0 and "window" in near.stdout and "door" not in near.stdout
    first = remembr("search", "--first", "--limit", "1", "--namespace", namespace)
    assert first.returncode == 0 and "door" in first.stdout
    nothing = remembr("search", "--near", "500", "500", "--within", "1", "--namespace", namespace)
    assert nothing.returncode == 1 and "only places on the map office are compared" in nothing.stdout, nothing.stdout


def test_a_query_node_without_a_map_says_where_it_searched(tmp_path):
    nodes = Nodes(tmp_path)
    try:
        nodes.query(map_id="").wait_for(f"memory: {nodes.memory_uri}")
        result = remembr("search", "--near", "2", "1", "--within", "1", "--namespace", nodes.namespace)
        assert result.returncode == 1 and "0 memories" in result.stdout, result.stderr
        assert "the unnamed map" in result.stdout and "set map_id of the query node" in result.stdout, result.stdout
        result = remembr("search", "--namespace", nodes.namespace)
        assert result.returncode == 1 and "map" not in result.stdout, result.stdout
    finally:
        nodes.close()


def test_a_goal_is_only_driven_to_after_a_yes(namespace):
    declined = remembr("ask", "take me to the door", "--namespace", namespace, typed="n\n")
    assert declined.returncode == 4 and "goal proposed" in declined.stdout and "not arrived" not in declined.stdout
    nobody = remembr("ask", "take me to the door", "--namespace", namespace)  # its standard input is at its end
    assert nobody.returncode == 4 and "nobody confirmed" in nobody.stdout and "not arrived" not in nobody.stdout
    assert "Abort" not in nobody.stderr
    # Nothing listens on goal_pose here, so the navigator says so: the goal did leave.
    confirmed = remembr("ask", "take me to the door", "--yes", "--namespace", namespace)
    assert confirmed.returncode == 4 and "not arrived" in confirmed.stdout and "goal_pose" in confirmed.stdout
