"""In: a goal. Out: BasicNavigator of nav2_simple_commander driving there, its progress and end reported by callback.

BasicNavigator waits inside its methods and spins rclpy's global executor, so it lives in a thread of its own and in no
executor of ours. It is asked for a goal only once its action server has been seen and Nav2's nodes say that they are
active; a wait of its own that has no limit (for an acceptance, for a cancel) is ended by an exception from a timer.
`waitUntilNav2Active` and `setInitialPose` are never called: they would move the robot in the map.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import rclpy
from lifecycle_msgs.srv import GetState
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.navigate.navigator import Goal, NavigationState, NavigationUpdate
from remembr_ros.ros.navigators.goal_message import goal_message

OnUpdate = Callable[[NavigationUpdate], None]
NAV2_NODES = ("bt_navigator", "amcl")
"""Must be active where they are; another localization than AMCL has no such node."""
POLL_S = 0.1
IDLE_S = 0.5
CLOSE_S = 1.0


class _GivenUp(Exception):
    """Ends a wait inside BasicNavigator."""


@dataclass(slots=True, eq=False)
class _Drive:
    goal: Goal
    on_update: OnUpdate
    deadline: float
    handle: Any = None
    result: Any = None
    server_seen: float = 0.0
    reported: float = -math.inf
    cancel_wanted: bool = False
    cancel_sent: bool = False
    ended: threading.Event = field(default_factory=threading.Event)


class CommanderNavigator:
    """Navigator over BasicNavigator in the namespace of `node`, in rclpy's default context. Limits in seconds.

    Raises MissingDependency where nav2_simple_commander is not installed.
    """

    name = "nav2_simple_commander"

    def __init__(
        self,
        node: Node,
        action_name: str = "navigate_to_pose",
        *,
        server_timeout_s: float = 3.0,
        accept_timeout_s: float = 4.0,
        cancel_timeout_s: float = 3.0,
        preempt_grace_s: float = 1.0,
        progress_period_s: float = 0.5,
        settle_s: float = 0.5,
    ) -> None:
        self._clock = node.get_clock()
        self._server_timeout_s = server_timeout_s
        self._accept_timeout_s = accept_timeout_s
        self._cancel_timeout_s = cancel_timeout_s
        self._preempt_grace_s = preempt_grace_s
        self._progress_period_s = progress_period_s
        self._settle_s = settle_s
        self._commander: Any = _commander(node, action_name)
        self._client: Any = self._commander.nav_to_pose_client
        self._send_goal = self._client.send_goal_async
        self._client.send_goal_async = self._send_and_remember
        self._action_name = self._commander.resolve_topic_name(action_name)
        self._states = {name: self._commander.create_client(GetState, f"{name}/get_state") for name in NAV2_NODES}
        self._commands: deque[Callable[[], None]] = deque()
        self._drive: _Drive | None = None
        self._superseded: list[tuple[_Drive, float]] = []
        self._ready_since = math.inf
        self._waiting: tuple[_Drive, float] | None = None
        self._closing = threading.Event()
        self._wake = self._commander.create_guard_condition(self._watch)
        self._timer = self._commander.create_timer(POLL_S, self._watch, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._timer.cancel()
        self._thread = threading.Thread(target=self._work, name="remembr-commander", daemon=True)
        self._thread.start()

    def go(self, goal: Goal, on_update: OnUpdate) -> None:
        """Start driving; a goal that is under way is replaced. See Navigator."""
        drive = _Drive(goal, on_update, time.monotonic() + self._server_timeout_s)
        self._command(partial(self._start, drive))

    def cancel(self) -> None:
        """Stop driving. The final update is CANCELED, or ABORTED where Nav2 did not stop in time. See Navigator."""
        self._command(self._cancel)

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

    def _obey(self) -> None:
        while self._commands:
            self._commands.popleft()()

    def _watch(self) -> None:
        """Timer and guard condition, also inside a wait of BasicNavigator: obey, and end the wait when it is over."""
        self._obey()
        if self._waiting is not None:
            drive, until = self._waiting
            if drive is not self._drive or time.monotonic() >= until or self._closing.is_set():
                self._waiting = None
                raise _GivenUp

    @contextmanager
    def _at_most(self, drive: _Drive, seconds: float) -> Iterator[None]:
        self._waiting = (drive, time.monotonic() + seconds)
        self._timer.reset()
        try:
            yield
        finally:
            self._waiting = None
            self._timer.cancel()

    def _start(self, drive: _Drive) -> None:
        old, self._drive = self._drive, drive
        if old is not None and not old.ended.is_set():
            if old.handle is not None:
                self._superseded.append((old, time.monotonic() + self._preempt_grace_s))
            self._end(old, NavigationState.CANCELED, "replaced by a newer goal")

    def _cancel(self) -> None:
        drive = self._drive
        if drive is None or drive.ended.is_set() or drive.cancel_wanted:
            return
        drive.cancel_wanted = True
        if self._waiting is None and drive.handle is None:
            self._end(drive, NavigationState.CANCELED)
        elif drive.handle is not None:
            drive.deadline = time.monotonic() + self._cancel_timeout_s

    def _step(self) -> None:
        now = time.monotonic()
        ready = self._client.server_is_ready()
        self._ready_since = min(self._ready_since, now) if ready else math.inf
        for entry in [entry for entry in self._superseded if now >= entry[1]]:
            self._superseded.remove(entry)
            if entry[0].result is None or not entry[0].result.done():  # it was not Nav2, or not preempted
                entry[0].handle.cancel_goal_async()
        drive = self._drive
        if drive is None or drive.ended.is_set():
            rclpy.spin_once(self._commander, timeout_sec=POLL_S if self._superseded else IDLE_S)
        elif drive.handle is not None:
            self._follow(drive, ready)
        # We see the server before it sees us: an answer sent in between is lost, and the robot drives unseen.
        elif now - self._ready_since >= self._settle_s:
            self._send(drive)
        elif now >= drive.deadline:
            text = f"no action server {self._action_name} within {self._server_timeout_s:g} s"
            self._end(drive, NavigationState.UNAVAILABLE, f"{text}: is Nav2 running and active?")
        else:
            rclpy.spin_once(self._commander, timeout_sec=POLL_S)

    def _send(self, drive: _Drive) -> None:
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
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.SENT))
        try:
            with self._at_most(drive, self._accept_timeout_s):
                accepted = self._commander.goToPose(message)
        except _GivenUp:
            text = f"{self._action_name} did not answer the goal within {self._accept_timeout_s:g} s"
            if drive is self._drive:
                self._end(drive, NavigationState.UNAVAILABLE, text)
            return
        if not accepted:
            state = NavigationState.CANCELED if drive.cancel_wanted else NavigationState.REJECTED
            text = "" if drive.cancel_wanted else f"{self._action_name} rejected the goal"
            self._end(drive, state, text)
            return
        drive.handle, drive.result = self._commander.goal_handle, self._commander.result_future
        drive.server_seen = time.monotonic()
        drive.deadline = time.monotonic() + self._cancel_timeout_s
        if not drive.cancel_wanted and not drive.ended.is_set():
            drive.on_update(NavigationUpdate(drive.goal, NavigationState.ACTIVE))

    def _inactive(self, name: str, client: Any) -> str:
        """Why the lifecycle node `name` cannot be used, or nothing."""
        future = client.call_async(GetState.Request())
        rclpy.spin_until_future_complete(self._commander, future, timeout_sec=1.0)
        if not future.done():
            client.remove_pending_request(future)
            return f"Nav2's {name} does not say what state it is in"
        label = future.result().current_state.label
        return "" if label == "active" else f"Nav2's {name} is {label}, not active"

    def _send_and_remember(self, goal: Any, feedback_callback: Any = None, goal_uuid: Any = None) -> Any:
        """In place of the client's own: an acceptance that comes after BasicNavigator gave up is heard, too."""
        future = self._send_goal(goal, feedback_callback, goal_uuid)
        if self._drive is not None:
            future.add_done_callback(partial(self._on_response, self._drive))
        return future

    def _on_response(self, drive: _Drive, future: Any) -> None:
        if drive.handle is not None or future.exception() is not None or not future.result().accepted:
            return
        drive.handle = future.result()
        if drive is not self._drive:  # replaced while it was pending; Nav2 drops it by itself
            self._superseded.append((drive, time.monotonic() + self._preempt_grace_s))
        elif drive.ended.is_set():
            drive.handle.cancel_goal_async()

    def _follow(self, drive: _Drive, ready: bool) -> None:
        if drive.cancel_wanted and not drive.cancel_sent:
            drive.cancel_sent = True
            try:
                with self._at_most(drive, self._cancel_timeout_s):
                    self._commander.cancelTask()
            except _GivenUp:
                return  # a newer goal is followed next; a cancel that is not confirmed runs into its deadline
        over = self._commander.isTaskComplete()
        now = time.monotonic()
        if drive is not self._drive or drive.ended.is_set():
            return
        if over:
            self._finish(drive)
        elif drive.cancel_wanted:
            if now >= drive.deadline:
                text = f"Nav2 did not confirm the cancel within {self._cancel_timeout_s:g} s"
                self._end(drive, NavigationState.ABORTED, f"{text}: the robot may still be moving")
        elif ready:
            drive.server_seen = now
            self._report(drive, now)
        elif now - drive.server_seen > self._server_timeout_s:
            self._end(drive, NavigationState.UNAVAILABLE, f"the action server {self._action_name} has gone away")

    def _report(self, drive: _Drive, now: float) -> None:
        feedback = self._commander.getFeedback()
        if feedback is None or now - drive.reported < self._progress_period_s:
            return
        drive.reported = now
        left = feedback.estimated_time_remaining
        distance_m, time_s = float(feedback.distance_remaining), left.sec + left.nanosec * 1e-9
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.ACTIVE, distance_m, time_s))

    def _finish(self, drive: _Drive) -> None:
        result = drive.result.result()
        code = int(getattr(result.result, "error_code", 0))  # Humble's result has neither
        text = str(getattr(result.result, "error_msg", ""))
        outcome = self._commander.getResult().name
        if outcome == "SUCCEEDED":
            self._end(drive, NavigationState.SUCCEEDED, text, code)
        elif outcome == "CANCELED":
            by_other = "" if drive.cancel_wanted else "canceled by somebody else"
            self._end(drive, NavigationState.CANCELED, text or by_other, code)
        elif outcome == "FAILED":
            why = f"{self._action_name} aborted the goal" + (f" (error code {code})" if code else "")
            self._end(drive, NavigationState.ABORTED, text or why, code)
        else:
            why = f"{self._action_name} ended the goal with status {result.status}"
            self._end(drive, NavigationState.ABORTED, text or why, code)

    def _end(self, drive: _Drive | None, state: NavigationState, text: str = "", code: int = 0) -> None:
        if drive is None or drive.ended.is_set():
            return
        drive.ended.set()
        drive.on_update(NavigationUpdate(drive.goal, state, error_code=code, error_msg=text))


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
