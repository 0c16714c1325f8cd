"""navigation.navigator: which navigator it makes, and what it says where a package is missing."""

from __future__ import annotations

import sys

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")


from remembr_ros.errors import MissingDependency, UnknownBackend  # noqa: E402
from remembr_ros.ros.navigators import create_navigator  # noqa: E402


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
