"""Where the base is in the map, from the transforms of a bag."""

from __future__ import annotations

import math
from types import SimpleNamespace as Message

import pytest

from remembr_ros.errors import InvalidInput
from remembr_ros.records import NANOSECONDS
from remembr_ros.ros.transforms import TransformTree

T = 1_796_061_600 * NANOSECONDS


def moved(parent: str, child: str, at_s: float, x: float, y: float = 0.0, yaw: float = 0.0, **rotation: float):
    stamp_ns = T + round(at_s * NANOSECONDS)
    turn = {"x": 0.0, "y": 0.0, "z": math.sin(yaw / 2), "w": math.cos(yaw / 2)} | rotation
    return Message(
        header=Message(stamp=Message(sec=stamp_ns // NANOSECONDS, nanosec=stamp_ns % NANOSECONDS), frame_id=parent),
        child_frame_id=child,
        transform=Message(translation=Message(x=x, y=y, z=0.0), rotation=Message(**turn)),
    )


def tree(*dynamic, static=()) -> TransformTree:
    made = TransformTree()
    made.add(Message(transforms=list(static)), static=True)
    for one in dynamic:
        made.add(Message(transforms=[one]), static=False)
    return made


def test_the_chain_is_followed_rotations_included():
    """odom is turned by 90 degrees in the map: 2 m ahead in odom are 2 m to the left."""
    made = tree(moved("map", "odom", 0.0, 1.0, 1.0, math.pi / 2), moved("odom", "base_link", 0.0, 2.0, yaw=0.3))
    pose = made.pose("map", "base_link")
    assert (pose.x, pose.y, pose.yaw) == pytest.approx((1.0, 3.0, math.pi / 2 + 0.3))
    assert pose.frame_id == "map" and pose.stamp_ns == T


def test_static_parts_and_leading_slashes():
    made = tree(
        moved("map", "/odom", 0.0, 1.0), moved("odom", "base_footprint", 0.0, 1.0, yaw=math.pi),
        static=[moved("base_footprint", "base_link", 0.0, 0.5)],
    )  # fmt: skip
    assert made.pose("map", "base_link").x == pytest.approx(1.5)


def test_the_latest_common_instant_with_the_faster_part_interpolated():
    """The map's correction was last known at 1.0 s; the odometry of then lies between two samples."""
    made = tree(
        moved("map", "odom", 0.0, 0.0), moved("map", "odom", 1.0, 10.0), moved("odom", "base_link", 0.9, 1.0, yaw=3.1),
        moved("odom", "base_link", 1.1, 2.0, yaw=-3.1),
    )  # fmt: skip
    pose = made.pose("map", "base_link")
    assert (pose.stamp_ns - T) / NANOSECONDS == 1.0
    assert pose.x == pytest.approx(11.5) and abs(pose.yaw) == pytest.approx(math.pi)


def test_a_tree_that_hangs_the_other_way_round():
    """Some localizers publish the map below odom."""
    made = tree(moved("odom", "map", 0.0, 5.0, yaw=math.pi / 2), moved("odom", "base_link", 0.0, 5.0, 2.0))
    pose = made.pose("map", "base_link")
    assert (pose.x, pose.y, pose.yaw) == pytest.approx((2.0, 0.0, -math.pi / 2))


def test_what_does_not_hang_together_has_no_pose():
    assert tree().pose("map", "base_link") is None
    assert tree(moved("map", "odom", 0.0, 0.0), moved("world", "base_link", 0.0, 0.0)).pose("map", "base_link") is None
    assert tree(static=[moved("map", "base_link", 0.0, 1.0)]).pose("map", "base_link") is None, "never moved, no time"
    loop = tree(moved("a", "b", 0.0, 0.0), moved("b", "a", 0.0, 0.0), moved("b", "base_link", 0.0, 0.0))
    assert loop.pose("map", "base_link") is None
    apart = tree(moved("map", "odom", 0.0, 0.0), moved("odom", "base_link", 5.0, 0.0))
    assert apart.pose("map", "base_link") is None, "they have no instant in common"


def test_samples_out_of_order_said_again_and_long_past():
    made = tree(
        moved("map", "base_link", 1.0, 1.0), moved("map", "base_link", 0.5, 0.5), moved("map", "base_link", 1.0, 2.0)
    )
    assert made.pose("map", "base_link").x == 2.0
    for second in range(2, 60):
        made.add(Message(transforms=[moved("map", "base_link", second, second)]), static=False)
    assert len(made._links["base_link"].stamps) == 11
    made.clear()
    assert made.pose("map", "base_link") is None


@pytest.mark.parametrize(
    "bad",
    [
        moved("map", "odom", 0.0, math.nan), moved("map", "odom", 0.0, 0.0, w=0.0), moved("map", "map", 0.0, 0.0),
        moved("", "odom", 0.0, 0.0), moved("map", "/", 0.0, 0.0), moved("map", "odom", 0.0, 0.0, z=math.inf),
    ],
)  # fmt: skip
def test_a_bad_transform_is_named_and_costs_itself(bad):
    made = TransformTree()
    with pytest.raises(InvalidInput, match=r"transforms\[1\]"):
        made.add(Message(transforms=[moved("map", "odom", 0, 1), bad, moved("odom", "base_link", 0, 1)]), static=False)
    assert made.pose("map", "base_link").x == 2.0
