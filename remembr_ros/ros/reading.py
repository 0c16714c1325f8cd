"""Received messages to records: pure functions that need no ROS, also for messages that were read from a bag.

In: messages of rclpy or of rosbags (their fields have the same names). Out: records; times are int nanoseconds since
the epoch, quaternions a yaw in (-pi, pi], frames without their leading slash (as in tf2). A message that cannot be used
raises `InvalidInput` that names the field.
"""

from __future__ import annotations

import hashlib
import math
import struct
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from remembr_ros.errors import InvalidInput
from remembr_ros.memory.schema import MAX_BYTES, memory_id, stored_name
from remembr_ros.navigate.occupancy import INSCRIBED, LETHAL, OccupancyMap
from remembr_ros.records import NANOSECONDS, Memory, Pose
from remembr_ros.remember.window import MAX_AHEAD_S, MAX_WINDOW_S

if TYPE_CHECKING:
    from builtin_interfaces.msg import Time as TimeMsg
    from geometry_msgs.msg import PoseWithCovarianceStamped, Quaternion
    from nav_msgs.msg import OccupancyGrid

    from remembr_interfaces.msg import Caption as CaptionMsg

MAX_WINDOW_NS, MAX_AHEAD_NS = round(MAX_WINDOW_S * NANOSECONDS), round(MAX_AHEAD_S * NANOSECONDS)


def nanoseconds(stamp: TimeMsg) -> int:
    """Nanoseconds since the epoch."""
    return int(stamp.sec) * NANOSECONDS + int(stamp.nanosec)


def stamp_of_serialized(data: bytes) -> int:
    """Header stamp [ns] of a serialized message that begins with a std_msgs/Header, without deserializing it.

    CDR: four bytes of encapsulation (the lowest bit of the second says little-endian), then int32 sec, uint32 nanosec.
    Raises InvalidInput when it is too short.
    """
    if len(data) < 12:
        raise InvalidInput(f"serialized message of {len(data)} bytes has no header")
    order = "<" if data[1] & 1 else ">"
    seconds, rest = struct.unpack_from(f"{order}iI", data, 4)
    return int(seconds) * NANOSECONDS + int(rest)


def frame_name(frame_id: str) -> str:
    """Without the leading slash that tf2 does not allow. Raises InvalidInput when nothing, or too much, is left."""
    name = frame_id.strip().lstrip("/")
    if not name:
        raise InvalidInput("header.frame_id is empty")
    if len(name.encode(errors="replace")) > MAX_BYTES["frame_id"]:
        raise InvalidInput(f"header.frame_id is longer than {MAX_BYTES['frame_id']} bytes: {name[:40]!r}...")
    return name


def yaw_of(orientation: Quaternion) -> float | None:
    """Heading [rad]; None for the all-zero quaternion, which means unknown. Raises InvalidInput when not finite."""
    x, y, z, w = orientation.x, orientation.y, orientation.z, orientation.w
    if not all(math.isfinite(part) for part in (x, y, z, w)):
        raise InvalidInput(f"orientation is not finite: ({x}, {y}, {z}, {w})")
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    if norm < 1e-6:
        return None
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def pose_from_message(message: PoseWithCovarianceStamped) -> Pose:
    """Row-major 6x6 covariance: the larger of var(x), var(y) [m^2] and var(yaw) [rad^2]. Raises InvalidInput."""
    position, covariance = message.pose.pose.position, message.pose.covariance
    return Pose(
        stamp_ns=nanoseconds(message.header.stamp),
        frame_id=frame_name(message.header.frame_id),
        x=position.x,
        y=position.y,
        z=position.z,
        yaw=yaw_of(message.pose.pose.orientation),
        position_var=float(np.maximum(covariance[0], covariance[7])),  # keeps a NaN, which Pose refuses
        yaw_var=float(covariance[35]),
    )


def memory_from_caption(
    message: CaptionMsg, robot_id: str, map_id: str, camera: str, now_ns: int | None = None
) -> Memory:
    """A caption of somebody else's captioner; `camera` where it names none. Raises InvalidInput naming the field.

    What is remembered has happened: with `now_ns` (ROS time) a window must not end later than clocks differ.
    """
    start_ns, end_ns = nanoseconds(message.window_start), nanoseconds(message.window_end)
    if start_ns <= 0:
        raise InvalidInput("window_start is zero: the captioner does not stamp its windows")
    if end_ns - start_ns > MAX_WINDOW_NS:
        raise InvalidInput(f"window_end: the window is {(end_ns - start_ns) / NANOSECONDS:.0f} s long, at most an hour")
    if now_ns is not None and end_ns > now_ns + MAX_AHEAD_NS:
        raise InvalidInput(f"window_end lies {(end_ns - now_ns) / NANOSECONDS:.0f} s in the future")
    stored_name("camera", message.camera)
    pose = pose_from_message(message.pose) if message.pose.header.frame_id else None
    camera = message.camera or camera
    return Memory(
        id=memory_id(robot_id, camera, start_ns),
        start_ns=start_ns,
        end_ns=end_ns,
        episode_start_ns=start_ns,
        caption=message.text,
        pose=pose,
        localized=bool(message.localized and pose is not None),
        map_id=map_id,
        robot_id=robot_id,
        camera=camera,
        captioner=message.captioner,
    )


def occupancy_map(grid: OccupancyGrid) -> OccupancyMap:
    """The grid with its cells as (height, width) int8. Raises InvalidInput naming the field of `map`."""
    info = grid.info
    if len(grid.data) != info.width * info.height:
        raise InvalidInput(f"map.data has {len(grid.data)} cells, info says {info.width} x {info.height}")
    return OccupancyMap(
        frame_id=frame_name(grid.header.frame_id),
        origin_x=info.origin.position.x,
        origin_y=info.origin.position.y,
        resolution_m=float(info.resolution),
        cells=np.array(grid.data, dtype=np.int8).reshape(info.height, info.width),
        origin_yaw=yaw_of(info.origin.orientation) or 0.0,
    )


def costmap(grid: OccupancyGrid) -> OccupancyMap:
    """A costmap that Nav2 publishes as a grid, as `occupancy_map`: where the robot's middle may not be, and
    obstacles."""
    return replace(occupancy_map(grid), blocked_from=INSCRIBED, obstacle_from=LETHAL, name="Nav2's costmap")


def map_name(grid: OccupancyGrid) -> str:
    """ "map-" and ten hexadecimal digits of the grid's geometry and cells (not of its stamps)."""
    info = grid.info
    origin = info.origin
    # Packed as the message's types are: a resolution of 0.1 has another value once it went through a float32.
    geometry = struct.pack(
        "<fII7d", info.resolution, info.width, info.height, origin.position.x, origin.position.y, origin.position.z,
        origin.orientation.x, origin.orientation.y, origin.orientation.z, origin.orientation.w,
    )  # fmt: skip
    digest = hashlib.sha1(geometry, usedforsecurity=False)
    digest.update(bytes(memoryview(grid.data).cast("B")))
    return f"map-{digest.hexdigest()[:10]}"
