"""In: a goal. Out: Nav2's action NavigateToPose called, and its progress and end reported by callback.

Everything happens in one callback group of the node that is given, which its owner spins.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.navigate.navigator import NavigationState, NavigationUpdate
from remembr_ros.ros.navigators.goal_message import goal_message
from remembr_ros.ros.navigators.nav2 import ACTION, CLOSE_S, DEFAULT, Drive, Limits, Nav2Navigator

WATCH_S = 0.1


class ActionNavigator(Nav2Navigator):
    """Navigator over an action of type nav2_msgs/action/NavigateToPose.

    Raises MissingDependency where nav2_msgs is not installed.
    """

    name = "action"

    def __init__(self, node: Node, action_name: str = ACTION, limits: Limits = DEFAULT) -> None:
        try:
            from nav2_msgs.action import NavigateToPose
        except ImportError:
            distro = os.environ.get("ROS_DISTRO") or "$ROS_DISTRO"
            raise MissingDependency(
                "nav2_msgs", f"sudo apt install ros-{distro}-nav2-msgs", needed_for="navigation.navigator 'action'"
            ) from None
        super().__init__(node, action_name, limits)
        self._node = node
        self._action_type: Any = NavigateToPose
        self._thread = 0
        self._released = threading.Event()
        group = MutuallyExclusiveCallbackGroup()
        self._client = ActionClient(node, NavigateToPose, action_name, callback_group=group)
        self._cancel_client = node.create_client(CancelGoal, f"{action_name}/_action/cancel_goal", callback_group=group)
        self._wake = node.create_guard_condition(self._run, callback_group=group)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(WATCH_S, self._run, callback_group=group, clock=steady)

    def close(self) -> None:
        """Cancel, give Nav2 up to a second to confirm (not on the executor's own thread), and release the client."""
        if self._released.is_set():
            return
        drive = self._drive
        self.cancel()
        on_executor = threading.get_ident() == self._thread
        if drive is not None and not on_executor:
            drive.ended.wait(CLOSE_S)
        # Released between two callbacks: an executor that is just collecting what to wait for trips over it otherwise.
        self._command(self._release)
        if on_executor or not self._released.wait(CLOSE_S / 2):
            self._obey()  # nobody spins the node any more: the cancel still has to leave

    def _command(self, command: Callable[[], None]) -> None:
        self._commands.append(command)
        self._wake.trigger()

    # Below, everything runs in the callback group.

    def _run(self) -> None:
        self._thread = threading.get_ident()
        self._obey()
        if not self._released.is_set():
            self._watch()

    def _release(self) -> None:
        if self._drive is not None and not self._drive.ended.is_set():
            self._cancel_blindly(self._drive)
        self._end(self._drive, NavigationState.CANCELED, "closed before Nav2 confirmed the cancel")
        self._released.set()
        self._node.destroy_timer(self._timer)
        self._node.destroy_guard_condition(self._wake)
        self._node.destroy_client(self._cancel_client)
        self._client.destroy()

    def _cancel(self) -> None:
        drive = self._drive
        if drive is None or drive.ended.is_set() or drive.cancel_wanted:
            return
        drive.cancel_wanted = True
        drive.deadline = time.monotonic() + self._limits.cancel
        if drive.handle is not None:
            drive.handle.cancel_goal_async()
        elif not drive.sent:
            self._end(drive, NavigationState.CANCELED)

    def _watch(self) -> None:
        now = time.monotonic()
        ready = self._look(now)
        drive = self._drive
        if drive is None or drive.ended.is_set():
            return
        if not drive.sent and ready:
            if self._settled(now):
                self._send(drive)
        elif drive.handle is not None and not drive.cancel_wanted:
            self._check_server(drive, now, ready)
        elif now >= drive.deadline:
            self._give_up(drive)

    def _give_up(self, drive: Drive) -> None:
        self._cancel_blindly(drive)
        if not drive.sent:
            self._end_without_server(drive)
        elif drive.handle is not None:
            self._end_unconfirmed(drive)
        elif drive.cancel_wanted:
            self._end(drive, NavigationState.CANCELED, "canceled before Nav2 had answered the goal")
        else:
            self._end_unanswered(drive)

    def _send(self, drive: Drive) -> None:
        request = self._action_type.Goal()
        try:
            request.pose = goal_message(drive.goal.pose, self._node.get_clock().now().to_msg())
        except InvalidInput as error:
            self._end(drive, NavigationState.REFUSED, str(error))
            return
        drive.sent, drive.deadline = True, time.monotonic() + self._limits.accept
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.SENT))
        sent = self._client.send_goal_async(
            request, feedback_callback=partial(self._on_feedback, drive), goal_uuid=drive.uuid
        )
        sent.add_done_callback(partial(self._on_response, drive))

    def _on_response(self, drive: Drive, future: Any) -> None:
        if future.exception() is not None:
            self._end(drive, NavigationState.UNAVAILABLE, f"{self._action_name}: {future.exception()}")
            return
        if not future.result().accepted:
            self._end_rejected(drive)
            return
        drive.handle = future.result()
        drive.handle.get_result_async().add_done_callback(partial(self._on_result, drive))
        if drive is not self._drive:  # replaced while it was pending; the newer one follows it to the server
            self._supersede(drive)
        elif drive.ended.is_set() or drive.cancel_wanted:
            drive.handle.cancel_goal_async()
        else:
            self._accepted(drive)

    def _on_feedback(self, drive: Drive, message: Any) -> None:
        drive.heard = time.monotonic()
        self._report(drive, message.feedback)

    def _on_result(self, drive: Drive, future: Any) -> None:
        drive.handle = None
        if future.exception() is not None:
            self._end(drive, NavigationState.ABORTED, f"{self._action_name}: {future.exception()}")
        else:
            self._end_with(drive, future.result())
