"""The one proposal and the one goal: decisions, expiry, cancel, late results; and any sequence of them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from remembr_ros.navigate.dispatcher import ConfirmError, GoalDispatcher, GoalState
from remembr_ros.navigate.navigator import Goal, NavigationState, NavigationUpdate
from remembr_ros.navigate.occupancy import OccupancyMap
from remembr_ros.navigate.policy import GoalPolicy, NavigationMode
from remembr_ros.navigate.surroundings import Surroundings
from remembr_ros.records import Answer, AnswerKind, Hit, Memory, Navigate, Pose, Question

SECOND = 1_000_000_000
START = 1_796_061_600 * SECOND
S = NavigationState


class Robot:
    """A navigator that does nothing by itself: the test reports for it."""

    name = "test"

    def __init__(self) -> None:
        self.gone: list[Goal] = []
        self.report: dict[str, Callable[[NavigationUpdate], None]] = {}
        self.cancels = 0
        self.closed = False

    def go(self, goal: Goal, on_update: Callable[[NavigationUpdate], None]) -> None:
        self.gone.append(goal)
        self.report[goal.id] = on_update
        on_update(NavigationUpdate(goal, S.SENT))

    def cancel(self) -> None:
        self.cancels += 1

    def close(self) -> None:
        self.closed = True

    def tell(self, goal: Goal, state: NavigationState, **more: object) -> None:
        self.report[goal.id](NavigationUpdate(goal, state, **more))  # type: ignore[arg-type]


class Desk:
    """A dispatcher, its clock, and all that it told."""

    def __init__(self, mode: NavigationMode = NavigationMode.CONFIRM) -> None:
        self.now_ns = START
        self.robot = Robot()
        self.updates: list[NavigationUpdate] = []
        self.dispatcher = GoalDispatcher(GoalPolicy(mode), self.robot, self.updates.append, lambda: self.now_ns)

    def ask(
        self,
        text: str = "take me to the printer",
        navigate: Navigate = Navigate.AUTO,
        map_id: str = "floor1",
        x: float = 5.0,
    ):
        pose = Pose(START - SECOND, "map", x, 5.0, 0.0, 0.5)
        seen = Memory("m", START - 4 * SECOND, START - SECOND, START - 4 * SECOND, "a printer", pose, True, "floor1")
        answer = Answer(text, AnswerKind.POSITION, "There.", pose=pose, evidence=(Hit(seen),), wants_goal=True)
        return self.dispatcher.consider(answer, Question(text, self.now_ns, map_id=map_id, navigate=navigate))

    def states(self, goal_id: str) -> list[NavigationState]:
        return [update.state for update in self.updates if update.goal.id == goal_id]


def test_a_confirmed_goal_is_driven_and_its_end_reported_once() -> None:
    desk = Desk()
    outcome = desk.ask()
    assert outcome.state is GoalState.PROPOSED and "60 s" in outcome.message
    assert desk.robot.gone == []
    assert desk.dispatcher.confirm(outcome.proposal_id, True).success
    (goal,) = desk.robot.gone
    desk.robot.tell(goal, S.ACTIVE, distance_remaining_m=2.0)
    desk.robot.tell(goal, S.SUCCEEDED)
    desk.robot.tell(goal, S.ABORTED)
    assert desk.states(goal.id) == [S.PROPOSED, S.SENT, S.ACTIVE, S.SUCCEEDED]
    assert desk.dispatcher.driving is None


def test_no_question_no_goal() -> None:
    desk = Desk()
    assert desk.ask(navigate=Navigate.NEVER).state is GoalState.NONE
    assert desk.updates == []


def test_auto_drives_at_once_for_the_user_s_words_and_only_proposes_for_the_model_s() -> None:
    desk = Desk(NavigationMode.AUTO)
    assert desk.ask("take me to the printer").state is GoalState.SENT
    assert desk.ask("where is the printer?").state is GoalState.PROPOSED
    assert desk.ask("where is the printer?", Navigate.ALWAYS).state is GoalState.SENT


def test_declining_drops_the_proposal_and_a_second_decision_comes_too_late() -> None:
    desk = Desk()
    proposal_id = desk.ask().proposal_id
    assert desk.dispatcher.confirm("", False).success
    assert desk.dispatcher.confirm(proposal_id, True).error is ConfirmError.UNKNOWN_PROPOSAL
    assert desk.states(proposal_id) == [S.PROPOSED, S.CANCELED]
    assert desk.robot.gone == []


@pytest.mark.parametrize("ticked", [True, False])
def test_an_expired_proposal_is_not_driven(ticked: bool) -> None:
    desk = Desk()
    proposal_id = desk.ask().proposal_id
    desk.now_ns += 60 * SECOND
    if ticked:
        desk.dispatcher.tick()
    result = desk.dispatcher.confirm(proposal_id, True)
    assert result.error is ConfirmError.EXPIRED
    assert desk.states(proposal_id) == [S.PROPOSED, S.EXPIRED]
    assert desk.robot.gone == []


def test_simulated_time_that_goes_back_ends_a_proposal() -> None:
    desk = Desk()
    proposal_id = desk.ask().proposal_id
    desk.now_ns -= 30 * SECOND
    desk.dispatcher.tick()
    assert desk.states(proposal_id) == [S.PROPOSED, S.EXPIRED]


def test_confirming_an_older_proposal_does_not_drive_the_newer_one() -> None:
    desk = Desk()
    old, new = desk.ask().proposal_id, desk.ask(x=7.0).proposal_id
    assert desk.dispatcher.confirm(old, True).error is ConfirmError.UNKNOWN_PROPOSAL
    assert desk.robot.gone == []
    assert desk.states(old) == [S.PROPOSED, S.CANCELED]
    assert desk.dispatcher.waiting is not None and desk.dispatcher.waiting.id == new


@pytest.mark.parametrize("hostile", ["x" * 1_000_000, "\n\x1b[31m", "'; DROP", "\ud83d", "*", " "])
def test_a_hostile_proposal_id_confirms_nothing_and_is_not_echoed(hostile: str) -> None:
    desk = Desk()
    desk.ask()
    result = desk.dispatcher.confirm(hostile, True)
    assert result.error is ConfirmError.UNKNOWN_PROPOSAL and desk.robot.gone == []
    assert len(result.message) < 120 and result.message.isprintable()
    assert desk.dispatcher.waiting is not None


def test_a_flood_of_proposals_leaves_one_and_ends_the_others() -> None:
    desk = Desk()
    for number in range(2000):
        desk.ask(x=1.0 + number % 7)
    states = [update.state for update in desk.updates]
    assert states.count(S.PROPOSED) == 2000 and states.count(S.CANCELED) == 1999
    assert len(desk.dispatcher._calls) == 0 and desk.dispatcher.waiting is not None


def test_confirming_twice_drives_once_also_from_two_threads() -> None:
    desk = Desk()
    proposal_id = desk.ask().proposal_id
    start, results = threading.Barrier(8), []

    def confirm() -> None:
        start.wait(5.0)
        results.append(desk.dispatcher.confirm(proposal_id, True).success)

    threads = [threading.Thread(target=confirm) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5.0)
    assert results.count(True) == 1 and len(desk.robot.gone) == 1


def test_always_with_navigation_off_is_refused_and_an_open_proposal_can_no_longer_be_confirmed() -> None:
    desk = Desk()
    proposal_id = desk.ask().proposal_id
    desk.dispatcher.set_policy(GoalPolicy(NavigationMode.OFF))
    assert desk.dispatcher.confirm(proposal_id, True).error is ConfirmError.REFUSED
    assert desk.ask(navigate=Navigate.ALWAYS).state is GoalState.REFUSED
    assert desk.robot.gone == []


def test_a_newer_goal_replaces_the_old_one_whose_late_result_is_ignored() -> None:
    desk = Desk(NavigationMode.AUTO)
    old = desk.ask().goal
    new = desk.ask(x=7.0).goal
    assert old is not None and new is not None
    desk.robot.tell(old, S.SUCCEEDED)
    assert desk.dispatcher.driving == new
    desk.robot.tell(new, S.ABORTED, error_code=204, error_msg="no path")
    assert desk.states(old.id) == [S.SENT, S.CANCELED]
    assert desk.states(new.id) == [S.SENT, S.ABORTED]
    assert (desk.updates[-1].error_code, desk.updates[-1].error_msg) == (204, "no path")


def test_cancel_waits_for_the_navigator_and_says_why() -> None:
    desk = Desk(NavigationMode.AUTO)
    goal = desk.ask().goal
    assert goal is not None
    assert "stop" in desk.dispatcher.cancel("canceled by the user")
    assert desk.robot.cancels == 1 and desk.dispatcher.driving == goal
    desk.robot.tell(goal, S.CANCELED)
    assert desk.states(goal.id) == [S.SENT, S.CANCELED]
    assert desk.updates[-1].error_msg == "canceled by the user"
    assert desk.dispatcher.cancel() == "there was nothing to cancel"


def test_a_cancel_that_is_never_confirmed_ends_and_does_not_claim_that_the_robot_stands() -> None:
    desk = Desk(NavigationMode.AUTO)
    goal = desk.ask().goal
    assert goal is not None
    desk.dispatcher.cancel()
    desk.now_ns += 4 * SECOND
    desk.dispatcher.cancel()
    desk.now_ns += SECOND
    desk.dispatcher.tick()
    assert desk.states(goal.id) == [S.SENT, S.ABORTED]
    assert "may still be moving" in desk.updates[-1].error_msg


def test_fault_27_a_new_map_ends_what_belongs_to_the_old_one() -> None:
    desk = Desk(NavigationMode.AUTO)
    desk.dispatcher.set_map("floor1")
    driving = desk.ask().goal
    waiting = desk.ask("where is the printer?").goal
    assert driving is not None and waiting is not None
    desk.dispatcher.set_map("floor2")
    assert desk.states(waiting.id) == [S.PROPOSED, S.REFUSED]
    assert desk.robot.cancels == 1
    assert desk.dispatcher.confirm(waiting.id, True).error is ConfirmError.UNKNOWN_PROPOSAL
    outcome = desk.ask()
    assert outcome.state is GoalState.REFUSED and "floor1" in outcome.message and "floor2" in outcome.message
    assert len(desk.robot.gone) == 1


def test_a_check_that_fails_now_refuses_at_the_confirmation() -> None:
    desk = Desk()
    proposal_id = desk.ask().proposal_id
    desk.dispatcher.set_map("floor1", Surroundings(OccupancyMap("map", 0.0, 0.0, 0.5, np.full((40, 40), 100, np.int8))))
    result = desk.dispatcher.confirm(proposal_id, True)
    assert result.error is ConfirmError.REFUSED and "occupied" in result.message
    assert desk.states(proposal_id) == [S.PROPOSED, S.REFUSED]
    assert desk.robot.gone == []


@pytest.mark.parametrize("x", [math.nan, math.inf, True, None, 1e9])
def test_fault_21_the_guard_right_before_the_send_stops_unusable_numbers(x: object) -> None:
    """Even a pose that turned bad between the proposal and the send does not reach the navigator."""
    desk = Desk()
    outcome = desk.ask()
    assert outcome.goal is not None
    object.__setattr__(outcome.goal.pose, "x", x)
    result = desk.dispatcher.confirm(outcome.proposal_id, True)
    assert result.error is ConfirmError.REFUSED and "no usable position" in result.message
    assert desk.robot.gone == []


def test_a_navigator_that_raises_leaves_no_open_goal() -> None:
    desk = Desk(NavigationMode.AUTO)

    def fail(goal: Goal, on_update: object) -> None:
        raise RuntimeError("no wheels")

    desk.robot.go = fail  # type: ignore[method-assign, assignment]
    goal = desk.ask().goal
    assert goal is not None
    assert desk.states(goal.id) == [S.SENT, S.UNAVAILABLE]
    assert desk.updates[-1].error_msg == "no wheels"


def test_closing_ends_everything_and_refuses_what_comes_later() -> None:
    desk = Desk(NavigationMode.AUTO)
    driving, waiting = desk.ask().goal, desk.ask("where is it?").goal
    assert driving is not None and waiting is not None
    desk.dispatcher.close()
    desk.dispatcher.close()
    assert desk.robot.closed
    assert desk.states(waiting.id)[-1] is S.CANCELED and desk.states(driving.id)[-1] is S.CANCELED
    assert desk.ask().state is GoalState.NONE
    assert desk.dispatcher.confirm("", True).error is ConfirmError.NOT_ACTIVE


def test_a_listener_may_call_back_without_a_deadlock() -> None:
    desk = Desk(NavigationMode.AUTO)

    def listen(update: NavigationUpdate) -> None:
        desk.updates.append(update)
        if update.state is S.ACTIVE:
            desk.dispatcher.cancel("close enough")

    desk.dispatcher._on_update = listen
    goal = desk.ask().goal
    assert goal is not None
    desk.robot.tell(goal, S.ACTIVE)
    assert desk.robot.cancels == 1


def test_a_cancel_before_the_goal_has_left_keeps_it_from_leaving() -> None:
    """A slow listener holds the queue while another thread cancels."""
    desk = Desk(NavigationMode.AUTO)
    sending, canceled = threading.Event(), threading.Event()

    def listen(update: NavigationUpdate) -> None:
        desk.updates.append(update)
        if update.state is S.SENT:
            sending.set()
            assert canceled.wait(5.0)

    desk.dispatcher._on_update = listen
    thread = threading.Thread(target=desk.ask)
    thread.start()
    assert sending.wait(5.0)
    desk.dispatcher.cancel()
    canceled.set()
    thread.join(5.0)
    assert desk.robot.gone == []
    assert [update.state for update in desk.updates] == [S.SENT, S.CANCELED]


def test_a_goal_refused_at_the_last_moment_also_stops_the_one_it_replaced() -> None:
    desk = Desk(NavigationMode.AUTO)
    old = desk.ask().goal
    assert old is not None

    def listen(update: NavigationUpdate) -> None:
        desk.updates.append(update)
        if update.state is S.SENT:
            desk.now_ns += 100 * SECOND

    desk.dispatcher._on_update = listen
    new = desk.ask(x=7.0).goal
    assert new is not None
    assert desk.states(new.id) == [S.SENT, S.REFUSED]
    assert desk.robot.gone == [old] and desk.robot.cancels == 1


class AnySequence(RuleBasedStateMachine):
    """Whatever is asked, decided and reported, in whatever order: no goal without permission, never two at once."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk()
        self.permitted: set[str] = set()

    @rule(mode=st.sampled_from(NavigationMode))
    def set_mode(self, mode: NavigationMode) -> None:
        self.desk.dispatcher.set_policy(GoalPolicy(mode))

    @rule(
        text=st.sampled_from(["take me to the printer", "where is the printer?"]),
        navigate=st.sampled_from(Navigate),
        map_id=st.sampled_from(["floor1", "floor2", ""]),
    )
    def ask(self, text: str, navigate: Navigate, map_id: str) -> None:
        mode = self.desk.dispatcher._policy.mode
        outcome = self.desk.ask(text, navigate, map_id)
        if outcome.state is GoalState.SENT:
            assert mode is NavigationMode.AUTO and navigate is not Navigate.NEVER
            assert text.startswith("take me") or navigate is Navigate.ALWAYS
            self.permitted.add(outcome.proposal_id)

    @rule(accept=st.booleans(), which=st.sampled_from(["", "newest", "oldest", "nonsense"]))
    def confirm(self, accept: bool, which: str) -> None:
        proposed = [update.goal.id for update in self.desk.updates if update.state is S.PROPOSED]
        proposal_id = {"newest": proposed[-1:], "oldest": proposed[:1], "nonsense": ["x"]}.get(which, [""])
        waiting = self.desk.dispatcher.waiting
        if accept and waiting is not None:
            self.permitted.add(waiting.id)
        result = self.desk.dispatcher.confirm(proposal_id[0] if proposal_id else "", accept)
        if not result.success and waiting is not None and self.desk.dispatcher.driving != waiting:
            self.permitted.discard(waiting.id)

    @rule()
    def cancel(self) -> None:
        self.desk.dispatcher.cancel()
        assert self.desk.dispatcher.waiting is None

    @rule(seconds=st.sampled_from([-100, 1, 6, 61]))
    def tick(self, seconds: int) -> None:
        self.desk.now_ns += seconds * SECOND
        self.desk.dispatcher.tick()

    @rule(map_id=st.sampled_from(["floor1", "floor2"]))
    def set_map(self, map_id: str) -> None:
        self.desk.dispatcher.set_map(map_id)

    @precondition(lambda self: self.desk.robot.gone)
    @rule(
        data=st.data(),
        state=st.sampled_from([S.SENT, S.ACTIVE, S.SUCCEEDED, S.ABORTED, S.CANCELED, S.REJECTED, S.UNAVAILABLE]),
    )
    def report(self, data: st.DataObject, state: NavigationState) -> None:
        self.desk.robot.tell(data.draw(st.sampled_from(self.desk.robot.gone)), state)

    @invariant()
    def no_goal_without_permission(self) -> None:
        assert {goal.id for goal in self.desk.robot.gone} <= self.permitted
        assert all(goal.pose == self.desk.robot.gone[0].pose for goal in self.desk.robot.gone)

    @invariant()
    def never_two_goals_under_way_and_nothing_after_the_end(self) -> None:
        under_way: set[str] = set()
        ended: set[str] = set()
        for update in self.desk.updates:
            assert update.goal.id not in ended, f"{update.state} after the end"
            if update.state.final:
                ended.add(update.goal.id)
                under_way.discard(update.goal.id)
            elif update.state is not S.PROPOSED:
                under_way.add(update.goal.id)
            assert len(under_way) <= 1

    def teardown(self) -> None:
        """After a cancel everything ends, whatever the navigator does."""
        self.desk.dispatcher.cancel()
        self.desk.now_ns += 6 * SECOND
        self.desk.dispatcher.tick()
        last = {update.goal.id: update.state for update in self.desk.updates}
        assert all(state.final for state in last.values()), last
        assert self.desk.dispatcher.driving is None and self.desk.dispatcher.waiting is None


AnySequence.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
TestAnySequence = AnySequence.TestCase
