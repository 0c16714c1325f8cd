"""What was said about goals, done: yes, no and stop become calls of the query node's services, and sentences come back.

In: verdicts of the gate, NavigationStatus messages. Out: requests to `remembr/confirm` and `remembr/cancel`, and texts
to say. Everything runs on the node's executor; no call waits, and none is left open for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rclpy.node import Node
from std_srvs.srv import Trigger

from remembr_interfaces.msg import NavigationStatus
from remembr_interfaces.srv import Confirm
from remembr_ros.ros import qos

ANSWER_WITHIN_S = 3.0
STOP_TRIES = 3
"""Without an answer, a stop is asked for again after a third of ANSWER_WITHIN_S: it must not get lost on the way."""
ASK_AFTER_S = 0.4
"""An answer with a proposal is told before the robot asks whether to go."""
SHALL_I = "Shall I go there?"
GOING, STAYING, STOPPING, THERE = (
    "All right, I am going there.",
    "All right, I stay here.",
    "I am stopping.",
    "I am there.",
)
TOO_LATE = "That came too late. Please ask me again."
NOTHING_WAITS = "There is nothing left to confirm."
NO_NAVIGATION = "I cannot reach my navigation."
CANNOT_STOP = "I could not tell the navigation to stop. Please use the emergency stop."

DRIVING = (NavigationStatus.SENT, NavigationStatus.ACTIVE)
FAILED = (
    NavigationStatus.ABORTED,
    NavigationStatus.REJECTED,
    NavigationStatus.REFUSED,
    NavigationStatus.UNAVAILABLE,
)


@dataclass
class _Call:
    """A request on its way. `accept` None: a stop."""

    accept: bool | None
    future: Any
    client: Any
    until: float
    tries_left: int
    again_at: float
    wanted: bool = True
    proposal_id: str = ""
    asked: list[Any] = field(default_factory=list)


class SpokenOrders:
    """`say(text)` replaces, `add(text)` follows what is being said; `on_situation`: pending or driving has changed."""

    def __init__(
        self,
        node: Node,
        say: Callable[[str], None],
        add: Callable[[str], None],
        on_situation: Callable[[], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self._say, self._add, self._on_situation, self._on_problem = say, add, on_situation, on_problem
        self._confirm = node.create_client(Confirm, "remembr/confirm", qos_profile=qos.SERVICE)
        self._cancel = node.create_client(Trigger, "remembr/cancel", qos_profile=qos.SERVICE)
        self._calls: list[_Call] = []
        self._mine = ""
        self._ask_at = 0.0
        self.pending_id = ""
        self.driving_id = ""

    def on_navigation(self, status: NavigationStatus) -> None:
        """What becomes of a goal, whoever asked for it."""
        goal, state = status.proposal_id, status.state
        before = (self.pending_id, self.driving_id)
        if state == NavigationStatus.PROPOSED:
            self.pending_id = goal
            self._ask_at = time.monotonic() + ASK_AFTER_S if goal != before[0] else self._ask_at
        elif state in DRIVING:
            self.driving_id = goal
        elif state == NavigationStatus.IDLE:
            self.pending_id = self.driving_id = ""
        elif goal == self.driving_id:
            self.driving_id = ""
        if state != NavigationStatus.PROPOSED and goal == self.pending_id:
            self.pending_id = ""
        if before != (self.pending_id, self.driving_id):
            self._on_situation()
        if goal and goal == self._mine:
            self._tell_the_end(status)

    def question_to_add(self) -> str:
        """Once for each proposal, when an answer is about to be said: the question that belongs after it."""
        if not self.pending_id or not self._ask_at:
            return ""
        self._ask_at = 0.0
        return SHALL_I

    def decide(self, accept: bool) -> None:
        """A yes or a no to the proposal that waits."""
        if not self.pending_id:
            return
        if not self._confirm.service_is_ready():
            self._unreachable("remembr/confirm", NO_NAVIGATION)
            return
        future = self._confirm.call_async(Confirm.Request(proposal_id=self.pending_id, accept=accept))
        now = time.monotonic()
        self._calls.append(
            _Call(accept, future, self._confirm, now + ANSWER_WITHIN_S, 0, float("inf"), True, self.pending_id)
        )
        self._ask_at = 0.0

    def stop(self) -> None:
        """Stop whatever drives or waits, also when nothing is known to: its status may be on its way."""
        wanted = bool(self.pending_id or self.driving_id)
        self._ask_at = 0.0
        if not self._cancel.service_is_ready():
            if wanted:
                self._unreachable("remembr/cancel", CANNOT_STOP)
            return
        now, every = time.monotonic(), ANSWER_WITHIN_S / STOP_TRIES
        future = self._cancel.call_async(Trigger.Request())
        self._calls.append(
            _Call(None, future, self._cancel, now + ANSWER_WITHIN_S, STOP_TRIES - 1, now + every, wanted)
        )

    def tick(self) -> None:
        """Call several times a second."""
        now = time.monotonic()
        for call in list(self._calls):
            done = next((future for future in (call.future, *call.asked) if future.done()), None)
            if done is not None:
                self._end(call)
                self._answered(call, done)
            elif now >= call.until:
                self._end(call)
                service, text = (
                    ("remembr/cancel", CANNOT_STOP) if call.accept is None else ("remembr/confirm", NO_NAVIGATION)
                )
                self._unreachable(service, text)
            elif now >= call.again_at and call.tries_left:
                call.tries_left -= 1
                call.again_at = now + ANSWER_WITHIN_S / STOP_TRIES
                call.asked.append(call.client.call_async(Trigger.Request()))
        if self._ask_at and now >= self._ask_at and self.pending_id:
            self._add(self.question_to_add())

    def _answered(self, call: _Call, future: Any) -> None:
        error = future.exception()
        if error is not None:
            self._unreachable("remembr", CANNOT_STOP if call.accept is None else NO_NAVIGATION)
            return
        response = future.result()
        if call.accept is None:
            if not response.success:
                self._unreachable(f"remembr/cancel: {response.message}", CANNOT_STOP if call.wanted else "")
            elif call.wanted:
                self._say(STOPPING)
        elif response.success:
            self._mine = call.proposal_id if call.accept else ""
            self._say(GOING if call.accept else STAYING)
        else:
            self._say(
                {
                    Confirm.Request.EXPIRED: TOO_LATE,
                    Confirm.Request.UNKNOWN_PROPOSAL: NOTHING_WAITS,
                    Confirm.Request.UNAVAILABLE: NO_NAVIGATION,
                }.get(response.error_code, f"I may not go there: {response.error_msg}.")
            )

    def _tell_the_end(self, status: NavigationStatus) -> None:
        """Of a goal that was confirmed aloud."""
        if status.state in (*DRIVING, NavigationStatus.PROPOSED):
            return
        self._mine = ""
        if status.state == NavigationStatus.SUCCEEDED:
            self._say(THERE)
        elif status.state in FAILED:
            self._say(f"I could not get there. {status.error_msg}".strip())

    def _unreachable(self, what: str, text: str) -> None:
        self._on_problem(f"{what} does not answer: is the query node running?" if " " not in what else what)
        if text:
            self._say(text)

    def _end(self, call: _Call) -> None:
        self._calls.remove(call)
        for future in (call.future, *call.asked):
            if not future.done():
                call.client.remove_pending_request(future)
