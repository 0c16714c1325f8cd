"""A stand-in for Nav2: action server `navigate_to_pose` that drives the simulated robot through free space.

In: `map`, goals, the robot's odometry (`ground_truth`: a simulated robot's wheels do not slip). Out: `cmd_vel`.
A new goal replaces the old one; cancel stops the robot.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from itertools import pairwise
from typing import Any

import rclpy
from geometry_msgs.msg import Twist
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from demo.messages import grid_of, yaw_of
from demo.planner import Planner, Point
from demo.world import Place
from remembr_ros.ros.spinning import run_program

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
MAX_SPEED, MAX_TURN_RATE = 0.7, 0.9
POSITION_TOLERANCE_M, YAW_TOLERANCE = 0.15, 0.15
CONTROL_PERIOD_S = 0.02
"""Real time; several simulated seconds may pass in one real second."""
READY_WITHIN_S = 5.0
"""Map and odometry are there by then."""
STUCK_AFTER_S = 20.0
"""Real time without getting nearer."""


class Nav2(Node):
    """See the module."""

    def __init__(self) -> None:
        super().__init__("nav2")
        self._planner: Planner | None = None
        self._place: Place | None = None
        self._moved = threading.Event()
        self._goal: Any = None
        group = ReentrantCallbackGroup()
        self._velocity_publisher = self.create_publisher(Twist, "cmd_vel", 10)
        self.create_subscription(OccupancyGrid, "map", self._on_map, LATCHED, callback_group=group)
        self.create_subscription(Odometry, "ground_truth", self._on_odometry, 10, callback_group=group)
        self._server = ActionServer(
            self,
            NavigateToPose,
            "navigate_to_pose",
            self._execute,
            callback_group=group,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    def destroy_node(self) -> None:
        self._server.destroy()
        super().destroy_node()

    def _on_map(self, message: OccupancyGrid) -> None:
        self._planner = Planner(grid_of(message))

    def _on_odometry(self, message: Odometry) -> None:
        pose = message.pose.pose
        self._place = Place(pose.position.x, pose.position.y, yaw_of(pose.orientation))
        self._moved.set()

    def _execute(self, handle: Any) -> NavigateToPose.Result:
        self._goal = handle
        goal = handle.request.pose.pose
        target = Place(goal.position.x, goal.position.y, yaw_of(goal.orientation))
        until = time.monotonic() + READY_WITHIN_S
        while (self._place is None or self._planner is None) and time.monotonic() < until:
            time.sleep(CONTROL_PERIOD_S)
        place, planner = self._place, self._planner
        path = planner.plan((place.x, place.y), (target.x, target.y)) if place and planner else []
        if not path:
            handle.abort()
            return NavigateToPose.Result(error_code=203, error_msg="no way to the goal")
        arrived = self._follow(handle, path, target)
        if self._goal is handle:
            self._velocity_publisher.publish(Twist())
        if arrived:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.abort()
        return NavigateToPose.Result()

    def _follow(self, handle: Any, path: list[Point], target: Place) -> bool:
        """Whether the robot arrived."""
        nearest, progress_at, told_at = math.inf, time.monotonic(), 0.0
        while rclpy.ok() and self._goal is handle and not handle.is_cancel_requested and self._place is not None:
            place = self._place
            while len(path) > 1 and math.dist((place.x, place.y), path[0]) < 2 * POSITION_TOLERANCE_M:
                path.pop(0)
            remaining = _length((place.x, place.y), path)
            turn_left = (
                abs(math.remainder(target.yaw - place.yaw, math.tau)) if remaining < POSITION_TOLERANCE_M else math.pi
            )
            if turn_left < YAW_TOLERANCE:
                return True
            if remaining + 0.1 * turn_left < nearest - 0.02:
                nearest, progress_at = remaining + 0.1 * turn_left, time.monotonic()
            elif time.monotonic() - progress_at > STUCK_AFTER_S:
                self.get_logger().warning(f"stuck {remaining:.2f} m before the goal")
                return False
            self._velocity_publisher.publish(_velocity(place, path[0], target, remaining))
            if time.monotonic() - told_at > 0.2:
                told_at = time.monotonic()
                handle.publish_feedback(NavigateToPose.Feedback(distance_remaining=remaining))
            self._moved.clear()
            self._moved.wait(CONTROL_PERIOD_S)
        return False


def _velocity(place: Place, waypoint: Point, target: Place, remaining: float) -> Twist:
    """Turn on the spot towards the waypoint, drive there, turn to the heading asked for at the end."""
    velocity = Twist()
    if remaining < POSITION_TOLERANCE_M:
        off = math.remainder(target.yaw - place.yaw, math.tau)
    else:
        off = math.remainder(math.atan2(waypoint[1] - place.y, waypoint[0] - place.x) - place.yaw, math.tau)
        if abs(off) < 0.3:
            velocity.linear.x = min(MAX_SPEED, 0.1 + math.dist((place.x, place.y), waypoint)) * math.cos(off)
    velocity.angular.z = max(-MAX_TURN_RATE, min(MAX_TURN_RATE, 1.5 * off))
    return velocity


def _length(start: Point, path: list[Point]) -> float:
    points = [start, *path]
    return sum(math.dist(a, b) for a, b in pairwise(points))


def main() -> int:
    """`python -m demo.nav2`."""
    return run_program(Nav2, [], threads=4)


if __name__ == "__main__":
    sys.exit(main())
