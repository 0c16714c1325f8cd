"""A navigator, the fake Nav2 that it meets over DDS, and what it tells."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")

from fake_nav2 import FakeNav2Node  # noqa: E402
from journeys import Journey, Spinner  # noqa: E402

from remembr_ros.ros.navigators.action import ActionNavigator  # noqa: E402
from remembr_ros.ros.navigators.nav2 import Limits  # noqa: E402


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
