"""In: the topics `map` and `global_costmap/costmap` of a node. Out: which map it is on and where the robot may
stand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nav_msgs.msg import OccupancyGrid
from rclpy.node import Node

from remembr_ros.errors import InvalidInput
from remembr_ros.navigate.occupancy import OccupancyMap
from remembr_ros.navigate.surroundings import OccupancySource, Surroundings
from remembr_ros.ros.maps import CurrentMap
from remembr_ros.ros.parameters import Parameters
from remembr_ros.ros.qos import LATCHED
from remembr_ros.ros.reading import costmap, nanoseconds

COSTMAP = "global_costmap/costmap"


class FollowedSurroundings:
    """Subscribes on construction. On the executor, `on_change` is called when either changed, `on_bad` gets the topic
    and reason of what is no grid: that is dropped, and what was known stays."""

    def __init__(
        self,
        node: Node,
        parameters: Parameters,
        on_bad: Callable[[str, Exception], None],
        on_change: Callable[[], None],
    ) -> None:
        self._on_bad, self._on_change = on_bad, on_change
        source = OccupancySource(parameters["navigation.occupancy_source"])
        self.now = Surroundings(source=source, costmap_max_age_s=parameters["navigation.costmap_max_age_s"])
        self._map = CurrentMap(node, parameters, on_bad, self._on_map)
        if source is not OccupancySource.MAP:
            node.create_subscription(OccupancyGrid, COSTMAP, self._on_costmap, LATCHED)

    @property
    def map_id(self) -> str:
        """Empty: not known (yet)."""
        return self._map.id

    def _on_map(self, occupancy: OccupancyMap) -> None:
        self.now = replace(self.now, map=occupancy)
        self._on_change()

    def _on_costmap(self, grid: OccupancyGrid) -> None:
        try:
            stamp_ns = nanoseconds(grid.header.stamp)
            self.now = replace(self.now, costmap=costmap(grid), costmap_stamp_ns=stamp_ns)
        except InvalidInput as error:
            self._on_bad(COSTMAP, error)
            return
        self._on_change()
