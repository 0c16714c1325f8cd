"""In: the parameter navigation.navigator. Out: what drives the robot, behind the Navigator protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remembr_ros.errors import UnknownBackend
from remembr_ros.navigate.navigator import Navigator

if TYPE_CHECKING:
    from rclpy.node import Node

NAVIGATORS = ("action", "topic")


def create_navigator(spec: str, node: Node) -> Navigator:
    """`action` (Nav2's NavigateToPose) or `topic` (publishes goal_pose); `provider:name` sets the action or topic.

    The names are relative to the node's namespace. Raises UnknownBackend, and MissingDependency where nav2_msgs is
    not installed.
    """
    provider, _, name = spec.partition(":")
    if provider == "action":
        from remembr_ros.ros.navigators.action import ActionNavigator

        return ActionNavigator(node, action_name=name or "navigate_to_pose")
    if provider == "topic":
        from remembr_ros.ros.navigators.topic import TopicNavigator

        return TopicNavigator(node, topic=name or "goal_pose")
    raise UnknownBackend("navigation.navigator", spec, NAVIGATORS)
