"""The same run as a rosbag2 (mcap) that any ROS tool reads. In: seed, number of visits, start [ns]. Out: a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rclpy.serialization import serialize_message

from demo.camera import Camera
from demo.messages import amcl_message, image_message, map_message
from demo.route import plan_tour
from demo.simulation import IMAGE_EVERY, STEP_NS, Localizer, Robot, brightness
from demo.world import make_world, occupancy

LATCHED_TOPICS = ("map", "amcl_pose")


def write_bag(path: Path, seed: int, visits: int, start_ns: int) -> int:
    """Write topics image, amcl_pose and map; the number of messages. Raises FileExistsError: nothing is overwritten."""
    from rosbags.interfaces import Qos, QosDurability, QosHistory, QosLiveliness, QosReliability, QosTime
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    if path.exists():
        raise FileExistsError(f"--bag {path}: there is something already")
    world = make_world(seed)
    camera, robot, localizer = Camera(world), Robot(plan_tour(world, visits)), Localizer(seed)
    types = get_typestore(Stores.ROS2_JAZZY)
    no_limit = QosTime(9223372036, 854775807)

    def profile(topic: str) -> Qos:
        latched = topic in LATCHED_TOPICS
        return Qos(
            QosHistory.KEEP_LAST,
            1 if latched else 5,
            QosReliability.RELIABLE if latched else QosReliability.BEST_EFFORT,
            QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
            no_limit,
            no_limit,
            QosLiveliness.AUTOMATIC,
            no_limit,
            False,
        )

    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        names = {
            "map": "nav_msgs/msg/OccupancyGrid",
            "amcl_pose": "geometry_msgs/msg/PoseWithCovarianceStamped",
            "image": "sensor_msgs/msg/Image",
        }
        connections = {
            topic: writer.add_connection(f"/{topic}", name, typestore=types, offered_qos_profiles=[profile(topic)])
            for topic, name in names.items()
        }
        count = 0

        def write(topic: str, message: Any, stamp_ns: int) -> None:
            nonlocal count
            writer.write(connections[topic], stamp_ns, serialize_message(message))
            count += 1

        write("map", map_message(occupancy(world), start_ns), start_ns)
        robot.begin_tour()
        now_ns, step = start_ns, 0
        while True:
            estimate = localizer.update(robot.place)
            if estimate is not None:
                write("amcl_pose", amcl_message(estimate, now_ns), now_ns)
            if step % IMAGE_EVERY == 0:
                write("image", image_message(camera.render(robot.place, brightness(now_ns)), now_ns), now_ns)
            if not robot.touring:
                return count
            robot.step()
            now_ns, step = now_ns + STEP_NS, step + 1
