"""Work off the executor: coroutines on one asyncio loop, blocking calls on a few threads, results back to rclpy.

A node's callback awaits `worker.run(coroutine)` or `worker.call(function, ...)`. The future is completed by a task of
the node's executor: completed from another thread it would be noticed only when something else wakes the executor.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.task import Future

from remembr_ros.errors import RemembrError


class Job:
    """Work under way: `await job` in a callback (raises what the work raised), `cancel()` from anywhere."""

    def __init__(self, work: concurrent.futures.Future[Any], future: Future) -> None:
        """Use `of`."""
        self._work = work
        self._future = future

    @classmethod
    def of(
        cls, work: concurrent.futures.Future[Any], executor: Executor, wanted: Callable[[], bool] = lambda: True
    ) -> Job:
        """`work` of any thread, awaitable in callbacks that `executor` runs. Nobody is told once `wanted` says
        False."""
        future = Future(executor=executor)

        def complete(done: concurrent.futures.Future[Any]) -> None:
            try:
                error = done.exception()
            except concurrent.futures.CancelledError as cancelled:
                error = cancelled
            if not wanted():
                return
            if error is None:
                executor.create_task(future.set_result, done.result())
            else:
                executor.create_task(future.set_exception, error)

        work.add_done_callback(complete)
        return cls(work, future)

    def __await__(self) -> Any:
        return self._future.__await__()

    def cancel(self) -> None:
        """The awaiting callback gets concurrent.futures.CancelledError."""
        self._work.cancel()


class Worker:
    """One asyncio loop in a thread and `threads` threads for calls that block."""

    def __init__(self, node: Node, threads: int = 4) -> None:
        self._node = node
        self._closed = False
        self._pool = concurrent.futures.ThreadPoolExecutor(threads, thread_name_prefix="remembr-call")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="remembr-asyncio", daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Job:
        """Start `coroutine` on the loop."""
        return self._job(asyncio.run_coroutine_threadsafe(coroutine, self._loop))

    def run_unwatched(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """Start `coroutine`; nobody waits for it. (rclpy complains of a `Job` that fails and that nobody awaits.)"""
        asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def call(self, function: Callable[..., Any], *args: Any) -> Job:
        """Start `function(*args)` on one of the threads."""
        return self._job(self._pool.submit(function, *args))

    def _job(self, work: concurrent.futures.Future[Any]) -> Job:
        executor = self._node.executor
        if executor is None:
            raise RemembrError("the worker needs a node that spins")
        # Once closed, the executor may be gone, and nobody waits any more.
        return Job.of(work, executor, wanted=lambda: not self._closed)

    def close(self, timeout_s: float = 2.0) -> bool:
        """Cancel what is under way and end the threads; call it while the executor still spins, so that those who wait
        hear of it. False: something did not end in time. Idempotent."""
        if self._closed:
            return not self._thread.is_alive()

        def stop() -> None:
            for task in asyncio.all_tasks(self._loop):
                task.cancel()
            # One more turn of the loop, so that the cancelled coroutines run their clean-up.
            self._loop.call_later(0.05, self._loop.stop)

        self._loop.call_soon_threadsafe(stop)
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._thread.join(timeout_s)
        self._closed = True
        if self._thread.is_alive():
            return False
        self._loop.close()
        return True
