"""In: a pose in one frame fixed to the world, and the name of another. Out: the same place there, by what /tf_static
says.

Only static relations count: a moving one (map to odom) was another when the memory was made. Nothing waits: /tf_static
is latched, so what is known arrives within the first second and stays.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.time import Time

from remembr_ros.records import Pose
from remembr_ros.ros.pose_sources import INSTALL

LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""As tf2's own listener: each broadcaster latches one message with all its transforms."""
MOST_TILT = math.radians(5.0)
"""Between frames that are tilted more against each other a heading in the plane means nothing."""


class StaticFrames:
    """Follows /tf_static of `node`'s graph where tf2_ros is installed; knows nothing where it is not."""

    def __init__(self, node: Node) -> None:
        self._buffer: Any = None
        try:
            import tf2_ros
            from tf2_msgs.msg import TFMessage
        except ImportError:
            return
        self._error = tf2_ros.TransformException
        self._buffer = tf2_ros.Buffer()
        node.create_subscription(TFMessage, "/tf_static", self._on_transforms, LATCHED)

    def _on_transforms(self, message: Any) -> None:
        for transform in message.transforms:
            self._buffer.set_transform_static(transform, "tf_static")

    def to_frame(self, pose: Pose, frame_id: str) -> Pose | str:
        """`pose` in `frame_id`, or why it cannot be had. A navigate.policy.ToFrame."""
        if self._buffer is None:
            return f"tf2_ros, which tells how the two lie to each other, is not installed ({INSTALL})"
        try:
            found = self._buffer.lookup_transform(frame_id, pose.frame_id, Time()).transform
        except self._error as error:
            return f"/tf_static does not tell how the two lie to each other ({error})"
        return moved(pose, frame_id, found)


def moved(pose: Pose, frame_id: str, transform: Any) -> Pose | str:
    """`pose` moved by a geometry_msgs/Transform from its frame to `frame_id` (REP 103), or why it cannot be.

    A pose without a heading stays without one.
    """
    q, t = transform.rotation, transform.translation
    numbers = (q.x, q.y, q.z, q.w, t.x, t.y, t.z)
    norm = math.hypot(q.x, q.y, q.z, q.w)
    if not all(map(math.isfinite, numbers)) or norm < 1e-6:
        return "the transform between the two is no rigid motion"
    x, y, z, w = q.x / norm, q.y / norm, q.z / norm, q.w / norm
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    if rows[2][2] < math.cos(MOST_TILT):
        return f"the two are tilted against each other by {math.degrees(math.acos(max(-1.0, rows[2][2]))):.0f} degrees"
    at = (pose.x, pose.y, pose.z)
    places = [
        sum(a * b for a, b in zip(row, at, strict=True)) + shift for row, shift in zip(rows, numbers[4:], strict=True)
    ]
    yaw = None if pose.yaw is None else pose.yaw + math.atan2(rows[1][0], rows[0][0])
    try:
        return replace(pose, frame_id=frame_id, x=places[0], y=places[1], z=places[2], yaw=yaw)
    except ValueError as error:  # too far away
        return str(error)
