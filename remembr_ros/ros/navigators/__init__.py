"""In: the parameter navigation.navigator. Out: what drives the robot, behind the Navigator protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remembr_ros.errors import MissingDependency, UnknownBackend
from remembr_ros.navigate.navigator import Navigator

if TYPE_CHECKING:
    from rclpy.node import Node

NAVIGATORS = ("auto", "nav2_simple_commander", "action", "topic")


def create_navigator(spec: str, node: Node) -> Navigator:
    """`nav2_simple_commander` (BasicNavigator), `action` (Nav2's NavigateToPose), `topic` (publishes goal_pose) or
    `auto`: the first of them that is installed; `provider:name` sets the action or topic.

    The names are relative to the node's namespace. Raises UnknownBackend, and MissingDependency where the provider's
    package is not installed.
    """
    provider, _, name = spec.partition(":")
    if provider == "auto":
        for candidate in ("nav2_simple_commander", "action"):
            try:
                return create_navigator(f"{candidate}:{name}", node)
            except MissingDependency as error:
                node.get_logger().info(f"navigation.navigator 'auto': not {candidate}: {error}")
        return create_navigator("topic", node)
    if provider == "nav2_simple_commander":
        from remembr_ros.ros.navigators.nav2_simple_commander import CommanderNavigator

        return CommanderNavigator(node, action_name=name or "navigate_to_pose")
    if provider == "action":
        from remembr_ros.ros.navigators.action import ActionNavigator

        return ActionNavigator(node, action_name=name or "navigate_to_pose")
    if provider == "topic":
        from remembr_ros.ros.navigators.topic import TopicNavigator

        return TopicNavigator(node, topic=name or "goal_pose")
    raise UnknownBackend("navigation.navigator", spec, NAVIGATORS)
