"""One MarkerArray that stands alone: DELETEALL first, everything after it."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from visualization_msgs.msg import Marker

from remembr_ros.records import Hit, Memory, Pose
from remembr_ros.ros.markers import memory_markers


def memories(count: int, yaw: float | None = 0.5, placed: bool = True) -> list[Memory]:
    return [
        Memory(str(i), i, i + 1, i, f"caption {i}", Pose(i, "map", float(i), 0.0, yaw=yaw) if placed else None)
        for i in range(count)
    ]


def test_the_first_marker_deletes_all_and_ids_are_unique():
    seen = memories(5)
    markers = memory_markers(seen, [Hit(seen[2])], Pose(1, "map", 9.0, 9.0)).markers
    assert markers[0].action == Marker.DELETEALL
    assert len({(marker.ns, marker.id) for marker in markers[1:]}) == len(markers) - 1
    assert {marker.ns for marker in markers[1:]} == {"memories", "evidence", "evidence_text", "goal"}
    assert all(marker.header.frame_id == "map" for marker in markers[1:])
    (text,) = [marker for marker in markers if marker.ns == "evidence_text"]
    assert text.text == "caption 2" and text.type == Marker.TEXT_VIEW_FACING


def test_a_heading_is_an_arrow_and_none_a_sphere():
    assert memory_markers(memories(1)).markers[1].type == Marker.ARROW
    assert memory_markers(memories(1, yaw=None)).markers[1].type == Marker.SPHERE
    assert len(memory_markers(memories(3, placed=False)).markers) == 1


def test_the_oldest_is_blue_and_the_newest_red():
    markers = memory_markers(memories(10)).markers
    assert markers[1].color.b > 0.9 and markers[-1].color.r > 0.9
