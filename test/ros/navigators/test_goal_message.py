"""The message that leaves for the robot."""

from __future__ import annotations

import math

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")

from builtin_interfaces.msg import Time  # noqa: E402

from remembr_ros.errors import InvalidInput  # noqa: E402
from remembr_ros.records import Pose  # noqa: E402
from remembr_ros.ros.navigators.goal_message import goal_message  # noqa: E402


def test_the_message_has_a_unit_quaternion_whatever_the_heading() -> None:
    for yaw in (None, 0.0, math.pi, -2.0):
        q = goal_message(Pose(1, "/map", 1.0, 2.0, 0.0, yaw), Time(sec=7)).pose.orientation
        assert math.hypot(q.x, q.y, q.z, q.w) == pytest.approx(1.0)
    message = goal_message(Pose(1, "/map", 1.0, 2.0), Time(sec=7))
    assert (message.header.frame_id, message.header.stamp.sec) == ("map", 7)


@pytest.mark.parametrize("x", [math.nan, math.inf, True, None, 1e9])
def test_fault_21_no_message_is_made_of_unusable_numbers(x) -> None:
    pose = Pose(1, "map", 1.0, 2.0)
    object.__setattr__(pose, "x", x)
    with pytest.raises(InvalidInput, match="x is"):
        goal_message(pose, Time())
