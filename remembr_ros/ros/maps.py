"""Which map the robot is on: from the parameter map_id, or made from the content of the topic `map`.

Two nodes, or the same node tomorrow, that see the same map get the same name. While a map is still being made (SLAM)
its content, and so its name, changes: set map_id then.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable

from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node

from remembr_ros.ros.parameters import Parameters
from remembr_ros.ros.qos import LATCHED


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


class CurrentMap:
    """Follows the topic `map` of `node`. `on_grid` gets every grid that comes (on the executor)."""

    def __init__(
        self, node: Node, parameters: Parameters, on_grid: Callable[[OccupancyGrid], None] | None = None
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._on_grid = on_grid
        self._from_content = ""
        node.create_subscription(OccupancyGrid, "map", self._on_map, LATCHED)

    @property
    def id(self) -> str:
        """Empty: not known (yet)."""
        return self._parameters["map_id"] or self._from_content

    def _on_map(self, grid: OccupancyGrid) -> None:
        name = map_name(grid)
        if name != self._from_content and not self._parameters["map_id"]:
            self._node.get_logger().info(f"the map is {name} ({grid.info.width} x {grid.info.height} cells)")
        self._from_content = name
        if self._on_grid is not None:
            self._on_grid(grid)
