"""The managed node: transitions, autostart, retries, run-time faults and the end of the process."""

from __future__ import annotations

import signal
import sys
import threading
import time

import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from lifecycle_msgs.msg import State, Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState, GetState  # noqa: E402
from processes import Process, wait_until  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402

from remembr_ros.errors import ConfigurationError, MemoryUnavailable, ModelMismatch  # noqa: E402
from remembr_ros.ros import lifecycle  # noqa: E402
from remembr_ros.ros.lifecycle import ManagedNode  # noqa: E402
from remembr_ros.ros.parameters import Parameter  # noqa: E402
from remembr_ros.ros.spinning import Spinning  # noqa: E402

pytestmark = pytest.mark.ros


class Probe(ManagedNode):
    """Counts its loads; the first ones raise what they are told to."""

    def __init__(self, context, errors=(), autostart=True, namespace=""):
        self.errors, self.loads, self.releases, self.go_on = list(errors), 0, 0, threading.Event()
        self.go_on.set()
        super().__init__(
            "probe",
            (Parameter("autostart", autostart, "Start."),),
            context=context,
            namespace=namespace or f"/p{id(self)}",
        )

    def load(self):
        self.loads += 1
        assert self.go_on.wait(10.0)
        if self.errors:
            raise self.errors.pop(0)

    def release(self):
        self.releases += 1


@pytest.fixture
def spinning():
    context = rclpy.Context()
    rclpy.init(context=context)
    executor = SingleThreadedExecutor(context=context)
    nodes, threads = [], []

    def make(*arguments, **options):
        nodes.append(Probe(context, *arguments, **options))
        executor.add_node(nodes[-1])
        if not threads:
            threads.append(Spinning(executor))
        return nodes[-1]

    yield make
    assert all(thread.stop() for thread in threads)
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown(context=context)


def call(node, service, name, request):
    client = node.create_client(service, f"probe/{name}")
    assert client.wait_for_service(5.0)
    future = client.call_async(request)
    wait_until(future.done, name)
    return future.result()


def change(node, transition) -> bool:
    return call(node, ChangeState, "change_state", ChangeState.Request(transition=Transition(id=transition))).success


def state(node) -> int:
    return call(node, GetState, "get_state", GetState.Request()).current_state.id


def test_it_starts_by_itself_and_goes_through_all_transitions(spinning):
    node = spinning()
    wait_until(lambda: node.active, "activation")
    assert change(node, Transition.TRANSITION_DEACTIVATE) and not node.active and node.releases == 1
    assert change(node, Transition.TRANSITION_ACTIVATE) and node.active and node.loads == 2
    assert change(node, Transition.TRANSITION_DEACTIVATE) and change(node, Transition.TRANSITION_CLEANUP)
    assert state(node) == State.PRIMARY_STATE_UNCONFIGURED
    assert change(node, Transition.TRANSITION_CONFIGURE) and change(node, Transition.TRANSITION_ACTIVATE)


def test_a_second_node_of_the_same_name_says_so(spinning, monkeypatch, capfd):
    monkeypatch.setattr(lifecycle, "DISCOVERY_S", 0.5)
    first = spinning()
    time.sleep(0.6)
    assert "another node" not in capfd.readouterr().err
    spinning(namespace=first.get_namespace())
    said = []
    wait_until(lambda: said.append(capfd.readouterr().err) or "another node" in "".join(said), "the warning")
    assert first.get_fully_qualified_name() in "".join(said)


def test_without_autostart_it_waits(spinning):
    node = spinning(autostart=False)
    assert state(node) == State.PRIMARY_STATE_UNCONFIGURED and node.loads == 0
    assert node.problem


def test_an_impossible_transition_is_refused_and_harmless(spinning):
    node = spinning()
    wait_until(lambda: node.active, "activation")
    assert not change(node, Transition.TRANSITION_ACTIVATE)
    assert not change(node, Transition.TRANSITION_CONFIGURE)
    assert not change(node, 250)
    assert node.active


def test_it_answers_while_it_loads(spinning):
    node = spinning(autostart=False)
    node.go_on.clear()
    assert change(node, Transition.TRANSITION_CONFIGURE)
    client = node.create_client(ChangeState, "probe/change_state")
    activating = client.call_async(ChangeState.Request(transition=Transition(id=Transition.TRANSITION_ACTIVATE)))
    wait_until(lambda: node.loads == 1, "loading")
    ticks = []
    node.create_timer(0.02, lambda: ticks.append(1))
    wait_until(lambda: len(ticks) >= 3, "other callbacks while it loads")
    assert node.problem == "loading" and not activating.done()
    node.go_on.set()
    wait_until(activating.done, "activation")
    assert activating.result().success


@pytest.mark.parametrize(
    "error", [ConfigurationError("llm.model: no"), ModelMismatch("other model"), ValueError("bug")]
)
def test_what_waiting_cannot_cure_leaves_it_inactive(spinning, error):
    node = spinning([error])
    wait_until(lambda: str(error) in node.problem, "the failure")
    wait_until(lambda: state(node) == State.PRIMARY_STATE_INACTIVE, "the inactive state")
    assert node.loads == 1 and node.releases == 1
    assert change(node, Transition.TRANSITION_ACTIVATE), "by hand it can be tried again"
    assert node.active and node.problem == ""


def test_a_memory_that_is_away_is_tried_again(spinning, monkeypatch):
    monkeypatch.setattr(lifecycle, "RETRY_S", 0.05)
    node = spinning([MemoryUnavailable("no Milvus")] * 3)
    wait_until(lambda: node.active, "activation")
    assert node.loads == 4


PROGRAM = """
import sys, time
from remembr_ros.ros.lifecycle import ManagedNode, run
from remembr_ros.ros.parameters import Parameter
class Node(ManagedNode):
    def __init__(self):
        super().__init__("node", (Parameter("autostart", True, "Start."),))
        {init}
    def load(self):
        {load}
    def fault(self):
        raise ValueError("a bug in a callback")
sys.exit(run("node", Node))
"""


def program(tmp_path, init="pass", load="pass") -> Process:
    return Process([sys.executable, "-c", PROGRAM.format(init=init, load=load)], tmp_path / "node.log")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_at_once_even_while_loading(tmp_path, number):
    node = program(tmp_path, load="self.get_logger().info('loading'); time.sleep(60)")
    node.wait_for("loading")
    began = time.monotonic()
    node.stop(number)
    assert time.monotonic() - began < 5.0


def test_a_bug_in_a_callback_is_logged_and_survived(tmp_path):
    node = program(tmp_path, init="self.create_timer(0.2, self.fault, clock=self.steady_clock)")
    node.wait_for("a bug in a callback")
    node.wait_for("(2 of at most")
    node.process.send_signal(signal.SIGINT)
    assert node.exit_code() == 0


def test_a_node_that_only_fails_ends_with_1(tmp_path):
    node = program(tmp_path, init="self.create_timer(0.005, self.fault, clock=self.steady_clock)")
    assert node.exit_code() == 1


def test_a_parameter_file_that_cannot_be_read_is_one_line(tmp_path):
    file = tmp_path / "broken.yaml"
    file.write_text("/**:\n  ros__parameters:\n    autostart: [1, 'two']\n")
    command = [sys.executable, "-c", PROGRAM.format(init="pass", load="pass"), "--ros-args", "--params-file", str(file)]
    node = Process(command, tmp_path / "node.log")
    assert node.exit_code() == 1
    assert "Traceback" not in node.log and "FATAL" in node.log, node.log
