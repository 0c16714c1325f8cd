"""Quality of service of every topic, in one place.

A BEST_EFFORT subscription also matches RELIABLE publishers; a VOLATILE one also matches latched publishers but misses
what they said before it came. Poses therefore get two subscriptions (see `subscribe_pose`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription

LATCHED = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
"""RELIABLE, TRANSIENT_LOCAL, 1: maps, markers, navigation status, AMCL's pose."""

RELIABLE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)
"""RELIABLE, VOLATILE, 10: captions, questions, answers, goals."""

SERVICE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=100,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.VOLATILE,
)
"""RELIABLE, VOLATILE, 100: requests, and answers on the side of who asks. With ROS's usual 10, half of 20 requests that
came at once were lost and never answered; and as the answers to all clients of a service arrive at each of them, a slow
one lost its own behind those of others."""

POSE = QoSProfile(
    history=HistoryPolicy.KEEP_LAST,
    depth=10,
    reliability=ReliabilityPolicy.BEST_EFFORT,
    durability=DurabilityPolicy.VOLATILE,
)
"""Matches every publisher of poses there can be."""


def image(reliability: str) -> QoSProfile:
    """QoS of the camera subscription; `reliability` is "best_effort" or "reliable"."""
    policy = ReliabilityPolicy.RELIABLE if reliability == "reliable" else ReliabilityPolicy.BEST_EFFORT
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST, depth=10, reliability=policy, durability=DurabilityPolicy.VOLATILE
    )


def subscribe_pose(node: Node, message_type: Any, topic: str, callback: Callable[[Any], None]) -> list[Subscription]:
    """Both a latched and a volatile subscription, so that AMCL (latched, once while parked) and replayed bags or
    slam_toolbox (volatile) are heard alike. The message that arrives through both is passed on once (by stamp)."""
    last: list[tuple[int, int]] = [(-1, -1)]

    def once(message: Any) -> None:
        stamp = (message.header.stamp.sec, message.header.stamp.nanosec)
        if stamp != last[0] or stamp == (0, 0):
            last[0] = stamp
            callback(message)

    return [node.create_subscription(message_type, topic, once, profile) for profile in (LATCHED, POSE)]
