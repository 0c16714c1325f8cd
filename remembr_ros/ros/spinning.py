"""An executor in a thread of its own that can be ended cleanly.

rclpy's `Executor.shutdown` does not wait for a spin in another thread: it destroys the guard condition that the spin is
about to wait on, and once in some hundred times the spin dies of it (`'NoneType' object has no attribute 'handle'`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import rclpy
from rclpy.executors import Executor, ExternalShutdownException, MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node


class Spinning:
    """Spins `executor` from construction on, until `stop` or until the executor's context is shut down.

    In the thread, `on_fault` gets what a callback raised and says whether to go on (without it, what was raised ends
    the thread), and `on_end` is called last.
    """

    def __init__(
        self,
        executor: Executor,
        on_fault: Callable[[Exception], bool] | None = None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._executor = executor
        self._on_fault, self._on_end = on_fault, on_end
        self._stopping = threading.Event()
        self.thread = threading.Thread(target=self._spin, name="remembr-spin", daemon=True)
        self.thread.start()

    def _spin(self) -> None:
        try:
            while not self._stopping.is_set():
                try:
                    self._executor.spin_once()
                except ExternalShutdownException:
                    return
                except Exception as error:
                    if self._on_fault is None:
                        raise
                    if not self._on_fault(error):
                        return
        finally:
            self._on_end()

    def stop(self, timeout_s: float = 2.0) -> bool:
        """End the spin between two callbacks, then shut the executor down. False: a callback did not return in time."""
        self._stopping.set()
        self._executor.create_task(lambda: None)  # something to do: after a mere wake it goes on waiting
        self.thread.join(timeout_s)
        self._executor.shutdown(timeout_sec=0.0)
        return not self.thread.is_alive()


def run_program(create: Callable[[], Node], args: Sequence[str], threads: int = 1) -> int:
    """A program that is one plain node until Ctrl-C or SIGTERM, rclpy included. Exit code 0."""
    rclpy.init(args=list(args))
    node = create()
    executor: Executor = SingleThreadedExecutor() if threads == 1 else MultiThreadedExecutor(threads)
    executor.add_node(node)
    try:
        executor.spin()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():  # else SIGTERM came between the spin's look at the context and its wait (RCLError)
            raise
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.try_shutdown()
    return 0
