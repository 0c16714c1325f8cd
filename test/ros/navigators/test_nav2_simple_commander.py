"""What only BasicNavigator looks at: whether Nav2's nodes are active, and the robot's place, which it may set."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")

from fake_nav2 import FakeNav2Node  # noqa: E402
from geometry_msgs.msg import PoseWithCovarianceStamped  # noqa: E402
from journeys import Spinner, goal, wait_for  # noqa: E402

from remembr_ros.navigate.navigator import NavigationState  # noqa: E402

S = NavigationState


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
