"""In: the map and Nav2's global costmap, as they came last. Out: where the robot may stand now, or why it may not.

The map knows the walls, the costmap also what stands there today. Metres, in the frame of the grids.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from remembr_ros.navigate.occupancy import Blocked, OccupancyMap, free_place
from remembr_ros.records import NANOSECONDS


class OccupancySource(Enum):
    """Parameter navigation.occupancy_source: which grid a goal must be free in."""

    MAP = "map"
    COSTMAP = "costmap"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """`costmap` counts while it is no older than `costmap_max_age_s`, by its stamp [ns of ROS time].

    map: what no map tells of is not judged. costmap: without a fresh one nothing is free. both: free in the map, as
    with `map`, and not occupied in a fresh costmap of the same frame, if there is one (else in the costmap alone where
    there is no map).
    """

    map: OccupancyMap | None = None
    costmap: OccupancyMap | None = None
    costmap_stamp_ns: int = 0
    source: OccupancySource = OccupancySource.MAP
    costmap_max_age_s: float = 10.0

    @property
    def frame_id(self) -> str:
        """Of the grid that decides; empty when there is none."""
        grids = [self.map, self.costmap]
        if self.source is not OccupancySource.BOTH:
            grids = [self.map if self.source is OccupancySource.MAP else self.costmap]
        return next((grid.frame_id for grid in grids if grid is not None), "")

    def free_place(
        self, x: float, y: float, now_ns: int, *, snap_radius_m: float = 0.0, keep_out_m: float = 0.0
    ) -> tuple[float, float] | Blocked:
        """As occupancy.free_place."""
        stale = self._stale(now_ns)
        if self.source is OccupancySource.COSTMAP and stale:
            return Blocked(f"whether ({x:.2f}, {y:.2f}) is free is not known: {stale}")
        costmap = self.costmap if self.source is not OccupancySource.MAP and not stale else None
        grid, veto = (None, costmap) if self.source is OccupancySource.COSTMAP else (self.map, costmap)
        if grid is None:
            grid, veto = veto, None
        if grid is None:
            return x, y
        if veto is not None and veto.frame_id != grid.frame_id:
            veto = None
        return free_place(grid, x, y, snap_radius_m=snap_radius_m, keep_out_m=keep_out_m, veto=veto)

    def _stale(self, now_ns: int) -> str:
        """Why the costmap does not count; empty: it does."""
        if self.costmap is None:
            return "no costmap has come (parameter navigation.occupancy_source)"
        age_s = (now_ns - self.costmap_stamp_ns) / NANOSECONDS
        if abs(age_s) <= self.costmap_max_age_s:  # stamped later than now: the clock was set back
            return ""
        return f"the costmap is {age_s:.0f} s old (parameter navigation.costmap_max_age_s)"
