"""Our nodes, the clock and the middleware, as `remembr doctor` sees them. Every wait is bounded.

In: a client. Out: the nodes' parameters, and findings with what to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from remembr_ros.cli.client import Client, NodeMissing
from remembr_ros.cli.doctor_topics import PROFILE, profile_fix, type_name
from remembr_ros.cli.finding import Finding, fail, ok, warn
from remembr_ros.ros import qos

DISCOVERY_S = 2.0
SERVICE_S = 2.0
NEEDED = ("captioner", "query")
OPTIONAL = ("whisper",)


def find_nodes(client: Client) -> set[str]:
    """The names of our nodes that run in the client's namespace."""
    namespace = client.node.get_namespace()

    def running() -> set[str]:
        return {name for name, where in client.node.get_node_names_and_namespaces() if where == namespace}

    client.wait(lambda: set(NEEDED) <= running(), DISCOVERY_S)
    return running() & {*NEEDED, *OPTIONAL}


def listened_to(client: Client, running: set[str], message_type: Any) -> str:
    """The topic of this type that a node of ours subscribes to, with its remaps; empty when there is not just one."""
    found: set[str] = set()
    for name in running:
        by_node = client.node.get_subscriber_names_and_types_by_node(name, client.node.get_namespace())
        found |= {topic for topic, types in by_node if type_name(message_type) in types}
    found = {topic for topic in found if not topic.endswith("costmap")}  # of a map's type, and not the map
    return found.pop() if len(found) == 1 else ""


def read_parameters(client: Client, node: str, names: Iterable[str]) -> dict[str, Any]:
    """The values that a running node has; those that it does not tell are left out."""
    from rcl_interfaces.srv import GetParameters
    from rclpy.parameter import parameter_value_to_python

    wanted = list(names)
    request = GetParameters.Request(names=wanted)
    try:
        response = client.call(GetParameters, f"{node}/get_parameters", request, find_s=SERVICE_S, answer_s=SERVICE_S)
    except NodeMissing:
        return {}
    values = {name: parameter_value_to_python(value) for name, value in zip(wanted, response.values, strict=False)}
    return {name: value for name, value in values.items() if value is not None}


def check_nodes(client: Client, running: set[str]) -> Iterator[Finding]:
    from diagnostic_msgs.msg import DiagnosticArray
    from lifecycle_msgs.srv import GetState

    told: dict[str, str] = {}

    def on_diagnostics(message: Any) -> None:
        told.update({status.name.rpartition("/")[2]: status.message for status in message.status})

    subscription = client.node.create_subscription(DiagnosticArray, "/diagnostics", on_diagnostics, qos.RELIABLE)
    client.wait(lambda: running <= told.keys(), DISCOVERY_S)
    client.node.destroy_subscription(subscription)
    for name in (*NEEDED, *OPTIONAL):
        if name not in running and name in OPTIONAL:
            continue
        if name not in running:
            where = client.node.get_namespace()
            fix = f"`ros2 launch remembr_ros {name}.launch.py`, or look elsewhere with --namespace"
            yield warn(name, f"no node {name} in {where} (ROS_DOMAIN_ID {os.environ.get('ROS_DOMAIN_ID', '0')})", fix)
            continue
        try:
            state = client.call(GetState, f"{name}/get_state", GetState.Request(), find_s=SERVICE_S, answer_s=SERVICE_S)
        except NodeMissing as error:
            yield fail(name, str(error), "restart it")
            continue
        label, says = state.current_state.label, told.get(name, "")
        if label == "active":
            yield ok(name, f"active{': ' if says else ''}{says}")
        else:
            fix = "" if says else f"`ros2 lifecycle set {name} configure`, then activate; its log says more"
            yield fail(name, f"{label}: {says or 'it does not say why'}", fix)


def check_clock(client: Client, use_sim_time: Mapping[str, bool]) -> Iterator[Finding]:
    """`use_sim_time` of each node that runs."""
    has_clock = bool(client.node.count_publishers("/clock"))
    for name, simulated in use_sim_time.items():
        if simulated and not has_clock:
            yield fail(
                "clock", f"{name} has use_sim_time, and nobody publishes /clock", "start the simulation, or unset it"
            )
        elif has_clock and not simulated:
            yield warn(
                "clock", f"/clock is published, {name} uses the computer's clock", "launch with use_sim_time:=true"
            )
    if not has_clock:
        yield ok("clock", "no /clock: the computer's clock counts")


def check_middleware() -> Finding:
    from rclpy.utilities import get_rmw_implementation_identifier

    name = get_rmw_implementation_identifier()
    if name == "rmw_fastrtps_cpp" and not os.environ.get(PROFILE):
        return warn("dds", f"{name} without a profile loses large pictures", profile_fix())
    return ok("dds", f"{name}{' with a profile' if os.environ.get(PROFILE) else ''}")
