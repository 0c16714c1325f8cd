"""In: a goal. Out: a PoseStamped on `goal_pose`, for robots that are driven by topic; arrival is judged from amcl_pose.

A topic neither accepts nor answers, so less is known than with the action: SENT once something listens, ACTIVE with
the straight-line distance [m], SUCCEEDED when the robot's pose comes within `tolerance_m`, ABORTED when it has not
within `arrival_timeout_s` (the robot may still be on its way). Cancel sends the robot's own place as the goal, which
stops a Nav2 robot where it stands; without a known place it cannot stop, says so, and ends as ABORTED.
Nav2's bt_navigator drives at once to whatever appears on this topic: only goals that passed the guard get here.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from remembr_ros.errors import InvalidInput
from remembr_ros.navigate.navigator import Goal, NavigationState, NavigationUpdate
from remembr_ros.navigate.policy import normalize_frame
from remembr_ros.ros.navigators.goal_message import goal_message

OnUpdate = Callable[[NavigationUpdate], None]


@dataclass(slots=True, eq=False)
class _Drive:
    goal: Goal
    on_update: OnUpdate
    deadline: float
    sent: bool = False
    ended: bool = False


class TopicNavigator:
    """Navigator that publishes goals. Limits in seconds on the steady clock. The node must be spun by its owner."""

    name = "topic"

    def __init__(
        self,
        node: Node,
        topic: str = "goal_pose",
        pose_topic: str = "amcl_pose",
        *,
        tolerance_m: float = 0.5,
        listener_timeout_s: float = 3.0,
        arrival_timeout_s: float = 600.0,
        progress_period_s: float = 0.5,
    ) -> None:
        self._node = node
        self._tolerance_m = tolerance_m
        self._listener_timeout_s = listener_timeout_s
        self._arrival_timeout_s = arrival_timeout_s
        self._lock = threading.Lock()
        self._drive: _Drive | None = None
        self._place: PoseWithCovarianceStamped | None = None
        self._publisher = node.create_publisher(PoseStamped, topic, 1)
        # AMCL latches its pose, others publish it volatile: neither kind of subscription hears both.
        self._subscriptions = [
            node.create_subscription(
                PoseWithCovarianceStamped,
                pose_topic,
                self._on_pose,
                QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=durability),
            )
            for durability in (DurabilityPolicy.TRANSIENT_LOCAL, DurabilityPolicy.VOLATILE)
        ]
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(0.1, self._watch, clock=steady)
        self._progress_timer = node.create_timer(progress_period_s, self._report, clock=steady)

    def go(self, goal: Goal, on_update: OnUpdate) -> None:
        """Publish the goal as soon as something listens; a goal that is under way is replaced. See Navigator."""
        with self._lock:
            old = self._drive
            self._drive = _Drive(goal, on_update, time.monotonic() + self._listener_timeout_s)
        self._end(old, NavigationState.CANCELED, "replaced by a newer goal")

    def cancel(self) -> None:
        """Send the robot to where it stands. The final update is CANCELED, or ABORTED if its place is not known."""
        with self._lock:
            drive, place = self._drive, self._place
            if drive is None or drive.ended:
                return
            sent = drive.sent
            if sent and place is not None:
                stay = PoseStamped(header=place.header, pose=place.pose.pose)
                stay.header.stamp = self._node.get_clock().now().to_msg()
                self._publisher.publish(stay)
        if sent and place is None:
            self._end(
                drive, NavigationState.ABORTED, "cannot stop the robot by topic: no amcl_pose has told where it stands"
            )
        else:
            self._end(drive, NavigationState.CANCELED, "the robot was sent to where it stood" if sent else "")

    def close(self) -> None:
        """Cancel, and release publisher, subscriptions and timers."""
        self.cancel()
        for timer in (self._timer, self._progress_timer):
            self._node.destroy_timer(timer)
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._node.destroy_publisher(self._publisher)

    def _watch(self) -> None:
        drive = self._drive
        if drive is None or drive.ended:
            return
        now = time.monotonic()
        if not drive.sent and self._publisher.get_subscription_count() > 0:
            self._send(drive)
        elif now < drive.deadline:
            return
        elif drive.sent:
            text = f"the robot was not seen to arrive within {self._arrival_timeout_s:g} s and may still be on its way"
            self._end(drive, NavigationState.ABORTED, text)
        else:
            text = f"nothing listens on {self._publisher.topic_name}: is Nav2 running and active?"
            self._end(drive, NavigationState.UNAVAILABLE, text)

    def _send(self, drive: _Drive) -> None:
        try:
            message = goal_message(drive.goal.pose, self._node.get_clock().now().to_msg())
        except InvalidInput as error:
            self._end(drive, NavigationState.REFUSED, str(error))
            return
        with self._lock:  # a cancel on another thread must come either before this or after it
            if drive.ended:
                return
            drive.sent, drive.deadline = True, time.monotonic() + self._arrival_timeout_s
            self._publisher.publish(message)
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.SENT))
        self._report()

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        self._place = message
        drive = self._drive
        if drive is not None and drive.sent and self._distance(drive) <= self._tolerance_m:
            self._end(drive, NavigationState.SUCCEEDED)

    def _report(self) -> None:
        drive = self._drive
        if drive is None or not drive.sent or drive.ended:
            return
        distance_m = self._distance(drive)
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.ACTIVE, distance_remaining_m=distance_m))
        if distance_m <= self._tolerance_m:
            self._end(drive, NavigationState.SUCCEEDED)

    def _distance(self, drive: _Drive) -> float:
        """Straight-line distance to the goal [m], NaN where the robot's place in the goal's frame is unknown."""
        place = self._place
        if place is None or normalize_frame(place.header.frame_id) != normalize_frame(drive.goal.pose.frame_id):
            return math.nan
        return drive.goal.pose.distance_to(place.pose.pose.position.x, place.pose.pose.position.y)

    def _end(self, drive: _Drive | None, state: NavigationState, text: str = "") -> None:
        with self._lock:
            if drive is None or drive.ended:
                return
            drive.ended = True
        drive.on_update(NavigationUpdate(drive.goal, state, error_msg=text))
