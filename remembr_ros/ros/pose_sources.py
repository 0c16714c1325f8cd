"""Where poses come from: AMCL, odometry or tf. Out: `Pose` records of base_link, in the source's own frame.

`amcl_pose`  PoseWithCovarianceStamped on `amcl_pose` (slam_toolbox's `pose` remapped): an update signal, held between
`odometry`   nav_msgs/Odometry on `odom`; a place in another frame than `map_frame` drifts and is never localized
`tf`         the transform from `map_frame` to `base_frame`, looked up ten times a second (needs tf2_ros)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.node import Node
from rclpy.time import Time

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.records import Pose
from remembr_ros.ros import qos
from remembr_ros.ros.parameters import Parameters
from remembr_ros.ros.reading import pose_from_message
from remembr_ros.ros.remembering import TF_INTERVAL_S

INSTALL = "sudo apt install ros-$ROS_DISTRO-tf2-ros-py"


class PoseSource:
    """Subscribes on construction. On the executor, `on_pose` gets every pose, `on_bad` topic and reason of others.

    Raises MissingDependency for tf without tf2_ros.
    """

    def __init__(
        self,
        node: Node,
        parameters: Parameters,
        on_pose: Callable[[Pose], None],
        on_bad: Callable[[str, Exception], None],
    ) -> None:
        self._node = node
        self._on_pose, self._on_bad = on_pose, on_bad
        self.source: str = parameters["pose_source"]
        self._map_frame: str = parameters["map_frame"]
        self._base_frame: str = parameters["base_frame"]
        self.problem = ""
        if self.source == "amcl_pose":
            qos.subscribe_pose(
                node, PoseWithCovarianceStamped, "amcl_pose", lambda message: self._take("amcl_pose", message)
            )
        elif self.source == "odometry":
            from nav_msgs.msg import Odometry

            node.create_subscription(Odometry, "odom", lambda message: self._take("odom", message), qos.POSE)
        else:
            self._listen_to_tf()

    def _take(self, topic: str, message: Any) -> None:
        try:
            self._on_pose(pose_from_message(message))  # Odometry has the same two fields
        except InvalidInput as error:
            self._on_bad(topic, error)

    def _listen_to_tf(self) -> None:
        try:
            import tf2_ros
        except ImportError as error:
            raise MissingDependency("tf2_ros", INSTALL, needed_for="pose_source tf") from error
        self._tf_error = tf2_ros.TransformException
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, self._node)
        self._node.create_timer(TF_INTERVAL_S, self._look_up, clock=getattr(self._node, "steady_clock", None))

    def _look_up(self) -> None:
        try:
            transform = self._buffer.lookup_transform(self._map_frame, self._base_frame, Time())
        except self._tf_error as error:
            self.problem = f"no transform from {self._map_frame} to {self._base_frame}: {error}"
            return
        self.problem = ""
        message = PoseWithCovarianceStamped(header=transform.header)
        message.header.frame_id = self._map_frame
        moved = transform.transform
        position = message.pose.pose.position
        position.x, position.y, position.z = moved.translation.x, moved.translation.y, moved.translation.z
        message.pose.pose.orientation = moved.rotation
        self._take("tf", message)
