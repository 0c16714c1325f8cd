"""Paths through free space. In: an occupancy grid, start and goal [m, map frame]. Out: waypoints from start to goal.

A* over cells of 20 cm, walls grown by the robot's radius, then every waypoint that can be cut short is.
"""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from demo.world import FREE, Grid

CELL_M = 0.2
ROBOT_RADIUS_M = 0.3

Point = tuple[float, float]
Cell = tuple[int, int]


class Planner:
    """Plans in one grid."""

    def __init__(self, grid: Grid) -> None:
        import cv2

        self._grid = grid
        blocked = (grid.cells != FREE).astype(np.uint8)
        radius = math.ceil(ROBOT_RADIUS_M / grid.resolution_m)
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * radius + 1, 2 * radius + 1))
        self._blocked: np.ndarray[Any, Any] = cv2.dilate(blocked, disc).astype(bool)

    def is_free(self, x: float, y: float) -> bool:
        """Whether the robot's middle may be there."""
        row = math.floor((y - self._grid.origin_y) / self._grid.resolution_m)
        column = math.floor((x - self._grid.origin_x) / self._grid.resolution_m)
        inside = 0 <= row < self._blocked.shape[0] and 0 <= column < self._blocked.shape[1]
        return inside and not self._blocked[row, column]

    def plan(self, start: Point, goal: Point) -> list[Point]:
        """Waypoints, the last one exactly `goal`; empty when there is no way."""
        if not self.is_free(*goal):
            return []
        first, last = self._cell(start), self._cell(goal)
        came: dict[Cell, Cell] = {first: first}
        cost = {first: 0.0}
        queue: list[tuple[float, Cell]] = [(0.0, first)]
        while queue:
            _, cell = heapq.heappop(queue)
            if cell == last:
                break
            for step_x in (-1, 0, 1):
                for step_y in (-1, 0, 1):
                    other = (cell[0] + step_x, cell[1] + step_y)
                    beside = ((other[0], cell[1]), (cell[0], other[1]), other)  # no cutting of corners
                    if other == cell or not all(self.is_free(*self._point(each)) for each in beside if each != last):
                        continue
                    new = cost[cell] + math.hypot(step_x, step_y)
                    if new < cost.get(other, math.inf) - 1e-9:
                        cost[other], came[other] = new, cell
                        heapq.heappush(queue, (new + math.hypot(other[0] - last[0], other[1] - last[1]), other))
        if last not in came:
            return []
        cells = [last]
        while cells[-1] != first:
            cells.append(came[cells[-1]])
        return self._shortcut([start, *(self._point(cell) for cell in cells[-2:0:-1]), goal])

    def clear(self, a: Point, b: Point) -> bool:
        """Whether the straight line from a to b is free."""
        steps = max(1, math.ceil(math.dist(a, b) / (self._grid.resolution_m / 2)))
        return all(
            self.is_free(a[0] + (b[0] - a[0]) * i / steps, a[1] + (b[1] - a[1]) * i / steps) for i in range(steps + 1)
        )

    def _shortcut(self, points: list[Point]) -> list[Point]:
        kept, index = [], 0
        while index < len(points) - 1:
            reach = next(
                (j for j in range(len(points) - 1, index + 1, -1) if self.clear(points[index], points[j])), index + 1
            )
            kept.append(points[reach])
            index = reach
        return kept

    def _cell(self, point: Point) -> Cell:
        return math.floor(point[0] / CELL_M), math.floor(point[1] / CELL_M)

    def _point(self, cell: Cell) -> Point:
        return (cell[0] + 0.5) * CELL_M, (cell[1] + 0.5) * CELL_M
