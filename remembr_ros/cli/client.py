"""The command line's side of the services: every wait bounded, what is missing named."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from remembr_ros.errors import ConfigurationError, RemembrError
from remembr_ros.ros.qos import SERVICE

LOOK_AGAIN_S = 0.2
DISCOVERED_S = 0.5
"""By then the other services of a node that offers one are known."""

ON_THE_WAY_S = 0.05
"""Progress that was told before the answer may arrive after it: they are two topics."""


class NodeMissing(RemembrError):
    """A service or its node did not answer in time. The message says where it was looked for."""


class Client:
    """Calls services of the nodes in namespace `namespace`. Used by one thread."""

    def __init__(self, namespace: str) -> None:
        self.node = Node(f"remembr_cli_{os.getpid()}", namespace=namespace or None)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)

    def call(
        self, service_type: Any, name: str, request: Any, *, find_s: float, answer_s: float, loaded: bool = False
    ) -> Any:
        """The response. Raises NodeMissing when nobody offers the service within `find_s` or answers in `answer_s`.

        `loaded`: what is left of `find_s` is also waited for a query node that still loads.
        """
        client = self.node.create_client(service_type, name, qos_profile=SERVICE)
        until = time.monotonic() + find_s
        try:
            if not client.wait_for_service(find_s):
                raise NodeMissing(self._not_there(client.srv_name, find_s))
            if loaded:
                self._wait_until_loaded(until)
            future = client.call_async(request)
            if not self.wait(future.done, answer_s):
                raise NodeMissing(f"{client.srv_name} did not answer within {answer_s:g} s; see the query node's log")
            return future.result()
        finally:
            self.node.destroy_client(client)

    def ask(self, goal: Any, on_feedback: Callable[[Any], None], *, find_s: float, answer_s: float) -> Any:
        """The answer to an AskQuestion goal, with its progress; canceled when it takes too long. Raises NodeMissing.

        Nobody offers the action within `find_s`, or answers in `answer_s`; a node that still loads is waited for.
        """
        from rclpy.action import ActionClient

        from remembr_interfaces.action import AskQuestion

        name = "remembr/ask_question"
        client = ActionClient(
            self.node, AskQuestion, name, goal_service_qos_profile=SERVICE, result_service_qos_profile=SERVICE
        )
        try:
            until = time.monotonic() + find_s
            while not client.server_is_ready():
                if time.monotonic() > until:
                    raise NodeMissing(self._not_there(self.node.resolve_service_name("remembr/ask"), find_s))
                self._executor.spin_once(0.05)
            self._wait_until_loaded(until)
            sent = client.send_goal_async(goal, feedback_callback=lambda message: on_feedback(message.feedback))
            late = f"{name} did not answer within {answer_s:g} s; see the query node's log"
            if not self.wait(sent.done, answer_s) or not sent.result().accepted:
                raise NodeMissing(late)
            result = sent.result().get_result_async()
            try:
                if not self.wait(result.done, answer_s):
                    raise NodeMissing(late)
            except BaseException:  # also Ctrl-C: nobody waits any more
                self.wait(sent.result().cancel_goal_async().done, 1.0)
                raise
            self.wait(lambda: False, ON_THE_WAY_S)
            return result.result().result.answer
        finally:
            client.destroy()

    def _wait_until_loaded(self, until: float) -> None:
        """While the query node loads its models it would only say that it is not ready. `until`: monotonic seconds."""
        from lifecycle_msgs.msg import State
        from lifecycle_msgs.srv import GetState

        client = self.node.create_client(GetState, "query/get_state")
        try:
            if not client.wait_for_service(DISCOVERED_S):
                return  # a node of another name
            while (left := until - time.monotonic()) > 0.0:
                future = client.call_async(GetState.Request())
                loading = (State.TRANSITION_STATE_CONFIGURING, State.TRANSITION_STATE_ACTIVATING)
                if self.wait(future.done, left) and future.result().current_state.id not in loading:
                    return
                self.wait(lambda: False, min(LOOK_AGAIN_S, left))
        finally:
            self.node.destroy_client(client)

    def wait(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Spin until `condition` holds; False after `seconds`."""
        until = time.monotonic() + seconds
        while not condition():
            left = until - time.monotonic()
            if left <= 0.0:
                return False
            self._executor.spin_once(min(left, 0.1))
        return True

    def _not_there(self, service: str, seconds: float) -> str:
        domain = os.environ.get("ROS_DOMAIN_ID", "0")
        service = self.node.resolve_service_name(service)
        last = service.rpartition("/")[2]
        # Ours is among them: ROS lists also what is only asked for.
        found = [name for name, _ in self.node.get_service_names_and_types() if name.endswith(last) and name != service]
        elsewhere = f" Found instead: {', '.join(found)} (use --namespace)." if found else ""
        where = f"ROS_DOMAIN_ID {domain}, namespace {self.node.get_namespace()}"
        return (
            f"nobody offers {service} (waited {seconds:g} s, {where}).{elsewhere} "
            "Is the query node running? `ros2 run remembr_ros query`"
        )

    def close(self) -> None:
        self._executor.shutdown(0.5)
        self.node.destroy_node()


@contextmanager
def connected(namespace: str) -> Iterator[Client]:
    """A client for the length of the block. Raises ConfigurationError where ROS itself refuses to start."""
    try:
        rclpy.init(args=[])
        client = Client(namespace)
    except Exception as error:  # rcl's own: an impossible namespace, ROS_DOMAIN_ID or RMW_IMPLEMENTATION
        rclpy.try_shutdown()
        raise ConfigurationError(f"ROS refuses to start: {' '.join(str(error).split())}") from error
    try:
        yield client
    finally:
        client.close()
        rclpy.try_shutdown()
