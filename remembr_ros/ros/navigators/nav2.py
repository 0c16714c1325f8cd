"""What the navigators over Nav2's action NavigateToPose share: time limits, the drive under way, and its reports.

`go` and `cancel` only leave a command and wake whatever works it off, so they may be called from any thread and never
wait. Time limits run on the steady clock: a paused simulation must not hide that Nav2 is gone.
"""

from __future__ import annotations

import math
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.node import Node
from unique_identifier_msgs.msg import UUID

from remembr_ros.navigate.navigator import Goal, NavigationState, NavigationUpdate

OnUpdate = Callable[[NavigationUpdate], None]
ACTION = "navigate_to_pose"
CLOSE_S = 1.0
"""Nav2 gets so long to confirm the cancel of a navigator that closes."""

_END_OF = {
    GoalStatus.STATUS_SUCCEEDED: NavigationState.SUCCEEDED,
    GoalStatus.STATUS_CANCELED: NavigationState.CANCELED,
    GoalStatus.STATUS_ABORTED: NavigationState.ABORTED,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds. `server`: for the action server to appear, or to be away on the way; `accept`, `cancel`: for its
    answers; `preempt_grace`: for a replaced goal to end by itself; `progress_period`: between two reports; `settle`:
    from seeing the server to sending, as we see it before it sees us, and an answer sent in between is lost while the
    robot drives; `silence`: without feedback, until the server is asked whether it still knows the goal."""

    server: float = 3.0
    accept: float = 4.0
    cancel: float = 3.0
    preempt_grace: float = 1.0
    progress_period: float = 0.5
    settle: float = 0.5
    silence: float = 5.0


DEFAULT = Limits()


@dataclass(slots=True, eq=False)
class Drive:
    """A goal on its way. `sent`: to the server; `handle`: of the goal that it accepted, while it has not ended
    there."""

    goal: Goal
    on_update: OnUpdate
    deadline: float
    sent: bool = False
    handle: Any = None
    server_seen: float = 0.0
    heard: float = 0.0
    reported: float = -math.inf
    cancel_wanted: bool = False
    ended: threading.Event = field(default_factory=threading.Event)
    uuid: UUID = field(default_factory=lambda: UUID(uuid=list(uuid.uuid4().bytes)))
    """The goal's name at the server."""


class Nav2Navigator(ABC):
    """Navigator that follows one drive at a time; the subclass talks to the action and works the commands off."""

    name: str
    _client: Any
    """The ActionClient."""
    _cancel_client: Any
    """Of the action's service cancel_goal."""

    def __init__(self, node: Node, action_name: str, limits: Limits) -> None:
        self._limits = limits
        self._action_name = node.resolve_topic_name(action_name)
        self._commands: deque[Callable[[], None]] = deque()
        self._drive: Drive | None = None
        self._superseded: list[tuple[Drive, float]] = []
        self._ready_since = math.inf

    def go(self, goal: Goal, on_update: OnUpdate) -> None:
        """Start driving; a goal that is under way is replaced. See Navigator."""
        drive = Drive(goal, on_update, time.monotonic() + self._limits.server)
        self._command(partial(self._start, drive))

    def cancel(self) -> None:
        """Stop driving. The final update is CANCELED, or ABORTED where Nav2 did not stop in time. See Navigator."""
        self._command(self._cancel)

    @abstractmethod
    def close(self) -> None:
        """Cancel, give Nav2 up to a second to confirm, and release what is held."""

    @abstractmethod
    def _command(self, command: Callable[[], None]) -> None:
        """Have `command` called by whatever works commands off."""

    @abstractmethod
    def _cancel(self) -> None:
        """Cancel the drive under way."""

    # Below, everything runs where the commands are worked off.

    def _obey(self) -> None:
        while True:
            try:
                command = self._commands.popleft()
            except IndexError:
                return
            command()

    def _start(self, drive: Drive) -> None:
        """Nav2 drops the old goal by itself when the new one arrives; a cancel in between can hit both."""
        old, self._drive = self._drive, drive
        if old is not None and not old.ended.is_set():
            self._supersede(old)
            self._end(old, NavigationState.CANCELED, "replaced by a newer goal")

    def _supersede(self, old: Drive) -> None:
        if old.handle is not None:
            self._superseded.append((old, time.monotonic() + self._limits.preempt_grace))

    def _look(self, now: float) -> bool:
        """Whether the action server is there; cancels the replaced goals that still drive: it was not Nav2."""
        ready = bool(self._client.server_is_ready())
        self._ready_since = min(self._ready_since, now) if ready else math.inf
        for entry in [entry for entry in self._superseded if now >= entry[1]]:
            self._superseded.remove(entry)
            if entry[0].handle is not None:
                entry[0].handle.cancel_goal_async()
        return ready

    def _cancel_blindly(self, drive: Drive) -> None:
        """Its acceptance may have been lost on the way, or is still on it: the robot must not drive unseen."""
        if drive.sent and drive.handle is None:
            request = CancelGoal.Request()
            request.goal_info.goal_id = drive.uuid
            self._cancel_client.call_async(request)

    def _settled(self, now: float) -> bool:
        return now - self._ready_since >= self._limits.settle

    def _accepted(self, drive: Drive) -> None:
        drive.server_seen = drive.heard = time.monotonic()
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.ACTIVE))

    def _check_server(self, drive: Drive, now: float, ready: bool) -> None:
        if drive.handle is not None and now - drive.heard > self._limits.silence:
            # A Nav2 that was started anew serves the same names and knows nothing of the goal: it says so.
            drive.heard = now
            drive.handle.get_result_async().add_done_callback(partial(self._on_result_asked_for, drive))
        if ready:
            drive.server_seen = now
        elif now - drive.server_seen > self._limits.server:
            text = f"the action server {self._action_name} has gone away"
            self._end(drive, NavigationState.UNAVAILABLE, text)

    def _on_result_asked_for(self, drive: Drive, future: Any) -> None:
        if future.exception() is None and future.result().status == GoalStatus.STATUS_UNKNOWN:
            drive.handle = None
            text = f"{self._action_name} no longer knows the goal: was Nav2 started anew?"
            self._end(drive, NavigationState.ABORTED, text)

    def _report(self, drive: Drive, feedback: Any) -> None:
        now = time.monotonic()
        if drive.ended.is_set() or drive.cancel_wanted or now - drive.reported < self._limits.progress_period:
            return
        drive.reported = now
        left = feedback.estimated_time_remaining
        distance_m, time_s = float(feedback.distance_remaining), left.sec + left.nanosec * 1e-9
        drive.on_update(NavigationUpdate(drive.goal, NavigationState.ACTIVE, distance_m, time_s))

    def _end_without_server(self, drive: Drive) -> None:
        text = f"no action server {self._action_name} within {self._limits.server:g} s"
        self._end(drive, NavigationState.UNAVAILABLE, f"{text}: is Nav2 running and active?")

    def _end_unanswered(self, drive: Drive) -> None:
        text = f"{self._action_name} did not answer the goal within {self._limits.accept:g} s"
        self._end(drive, NavigationState.UNAVAILABLE, text)

    def _end_rejected(self, drive: Drive) -> None:
        if drive.cancel_wanted:
            self._end(drive, NavigationState.CANCELED)
        else:
            self._end(drive, NavigationState.REJECTED, f"{self._action_name} rejected the goal")

    def _end_unconfirmed(self, drive: Drive) -> None:
        text = f"Nav2 did not confirm the cancel within {self._limits.cancel:g} s: the robot may still be moving"
        self._end(drive, NavigationState.ABORTED, text)

    def _end_with(self, drive: Drive, response: Any) -> None:
        """`response`: what get_result gave."""
        code = int(getattr(response.result, "error_code", 0))  # Humble's result has neither
        text = str(getattr(response.result, "error_msg", ""))
        state = _END_OF.get(response.status)
        if state is None:
            state, why = NavigationState.ABORTED, f"{self._action_name} ended the goal with status {response.status}"
        elif state is NavigationState.ABORTED:
            why = f"{self._action_name} aborted the goal" + (f" (error code {code})" if code else "")
        else:
            by_other = state is NavigationState.CANCELED and not drive.cancel_wanted
            why = "canceled by somebody else" if by_other else ""
        self._end(drive, state, text or why, code)

    def _end(self, drive: Drive | None, state: NavigationState, text: str = "", code: int = 0) -> None:
        if drive is None or drive.ended.is_set():
            return
        drive.ended.set()
        drive.on_update(NavigationUpdate(drive.goal, state, error_code=code, error_msg=text))
