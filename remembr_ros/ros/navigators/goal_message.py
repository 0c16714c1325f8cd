"""In: a goal's pose [m, rad]. Out: the PoseStamped that leaves for the robot, in the same frame."""

from __future__ import annotations

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped

from remembr_ros.errors import InvalidInput
from remembr_ros.navigate.policy import normalize_frame, unusable
from remembr_ros.records import Pose
from remembr_ros.ros.conversions import pose_message


def goal_message(pose: Pose, stamp: Time) -> PoseStamped:
    """`pose` with a unit quaternion; a heading that does not matter (None) becomes the identity.

    Raises InvalidInput for numbers that no robot should get: this is the last place that sees them.
    """
    if fault := unusable(pose):
        raise InvalidInput(f"goal: {fault}")
    message = pose_message(pose)
    message.header.stamp = stamp
    message.header.frame_id = normalize_frame(pose.frame_id)
    return message
