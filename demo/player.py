"""The simulated robot as a ROS node: its camera, its localization, its map, and the clock.

Publishes `image` (sensor_msgs/Image, 5 Hz, best effort), `amcl_pose` (latched, only after motion), `map` (latched),
`/clock` and `ground_truth` (Odometry). Service `simulator/start` (Trigger) begins the tour and answers with the tour's
first instant [ns]; after the tour the robot obeys `cmd_vel`. All stamps are simulated time.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading
import time

import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image
from std_srvs.srv import Trigger

from demo.camera import Camera
from demo.messages import amcl_message, image_message, map_message, time_message, truth_message
from demo.route import plan_tour
from demo.simulation import IMAGE_EVERY, STEP_NS, WINDOW_NS, Localizer, Pace, Robot, brightness
from demo.world import make_world, occupancy
from remembr_interfaces.msg import Caption

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Player(Node):
    """Runs `run()` in the main thread; callbacks come from an executor in another."""

    def __init__(self, seed: int, visits: int, start_ns: int, speed: float) -> None:
        super().__init__("simulator")
        world = make_world(seed)
        self._camera = Camera(world)
        self._robot = Robot(plan_tour(world, visits))
        self._localizer = Localizer(seed)
        self._pace = Pace(start_ns)
        self._speed = speed
        self._tour_start_ns = 0
        self._steps = 0
        self._lock = threading.Lock()
        self._clock_publisher = self.create_publisher(Clock, "/clock", 10)
        self._image_publisher = self.create_publisher(Image, "image", qos_profile_sensor_data)
        self._pose_publisher = self.create_publisher(PoseWithCovarianceStamped, "amcl_pose", LATCHED)
        self._truth_publisher = self.create_publisher(Odometry, "ground_truth", 10)
        self._map_publisher = self.create_publisher(OccupancyGrid, "map", LATCHED)
        self._map_publisher.publish(map_message(occupancy(world), start_ns))
        self.create_subscription(Twist, "cmd_vel", self._on_velocity, 10)
        self.create_subscription(Caption, "caption", self._on_caption, 10)
        self.create_service(Trigger, "simulator/start", self._on_start)

    def run(self) -> None:
        """Until ROS shuts down."""
        last = time.monotonic()
        while rclpy.ok():
            time.sleep(0.005)
            now = time.monotonic()
            with self._lock:
                due = self._pace.steps(now - last, self._current_speed())
            last = now
            for _ in range(due):
                self._step()

    def _current_speed(self) -> float:
        """Fast while something happens, real time while the robot stands and is asked."""
        return self._speed if self._robot.touring or self._robot.velocity != (0.0, 0.0) else 1.0

    def _step(self) -> None:
        with self._lock:
            self._pace.now_ns += STEP_NS
            self._robot.step()
            now_ns, place = self._pace.now_ns, self._robot.place
        self._steps += 1
        self._clock_publisher.publish(Clock(clock=time_message(now_ns)))
        estimate = self._localizer.update(place)
        if estimate is not None:
            self._pose_publisher.publish(amcl_message(estimate, now_ns))
        self._truth_publisher.publish(truth_message(place, now_ns))
        if self._tour_start_ns and self._steps % IMAGE_EVERY == 0:
            self._image_publisher.publish(image_message(self._camera.render(place, brightness(now_ns)), now_ns))

    def _on_velocity(self, message: Twist) -> None:
        with self._lock:
            self._robot.velocity = (message.linear.x, message.angular.z)

    def _on_caption(self, message: Caption) -> None:
        with self._lock:
            self._pace.captioned(message.window_end.sec * 1_000_000_000 + message.window_end.nanosec)

    def _on_start(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        with self._lock:
            if not self._tour_start_ns:
                self._tour_start_ns = self._pace.now_ns
                self._robot.begin_tour()
                if self._speed > 1.0:
                    self._pace.wait_for_captions(self._pace.now_ns - self._pace.now_ns % WINDOW_NS)
        response.success, response.message = True, str(self._tour_start_ns)
        return response


def main(arguments: list[str] | None = None) -> int:
    """`python -m demo.player --seed 1`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--visits", type=int, default=5, help="rooms that the tour visits")
    parser.add_argument(
        "--start-ns", type=int, default=1_780_304_400_000_000_000, help="simulated time at the beginning"
    )
    parser.add_argument("--speed", type=float, default=10.0, help="simulated seconds per second, at most")
    options = parser.parse_args(arguments)
    rclpy.init(args=[])
    player = Player(options.seed, options.visits, options.start_ns, options.speed)
    executor = SingleThreadedExecutor()
    executor.add_node(player)
    thread = threading.Thread(target=_spin, args=(executor,), name="player_executor")
    thread.start()
    try:
        player.run()
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        executor.shutdown()
        thread.join(timeout=3.0)
        player.destroy_node()
        rclpy.try_shutdown()
    return 0


def _spin(executor: SingleThreadedExecutor) -> None:
    with contextlib.suppress(ExternalShutdownException):
        executor.spin()


if __name__ == "__main__":
    sys.exit(main())
