"""The demo's own ROS node: it waits, asks and watches through the same topics and services as anyone else."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from demo.messages import grid_of, yaw_of
from demo.world import Grid, Place
from remembr_interfaces.msg import Caption, NavigationStatus
from remembr_interfaces.srv import Ask, Confirm, Forget, Search

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
CAPTIONS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
FINAL_STATES = {
    getattr(NavigationStatus, name): name.lower()
    for name in ("SUCCEEDED", "ABORTED", "CANCELED", "REJECTED", "REFUSED", "EXPIRED", "UNAVAILABLE")
}


class DemoFailed(Exception):
    """The demo cannot go on; the message says what was waited for."""


class Asker:
    """Single-threaded: everything is handled while it waits. `watch` is called while waiting and may raise."""

    def __init__(self, watch: Callable[[], None]) -> None:
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)  # Ctrl-C is the demo's, to clean up
        self._watch = watch
        self.node = Node("demo")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self.grid: Grid | None = None
        self.place: Place | None = None
        self.path: list[tuple[float, float]] = []
        self.captions: list[Caption] = []
        self.navigation: NavigationStatus | None = None
        self.diagnostics: dict[str, dict[str, str]] = {}
        self._told_ns: dict[str, int] = {}
        self._clients: dict[str, Any] = {}
        node = self.node
        node.create_subscription(OccupancyGrid, "map", self._on_map, LATCHED)
        node.create_subscription(Odometry, "ground_truth", self._on_truth, 10)
        node.create_subscription(Caption, "caption", self.captions.append, CAPTIONS)
        node.create_subscription(NavigationStatus, "remembr/navigation", self._on_navigation, LATCHED)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, 10)

    def close(self) -> None:
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown()

    def forget_tour(self) -> None:
        """Before a new building."""
        self.grid = self.place = self.navigation = None
        self.path, self.captions[:] = [], []

    def wait(self, condition: Callable[[], Any], what: str, timeout_s: float) -> Any:
        """The first true value of `condition`. Raises DemoFailed naming `what`."""
        until = time.monotonic() + timeout_s
        checked = 0.0
        while True:
            value = condition()
            if value:
                return value
            now = time.monotonic()
            if now > until:
                raise DemoFailed(f"waited {timeout_s:.0f} s for {what}")
            if now - checked > 0.5:
                checked = now
                self._watch()
            self._executor.spin_once(timeout_sec=0.05)

    def call(self, service: Any, name: str, request: Any, timeout_s: float = 30.0) -> Any:
        """The response. Raises DemoFailed."""
        client = self._clients.get(name) or self._clients.setdefault(name, self.node.create_client(service, name))
        self.wait(client.service_is_ready, f"the service {name}", timeout_s)
        future = client.call_async(request)
        self.wait(future.done, f"an answer of the service {name}", timeout_s)
        return future.result()

    def ask(self, question: str, timeout_s: float = 90.0) -> Any:
        """remembr_interfaces/msg/Answer."""
        return self.call(Ask, "remembr/ask", Ask.Request(question=question, conversation="demo"), timeout_s).answer

    def start_tour(self) -> int:
        """The tour's first instant [ns]."""
        return int(self.call(Trigger, "simulator/start", Trigger.Request()).message)

    def memories(self) -> list[Any]:
        """Up to 1000 memories of the robot, earliest first (msg/Memory)."""
        response = self.call(Search, "remembr/search", Search.Request(order=Search.Request.FIRST, limit=1000))
        return list(response.memories)

    def forget(self, before: Any) -> int:
        """Delete every memory that starts before then; how many there were."""
        response = self.call(Forget, "remembr/forget", Forget.Request(before=before))
        if response.error_code:
            raise DemoFailed(f"the service remembr/forget: {response.error_msg}")
        return int(response.count)

    def drive(self, proposal_id: str, timeout_s: float = 120.0) -> str:
        """Confirm the proposal and follow it to its end; what became of it, in words."""
        response = self.call(Confirm, "remembr/confirm", Confirm.Request(proposal_id=proposal_id, accept=True))
        if not response.success:
            return f"not confirmed: {response.error_msg}"

        def ended() -> NavigationStatus | None:
            status = self.navigation
            return status if status and status.proposal_id == proposal_id and status.state in FINAL_STATES else None

        status = self.wait(ended, "the end of the drive", timeout_s)
        return FINAL_STATES[status.state] + (f": {status.error_msg}" if status.error_msg else "")

    def diagnostic(self, node: str, key: str) -> str:
        """The last value that a node published under a key of /diagnostics; empty before the first."""
        return next((v.get(key, "") for name, v in self.diagnostics.items() if name.endswith(node)), "")

    def told_at(self, node: str) -> int:
        """When a node last published /diagnostics, in simulated time [ns]; 0 before."""
        return next((stamp for name, stamp in self._told_ns.items() if name.endswith(node)), 0)

    def all_stored(self, since_ns: int) -> bool:
        """Whether the captioner, asked at `since_ns` or later, had no window in work or on its way to Milvus."""
        count = {key: int(self.diagnostic("captioner", f"windows {key}") or 0)
                 for key in ("windows", "skipped", "captioned", "refused", "failed", "outbox")}  # fmt: skip
        done = count["skipped"] + count["captioned"] + count["refused"] + count["failed"]
        return self.told_at("captioner") >= since_ns and count["outbox"] == 0 and count["windows"] == done

    def _on_map(self, message: OccupancyGrid) -> None:
        self.grid = grid_of(message)

    def _on_truth(self, message: Odometry) -> None:
        pose = message.pose.pose
        self.place = Place(pose.position.x, pose.position.y, yaw_of(pose.orientation))
        if not self.path or (abs(self.place.x - self.path[-1][0]) + abs(self.place.y - self.path[-1][1])) > 0.05:
            self.path.append((self.place.x, self.place.y))

    def _on_navigation(self, message: NavigationStatus) -> None:
        self.navigation = message

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            self.diagnostics[status.name] = {pair.key: pair.value for pair in status.values} | {
                "message": status.message
            }
            self._told_ns[status.name] = message.header.stamp.sec * 1_000_000_000 + message.header.stamp.nanosec
