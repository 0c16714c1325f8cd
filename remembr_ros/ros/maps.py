"""Which map the robot is on: from the parameter map_id, or made from the content of the topic `map`.

A grid that is none is dropped: the robot stays on the map it had. Two nodes, or the same node tomorrow, that see the
same map get the same name. While a map is still being made (SLAM) its content, and so its name, changes: set map_id
then.
"""

from __future__ import annotations

from collections.abc import Callable

from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node

from remembr_ros.errors import InvalidInput
from remembr_ros.navigate.occupancy import OccupancyMap
from remembr_ros.ros.parameters import Parameters
from remembr_ros.ros.qos import LATCHED
from remembr_ros.ros.reading import map_name, occupancy_map


class CurrentMap:
    """Follows the topic `map` of `node`. On the executor, `on_grid` gets every grid that comes, `on_bad` the topic
    and why, of one that is no map."""

    def __init__(
        self,
        node: Node,
        parameters: Parameters,
        on_bad: Callable[[str, Exception], None],
        on_grid: Callable[[OccupancyMap], None] | None = None,
    ) -> None:
        self._node = node
        self._parameters = parameters
        self._on_bad = on_bad
        self._on_grid = on_grid
        self._from_content = ""
        node.create_subscription(OccupancyGrid, "map", self._on_map, LATCHED)

    @property
    def id(self) -> str:
        """Empty: not known (yet)."""
        return self._parameters["map_id"] or self._from_content

    def _on_map(self, grid: OccupancyGrid) -> None:
        try:
            occupancy = occupancy_map(grid)
        except InvalidInput as error:
            self._on_bad("map", error)
            return
        name = map_name(grid)
        if name != self._from_content and not self._parameters["map_id"]:
            self._node.get_logger().info(f"the map is {name} ({grid.info.width} x {grid.info.height} cells)")
        self._from_content = name
        if self._on_grid is not None:
            self._on_grid(occupancy)
