"""The simulated robot and Nav2's stand-in as processes over DDS: a goal is driven to, and an impossible one is
refused."""

import math
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from demo.world import make_world

pytestmark = pytest.mark.ros
ROOT = Path(__file__).parents[2]
SEED = 3


@pytest.fixture(scope="module")
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    commands = (["demo.player", "--seed", str(SEED), "--speed", "12"], ["demo.nav2"])
    started = [subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT) for command in commands]
    yield started
    for process in started:
        process.send_signal(signal.SIGINT)
    assert [process.wait(5.0) for process in started] == [0, 0]


def test_the_robot_drives_to_a_goal_and_not_into_a_wall(processes: list[subprocess.Popen[bytes]]) -> None:
    import rclpy
    from nav2_msgs.action import NavigateToPose
    from nav_msgs.msg import OccupancyGrid, Odometry
    from rclpy.action import ActionClient
    from rclpy.executors import SingleThreadedExecutor

    from demo.messages import quaternion
    from demo.player import LATCHED

    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("driver", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    seen: dict[str, Any] = {}
    node.create_subscription(OccupancyGrid, "map", lambda message: seen.update(map=message), LATCHED)
    node.create_subscription(Odometry, "ground_truth", lambda message: seen.update(truth=message), 10)
    client = ActionClient(node, NavigateToPose, "navigate_to_pose")

    def wait(condition: Callable[[], Any], what: str, timeout_s: float = 20.0) -> Any:
        until = time.monotonic() + timeout_s
        while not (value := condition()):
            assert time.monotonic() < until, f"waited {timeout_s:g} s for {what}"
            executor.spin_once(timeout_sec=0.05)
        return value

    def distance_m(spot: Any) -> float:
        place = seen["truth"].pose.pose.position
        return math.dist((place.x, place.y), (spot.x, spot.y))

    def drive(x: float, y: float, yaw: float) -> int:
        goal = NavigateToPose.Goal()
        goal.pose.header.frame_id = "map"
        goal.pose.pose.position.x, goal.pose.pose.position.y = x, y
        goal.pose.pose.orientation = quaternion(yaw)
        sent = client.send_goal_async(goal)
        wait(sent.done, "the goal to be accepted")
        assert sent.result().accepted
        result = sent.result().get_result_async()
        wait(result.done, "the end of the drive")
        return int(result.result().status)

    try:
        wait(lambda: "map" in seen and "truth" in seen, "map and odometry")
        wait(client.server_is_ready, "the action server")
        world = make_world(SEED)
        spot = min((room.spot for room in world.rooms), key=lambda one: abs(one.x - world.start.x))
        succeeded, aborted = 4, 6
        assert drive(spot.x, spot.y, spot.yaw) == succeeded
        wait(lambda: distance_m(spot) < 0.3, "odometry at the goal: what is heard last may be from on the way")
        assert drive(world.rooms[0].x0, 3.0, 0.0) == aborted
    finally:
        client.destroy()
        executor.shutdown()
        node.destroy_node()
        context.shutdown()
