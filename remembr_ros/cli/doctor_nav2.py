"""Nav2, as `remembr doctor` sees it: is its action served where the navigator looks, and are its nodes active?"""

from __future__ import annotations

import os
from collections.abc import Iterator

from remembr_ros.cli.client import Client, NodeMissing
from remembr_ros.cli.finding import Finding, fail, ok

SERVICE_S = 2.0


def check_nav2(client: Client, spec: str) -> Iterator[Finding]:
    from lifecycle_msgs.srv import GetState
    from rclpy.action import ActionClient

    provider, _, name = spec.partition(":")
    if provider == "topic":
        yield ok("nav2", "driven by topic, nothing to check")
        return
    try:
        from nav2_msgs.action import NavigateToPose
    except ImportError:
        distro = os.environ.get("ROS_DISTRO") or "$ROS_DISTRO"
        yield fail(
            "nav2",
            "nav2_msgs is not installed",
            f"sudo apt install ros-{distro}-nav2-msgs, or navigation.navigator topic",
        )
        return
    action = ActionClient(client.node, NavigateToPose, name or "navigate_to_pose")
    ready = client.wait(action.server_is_ready, SERVICE_S)
    action.destroy()
    full_name = client.node.resolve_topic_name(name or "navigate_to_pose")
    if ready:
        yield ok("nav2", f"{full_name} is served")
    else:
        offered = [
            topic
            for topic, _ in client.node.get_service_names_and_types()
            # ROS lists also what is only asked for, such as by the query node.
            if topic.endswith("navigate_to_pose/_action/send_goal") and topic != f"{full_name}/_action/send_goal"
        ]
        found = ", ".join(topic.removesuffix("/_action/send_goal") for topic in offered)
        fix = (
            f"navigation.navigator {provider}:{found}"
            if found
            else "start Nav2; `ros2 launch nav2_bringup navigation_launch.py`"
        )
        yield fail("nav2", f"nobody serves the action {full_name}", fix)
    for node in ("bt_navigator", "amcl"):
        try:
            state = client.call(GetState, f"{node}/get_state", GetState.Request(), find_s=0.5, answer_s=SERVICE_S)
        except NodeMissing:
            continue
        label = state.current_state.label
        if label != "active":
            yield fail("nav2", f"{node} is {label}", "see the log of Nav2's lifecycle manager; amcl needs a map")
