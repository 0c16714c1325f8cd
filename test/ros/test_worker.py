"""Results come back to an awaiting callback at once, errors and cancellation too."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from concurrent.futures import CancelledError

import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from processes import wait_until  # noqa: E402
from rclpy.executors import MultiThreadedExecutor  # noqa: E402

from remembr_ros.ros.spinning import Spinning  # noqa: E402
from remembr_ros.ros.worker import Worker  # noqa: E402

pytestmark = pytest.mark.ros


@pytest.fixture
def work():
    """`work(start)` awaits the job that `start(worker)` begins in a task of the executor; its result is what the job
    gave or raised."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("worker_probe", context=context)
    executor = MultiThreadedExecutor(2, context=context)
    executor.add_node(node)
    spinning = Spinning(executor)
    worker = Worker(node)

    def begin(start):
        async def task():
            try:
                return await start(worker)
            except Exception as error:  # left in the task it would end the executor
                return error

        return executor.create_task(task)

    begin.worker = worker
    yield begin
    assert worker.close()
    assert spinning.stop()
    node.destroy_node()
    rclpy.try_shutdown(context=context)


async def after(seconds, value):
    await asyncio.sleep(seconds)
    return value


def test_a_result_wakes_the_executor(work):
    """Completed from another thread it would be noticed seconds later."""
    began = time.monotonic()
    task = work(lambda worker: worker.run(after(0.2, "done")))
    wait_until(task.done, "the result")
    assert task.result() == "done" and time.monotonic() - began < 1.0
    blocking = work(lambda worker: worker.call(lambda number: number + 1, 41))
    wait_until(blocking.done, "the call")
    assert blocking.result() == 42


def test_an_error_reaches_the_one_who_waits(work):
    task = work(lambda worker: worker.call(int, "no number"))
    wait_until(task.done, "the error")
    assert isinstance(task.result(), ValueError)


def test_a_canceled_job_ends_the_wait(work):
    jobs = []

    def start(worker):
        jobs.append(worker.run(after(60.0, "late")))
        return jobs[0]

    task = work(start)
    wait_until(lambda: jobs, "the start")
    jobs[0].cancel()
    wait_until(task.done, "the cancellation")
    assert isinstance(task.result(), CancelledError)


def test_close_ends_what_is_under_way(work):
    work(lambda worker: worker.run(after(60.0, "late")))
    began = time.monotonic()
    assert work.worker.close()
    assert time.monotonic() - began < 2.0


def test_unwatched_work_that_is_cancelled_says_nothing(work, capfd):
    begun = threading.Event()

    async def close():
        begun.set()
        await asyncio.sleep(60.0)

    work.worker.run_unwatched(close())
    assert begun.wait(5.0)
    assert work.worker.close()
    time.sleep(0.2)
    gc.collect()
    assert "never retrieved" not in capfd.readouterr().err
