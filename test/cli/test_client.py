"""The command line waits for a query node that still loads, and not for one that is inactive."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator

import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("remembr_interfaces", reason="remembr_interfaces not importable: . scripts/environment.sh")

from lifecycle_msgs.msg import State  # noqa: E402
from lifecycle_msgs.srv import GetState  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.node import Node  # noqa: E402

from remembr_interfaces.srv import Search  # noqa: E402
from remembr_ros.cli.client import Client  # noqa: E402
from remembr_ros.ros.spinning import Spinning  # noqa: E402

pytestmark = pytest.mark.ros


class PlayedQueryNode(Node):
    """Tells the states it is given, one a question, the last one for ever; notes what came when."""

    def __init__(self, namespace: str, states: list[int]) -> None:
        super().__init__("query", namespace=namespace)
        self.states, self.told = states, []
        self.searched = threading.Event()
        self.create_service(GetState, "query/get_state", self._tell)
        self.create_service(Search, "remembr/search", self._search)

    def _tell(self, request, response):
        response.current_state.id = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        self.told.append(response.current_state.id)
        return response

    def _search(self, request, response):
        self.searched.set()
        return response


@pytest.fixture
def play() -> Iterator:
    rclpy.init(args=[])
    started = []

    def start(*states: int) -> tuple[Client, PlayedQueryNode]:
        namespace = f"/t{uuid.uuid4().hex[:8]}"
        node, executor = PlayedQueryNode(namespace, list(states)), SingleThreadedExecutor()
        executor.add_node(node)
        started.append((Client(namespace), node, Spinning(executor)))
        return started[-1][0], node

    yield start
    for client, node, spinning in started:
        client.close()
        spinning.stop()
        node.destroy_node()
    rclpy.try_shutdown()


def search(client: Client, seconds: float) -> float:
    began = time.monotonic()
    client.call(Search, "remembr/search", Search.Request(), find_s=seconds, answer_s=10.0, loaded=True)
    return time.monotonic() - began


def test_a_node_that_loads_is_waited_for(play) -> None:
    loading = State.TRANSITION_STATE_ACTIVATING
    client, node = play(loading, loading, loading, State.PRIMARY_STATE_ACTIVE)
    search(client, 30.0)
    assert node.searched.is_set() and node.told == [loading] * 3 + [State.PRIMARY_STATE_ACTIVE]


def test_one_that_never_ends_loading_is_asked_in_the_end(play) -> None:
    client, node = play(State.TRANSITION_STATE_ACTIVATING)
    assert search(client, 3.0) < 10.0
    assert node.searched.is_set()


def test_one_that_is_inactive_says_so_at_once(play) -> None:
    client, node = play(State.PRIMARY_STATE_INACTIVE)
    search(client, 30.0)
    assert node.told == [State.PRIMARY_STATE_INACTIVE]
