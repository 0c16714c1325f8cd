"""In: an occupancy grid and a place [m] in its frame. Out: where the robot may stand, or why it may not.

Cells hold what nav_msgs/OccupancyGrid holds: -1 unknown, 0 free to 100 occupied. A Nav2 costmap published as a grid
differs only in what its numbers mean: 1 to 98 cost something, in 99 the robot's middle may not be (an obstacle is
within its inscribed radius), 100 is the obstacle itself (nav2_costmap_2d, Costmap2DPublisher). No ROS.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from remembr_ros.errors import InvalidInput
from remembr_ros.records import MAX_COORDINATE_M

OCCUPIED_FROM = 50
"""A map's cell of this value or more is an obstacle: between map_server's defaults for free (25) and occupied (65)."""
INSCRIBED, LETHAL = 99, 100
"""Of a costmap published as a grid."""
FINEST_M = 1e-6
TOUCHING = 1e-6
"""Relative: a distance that differs by less is the same. A resolution of 0.05 m comes as 0.05000000075."""


@dataclass(frozen=True, slots=True)
class OccupancyMap:
    """A grid in the frame `frame_id`; `cells` is (H, W) int8, row 0 at the origin, columns along the grid's x axis.

    The origin is the outer corner of cell (0, 0) [m], turned by `origin_yaw` [rad]; `resolution_m` is a cell's edge.
    The robot may not stand in cells of `blocked_from` or more, and keeps its distance from those of `obstacle_from` or
    more. `name` is what people call the grid. Raises InvalidInput for a grid that is empty, not two-dimensional, or has
    no usable resolution or origin.
    """

    frame_id: str
    origin_x: float
    origin_y: float
    resolution_m: float
    cells: np.ndarray[Any, Any]
    origin_yaw: float = 0.0
    blocked_from: int = OCCUPIED_FROM
    obstacle_from: int = OCCUPIED_FROM
    name: str = "the map"

    def __post_init__(self) -> None:
        if not FINEST_M <= self.resolution_m <= MAX_COORDINATE_M:
            raise InvalidInput(f"map.info.resolution is not usable: {self.resolution_m!r}")
        if not all(abs(at) <= MAX_COORDINATE_M for at in (self.origin_x, self.origin_y, self.origin_yaw)):
            raise InvalidInput("map.info.origin is not finite, or too far away")
        if self.cells.ndim != 2 or self.cells.size == 0:
            raise InvalidInput(f"map.data is not a grid: shape {self.cells.shape}")

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """(row, column) of the cell that holds (x, y) [m]; may lie outside the grid."""
        row, column = self.cells_of(x, y)
        return math.floor(row), math.floor(column)

    def cells_of(self, x: Any, y: Any) -> tuple[Any, Any]:
        """As `cell_of`, of many places (arrays of x and of y [m]); whole numbers, as floats."""
        dx, dy = x - self.origin_x, y - self.origin_y
        cos, sin = math.cos(self.origin_yaw), math.sin(self.origin_yaw)
        along_x, along_y = cos * dx + sin * dy, cos * dy - sin * dx
        return np.floor(along_y / self.resolution_m), np.floor(along_x / self.resolution_m)

    def center_of(self, row: Any, column: Any) -> tuple[Any, Any]:
        """The middle of a cell, or of many (arrays of rows and of columns): x and y [m]."""
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
    occupancy: OccupancyMap,
    x: float,
    y: float,
    *,
    snap_radius_m: float = 0.0,
    keep_out_m: float = 0.0,
    veto: OccupancyMap | None = None,
) -> tuple[float, float] | Blocked:
    """(x, y) [m] itself if it is free, else the middle of the nearest free cell within `snap_radius_m`.

    Free means known, not occupied, and the middle of every obstacle's cell further than `keep_out_m`. Unknown cells are
    not free but keep nobody at a distance. A place outside the grid is blocked: nothing is known of it. What is free
    must not be occupied in `veto` either, a grid in the same frame, whose unknown cells and ends forbid nothing.
    """
    row, column = occupancy.cell_of(x, y)
    if not occupancy.holds(row, column):
        return Blocked(f"({x:.2f}, {y:.2f}) lies outside {occupancy.name}")
    why = _why_not(occupancy, row, column, keep_out_m)
    if not why and veto is not None:
        why = _vetoed(veto, x, y, keep_out_m)
    if not why:
        return x, y
    xs, ys = _free_around(occupancy, x, y, snap_radius_m, keep_out_m)
    if veto is not None:
        allowed = _allowed_in(veto, xs, ys, keep_out_m)
        xs, ys = xs[allowed], ys[allowed]
    distances = np.hypot(xs - x, ys - y)
    if distances.size and distances[nearest := int(np.argmin(distances))] <= snap_radius_m:
        return float(xs[nearest]), float(ys[nearest])
    return Blocked(f"({x:.2f}, {y:.2f}) is {why}, and no free place lies within {snap_radius_m:g} m")


def _why_not(occupancy: OccupancyMap, row: int, column: int, keep_out_m: float) -> str:
    """Why the robot may not stand in this cell of the grid; empty: it may."""
    if occupancy.cells[row, column] < 0:
        return f"unknown in {occupancy.name}"
    return _occupied(occupancy, row, column, keep_out_m)


def _vetoed(occupancy: OccupancyMap, x: float, y: float, keep_out_m: float) -> str:
    row, column = occupancy.cell_of(x, y)
    return _occupied(occupancy, row, column, keep_out_m) if occupancy.holds(row, column) else ""


def _occupied(occupancy: OccupancyMap, row: int, column: int, keep_out_m: float) -> str:
    if occupancy.cells[row, column] >= occupancy.blocked_from:
        return f"occupied in {occupancy.name}"
    if _too_near(occupancy, row, row, column, column, keep_out_m).any():
        return f"nearer than {keep_out_m:g} m to an obstacle in {occupancy.name}"
    return ""


def _window(occupancy: OccupancyMap, row: int, column: int, reach: int) -> tuple[np.ndarray[Any, Any], int, int]:
    """The cells up to `reach` away, and row and column of the first of them."""
    first_row, first_column = max(0, row - reach), max(0, column - reach)
    return occupancy.cells[first_row : row + reach + 1, first_column : column + reach + 1], first_row, first_column


def _free_around(
    occupancy: OccupancyMap, x: float, y: float, radius_m: float, keep_out_m: float
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """x and y [m] of the middles of the free cells in a square of at least `radius_m` around (x, y)."""
    row, column = occupancy.cell_of(x, y)
    near, first_row, first_column = _window(occupancy, row, column, math.ceil(radius_m / occupancy.resolution_m))
    last_row, last_column = first_row + near.shape[0] - 1, first_column + near.shape[1] - 1
    free = (near >= 0) & ~_too_near(occupancy, first_row, last_row, first_column, last_column, keep_out_m)
    rows, columns = np.nonzero(free)
    xs, ys = occupancy.center_of(rows + first_row, columns + first_column)
    return xs, ys


def _allowed_in(
    occupancy: OccupancyMap, xs: np.ndarray[Any, Any], ys: np.ndarray[Any, Any], keep_out_m: float
) -> np.ndarray[Any, Any]:
    """(n,) bool: whether the grid does not forbid the places (xs, ys) [m]; those outside it are allowed."""
    allowed = np.ones(xs.shape, bool)
    rows, columns = occupancy.cells_of(xs, ys)
    height, width = occupancy.cells.shape
    inside = np.nonzero((rows >= 0) & (rows < height) & (columns >= 0) & (columns < width))[0]
    if inside.size:
        rows, columns = rows[inside].astype(int), columns[inside].astype(int)
        top, left = int(rows.min()), int(columns.min())
        too_near = _too_near(occupancy, top, int(rows.max()), left, int(columns.max()), keep_out_m)
        allowed[inside] = ~too_near[rows - top, columns - left]
    return allowed


def _too_near(
    occupancy: OccupancyMap, top: int, bottom: int, left: int, right: int, keep_out_m: float
) -> np.ndarray[Any, Any]:
    """(rows, columns) bool of the cells `top` to `bottom` and `left` to `right`: occupied, or too near to an
    obstacle."""
    too_near = occupancy.cells[top : bottom + 1, left : right + 1] >= occupancy.blocked_from
    if keep_out_m <= 0.0:
        return too_near
    import cv2

    more = math.ceil(keep_out_m / occupancy.resolution_m)  # obstacles just outside keep a distance, too
    outer_top, outer_left = max(0, top - more), max(0, left - more)
    outer = occupancy.cells[outer_top : bottom + more + 1, outer_left : right + more + 1]
    obstacles = outer >= occupancy.obstacle_from
    if not obstacles.any():
        return too_near
    cells = cv2.distanceTransform((~obstacles).astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    cells = cells[top - outer_top :, left - outer_left :][: too_near.shape[0], : too_near.shape[1]]
    return too_near | (cells * occupancy.resolution_m <= keep_out_m * (1.0 + TOUCHING))
