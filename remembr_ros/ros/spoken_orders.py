"""What was said about goals, done: yes, no and stop become calls of the query node's services, and sentences come back.

In: verdicts of the gate, NavigationStatus messages. Out: requests to `remembr/confirm` and `remembr/cancel`, and texts
to say. Everything runs on the node's executor; no call waits, and none is left open for ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from rclpy.node import Node
from std_srvs.srv import Trigger

from remembr_interfaces.msg import NavigationStatus
from remembr_interfaces.srv import Confirm
from remembr_ros.ros import qos

ANSWER_WITHIN_S = 3.0
STOP_TRIES = 3
"""A stop without an answer is asked for again within ANSWER_WITHIN_S: it must not get lost on the way."""
ASK_AFTER_S = 1.5
"""The answer that made the proposal is said first; it comes on another topic."""
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


class Say(Protocol):
    def __call__(self, text: str, after: bool = False) -> None:
        """`after` what is being said, else instead of it."""
        ...


@dataclass
class _Call:
    """A request on its way, perhaps several times. `accept` None: a stop. `reply`: what to say when it was done."""

    accept: bool | None
    reply: str
    futures: list[Any]
    until: float
    again_at: float
    proposal_id: str = ""


class SpokenOrders:
    """`on_situation`: pending_id or driving_id has changed. `on_problem` gets what is for the log."""

    def __init__(
        self, node: Node, say: Say, on_situation: Callable[[], None], on_problem: Callable[[str], None]
    ) -> None:
        self._say, self._on_situation, self._on_problem = say, on_situation, on_problem
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
            if goal != self.pending_id:
                self._ask_at = time.monotonic() + ASK_AFTER_S
            self.pending_id = goal
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

    def ask_after_an_answer(self) -> None:
        """An answer is being said: if it proposed a goal, ask whether to go there."""
        if self.pending_id and self._ask_at:
            self._ask_at = 0.0
            self._say(SHALL_I, after=True)

    def decide(self, accept: bool, proposal_id: str) -> None:
        """A yes or a no to the proposal that waited when it was said."""
        if proposal_id != self.pending_id:  # it expired, or another came, while the words were being understood
            if accept:
                self._say(TOO_LATE)
            return
        self._ask_at = 0.0
        if not self._confirm.service_is_ready():
            self._unreachable("remembr/confirm", NO_NAVIGATION)
            return
        request = Confirm.Request(proposal_id=self.pending_id, accept=accept)
        self._calls.append(
            _Call(
                accept,
                GOING if accept else STAYING,
                [self._confirm.call_async(request)],
                time.monotonic() + ANSWER_WITHIN_S,
                float("inf"),
                self.pending_id,
            )
        )

    def stop(self) -> None:
        """Stop whatever drives or waits, also when nothing is known to: its status may be on its way."""
        reply = STOPPING if self.driving_id else STAYING if self.pending_id else ""
        self._ask_at = 0.0
        if not self._cancel.service_is_ready():
            if reply:
                self._unreachable("remembr/cancel", CANNOT_STOP)
            return
        now = time.monotonic()
        first = self._cancel.call_async(Trigger.Request())
        self._calls.append(_Call(None, reply, [first], now + ANSWER_WITHIN_S, now + ANSWER_WITHIN_S / STOP_TRIES))

    def tick(self) -> None:
        """Call several times a second."""
        now = time.monotonic()
        for call in list(self._calls):
            done = next((future for future in call.futures if future.done()), None)
            if done is not None:
                self._end(call)
                self._answered(call, done)
            elif now >= call.until:
                self._end(call)
                stop = call.accept is None
                self._unreachable(
                    "remembr/cancel" if stop else "remembr/confirm", CANNOT_STOP if stop else NO_NAVIGATION
                )
            elif now >= call.again_at:
                call.again_at = now + ANSWER_WITHIN_S / STOP_TRIES
                call.futures.append(self._cancel.call_async(Trigger.Request()))
        if self._ask_at and now >= self._ask_at:
            self.ask_after_an_answer()

    def _answered(self, call: _Call, future: Any) -> None:
        if future.exception() is not None:
            self._unreachable("the query node", CANNOT_STOP if call.accept is None else NO_NAVIGATION)
            return
        response = future.result()
        if response.success:
            if call.accept:
                self._mine = call.proposal_id
            if call.reply:
                self._say(call.reply)
        elif call.accept is None:
            self._on_problem(f"remembr/cancel: {response.message}")
            if call.reply:
                self._say(CANNOT_STOP)
        else:
            texts = {
                Confirm.Request.EXPIRED: TOO_LATE,
                Confirm.Request.UNKNOWN_PROPOSAL: NOTHING_WAITS,
                Confirm.Request.UNAVAILABLE: NO_NAVIGATION,
            }
            why = f": {response.error_msg}" if response.error_msg else ""
            self._say(texts.get(response.error_code, f"I may not go there{why}."))

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
        self._on_problem(f"{what} does not answer: is the query node running?")
        self._say(text)

    def _end(self, call: _Call) -> None:
        self._calls.remove(call)
        client = self._cancel if call.accept is None else self._confirm
        for future in call.futures:
            if not future.done():
                client.remove_pending_request(future)
