"""Both navigators over Nav2's action against a fake Nav2: what a server may do wrong, and what is made of it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")

from fake_nav2 import Behaviour, FakeNav2Node  # noqa: E402
from journeys import Spinner, goal, wait_for  # noqa: E402
from rclpy.task import Future  # noqa: E402

from remembr_ros.navigate.navigator import NavigationState  # noqa: E402
from remembr_ros.ros.navigators.nav2 import Drive, Limits  # noqa: E402

S = NavigationState
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def test_the_robot_drives_there_and_tells_how_far_it_is(server, navigator, journey) -> None:
    navigator.go(goal(), journey)
    journey.until(goal(), S.SUCCEEDED)
    assert journey.states(goal()) == [S.SENT, S.ACTIVE, S.SUCCEEDED]
    distances = [u.distance_remaining_m for u in journey.updates if math.isfinite(u.distance_remaining_m)]
    assert distances and distances == sorted(distances, reverse=True) and distances[0] <= 5.0
    assert server.node.nav2.goals == [(3.0, 4.0, pytest.approx(1.0))]


def test_fault_29_a_rejected_goal_is_reported_within_2_s_and_the_next_one_works(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(accept=False))
    wait_for(navigator._client.server_is_ready)
    navigator.go(goal("g1"), journey)
    update = journey.until(goal("g1"), S.REJECTED, within_s=2.0)
    assert "rejected" in update.error_msg
    navigator.go(goal("g2"), journey)
    journey.until(goal("g2"), S.SUCCEEDED)


def test_fault_29_accepted_and_aborted_at_once_is_a_failure_with_nav2_s_own_words(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(outcome="abort", drive_s=0.02, error_code=204, error_msg="no path"))
    wait_for(navigator._client.server_is_ready)
    navigator.go(goal("g1"), journey)
    update = journey.until(goal("g1"), S.ABORTED, within_s=2.0)
    assert (update.error_code, update.error_msg) == (204, "no path")
    navigator.go(goal("g2"), journey)
    journey.until(goal("g2"), S.SUCCEEDED)


def test_fault_29_an_unknown_status_is_a_failure(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(outcome="unknown"))
    wait_for(navigator._client.server_is_ready)
    navigator.go(goal("g1"), journey)
    assert "status 0" in journey.until(goal("g1"), S.ABORTED, within_s=2.0).error_msg
    navigator.go(goal("g2"), journey)
    journey.until(goal("g2"), S.SUCCEEDED)


def test_fault_29_a_result_without_error_code_as_on_humble(action_navigator, journey) -> None:
    for status, state in ((6, S.ABORTED), (4, S.SUCCEEDED)):
        drive = Drive(goal(f"g{status}"), journey, math.inf, sent=True)
        future = Future()
        future.set_result(SimpleNamespace(status=status, result=SimpleNamespace()))
        action_navigator._on_result(drive, future)
        assert journey.until(drive.goal, state).error_code == 0


def test_a_server_that_never_comes_is_reported_with_its_name(make, journey) -> None:
    navigator = make("robot1/navigate_to_pose", Limits(server=0.3))
    navigator.go(goal(), journey)
    assert "/robot1/navigate_to_pose" in journey.until(goal(), S.UNAVAILABLE).error_msg
    assert journey.states(goal()) == [S.UNAVAILABLE]


def test_a_server_that_comes_later_gets_the_goal(namespace, navigator, journey) -> None:
    navigator.go(goal(), journey)
    late = Spinner(lambda context: FakeNav2Node(namespace=namespace, context=context, speed=10.0))
    try:
        journey.until(goal(), S.SUCCEEDED, within_s=10.0)
    finally:
        late.close()


def test_a_server_that_goes_away_on_the_way_is_reported(namespace, navigator, journey) -> None:
    gone = Spinner(
        lambda context: FakeNav2Node(namespace=namespace, context=context, behaviours=[Behaviour(outcome="hang")])
    )
    try:
        navigator.go(goal(), journey)
        journey.until(goal(), S.ACTIVE)
        navigator._limits = replace(navigator._limits, server=0.3)
    finally:
        gone.close()
    assert "gone away" in journey.until(goal(), S.UNAVAILABLE, within_s=15.0).error_msg


def test_nav2_started_anew_on_the_way_is_noticed(namespace, make, journey) -> None:
    """The new one serves the same names, so the server never seems to be away."""
    navigator = make(limits=Limits(server=30.0, silence=0.5))
    old = Spinner(
        lambda context: FakeNav2Node(namespace=namespace, context=context, behaviours=[Behaviour(outcome="hang")])
    )
    navigator.go(goal(), journey)
    journey.until(goal(), S.ACTIVE)
    old.close()
    new = Spinner(lambda context: FakeNav2Node(namespace=namespace, context=context))
    try:
        assert "no longer knows the goal" in journey.until(goal(), S.ABORTED, within_s=15.0).error_msg
        assert new.node.nav2.goals == []
    finally:
        new.close()


def test_a_nav2_that_says_nothing_for_long_keeps_its_goal(server, make, journey, monkeypatch) -> None:
    monkeypatch.setattr(server.node.nav2, "_feed_back", lambda drive, now: None)
    server.node.nav2.then(Behaviour(drive_s=1.0))
    make(limits=Limits(silence=0.2)).go(goal(), journey)
    journey.until(goal(), S.SUCCEEDED)
    assert journey.states(goal()) == [S.SENT, S.ACTIVE, S.SUCCEEDED]


@pytest.mark.parametrize("moment", [S.SENT, S.ACTIVE, S.CANCELED])
def test_nav2_that_dies_at_any_moment_leaves_no_goal_open(namespace, make, journey, moment) -> None:
    behaviour = Behaviour(outcome="hang", never_answer=moment is S.SENT, allow_cancel=False)
    navigator = make(limits=Limits(server=1.0, accept=1.0, cancel=1.0, silence=0.5))
    nav2 = Spinner(lambda context: FakeNav2Node(namespace=namespace, context=context, behaviours=[behaviour]))
    try:
        navigator.go(goal(), journey)
        journey.until(goal(), S.SENT if moment is S.SENT else S.ACTIVE)
        if moment is S.CANCELED:
            navigator.cancel()
    finally:
        nav2.close()
    end = journey.until(goal(), S.UNAVAILABLE, S.ABORTED, within_s=15.0)
    assert end.error_msg


def test_another_robot_s_nav2_in_the_same_domain_gets_nothing(make, namespace, journey) -> None:
    other = Spinner(lambda context: FakeNav2Node(namespace=f"{namespace}_other", context=context, goal_pose=True))
    plain = Spinner(lambda context: FakeNav2Node(name=f"nav2{namespace[1:]}", context=context, goal_pose=True))
    try:
        navigator = make(limits=Limits(server=1.0))
        navigator.go(goal(), journey)
        assert namespace in journey.until(goal(), S.UNAVAILABLE).error_msg
        navigator.cancel()
        for nav2 in (other, plain):
            assert nav2.node.nav2.goals == [] and nav2.node.topic_goals == [] and nav2.node.nav2.cancels == 0
    finally:
        other.close()
        plain.close()


def test_a_goal_that_is_never_answered_ends(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(never_answer=True))
    navigator.go(goal(), journey)
    assert "did not answer" in journey.until(goal(), S.UNAVAILABLE).error_msg


def test_a_goal_accepted_after_its_time_is_canceled_at_the_server(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(accept_delay_s=1.5, outcome="hang"))
    navigator.go(goal(), journey)
    journey.until(goal(), S.UNAVAILABLE)
    wait_for(lambda: server.node.nav2.cancels == 1 and server.node.nav2.driving == 0)
    assert journey.states(goal()) == [S.SENT, S.UNAVAILABLE]


def test_a_goal_whose_acceptance_is_lost_on_the_way_does_not_drive_unseen(
    server, action_navigator, journey, monkeypatch
) -> None:
    server.node.nav2.then(Behaviour(outcome="hang"))
    monkeypatch.setattr(action_navigator, "_on_response", lambda drive, future: None)
    action_navigator.go(goal(), journey)
    journey.until(goal(), S.UNAVAILABLE)
    wait_for(lambda: server.node.nav2.cancels == 1 and server.node.nav2.driving == 0)


def test_cancel_on_the_way_stops_the_robot(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(outcome="hang"))
    navigator.go(goal(), journey)
    journey.until(goal(), S.ACTIVE)
    navigator.cancel()
    journey.until(goal(), S.CANCELED)
    assert server.node.nav2.driving == 0


def test_cancel_while_the_acceptance_is_pending(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(accept_delay_s=0.5, outcome="hang"))
    navigator.go(goal(), journey)
    journey.until(goal(), S.SENT)
    navigator.cancel()
    journey.until(goal(), S.CANCELED)
    wait_for(lambda: server.node.nav2.cancels == 1 and server.node.nav2.driving == 0)
    assert journey.states(goal()) == [S.SENT, S.CANCELED]


def test_a_cancel_that_nav2_refuses_is_not_called_canceled(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(outcome="hang", allow_cancel=False))
    navigator.go(goal(), journey)
    journey.until(goal(), S.ACTIVE)
    navigator.cancel()
    assert "may still be moving" in journey.until(goal(), S.ABORTED).error_msg


def test_a_newer_goal_replaces_the_old_one_and_its_late_result_is_not_mixed_up(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(drive_s=0.4, preemptible=False))
    navigator.go(goal("old"), journey)
    journey.until(goal("old"), S.ACTIVE)
    navigator.go(goal("new", 1.0, 0.0), journey)
    journey.until(goal("old"), S.CANCELED)
    journey.until(goal("new"), S.SUCCEEDED)
    wait_for(lambda: server.node.nav2.driving == 0)
    assert journey.states(goal("old")) == [S.SENT, S.ACTIVE, S.CANCELED]
    assert journey.states(goal("new")) == [S.SENT, S.ACTIVE, S.SUCCEEDED]


def test_a_replaced_goal_that_the_server_does_not_drop_is_canceled_there(server, navigator, journey) -> None:
    server.node.nav2.then(Behaviour(outcome="hang", preemptible=False))
    navigator.go(goal("old"), journey)
    journey.until(goal("old"), S.ACTIVE)
    navigator.go(goal("new", 1.0, 0.0), journey)
    journey.until(goal("new"), S.SUCCEEDED)
    wait_for(lambda: server.node.nav2.cancels == 1 and server.node.nav2.driving == 0)


def test_closing_on_the_way_cancels_the_goal(make, server, journey) -> None:
    server.node.nav2.then(Behaviour(outcome="hang"))
    navigator = make()
    navigator.go(goal(), journey)
    journey.until(goal(), S.ACTIVE)
    started = time.monotonic()
    navigator.close()
    assert time.monotonic() - started < 2.0
    journey.until(goal(), S.CANCELED)
    wait_for(lambda: server.node.nav2.driving == 0)


def test_closing_while_the_acceptance_is_on_its_way_leaves_no_robot_that_drives_unseen(make, server, journey) -> None:
    """Nav2 has accepted; what it answered never arrives here."""
    server.node.nav2.then(Behaviour(outcome="hang"))
    navigator = make()
    navigator._on_response = lambda drive, future: None
    send = navigator._client.send_goal_async

    def lost(*arguments: Any, **more: Any) -> Future:
        send(*arguments, **more)
        return Future()

    navigator._client.send_goal_async = lost
    navigator.go(goal(), journey)
    wait_for(lambda: server.node.nav2.driving == 1)
    navigator.close()
    assert journey.until(goal(), S.CANCELED, S.UNAVAILABLE)
    wait_for(lambda: server.node.nav2.driving == 0)


def test_go_and_cancel_return_at_once_while_nothing_answers(navigator, journey) -> None:
    started = time.monotonic()
    for i in range(20):
        navigator.go(goal(f"g{i}"), journey)
        navigator.cancel()
    assert time.monotonic() - started < 0.1
    for i in range(20):
        journey.until(goal(f"g{i}"), S.CANCELED)


def test_nav2_as_another_process(namespace, make, journey) -> None:
    navigator = make(limits=Limits(server=30.0))
    script = [sys.executable, str(FIXTURES / "fake_nav2.py"), "--speed", "10"]
    script += ["--behaviour", '{"accept": false}', "--ros-args", "-r", f"__ns:={namespace}"]
    with subprocess.Popen(script, env=os.environ) as process:
        try:
            navigator.go(goal("g1"), journey)
            journey.until(goal("g1"), S.REJECTED, within_s=40.0)
            navigator.go(goal("g2"), journey)
            journey.until(goal("g2"), S.SUCCEEDED)
        finally:
            process.terminate()
            assert process.wait(10.0) in (0, -15)


def test_fault_21_unusable_numbers_are_refused_by_the_navigator_itself(server, navigator, journey) -> None:
    bad = goal()
    object.__setattr__(bad.pose, "x", math.nan)
    navigator.go(bad, journey)
    assert "usable" in journey.until(bad, S.REFUSED).error_msg
    assert server.node.nav2.goals == []
