"""The navigators against a fake Nav2, over real DDS: what an action server may do wrong, and what is made of it."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")

from builtin_interfaces.msg import Time  # noqa: E402
from fake_nav2 import Behaviour, FakeNav2Node  # noqa: E402
from geometry_msgs.msg import PoseWithCovarianceStamped  # noqa: E402
from journeys import Journey, Spinner, wait_for  # noqa: E402
from rclpy.task import Future  # noqa: E402

from remembr_ros.errors import InvalidInput, MissingDependency, UnknownBackend  # noqa: E402
from remembr_ros.navigate.navigator import Goal, NavigationState  # noqa: E402
from remembr_ros.records import Pose  # noqa: E402
from remembr_ros.ros.navigators import create_navigator  # noqa: E402
from remembr_ros.ros.navigators.action import ActionNavigator  # noqa: E402
from remembr_ros.ros.navigators.goal_message import goal_message  # noqa: E402
from remembr_ros.ros.navigators.nav2 import Drive, Limits  # noqa: E402
from remembr_ros.ros.navigators.topic import TopicNavigator  # noqa: E402

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
S = NavigationState


@pytest.fixture
def namespace() -> str:
    """Of its own for each test: what DDS still remembers of an earlier one cannot answer."""
    return f"/t{uuid.uuid4().hex[:8]}"


@pytest.fixture
def client(namespace: str) -> Iterator[Spinner]:
    spinner = Spinner(lambda context: rclpy.create_node("client", namespace=namespace, context=context))
    yield spinner
    spinner.close()


@pytest.fixture
def server(namespace: str) -> Iterator[Spinner]:
    spinner = Spinner(
        lambda context: FakeNav2Node(namespace=namespace, context=context, amcl=True, goal_pose=True, speed=10.0)
    )
    yield spinner
    spinner.close()


@pytest.fixture(
    params=["action", pytest.param("nav2_simple_commander", marks=pytest.mark.overlay("nav2_simple_commander"))]
)
def make(request: pytest.FixtureRequest, client: Spinner) -> Iterator[Callable[..., Any]]:
    """Makes the navigator that drives Nav2's action, by its client or through BasicNavigator, and closes it."""
    made: list[Any] = []

    def make(*arguments: Any, **limits: Any) -> Any:
        if request.param == "action":
            made.append(ActionNavigator(client.node, *arguments, **limits))
        else:
            from remembr_ros.ros.navigators.nav2_simple_commander import CommanderNavigator

            made.append(CommanderNavigator(client.node, *arguments, **limits))
        return made[-1]

    if request.param != "action":
        rclpy.init()  # BasicNavigator knows no other context than the default one
    yield make
    for navigator in made:
        navigator.close()
    if request.param != "action":
        rclpy.try_shutdown()


@pytest.fixture
def navigator(make: Callable[..., Any]) -> Any:
    return make(limits=Limits(server=5.0, accept=1.0, cancel=1.0, preempt_grace=0.3, progress_period=0.05))


@pytest.fixture
def action_navigator(client: Spinner) -> Iterator[ActionNavigator]:
    navigator = ActionNavigator(client.node, limits=Limits(accept=1.0))
    yield navigator
    navigator.close()


@pytest.fixture
def journey() -> Journey:
    return Journey()


def goal(name: str = "g1", x: float = 3.0, y: float = 4.0, yaw: float | None = 1.0) -> Goal:
    return Goal(name, Pose(1, "map", x, y, 0.0, yaw))


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


def test_go_and_cancel_return_at_once_while_nothing_answers(navigator, journey) -> None:
    started = time.monotonic()
    for i in range(20):
        navigator.go(goal(f"g{i}"), journey)
        navigator.cancel()
    assert time.monotonic() - started < 0.1
    for i in range(20):
        journey.until(goal(f"g{i}"), S.CANCELED)


def test_nav2_as_another_process(namespace, navigator, journey) -> None:
    script = [sys.executable, str(FIXTURES / "fake_nav2.py"), "--speed", "10"]
    script += ["--behaviour", '{"accept": false}', "--ros-args", "-r", f"__ns:={namespace}"]
    with subprocess.Popen(script, env=os.environ) as process:
        try:
            navigator.go(goal("g1"), journey)
            journey.until(goal("g1"), S.REJECTED, within_s=10.0)
            navigator.go(goal("g2"), journey)
            journey.until(goal("g2"), S.SUCCEEDED)
        finally:
            process.terminate()
            assert process.wait(10.0) in (0, -15)


@pytest.mark.parametrize(("node", "state"), [("bt_navigator", "inactive"), ("amcl", "unconfigured")])
@pytest.mark.overlay("nav2_simple_commander")
@pytest.mark.parametrize("make", ["nav2_simple_commander"], indirect=True)
def test_nav2_that_is_not_active_is_told_apart(make, namespace, journey, node, state) -> None:
    states = {"bt_navigator": "active", "amcl": "active", node: state}
    nav2 = Spinner(lambda context: FakeNav2Node(namespace=namespace, context=context, states=states, speed=10.0))
    navigator = make()
    try:
        wait_for(lambda: all(client.service_is_ready() for client in navigator._states.values()))
        navigator.go(goal("g1"), journey)
        assert f"{node} is {state}" in journey.until(goal("g1"), S.UNAVAILABLE).error_msg
        assert nav2.node.nav2.goals == []
        nav2.node.states[node] = "active"
        navigator.go(goal("g2"), journey)
        journey.until(goal("g2"), S.SUCCEEDED)
    finally:
        nav2.close()


@pytest.mark.overlay("nav2_simple_commander")
@pytest.mark.parametrize("make", ["nav2_simple_commander"], indirect=True)
def test_the_robot_s_place_in_the_map_is_never_set(make, server, client, journey) -> None:
    poses: list[Any] = []
    client.node.create_subscription(PoseWithCovarianceStamped, "initialpose", poses.append, 10)
    navigator = make()
    navigator.go(goal(), journey)
    journey.until(goal(), S.SUCCEEDED)
    assert client.node.count_publishers("initialpose") == 1 and poses == []


@pytest.mark.parametrize(
    ("hidden", "wanted"),
    [
        pytest.param((), "nav2_simple_commander", marks=pytest.mark.overlay("nav2_simple_commander")),
        (("nav2_simple_commander",), "action"),
        (("nav2_simple_commander", "nav2_msgs"), "topic"),
    ],
)
def test_auto_takes_what_is_installed(client, monkeypatch, hidden, wanted) -> None:
    for package in hidden:
        for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
            monkeypatch.setitem(sys.modules, name, None)
    rclpy.init()
    try:
        navigator = create_navigator("auto", client.node)
        assert navigator.name == wanted
        navigator.close()
    finally:
        rclpy.try_shutdown()


# By topic.


def test_by_topic_the_robot_is_seen_to_arrive(client, server, journey) -> None:
    navigator = TopicNavigator(client.node, progress_period_s=0.1)
    try:
        navigator.go(goal(), journey)
        journey.until(goal(), S.SUCCEEDED, within_s=10.0)
        assert journey.states(goal()) == [S.SENT, S.ACTIVE, S.SUCCEEDED]
        sent = server.node.topic_goals[0]
        assert (sent.pose.position.x, sent.pose.position.y, sent.header.frame_id) == (3.0, 4.0, "map")
    finally:
        navigator.close()


def test_by_topic_nobody_listens(client, journey) -> None:
    navigator = TopicNavigator(client.node, listener_timeout_s=0.3)
    try:
        navigator.go(goal(), journey)
        assert "/goal_pose" in journey.until(goal(), S.UNAVAILABLE).error_msg
    finally:
        navigator.close()


def test_by_topic_without_a_pose_nothing_is_known_of_arrival_and_the_robot_cannot_be_stopped(
    namespace, client, journey
) -> None:
    deaf = Spinner(lambda context: FakeNav2Node(namespace=namespace, context=context, goal_pose=True))
    navigator = TopicNavigator(client.node, arrival_timeout_s=0.5, listener_timeout_s=10.0)
    try:
        navigator.go(goal("g1"), journey)
        assert "may still be on its way" in journey.until(goal("g1"), S.ABORTED, within_s=10.0).error_msg
        navigator.go(goal("g2"), journey)
        journey.until(goal("g2"), S.SENT)
        navigator.cancel()
        assert "cannot stop" in journey.until(goal("g2"), S.ABORTED).error_msg
    finally:
        navigator.close()
        deaf.close()


# What both share.


def test_the_message_has_a_unit_quaternion_whatever_the_heading() -> None:
    for yaw in (None, 0.0, math.pi, -2.0):
        q = goal_message(Pose(1, "/map", 1.0, 2.0, 0.0, yaw), Time(sec=7)).pose.orientation
        assert math.hypot(q.x, q.y, q.z, q.w) == pytest.approx(1.0)
    message = goal_message(Pose(1, "/map", 1.0, 2.0), Time(sec=7))
    assert (message.header.frame_id, message.header.stamp.sec) == ("map", 7)


@pytest.mark.parametrize("x", [math.nan, math.inf, True, None, 1e9])
def test_fault_21_no_message_is_made_of_unusable_numbers(x) -> None:
    pose = Pose(1, "map", 1.0, 2.0)
    object.__setattr__(pose, "x", x)
    with pytest.raises(InvalidInput, match="x is"):
        goal_message(pose, Time())


def test_fault_21_unusable_numbers_are_refused_by_the_navigator_itself(server, navigator, journey) -> None:
    bad = goal()
    object.__setattr__(bad.pose, "x", math.nan)
    navigator.go(bad, journey)
    assert "usable" in journey.until(bad, S.REFUSED).error_msg
    assert server.node.nav2.goals == []


def test_the_factory_knows_its_navigators(client, monkeypatch) -> None:
    for spec, name in (("action", "action"), ("topic", "topic"), ("action:robot1/navigate_to_pose", "action")):
        navigator = create_navigator(spec, client.node)
        assert navigator.name == name
        navigator.close()
    with pytest.raises(
        UnknownBackend, match=r"navigation.navigator.*teleport.*auto, nav2_simple_commander, action, topic"
    ):
        create_navigator("teleport", client.node)
    monkeypatch.setitem(sys.modules, "nav2_msgs", None)
    monkeypatch.setitem(sys.modules, "nav2_msgs.action", None)
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    with pytest.raises(MissingDependency, match="sudo apt install ros-jazzy-nav2-msgs"):
        create_navigator("action", client.node)


def test_navigators_come_and_go_while_the_node_is_spun(client) -> None:
    """A managed node makes one on each activation; its executor must survive that."""
    for _ in range(20):
        create_navigator("action", client.node).close()
        create_navigator("topic", client.node).close()
    assert client.spinning.thread.is_alive()
