"""In: answers, and what people decide about them. Out: goals handed to a navigator, and one update per change of state.

At most one proposal waits and at most one goal is driven. Safe from any thread: state changes under a lock, everything
that leaves this object (updates, the navigator's methods) is queued there and called in order without the lock, so
what is called may call back. Times are int nanoseconds of ROS time.
"""

from __future__ import annotations

import threading
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from remembr_ros.navigate.navigator import Goal, NavigationState, NavigationUpdate, Navigator
from remembr_ros.navigate.policy import GoalPolicy, Proposal, Refusal
from remembr_ros.navigate.surroundings import Surroundings
from remembr_ros.records import NANOSECONDS, Answer, Question

SHOWN_OF_ID = 40
"""Characters of an id that somebody else chose."""


class GoalState(Enum):
    """What an answer led to (msg/Answer.goal_state, in the order of its constants)."""

    NONE = "none"
    PROPOSED = "proposed"
    SENT = "sent"
    REFUSED = "refused"


class ConfirmError(Enum):
    """Why a Confirm failed (srv/Confirm.error_code)."""

    NONE = 0
    UNKNOWN_PROPOSAL = 1
    EXPIRED = 2
    REFUSED = 3
    UNAVAILABLE = 4
    NOT_ACTIVE = 8


@dataclass(frozen=True, slots=True)
class GoalOutcome:
    """What became of the goal of an answer; `message` says why it was refused or what it waits for, else empty."""

    state: GoalState
    message: str = ""
    proposal_id: str = ""
    goal: Goal | None = None


@dataclass(frozen=True, slots=True)
class ConfirmResult:
    """`success`: done as asked, that is handed to the navigator or dropped."""

    success: bool
    error: ConfirmError = ConfirmError.NONE
    message: str = ""


@dataclass(frozen=True, slots=True)
class _Open:
    """A goal that has not ended: it waits for a decision, or is with the navigator."""

    proposal: Proposal
    goal: Goal
    confirmed: bool = False
    handed_over: bool = False
    cancel_since_ns: int | None = None
    cancel_reason: str = ""


class GoalDispatcher:
    """Holds the one proposal and the one goal, and lets nothing through to the navigator that the policy forbids.

    `on_update` gets every change of state, and ACTIVE again for each report of progress. `set_map` tells where the
    robot is now; until it was called, a question's own map id counts. `cancel_timeout_s` bounds how long a navigator
    may take to confirm a cancel before the goal is reported as ABORTED.
    """

    def __init__(
        self,
        policy: GoalPolicy,
        navigator: Navigator,
        on_update: Callable[[NavigationUpdate], None],
        now_ns: Callable[[], int],
        *,
        cancel_timeout_s: float = 5.0,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
    ) -> None:
        self._policy = policy
        self._navigator = navigator
        self._on_update = on_update
        self._now_ns = now_ns
        self._cancel_timeout_ns = round(cancel_timeout_s * NANOSECONDS)
        self._new_id = new_id
        self._lock = threading.Lock()
        self._waiting: _Open | None = None
        self._driving: _Open | None = None
        self._map_id = ""
        self._map_was_set = False
        self._surroundings: Surroundings | None = None
        self._expired_id = ""
        self._closed = False
        self._calls: deque[Callable[[], None]] = deque()
        self._calling = False

    def consider(self, answer: Answer, question: Question) -> GoalOutcome:
        """Propose, send or refuse the goal that `answer` asks for. A new proposal or goal replaces the old one."""
        with self._lock:
            if self._closed:
                return GoalOutcome(GoalState.NONE)
            now_ns = self._now_ns()
            if not self._map_was_set:
                self._map_id = question.map_id
            verdict = self._policy.propose(answer, question, self._map_id, now_ns, self._surroundings)
            if verdict is None:
                return GoalOutcome(GoalState.NONE)
            proposal_id = self._new_id()
            if isinstance(verdict, Refusal):
                goal = None if verdict.pose is None else Goal(proposal_id, verdict.pose)
                if goal is not None:
                    self._tell(NavigationUpdate(goal, NavigationState.REFUSED, error_msg=verdict.reason))
                outcome = GoalOutcome(GoalState.REFUSED, verdict.reason, proposal_id if goal else "", goal)
            else:
                goal = Goal(proposal_id, verdict.pose)
                self._drop_waiting(NavigationState.CANCELED, "replaced by a newer proposal")
                opened = _Open(verdict, goal)
                if verdict.at_once:
                    refusal = self._send(opened, now_ns)
                    outcome = (
                        GoalOutcome(GoalState.REFUSED, refusal.reason, proposal_id, goal)
                        if refusal
                        else GoalOutcome(GoalState.SENT, "", proposal_id, goal)
                    )
                else:
                    self._waiting = opened
                    self._tell(NavigationUpdate(goal, NavigationState.PROPOSED))
                    wait_s = self._policy.proposal_timeout_s
                    outcome = GoalOutcome(
                        GoalState.PROPOSED, f"waits {wait_s:g} s for a confirmation", proposal_id, goal
                    )
        self._call_out()
        return outcome

    def confirm(self, proposal_id: str, accept: bool) -> ConfirmResult:
        """Decide on the proposal that waits; `proposal_id` empty means whichever waits."""
        with self._lock:
            if self._closed:
                return ConfirmResult(False, ConfirmError.NOT_ACTIVE, "navigation is not active")
            opened, now_ns = self._waiting, self._now_ns()
            if opened is None or proposal_id not in ("", opened.goal.id):
                if proposal_id and proposal_id == self._expired_id:
                    return ConfirmResult(False, ConfirmError.EXPIRED, f"proposal {proposal_id} has expired")
                what = f"no proposal {proposal_id[:SHOWN_OF_ID]!r} waits" if proposal_id else "no proposal waits"
                return ConfirmResult(False, ConfirmError.UNKNOWN_PROPOSAL, what)
            if self._expire(now_ns):
                result = ConfirmResult(False, ConfirmError.EXPIRED, f"proposal {opened.goal.id} has expired")
            elif not accept:
                self._drop_waiting(NavigationState.CANCELED, "declined")
                result = ConfirmResult(True)
            else:
                self._waiting = None
                refusal = self._send(replace(opened, confirmed=True), now_ns)
                result = ConfirmResult(False, ConfirmError.REFUSED, refusal.reason) if refusal else ConfirmResult(True)
        self._call_out()
        return result

    def cancel(self, reason: str = "canceled on request") -> str:
        """Drop the proposal and stop the robot, whatever state the goal is in. Returns what was done, for people."""
        with self._lock:
            done = self._cancel(reason)
        self._call_out()
        return done

    def set_map(self, map_id: str, surroundings: Surroundings | None = None) -> None:
        """The map that the robot is on now. Goals of another map end: their numbers mean another place here."""
        with self._lock:
            changed = self._map_was_set and map_id != self._map_id
            self._map_id, self._surroundings, self._map_was_set = map_id, surroundings, True
            if changed:
                self._drop_waiting(NavigationState.REFUSED, f"the map changed to {map_id!r}")
                self._cancel(f"the map changed to {map_id!r}")
        self._call_out()

    def set_policy(self, policy: GoalPolicy) -> None:
        """Other rules from now on; what waits is judged by them when it is confirmed."""
        with self._lock:
            self._policy = policy

    def tick(self) -> None:
        """Call about once a second: ends what has waited too long."""
        with self._lock:
            now_ns = self._now_ns()
            self._expire(now_ns)
            since_ns = self._driving.cancel_since_ns if self._driving else None
            if since_ns is not None and not since_ns <= now_ns < since_ns + self._cancel_timeout_ns:
                self._end(
                    NavigationState.ABORTED, "the navigator did not confirm the cancel: the robot may still be moving"
                )
        self._call_out()

    def close(self) -> None:
        """Cancel everything, close the navigator, and refuse what comes later. Every goal gets its final update."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._drop_waiting(NavigationState.CANCELED, "navigation was closed")
            self._cancel("navigation was closed")
            self._calls.append(self._navigator.close)
            self._calls.append(self._end_unconfirmed)
        self._call_out()

    @property
    def waiting(self) -> Goal | None:
        """The goal that waits for a confirmation."""
        with self._lock:
            return self._waiting.goal if self._waiting else None

    @property
    def driving(self) -> Goal | None:
        """The goal that is with the navigator."""
        with self._lock:
            return self._driving.goal if self._driving else None

    # From here to _tell the lock is held; what follows takes it.

    def _send(self, opened: _Open, now_ns: int) -> Refusal | None:
        if refusal := self._guard(opened, now_ns):
            self._tell(NavigationUpdate(opened.goal, NavigationState.REFUSED, error_msg=refusal.reason))
            return refusal
        if self._driving is not None:  # the navigator stops it when it gets the new one
            self._end(NavigationState.CANCELED, "replaced by a newer goal")
        self._driving = opened
        self._tell(NavigationUpdate(opened.goal, NavigationState.SENT))
        self._calls.append(lambda: self._hand_over(opened.goal.id))
        return None

    def _guard(self, opened: _Open, now_ns: int) -> Refusal | None:
        return self._policy.check(
            opened.proposal, opened.goal.pose, self._map_id, now_ns, opened.confirmed, self._surroundings
        )

    def _cancel(self, reason: str) -> str:
        done = []
        if self._waiting is not None:
            self._drop_waiting(NavigationState.CANCELED, reason)
            done.append("the proposal was dropped")
        if self._driving is not None:
            if self._driving.handed_over:
                since_ns = self._driving.cancel_since_ns
                self._driving = replace(
                    self._driving,
                    cancel_since_ns=self._now_ns() if since_ns is None else since_ns,
                    cancel_reason=reason,
                )
            else:
                self._end(NavigationState.CANCELED, reason)
            self._calls.append(self._navigator.cancel)
            done.append("the robot was told to stop")
        return " and ".join(done) or "there was nothing to cancel"

    def _expire(self, now_ns: int) -> bool:
        opened = self._waiting
        # Before its creation: simulated time was set back, and with it the moment the user was asked.
        if opened is None or opened.proposal.created_ns <= now_ns < opened.proposal.expires_ns:
            return False
        self._expired_id = opened.goal.id
        self._drop_waiting(NavigationState.EXPIRED, "nobody confirmed it in time")
        return True

    def _drop_waiting(self, state: NavigationState, reason: str) -> None:
        if self._waiting is not None:
            self._tell(NavigationUpdate(self._waiting.goal, state, error_msg=reason))
            self._waiting = None

    def _end(self, state: NavigationState, reason: str) -> None:
        if self._driving is not None:
            self._tell(NavigationUpdate(self._driving.goal, state, error_msg=reason))
            self._driving = None

    def _tell(self, update: NavigationUpdate) -> None:
        self._calls.append(lambda: self._on_update(update))

    def _hand_over(self, goal_id: str) -> None:
        """Queued: the last look before the goal leaves this process."""
        with self._lock:
            opened = self._driving
            refusal: Refusal | None = None
            if opened is not None and opened.goal.id == goal_id:
                if refusal := self._guard(opened, self._now_ns()):
                    self._end(NavigationState.REFUSED, refusal.reason)
                else:
                    self._driving = replace(opened, handed_over=True)
            if refusal or opened is None:
                self._calls.append(self._navigator.cancel)  # of the goal that this one has replaced
            if refusal or opened is None or opened.goal.id != goal_id:
                return
        try:
            self._navigator.go(opened.goal, self._on_navigator)
        except Exception as error:  # a navigator reports by update; one that raises must not leave the goal open
            self._on_navigator(NavigationUpdate(opened.goal, NavigationState.UNAVAILABLE, error_msg=str(error)))

    def _on_navigator(self, update: NavigationUpdate) -> None:
        """From the navigator, on any thread. What comes of a goal that has ended is late, and ignored."""
        with self._lock:
            opened = self._driving
            if opened is None or update.goal.id != opened.goal.id or not opened.handed_over:
                return
            if update.state.final:
                reason = opened.cancel_reason if update.state is NavigationState.CANCELED else ""
                self._tell(replace(update, goal=opened.goal, error_msg=update.error_msg or reason))
                self._driving = None
            elif update.state is NavigationState.ACTIVE:
                self._tell(replace(update, goal=opened.goal))
        self._call_out()

    def _end_unconfirmed(self) -> None:
        """Queued: nothing more will come from a closed navigator."""
        with self._lock:
            self._end(NavigationState.CANCELED, "navigation was closed before the navigator confirmed the cancel")

    def _call_out(self) -> None:
        """Make the queued calls in order, without the lock. One thread does it; others leave theirs to it."""
        with self._lock:
            if self._calling:
                return
            self._calling = True
        try:
            while call := self._next_call():
                call()
        except BaseException:
            with self._lock:
                self._calling = False
            raise

    def _next_call(self) -> Callable[[], None] | None:
        with self._lock:
            if self._calls:
                return self._calls.popleft()
            self._calling = False
            return None
