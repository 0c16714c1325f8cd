"""What the simulated robot says, as ROS messages. In: poses, pictures, grids. Out: messages of standard packages."""

from __future__ import annotations

import math
from array import array
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseWithCovarianceStamped, Quaternion
from nav_msgs.msg import OccupancyGrid, Odometry
from sensor_msgs.msg import Image

from demo.simulation import POSITION_STD, YAW_STD
from demo.world import Grid, Place


def time_message(stamp_ns: int) -> Time:
    return Time(sec=stamp_ns // 1_000_000_000, nanosec=stamp_ns % 1_000_000_000)


def quaternion(yaw: float) -> Quaternion:
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))


def yaw_of(orientation: Quaternion) -> float:
    return 2.0 * math.atan2(orientation.z, orientation.w)


def image_message(picture: np.ndarray[Any, Any], stamp_ns: int) -> Image:
    """`picture`: (H, W, 3) uint8 RGB."""
    height, width = picture.shape[:2]
    message = Image(height=height, width=width, encoding="rgb8", step=3 * width)
    message.header.stamp, message.header.frame_id = time_message(stamp_ns), "camera_optical"
    message.data = array("B", picture.tobytes())
    return message


def amcl_message(place: Place, stamp_ns: int) -> PoseWithCovarianceStamped:
    message = PoseWithCovarianceStamped()
    message.header.stamp, message.header.frame_id = time_message(stamp_ns), "map"
    message.pose.pose.position.x, message.pose.pose.position.y = place.x, place.y
    message.pose.pose.orientation = quaternion(place.yaw)
    covariance = [0.0] * 36
    covariance[0] = covariance[7] = POSITION_STD**2
    covariance[35] = YAW_STD**2
    message.pose.covariance = covariance
    return message


def truth_message(place: Place, stamp_ns: int) -> Odometry:
    """Where the robot really is, as simulators publish it."""
    message = Odometry(child_frame_id="base_link")
    message.header.stamp, message.header.frame_id = time_message(stamp_ns), "map"
    message.pose.pose.position.x, message.pose.pose.position.y = place.x, place.y
    message.pose.pose.orientation = quaternion(place.yaw)
    return message


def map_message(grid: Grid, stamp_ns: int) -> OccupancyGrid:
    message = OccupancyGrid()
    message.header.stamp, message.header.frame_id = time_message(stamp_ns), "map"
    message.info.resolution = grid.resolution_m
    message.info.height, message.info.width = grid.cells.shape
    message.info.origin.position.x, message.info.origin.position.y = grid.origin_x, grid.origin_y
    message.info.origin.orientation.w = 1.0
    message.data = array("b", grid.cells.tobytes())
    return message


def grid_of(message: OccupancyGrid) -> Grid:
    cells = np.array(message.data, dtype=np.int8).reshape(message.info.height, message.info.width)
    return Grid(cells, message.info.origin.position.x, message.info.origin.position.y, float(message.info.resolution))
