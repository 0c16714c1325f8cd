"""In: a goal. Out: BasicNavigator of nav2_simple_commander driving there, its progress and end reported by callback.

BasicNavigator waits inside its methods and spins rclpy's global executor, so it lives in a thread of its own and in no
executor of ours. It is asked for a goal only once its action server has been seen and Nav2's nodes say that they are
active; a wait of its own that has no limit (for an acceptance, for a cancel) is ended by an exception from a timer.
`waitUntilNav2Active` and `setInitialPose` are never called: they would move the robot in the map.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import rclpy
from action_msgs.srv import CancelGoal
from lifecycle_msgs.srv import GetState
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.navigate.navigator import NavigationState, NavigationUpdate
from remembr_ros.ros.navigators.goal_message import goal_message
from remembr_ros.ros.navigators.nav2 import ACTION, CLOSE_S, DEFAULT, Drive, Limits, Nav2Navigator

NAV2_NODES = ("bt_navigator", "amcl")
"""Must be active where they are; another localization than AMCL has no such node."""
POLL_S = 0.1
IDLE_S = 0.5
STATE_S = 1.0


class _GivenUp(Exception):
    """Ends a wait inside BasicNavigator."""


class CommanderNavigator(Nav2Navigator):
    """Navigator over BasicNavigator in the namespace of `node`, in rclpy's default context.

    Raises MissingDependency where nav2_simple_commander is not installed.
    """

    name = "nav2_simple_commander"

    def __init__(self, node: Node, action_name: str = ACTION, limits: Limits = DEFAULT) -> None:
        super().__init__(node, action_name, limits)
        self._clock = node.get_clock()
        self._commander: Any = _commander(node, action_name)
        self._client = self._commander.nav_to_pose_client
        self._send_goal = self._client.send_goal_async
        self._client.send_goal_async = self._send_and_remember
        self._cancel_client = self._commander.create_client(CancelGoal, f"{action_name}/_action/cancel_goal")
        self._states = {name: self._commander.create_client(GetState, f"{name}/get_state") for name in NAV2_NODES}
        self._stopping: Drive | None = None
        self._waiting: tuple[Drive, float] | None = None
        self._closing = threading.Event()
        self._wake = self._commander.create_guard_condition(self._watch)
        self._timer = self._commander.create_timer(POLL_S, self._watch, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._timer.cancel()
        self._thread = threading.Thread(target=self._work, name="remembr-commander", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Cancel, give Nav2 up to a second to confirm, and end the thread."""
        drive = self._drive
        self.cancel()
        if threading.current_thread() is self._thread:
            self._closing.set()
            return
        if drive is not None:
            drive.ended.wait(CLOSE_S)
        self._closing.set()
        self._command(lambda: None)
        self._thread.join(CLOSE_S)

    def _command(self, command: Callable[[], None]) -> None:
        self._commands.append(command)
        if self._thread.is_alive():
            self._wake.trigger()

    # Below, everything runs in the thread.

    def _work(self) -> None:
        while not self._closing.is_set():
            try:
                self._obey()
                self._step()
            except _GivenUp:
                continue
            except ExternalShutdownException:
                break
            except Exception as error:  # BasicNavigator does not say what it raises; the asker must hear of it
                self._end(
                    self._drive, NavigationState.ABORTED, f"nav2_simple_commander: {type(error).__name__}: {error}"
                )
        self._end(self._drive, NavigationState.CANCELED, "closed before Nav2 confirmed the cancel")
        self._commander.destroy_node()

    def _watch(self) -> None:
        """Timer and guard condition, also inside a wait of BasicNavigator: obey, and end the wait when it is over."""
        self._obey()
        if self._waiting is not None:
            drive, until = self._waiting
            if drive is not self._drive or time.monotonic() >= until or self._closing.is_set():
                self._waiting = None
                raise _GivenUp

    @contextmanager
    def _at_most(self, drive: Drive, seconds: float) -> Iterator[None]:
        self._waiting = (drive, time.monotonic() + seconds)
        self._timer.reset()
        try:
            yield
        finally:
            self._waiting = None
            self._timer.cancel()

    def _cancel(self) -> None:
        drive = self._drive
        if drive is None or drive.ended.is_set() or drive.cancel_wanted:
            return
        drive.cancel_wanted, drive.deadline = True, time.monotonic() + self._limits.cancel
        if not drive.sent:
            self._end(drive, NavigationState.CANCELED)

    def _step(self) -> None:
        now = time.monotonic()
        ready = self._look(now)
        drive = self._drive
        if drive is None or drive.ended.is_set():
            rclpy.spin_once(self._commander, timeout_sec=POLL_S if self._superseded else IDLE_S)
        elif drive.sent:
            self._follow(drive, ready)
        elif self._settled(now):
            self._send(drive)
        elif now >= drive.deadline:
            self._end_without_server(drive)
        else:
            rclpy.spin_once(self._commander, timeout_sec=POLL_S)

    def _send(self, drive: Drive) -> None:
        try:
            message = goal_message(drive.goal.pose, self._clock.now().to_msg())
        except InvalidInput as error:
            self._end(drive, NavigationState.REFUSED, str(error))
            return
        for name, client in self._states.items():
            if client.service_is_ready() and (fault := self._inactive(name, client)):
                self._end(drive, NavigationState.UNAVAILABLE, fault)
                return
        if drive is not self._drive or drive.ended.is_set():  # a command came meanwhile
            return
        self._commander.feedback = None
        drive.sent = True
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.SENT))
        try:
            with self._at_most(drive, self._limits.accept):
                accepted = self._commander.goToPose(message)
        except _GivenUp:
            self._cancel_blindly(drive)
            if drive is self._drive:
                self._end_unanswered(drive)
            return
        if not accepted:
            self._end_rejected(drive)
            return
        drive.handle = self._commander.goal_handle
        self._commander.result_future.add_done_callback(partial(self._on_result, drive))
        drive.deadline = time.monotonic() + self._limits.cancel
        if not drive.cancel_wanted and not drive.ended.is_set():
            self._accepted(drive)

    def _inactive(self, name: str, client: Any) -> str:
        """Why the lifecycle node `name` cannot be used, or nothing."""
        future = client.call_async(GetState.Request())
        rclpy.spin_until_future_complete(self._commander, future, timeout_sec=STATE_S)
        if not future.done():
            client.remove_pending_request(future)
            return f"Nav2's {name} does not say what state it is in"
        label = future.result().current_state.label
        return "" if label == "active" else f"Nav2's {name} is {label}, not active"

    def _send_and_remember(self, goal: Any, feedback_callback: Any = None, goal_uuid: Any = None) -> Any:
        """In place of the client's own: an acceptance that comes after BasicNavigator gave up is heard, too."""
        drive = self._drive
        if drive is None:
            return self._send_goal(goal, feedback_callback, goal_uuid)
        future = self._send_goal(goal, feedback_callback, drive.uuid)
        future.add_done_callback(partial(self._on_response, drive))
        return future

    def _on_response(self, drive: Drive, future: Any) -> None:
        if drive.handle is not None or future.exception() is not None or not future.result().accepted:
            return
        drive.handle = future.result()
        if drive is not self._drive:  # replaced while it was pending; Nav2 drops it by itself
            self._supersede(drive)
        elif drive.ended.is_set():
            drive.handle.cancel_goal_async()

    def _on_result(self, drive: Drive, _: Any) -> None:
        drive.handle = None

    def _follow(self, drive: Drive, ready: bool) -> None:
        if drive.cancel_wanted and self._stopping is not drive:
            self._stopping = drive
            try:
                with self._at_most(drive, self._limits.cancel):
                    self._commander.cancelTask()
            except _GivenUp:
                return  # a newer goal is followed next; a cancel that is not confirmed runs into its deadline
        over = self._commander.isTaskComplete()
        now = time.monotonic()
        if drive is not self._drive or drive.ended.is_set():
            return
        if over:
            self._end_with(drive, self._commander.result_future.result())
        elif drive.cancel_wanted:
            if now >= drive.deadline:
                self._end_unconfirmed(drive)
        else:
            feedback, self._commander.feedback = self._commander.getFeedback(), None
            if feedback is not None:
                drive.heard = now
                self._report(drive, feedback)
            self._check_server(drive, now, ready)


def _commander(node: Node, action_name: str) -> Any:
    """A BasicNavigator in the namespace of `node`; it takes over the command line's remaps but not the node's name."""
    try:
        from nav2_msgs.action import NavigateToPose
        from nav2_simple_commander.robot_navigator import BasicNavigator
    except ImportError:
        distro = os.environ.get("ROS_DISTRO") or "$ROS_DISTRO"
        raise MissingDependency(
            "nav2_simple_commander",
            f"sudo apt install ros-{distro}-nav2-simple-commander",
            needed_for="navigation.navigator 'nav2_simple_commander'",
        ) from None
    from rclpy.action import ActionClient

    class Renamed(Node):
        """BasicNavigator's constructor passes through here: a `__node` remap of our own process must not rename it."""

        def __init__(self, node_name: str, namespace: str) -> None:
            super().__init__(node_name, namespace=namespace, cli_args=["--ros-args", "-r", f"__node:={node_name}"])

    class Commander(BasicNavigator, Renamed):
        pass

    commander = Commander(f"{node.get_name()}_commander", node.get_namespace())
    if action_name != "navigate_to_pose":
        commander.nav_to_pose_client.destroy()
        commander.nav_to_pose_client = ActionClient(commander, NavigateToPose, action_name)
    return commander
