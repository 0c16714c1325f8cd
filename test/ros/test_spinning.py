"""An executor that is spun in a thread ends between two callbacks, whatever it is about to wait for."""

from __future__ import annotations

import threading
import time

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from processes import wait_until  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402

from remembr_ros.ros.spinning import Spinning  # noqa: E402


class Slow(SingleThreadedExecutor):
    """Takes its time over collecting what to wait for: there rclpy's own shutdown pulls the guard condition away."""

    collecting = threading.Event()

    def get_nodes(self):
        self.collecting.set()
        time.sleep(0.02)
        return super().get_nodes()


@pytest.fixture
def context():
    context = Context()
    rclpy.init(context=context)
    yield context
    rclpy.try_shutdown(context=context)


def test_it_ends_cleanly_while_the_executor_collects_what_to_wait_for(context):
    faults = []
    executor = Slow(context=context)
    node = rclpy.create_node("spun", context=context)
    executor.add_node(node)
    node.create_timer(0.001, lambda: None)
    executor.collecting.clear()
    spinning = Spinning(executor, lambda fault: bool(faults.append(fault)))
    assert executor.collecting.wait(5.0)
    assert spinning.stop()
    assert faults == []
    node.destroy_node()


def test_a_fault_may_be_survived_or_end_it_and_the_end_is_told(context):
    executor, ended, faults = SingleThreadedExecutor(context=context), threading.Event(), []

    def fail():
        raise RuntimeError("no")

    def on_fault(error):
        faults.append(error)
        return len(faults) < 3

    spinning = Spinning(executor, on_fault, ended.set)
    for count in (1, 2, 3):
        executor.create_task(fail)
        wait_until(lambda count=count: len(faults) == count, "the fault")
    assert ended.wait(5.0) and spinning.stop()


def test_a_callback_that_does_not_return_is_not_waited_for(context):
    executor, go_on = SingleThreadedExecutor(context=context), threading.Event()
    started = threading.Event()
    spinning = Spinning(executor)
    executor.create_task(lambda: (started.set(), go_on.wait(10.0)))
    assert started.wait(5.0)
    assert not spinning.stop(0.1)
    go_on.set()
    spinning.thread.join(5.0)
    assert not spinning.thread.is_alive()


def test_the_end_of_the_context_ends_it(context):
    ended = threading.Event()
    spinning = Spinning(SingleThreadedExecutor(context=context), on_end=ended.set)
    rclpy.shutdown(context=context)
    assert ended.wait(5.0) and spinning.stop()
