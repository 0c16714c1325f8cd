"""A managed node that starts itself, survives what it cannot open, and stops within five seconds.

Heavy things are made in `load()` on activation and freed in `release()`. Transitions run one after the other in a
thread of their own, so a node that loads a model still answers (that it is not active yet). A `load()` that raises
leaves the node inactive with `problem` set; where Milvus is what is missing, autostart tries again.

The executor has one thread: rclpy's MultiThreadedExecutor took 21 of 150 pictures a second at 100 % of a core when
/clock came at the same rate (its two threads wait for each other), a SingleThreadedExecutor all of them at 20 %.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import rclpy
from lifecycle_msgs.msg import State
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNodeMixin, LifecycleState, TransitionCallbackReturn
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from remembr_ros.errors import MemoryUnavailable, ModelMismatch, RemembrError
from remembr_ros.ros import parameter_tables
from remembr_ros.ros.node_help import help_text
from remembr_ros.ros.parameters import Parameter, declare, unknown_overrides
from remembr_ros.ros.spinning import Spinning
from remembr_ros.ros.worker import Job

RETRY_S = 10.0
STOP_WITHIN_S = 4.0
DISCOVERY_S = 2.0
"""By then the nodes that run already have been discovered."""
NO_CLOCK = "use_sim_time is true, and nobody publishes /clock: there is no time yet"
MOST_FAULTS = 100
"""Callbacks that may fail before the node gives up, for launch to start it anew."""


class ManagedNode(LifecycleNodeMixin, Node):
    """Base of the nodes. Raises ConfigurationError at construction when a parameter is wrong."""

    def __init__(self, name: str, table: Sequence[Parameter], **node_options: Any) -> None:
        Node.__init__(self, name, **node_options)
        self.problem = "not activated yet"
        self.problem_error: Exception | None = None
        self.stop_requested = threading.Event()
        # A clock that runs also while /clock is paused or absent: for watching, never for stamps.
        self.steady_clock = Clock(clock_type=ClockType.STEADY_TIME)
        self._transitions = ThreadPoolExecutor(1, thread_name_prefix="remembr-transition")
        # Reentrant: the state may be asked for while a transition is under way.
        LifecycleNodeMixin.__init__(self, callback_group=ReentrantCallbackGroup())
        self._run_transitions_in_their_thread()
        self.parameters = declare(self, table, self.parameter_changed)
        for warning in unknown_overrides(getattr(self, "_parameter_overrides", {}), parameter_tables.names()):
            self.get_logger().warning(warning)
        self._start_at_s: float | None = time.monotonic() if self.parameters["autostart"] else None
        self.create_timer(0.1, self._autostart_when_due, clock=self.steady_clock)
        self._surroundings_timer = self.create_timer(DISCOVERY_S, self._look_around, clock=self.steady_clock)

    def load(self) -> None:
        """Make everything heavy. Runs beside the other callbacks. Raises RemembrError."""

    def release(self) -> None:
        """Free what `load()` made, also after a `load()` that failed half way. Returns within 2 s."""

    def close(self) -> None:
        """The process ends: release, and end the node's own threads. The executor still spins. Returns within 3 s."""
        self.release()

    def parameter_changed(self, name: str) -> None:
        """A parameter that may change at run time was set."""

    @property
    def active(self) -> bool:
        return bool(self._state_machine.current_state[0] == State.PRIMARY_STATE_ACTIVE)

    def now_ns(self) -> int:
        """ROS time now [ns since the epoch]."""
        return int(self.get_clock().now().nanoseconds)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        if self.problem_error is None:  # else the reason of the last failure is worth more
            self.problem = "loading"
        try:
            self.load()
        except RemembrError as error:
            return self._stay_inactive(error, str(error))
        except Exception as error:  # a fault in a third-party model or library must not end the node
            if self.stop_requested.is_set():  # what was being loaded was released meanwhile: no fault
                return TransitionCallbackReturn.FAILURE
            self.get_logger().error(_traceback())
            return self._stay_inactive(error, f"unexpected {type(error).__name__}: {error}")
        self.problem, self.problem_error = "", None
        self.get_logger().info("active")
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        result = super().on_deactivate(state)
        self.release()
        self.problem = "deactivated"
        return result

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.release()
        self.stop_requested.set()
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.release()
        return TransitionCallbackReturn.SUCCESS

    def _look_around(self) -> None:
        """Once: what is wrong around this node, about which ROS says nothing."""
        self._surroundings_timer.cancel()
        name = self.get_fully_qualified_name()
        # Of two nodes that offer the same services, one or the other answers.
        if self.get_node_names_and_namespaces().count((self.get_name(), self.get_namespace())) > 1:
            self.get_logger().warning(
                f"another node called {name} is running: stop one, or give one a namespace (-r __ns:=/NAME)"
            )
        if self.now_ns() == 0:
            self.get_logger().warning(NO_CLOCK)

    def _stay_inactive(self, error: Exception, text: str) -> TransitionCallbackReturn:
        again = isinstance(error, MemoryUnavailable) and not isinstance(error, ModelMismatch)
        again = again and self.parameters["autostart"] and not self.stop_requested.is_set()
        if text != self.problem:
            then = f"trying again every {RETRY_S:g} s" if again else "the node stays inactive"
            self.get_logger().error(f"cannot activate: {text} ({then})")
        self.problem, self.problem_error = text, error
        self.release()
        if again:
            self._start_at_s = time.monotonic() + RETRY_S
        return TransitionCallbackReturn.FAILURE

    def _autostart_when_due(self) -> None:
        if self._start_at_s is not None and time.monotonic() >= self._start_at_s:
            self._start_at_s = None
            self._transitions.submit(self._autostart)

    def _autostart(self) -> None:
        if self._state_machine.current_state[0] == State.PRIMARY_STATE_UNCONFIGURED:
            self.trigger_configure()
        inactive = self._state_machine.current_state[0] == State.PRIMARY_STATE_INACTIVE
        if inactive and not self.stop_requested.is_set():
            self.trigger_activate()

    def _run_transitions_in_their_thread(self) -> None:
        change_state = self._service_change_state.callback

        def change(request: Any, response: Any) -> Any:
            # rclpy raises, which would end the node, when a transition does not fit the state.
            possible = {transition[0] for transition in self._state_machine.available_transitions}
            labels = {transition[1] for transition in self._state_machine.available_transitions}
            if request.transition.id not in possible and request.transition.label not in labels:
                self.get_logger().error(f"no such transition from state {self._state_machine.current_state[1]}")
                response.success = False
                return response
            return change_state(request, response)

        async def on_change_state(request: Any, response: Any) -> Any:
            return await Job.of(self._transitions.submit(change, request, response), self.executor)

        self._service_change_state.callback = on_change_state

    def destroy_node(self) -> None:
        self._transitions.shutdown(wait=False, cancel_futures=True)
        super().destroy_node()
        # rclpy leaves it, and with it the node alive: its shared memory (64 MB with config/fastdds.xml) stayed behind.
        self._state_machine.destroy_when_not_in_use()


def _traceback() -> str:
    import traceback

    return traceback.format_exc()


def run(name: str, create: Callable[[], ManagedNode], args: Sequence[str] | None = None) -> int:
    """Spin the node until SIGINT, SIGTERM or a shutdown transition; the process's exit code.

    1: a parameter was wrong, or callbacks kept failing. Everything else ends with 0, within 5 s, however often the
    signal comes. With --help it only says what the node is.
    """
    if {"-h", "--help"} & set(sys.argv[1:] if args is None else args):
        sys.stdout.write(help_text(name, sys.modules[create.__module__].__doc__ or ""))
        return 0
    faulthandler.enable()
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    logger = rclpy.logging.get_logger(name)
    try:
        # Our own handlers: rclpy's would end the context before the node can say good-bye.
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        node = create()
    except Exception as error:
        wrong = isinstance(error, RemembrError) or "rcl" in type(error).__name__.lower()
        logger.fatal(str(error).replace("\n", " ") if wrong else _traceback())
        rclpy.try_shutdown()
        return 1
    node.stop_requested = stop
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    faults: list[Exception] = []

    def on_fault(error: Exception) -> bool:  # raised by one callback: that message is lost, the node is not
        faults.append(error)
        logger.error(f"a callback failed ({len(faults)} of at most {MOST_FAULTS}): {_traceback()}")
        return len(faults) < MOST_FAULTS

    spinning = Spinning(executor, on_fault, on_end=stop.set)
    stop.wait()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Under launch Ctrl-C comes twice; the interpreter restores the default, which kills, while it ends.
        signal.signal(number, signal.SIG_IGN)
    code = 1 if len(faults) >= MOST_FAULTS else 0
    # A model that is still loading, or a server that does not answer, must not keep the process alive.
    _exit_after(STOP_WITHIN_S, code)
    node.close()
    spinning.stop(2.0)
    node.destroy_node()
    rclpy.try_shutdown()
    _exit_if_threads_are_left(code)
    return code


def _exit_after(seconds: float, code: int) -> None:
    timer = threading.Timer(seconds, _exit_now, args=(code,))
    timer.daemon = True
    timer.start()


def _exit_if_threads_are_left(code: int) -> None:
    """A thread inside a C++ library aborts the interpreter's exit, and a pool's thread delays it: leave without it."""
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not isinstance(thread, threading.Timer):
            _exit_now(code)


def _exit_now(code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
