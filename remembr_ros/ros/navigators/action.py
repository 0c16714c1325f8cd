"""In: a goal. Out: Nav2's action NavigateToPose called, and its progress and end reported by callback.

Everything happens in one callback group of the node that is given; `go` and `cancel` only leave a command and wake
it, so they may be called from any thread and never wait. Time limits run on the steady clock: a paused simulation
must not hide that Nav2 is gone.
"""

from __future__ import annotations

import math
import os
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.action import ActionClient
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.navigate.navigator import Goal, NavigationState, NavigationUpdate
from remembr_ros.ros.navigators.goal_message import goal_message

OnUpdate = Callable[[NavigationUpdate], None]

_END_OF = {
    GoalStatus.STATUS_SUCCEEDED: NavigationState.SUCCEEDED,
    GoalStatus.STATUS_CANCELED: NavigationState.CANCELED,
    GoalStatus.STATUS_ABORTED: NavigationState.ABORTED,
}


class _Phase(Enum):
    SERVER = "waits for the action server"
    ACCEPTANCE = "waits to be accepted"
    DRIVING = "accepted"
    ENDED = "ended"


@dataclass(slots=True, eq=False)
class _Drive:
    goal: Goal
    on_update: OnUpdate
    phase: _Phase = _Phase.SERVER
    deadline: float = math.inf
    handle: Any = None
    uuid: UUID = field(default_factory=lambda: UUID(uuid=list(uuid.uuid4().bytes)))
    server_seen: float = 0.0
    cancel_wanted: bool = False
    reported: float = -math.inf
    ended: threading.Event = field(default_factory=threading.Event)


class ActionNavigator:
    """Navigator over an action of type nav2_msgs/action/NavigateToPose. Limits in seconds.

    Raises MissingDependency where nav2_msgs is not installed. The node must be spun by its owner.
    """

    name = "action"

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
        try:
            from nav2_msgs.action import NavigateToPose
        except ImportError:
            distro = os.environ.get("ROS_DISTRO") or "$ROS_DISTRO"
            raise MissingDependency(
                "nav2_msgs", f"sudo apt install ros-{distro}-nav2-msgs", needed_for="navigation.navigator 'action'"
            ) from None
        self._node = node
        self._action_type: Any = NavigateToPose
        self._server_timeout_s = server_timeout_s
        self._accept_timeout_s = accept_timeout_s
        self._cancel_timeout_s = cancel_timeout_s
        self._preempt_grace_s = preempt_grace_s
        self._progress_period_s = progress_period_s
        self._settle_s = settle_s
        self._ready_since = math.inf
        self._commands: deque[Callable[[], None]] = deque()
        self._drive: _Drive | None = None
        self._superseded: list[tuple[_Drive, float]] = []
        self._thread = 0
        self._released = threading.Event()
        group = MutuallyExclusiveCallbackGroup()
        self._client: Any = ActionClient(node, NavigateToPose, action_name, callback_group=group)
        self._cancel_client = node.create_client(CancelGoal, f"{action_name}/_action/cancel_goal", callback_group=group)
        self._action_name = node.resolve_topic_name(action_name)
        self._wake = node.create_guard_condition(self._run, callback_group=group)
        self._timer = node.create_timer(
            0.1, self._run, callback_group=group, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    def go(self, goal: Goal, on_update: OnUpdate) -> None:
        """Start driving; a goal that is under way is replaced. See Navigator."""
        self._commands.append(partial(self._start, _Drive(goal, on_update)))
        self._wake.trigger()

    def cancel(self) -> None:
        """Stop driving. The final update is CANCELED, or ABORTED where Nav2 did not stop in time. See Navigator."""
        self._commands.append(self._cancel)
        self._wake.trigger()

    def close(self) -> None:
        """Cancel, give Nav2 up to a second to confirm (not on the executor's own thread), and release the client."""
        if self._released.is_set():
            return
        drive = self._drive
        self.cancel()
        on_executor = threading.get_ident() == self._thread
        if drive is not None and not on_executor:
            drive.ended.wait(1.0)
        # Released between two callbacks: an executor that is just collecting what to wait for trips over it otherwise.
        self._commands.append(self._release)
        self._wake.trigger()
        if on_executor or not self._released.wait(0.5):
            self._run_commands()  # nobody spins the node any more: the cancel still has to leave

    # Below, everything runs in the callback group.

    def _run(self) -> None:
        self._thread = threading.get_ident()
        self._run_commands()
        if not self._released.is_set():
            self._watch()

    def _run_commands(self) -> None:
        while True:
            try:
                command = self._commands.popleft()
            except IndexError:
                return
            command()

    def _release(self) -> None:
        self._end(self._drive, NavigationState.CANCELED, "closed before Nav2 confirmed the cancel")
        self._released.set()
        self._node.destroy_timer(self._timer)
        self._node.destroy_guard_condition(self._wake)
        self._node.destroy_client(self._cancel_client)
        self._client.destroy()

    def _start(self, drive: _Drive) -> None:
        old, self._drive = self._drive, drive
        if old is not None and old.phase is not _Phase.ENDED:
            self._supersede(old)
        drive.deadline = time.monotonic() + self._server_timeout_s

    def _supersede(self, old: _Drive) -> None:
        """Nav2 drops the old goal by itself when the new one arrives; a cancel in between can hit both."""
        if old.handle is not None:
            self._superseded.append((old, time.monotonic() + self._preempt_grace_s))
        self._end(old, NavigationState.CANCELED, "replaced by a newer goal")

    def _cancel(self) -> None:
        drive = self._drive
        if drive is None or drive.phase is _Phase.ENDED or drive.cancel_wanted:
            return
        drive.cancel_wanted = True
        drive.deadline = time.monotonic() + self._cancel_timeout_s
        if drive.phase is _Phase.SERVER:
            self._end(drive, NavigationState.CANCELED)
        elif drive.phase is _Phase.DRIVING:
            drive.handle.cancel_goal_async()

    def _watch(self) -> None:
        now = time.monotonic()
        ready = self._client.server_is_ready()
        self._ready_since = min(self._ready_since, now) if ready else math.inf
        for old, until in [entry for entry in self._superseded if now >= entry[1]]:
            self._superseded.remove((old, until))
            if old.handle is not None:  # still driving: it was not Nav2, or not preempted
                old.handle.cancel_goal_async()
        drive = self._drive
        if drive is None or drive.phase is _Phase.ENDED:
            return
        if drive.phase is _Phase.SERVER and ready:
            # We see the server before it sees us: an answer sent in between is lost, and the robot drives unseen.
            if now - self._ready_since >= self._settle_s:
                self._send(drive)
        elif drive.phase is _Phase.DRIVING and not drive.cancel_wanted:
            if ready:
                drive.server_seen = now
            elif now - drive.server_seen > self._server_timeout_s:
                self._end(drive, NavigationState.UNAVAILABLE, f"the action server {self._action_name} has gone away")
        elif now >= drive.deadline:
            self._give_up(drive)

    def _give_up(self, drive: _Drive) -> None:
        if drive.phase is _Phase.ACCEPTANCE:  # its answer may have been lost on the way
            request = CancelGoal.Request()
            request.goal_info.goal_id = drive.uuid
            self._cancel_client.call_async(request)
        if drive.phase is _Phase.SERVER:
            text = (
                f"no action server {self._action_name} within {self._server_timeout_s:g} s: is Nav2 running and active?"
            )
            self._end(drive, NavigationState.UNAVAILABLE, text)
        elif drive.phase is _Phase.ACCEPTANCE and drive.cancel_wanted:
            self._end(drive, NavigationState.CANCELED, "canceled before Nav2 had answered the goal")
        elif drive.phase is _Phase.ACCEPTANCE:
            text = f"{self._action_name} did not answer the goal within {self._accept_timeout_s:g} s"
            self._end(drive, NavigationState.UNAVAILABLE, text)
        else:
            text = f"Nav2 did not confirm the cancel within {self._cancel_timeout_s:g} s: the robot may still be moving"
            self._end(drive, NavigationState.ABORTED, text)

    def _send(self, drive: _Drive) -> None:
        request = self._action_type.Goal()
        try:
            request.pose = goal_message(drive.goal.pose, self._node.get_clock().now().to_msg())
        except InvalidInput as error:
            self._end(drive, NavigationState.REFUSED, str(error))
            return
        drive.phase = _Phase.ACCEPTANCE
        drive.deadline = time.monotonic() + self._accept_timeout_s
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.SENT))
        on_feedback = partial(self._on_feedback, drive)
        sent = self._client.send_goal_async(request, feedback_callback=on_feedback, goal_uuid=drive.uuid)
        sent.add_done_callback(partial(self._on_response, drive))

    def _on_response(self, drive: _Drive, future: Any) -> None:
        if future.exception() is not None:
            self._end(drive, NavigationState.UNAVAILABLE, f"{self._action_name}: {future.exception()}")
            return
        handle = future.result()
        if not handle.accepted:
            if drive.cancel_wanted:
                self._end(drive, NavigationState.CANCELED)
            else:
                self._end(drive, NavigationState.REJECTED, f"{self._action_name} rejected the goal")
            return
        drive.handle = handle
        handle.get_result_async().add_done_callback(partial(self._on_result, drive))
        if drive is not self._drive:  # replaced while it was pending; the newer one follows it to the server
            self._superseded.append((drive, time.monotonic() + self._preempt_grace_s))
        elif drive.phase is _Phase.ENDED or drive.cancel_wanted:
            handle.cancel_goal_async()
            drive.phase = drive.phase if drive.phase is _Phase.ENDED else _Phase.DRIVING
        else:
            drive.phase, drive.server_seen = _Phase.DRIVING, time.monotonic()
            drive.on_update(NavigationUpdate(drive.goal, NavigationState.ACTIVE))

    def _on_feedback(self, drive: _Drive, message: Any) -> None:
        now = time.monotonic()
        if drive.phase is not _Phase.DRIVING or now - drive.reported < self._progress_period_s:
            return
        drive.reported = now
        left = message.feedback.estimated_time_remaining
        drive.on_update(
            NavigationUpdate(
                drive.goal,
                NavigationState.ACTIVE,
                distance_remaining_m=float(message.feedback.distance_remaining),
                time_remaining_s=left.sec + left.nanosec * 1e-9,
            )
        )

    def _on_result(self, drive: _Drive, future: Any) -> None:
        drive.handle = None
        if future.exception() is not None:
            self._end(drive, NavigationState.ABORTED, f"{self._action_name}: {future.exception()}")
            return
        response = future.result()
        code = int(getattr(response.result, "error_code", 0))  # Humble's result has neither
        text = str(getattr(response.result, "error_msg", ""))
        state = _END_OF.get(response.status)
        if state is None:
            state, text = (
                NavigationState.ABORTED,
                text or f"{self._action_name} ended the goal with status {response.status}",
            )
        elif state is NavigationState.ABORTED and not text:
            text = f"{self._action_name} aborted the goal" + (f" (error code {code})" if code else "")
        elif state is NavigationState.CANCELED and not drive.cancel_wanted:
            text = text or "canceled by somebody else"
        self._end(drive, state, text, code)

    def _end(self, drive: _Drive | None, state: NavigationState, text: str = "", code: int = 0) -> None:
        if drive is None or drive.phase is _Phase.ENDED:
            return
        drive.phase = _Phase.ENDED
        drive.on_update(NavigationUpdate(drive.goal, state, error_code=code, error_msg=text))
        drive.ended.set()
