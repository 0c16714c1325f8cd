"""config/remembr.rviz shows what the query node publishes: display classes, topics, quality of service, namespaces."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("visualization_msgs", reason="visualization_msgs not importable: . scripts/environment.sh")

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402

from remembr_ros.records import Hit, Memory, Pose  # noqa: E402
from remembr_ros.ros import qos  # noqa: E402
from remembr_ros.ros.markers import memory_markers  # noqa: E402

ROOT = Path(__file__).parents[2]
CONFIG = yaml.safe_load((ROOT / "config" / "remembr.rviz").read_text())["Visualization Manager"]
DISPLAYS = {display["Topic"]["Value"]: display for display in CONFIG["Displays"] if "Topic" in display}
PUBLISHED = {  # topic: (what RViz calls the display of its type, the publisher's QoS)
    "/map": ("Map", qos.LATCHED),
    "/plan": ("Path", qos.RELIABLE),
    "/amcl_pose": ("PoseWithCovariance", qos.LATCHED),
    "/remembr/markers": ("MarkerArray", qos.LATCHED),
    "/remembr/goal": ("Pose", qos.LATCHED),
}


def test_every_topic_has_its_display_and_is_enabled() -> None:
    assert CONFIG["Global Options"]["Fixed Frame"] == "map"
    assert {topic: display["Class"] for topic, display in DISPLAYS.items()} == {
        topic: f"rviz_default_plugins/{kind}" for topic, (kind, _) in PUBLISHED.items()
    }
    assert all(display["Enabled"] for display in CONFIG["Displays"])


@pytest.mark.parametrize("topic", PUBLISHED)
def test_a_late_rviz_still_gets_what_is_latched(topic: str) -> None:
    offered: QoSProfile = PUBLISHED[topic][1]
    asked = DISPLAYS[topic]["Topic"]
    latched = offered.durability == DurabilityPolicy.TRANSIENT_LOCAL
    assert asked["Durability Policy"] == ("Transient Local" if latched else "Volatile")
    assert asked["Reliability Policy"] == "Reliable" and offered.reliability == ReliabilityPolicy.RELIABLE


def test_our_topics_are_those_of_the_query_node() -> None:
    sources = [ROOT / "remembr_ros" / name for name in ("nodes/query_node.py", "ros/goals.py")]
    published: dict[str, Any] = {
        node.args[1].value: (node.args[0].id, node.args[2].attr)  # type: ignore[attr-defined]
        for source in sources
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "create_publisher"
    }
    assert published["remembr/markers"] == ("MarkerArray", "LATCHED")
    assert published["remembr/goal"] == ("PoseStamped", "LATCHED")


def test_the_launch_file_remaps_every_topic_that_is_shown() -> None:
    assignments = [
        node
        for node in ast.parse((ROOT / "launch" / "remembr.launch.py").read_text()).body
        if isinstance(node, ast.Assign)
    ]
    (shown,) = (ast.literal_eval(node.value) for node in assignments if node.targets[0].id == "SHOWN")  # type: ignore[attr-defined]
    assert {f"/{topic}" for topic in shown} == DISPLAYS.keys()


def test_the_namespaces_that_are_switched_on_are_those_of_the_markers() -> None:
    pose = Pose(1, "map", 1.0, 2.0, 0.0, 0.5)
    memory = Memory("a" * 32, 1, 2, 1, "I see a door", pose, True, "m", "r", "front")
    markers = memory_markers([memory], [Hit(memory, 0.5)], pose).markers
    assert set(DISPLAYS["/remembr/markers"]["Namespaces"]) == {marker.ns for marker in markers} - {""}
