"""In: an occupancy map and a place [m] in its frame. Out: where the robot may stand, or why it may not.

Cells hold what nav_msgs/OccupancyGrid holds: -1 unknown, 0 free to 100 occupied; a Nav2 costmap published as a grid
reads the same. Pure numpy, no ROS.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from remembr_ros.errors import InvalidInput

OCCUPIED_FROM = 50
"""A cell of this value or more is an obstacle: between map_server's defaults for free (25) and occupied (65)."""


@dataclass(frozen=True, slots=True)
class OccupancyMap:
    """A grid in the frame `frame_id`; `cells` is (H, W) int8, row 0 at the origin, columns along the grid's x axis.

    The origin is the outer corner of cell (0, 0) [m], turned by `origin_yaw` [rad]; `resolution_m` is a cell's edge.
    Raises InvalidInput for a grid that is empty, not two-dimensional, or has no usable resolution or origin.
    """

    frame_id: str
    origin_x: float
    origin_y: float
    resolution_m: float
    cells: np.ndarray[Any, Any]
    origin_yaw: float = 0.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.resolution_m) and self.resolution_m > 0.0):
            raise InvalidInput(f"map.info.resolution is not usable: {self.resolution_m!r}")
        if not all(map(math.isfinite, (self.origin_x, self.origin_y, self.origin_yaw))):
            raise InvalidInput("map.info.origin is not finite")
        if self.cells.ndim != 2 or self.cells.size == 0:
            raise InvalidInput(f"map.data is not a grid: shape {self.cells.shape}")

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """(row, column) of the cell that holds (x, y) [m]; may lie outside the grid."""
        dx, dy = x - self.origin_x, y - self.origin_y
        cos, sin = math.cos(self.origin_yaw), math.sin(self.origin_yaw)
        along_x, along_y = cos * dx + sin * dy, cos * dy - sin * dx
        return math.floor(along_y / self.resolution_m), math.floor(along_x / self.resolution_m)

    def center_of(self, row: int, column: int) -> tuple[float, float]:
        """The middle of a cell (x, y) [m]."""
        along_x, along_y = (column + 0.5) * self.resolution_m, (row + 0.5) * self.resolution_m
        cos, sin = math.cos(self.origin_yaw), math.sin(self.origin_yaw)
        return self.origin_x + cos * along_x - sin * along_y, self.origin_y + sin * along_x + cos * along_y

    def holds(self, row: int, column: int) -> bool:
        return bool(0 <= row < self.cells.shape[0] and 0 <= column < self.cells.shape[1])


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why the robot may not stand there, for people."""

    reason: str


def free_place(
    occupancy: OccupancyMap, x: float, y: float, *, snap_radius_m: float = 0.0, keep_out_m: float = 0.0
) -> tuple[float, float] | Blocked:
    """(x, y) [m] itself if it is free, else the middle of the nearest free cell within `snap_radius_m`.

    Free means known, not occupied, and no occupied cell's middle nearer than `keep_out_m`. Unknown cells are not free
    but keep nobody at a distance. A place outside the grid is blocked: nothing is known of it.
    """
    row, column = occupancy.cell_of(x, y)
    if not occupancy.holds(row, column):
        return Blocked(f"({x:.2f}, {y:.2f}) lies outside the map")
    cells_of_snap = math.ceil(snap_radius_m / occupancy.resolution_m)
    cells_of_keep_out = math.floor(keep_out_m / occupancy.resolution_m)
    free, first_row, first_column = _free_around(occupancy, row, column, cells_of_snap, cells_of_keep_out)
    if free[row - first_row, column - first_column]:
        return x, y
    best: tuple[float, float, float] | None = None
    for near_row, near_column in np.argwhere(free):
        center = occupancy.center_of(int(near_row) + first_row, int(near_column) + first_column)
        distance = math.dist((x, y), center)
        if distance <= snap_radius_m and (best is None or distance < best[0]):
            best = (distance, *center)
    if best is not None:
        return best[1:]
    value = int(occupancy.cells[row, column])
    what = (
        "unknown"
        if value < 0
        else "occupied"
        if value >= OCCUPIED_FROM
        else f"nearer than {keep_out_m:g} m to an obstacle"
    )
    return Blocked(f"({x:.2f}, {y:.2f}) is {what} in the map, and no free place lies within {snap_radius_m:g} m")


def _free_around(
    occupancy: OccupancyMap, row: int, column: int, reach: int, keep_out: int
) -> tuple[np.ndarray[Any, Any], int, int]:
    """(rows, columns) bool of the cells up to `reach` away, and the row and column of its first cell in the grid."""
    first_row, first_column = max(0, row - reach), max(0, column - reach)
    last_row, last_column = (min(n, i + reach + 1) for n, i in zip(occupancy.cells.shape, (row, column), strict=True))
    near = occupancy.cells[first_row:last_row, first_column:last_column]
    free = (near >= 0) & (near < OCCUPIED_FROM)
    # Obstacles just outside the cells looked at keep a distance too: pad with what the grid holds there.
    outer_row, outer_column = max(0, first_row - keep_out), max(0, first_column - keep_out)
    outer = occupancy.cells[outer_row : last_row + keep_out, outer_column : last_column + keep_out] >= OCCUPIED_FROM
    height, width = free.shape
    for obstacle_row, obstacle_column in np.argwhere(outer):
        center_row, center_column = obstacle_row + outer_row - first_row, obstacle_column + outer_column - first_column
        top, left = max(0, center_row - keep_out), max(0, center_column - keep_out)
        rows, columns = np.ogrid[
            top : min(height, center_row + keep_out + 1), left : min(width, center_column + keep_out + 1)
        ]
        free[rows, columns] &= (rows - center_row) ** 2 + (columns - center_column) ** 2 > keep_out**2
    return free, first_row, first_column
