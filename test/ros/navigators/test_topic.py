"""By topic: little is known of the robot, and no more is claimed."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")

from fake_nav2 import FakeNav2Node  # noqa: E402
from journeys import Spinner, goal  # noqa: E402

from remembr_ros.navigate.navigator import NavigationState  # noqa: E402
from remembr_ros.ros.navigators.topic import TopicNavigator  # noqa: E402

S = NavigationState


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
