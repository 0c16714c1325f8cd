"""A camera for the captioner's benchmark, a process of its own: serialized once, only the stamp is new in each picture.

`python -m bench._captioner_camera NAMESPACE[,NAMESPACE ...] WIDTH HEIGHT HZ START_S SECONDS` publishes `image` (rgb8,
BEST_EFFORT) from START_S (Unix time) on, and `amcl_pose` once a second while the robot creeps along x.
"""

from __future__ import annotations

import array
import os
import struct
import sys
import time

import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Image


def publish(namespaces: list[str], width: int, height: int, hz: float, start_s: float, seconds: float) -> None:
    rclpy.init()
    nodes = [Node("camera", namespace=namespace) for namespace in namespaces]
    images = [node.create_publisher(Image, "image", qos_profile_sensor_data) for node in nodes]
    poses = [node.create_publisher(PoseWithCovarianceStamped, "amcl_pose", 10) for node in nodes]
    message = Image(width=width, height=height, step=3 * width, encoding="rgb8")
    message.data = array.array("B", os.urandom(3 * width) * height)
    data = bytearray(serialize_message(message))
    for number in range(round(seconds * hz)):
        stamp_s = start_s + number / hz
        time.sleep(max(0.0, stamp_s - time.time()))
        sec, nanosec = int(stamp_s), int(stamp_s % 1.0 * 1e9)
        struct.pack_into("<iI", data, 4, sec, nanosec)
        picture = bytes(data)
        for publisher in images:
            publisher.publish(picture)
        if number % round(hz) == 0:
            pose = PoseWithCovarianceStamped()
            pose.header.frame_id, pose.header.stamp.sec, pose.header.stamp.nanosec = "map", sec, nanosec
            pose.pose.pose.position.x, pose.pose.pose.orientation.w = 0.1 * number / hz, 1.0
            for publisher in poses:
                publisher.publish(pose)
    time.sleep(1.0)  # what was published last is on its way
    for node in nodes:
        node.destroy_node()
    rclpy.try_shutdown()


if __name__ == "__main__":
    names, *numbers = sys.argv[1:]
    publish(names.split(","), int(numbers[0]), int(numbers[1]), *map(float, numbers[2:5]))
