"""The shipped Fast DDS profile carries a Nova Carter's images between two processes; the defaults lose most of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROFILE = Path(__file__).resolve().parent.parent / "config" / "fastdds.xml"
COUNT = 20
CAMERA = f"""
import time, rclpy
from array import array
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

rclpy.init()
node = rclpy.create_node("camera")
publisher = node.create_publisher(Image, "image", qos_profile_sensor_data)
deadline = time.monotonic() + 20
while not publisher.get_subscription_count() and time.monotonic() < deadline:
    time.sleep(0.02)
image = Image(height=1200, width=1920, step=3 * 1920, encoding="rgb8", data=array("B", bytes(3 * 1920 * 1200)))
for _ in range({COUNT}):
    publisher.publish(image)
    time.sleep(0.1)
input()  # keep the last images until they were taken
node.destroy_node()
rclpy.try_shutdown()
"""
VIEWER = f"""
import time, rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import Image

rclpy.init()
node = rclpy.create_node("viewer")
sizes = []
node.create_subscription(Image, "image", lambda raw: sizes.append(len(raw)), qos_profile_sensor_data, raw=True)
executor = SingleThreadedExecutor()
executor.add_node(node)
deadline = time.monotonic() + 15
while len(sizes) < {COUNT} and time.monotonic() < deadline:
    executor.spin_once(timeout_sec=0.2)
print(len(sizes))
executor.shutdown()
node.destroy_node()
rclpy.try_shutdown()
"""


@pytest.mark.ros
def test_large_best_effort_images_arrive_in_another_process() -> None:
    environment = os.environ | {"FASTRTPS_DEFAULT_PROFILES_FILE": str(PROFILE)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    camera = subprocess.Popen([sys.executable, "-c", CAMERA], **pipes)  # type: ignore[call-overload]
    viewer = subprocess.Popen([sys.executable, "-c", VIEWER], **pipes)  # type: ignore[call-overload]
    try:
        arrived = int(viewer.communicate(timeout=30)[0])
        camera.communicate("\n", timeout=10)
    finally:
        for process in (camera, viewer):
            if process.poll() is None:
                process.kill()
                process.wait()
    assert arrived >= 0.8 * COUNT  # a busy machine may drop a few; the defaults lose nearly nine of ten
