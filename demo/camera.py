"""What the robot's camera sees: walls, floor, ceiling, and the photographs that hang on the walls.

In: the building and the robot's pose (frame map). Out: (240, 320, 3) uint8 RGB. One ray per column of the picture is
cast through the floor plan; a wall's photograph is sampled where the ray and the height meet it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from demo.photographs import picture
from demo.world import PRINT_HEIGHT_M, Place, World

WIDTH_PX, HEIGHT_PX = 320, 240
FIELD_OF_VIEW = math.radians(60.0)
CAMERA_HEIGHT_M = 1.5
CEILING_HEIGHT_M = 3.0
FOCAL_PX = WIDTH_PX / 2 / math.tan(FIELD_OF_VIEW / 2)
WALL, FLOOR, CEILING = (np.array(c, dtype=np.float32) for c in ((196, 192, 184), (120, 112, 104), (222, 222, 220)))

Array = np.ndarray[Any, Any]


class Camera:
    """A camera in one building. `render` takes about 3 ms."""

    def __init__(self, world: World) -> None:
        self._world = world
        walls = [(w.x0, w.y0, w.x1, w.y1) for w in world.walls]
        prints = [(p.x0, p.y0, p.x1, p.y1) for p in world.prints]
        self._segments = np.array(walls + prints)
        self._first_print = len(walls)
        self._rows = np.arange(HEIGHT_PX, dtype=np.float32)[:, None] - (HEIGHT_PX - 1) / 2

    def cast(self, place: Place, columns: int = WIDTH_PX) -> tuple[Array, Array, Array]:
        """For each column: depth along the viewing axis [m], index into `world.prints` or -1, and how far along the
        print from its left end, 0 to 1."""
        across = ((np.arange(columns) + 0.5) / columns * 2 - 1) * math.tan(FIELD_OF_VIEW / 2)  # right of the axis
        ahead_x, ahead_y = math.cos(place.yaw), math.sin(place.yaw)
        ray = np.stack([ahead_x + across * ahead_y, ahead_y - across * ahead_x])[:, :, None]  # (2, columns, 1)
        start = self._segments[:, :2].T[:, None, :] - np.array([place.x, place.y])[:, None, None]
        along = (self._segments[:, 2:] - self._segments[:, :2]).T[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            determinant = ray[0] * along[1] - ray[1] * along[0]
            depth = (start[0] * along[1] - start[1] * along[0]) / determinant
            share = (start[0] * ray[1] - start[1] * ray[0]) / determinant
        hit = np.isfinite(depth) & (depth > 1e-6) & (share >= -1e-9) & (share <= 1 + 1e-9)
        # Neighbours share a wall: a print is seen from its own room only.
        hit[:, self._first_print :] &= determinant[:, self._first_print :] < 0.0
        depth = np.where(hit, depth, np.inf)
        depth[:, self._first_print :] -= 1e-4  # a print hangs in front of its wall
        nearest = depth.argmin(axis=1)
        index = np.arange(columns)
        which = np.where(nearest >= self._first_print, nearest - self._first_print, -1)
        return depth[index, nearest], which, share[index, nearest]

    def share_of_view(self, place: Place) -> dict[int, float]:
        """How much of the picture's width each print takes: index into `world.prints` to a share in (0, 1]."""
        which = self.cast(place, columns=61)[1]
        return {int(i): float((which == i).mean()) for i in np.unique(which) if i >= 0}

    def render(self, place: Place, brightness: float = 1.0) -> Array:
        """The picture, (240, 320, 3) uint8 RGB."""
        import cv2

        depth, which, share = (part.astype(np.float32) for part in self.cast(place))
        height = CAMERA_HEIGHT_M - self._rows * depth[None, :] / FOCAL_PX  # (rows, columns) [m] above the floor
        shade = 1 / (1 + np.float32(0.03) * depth[None, :, None])
        image = np.where(
            (height < 0.0)[:, :, None], FLOOR, np.where((height > CEILING_HEIGHT_M)[:, :, None], CEILING, WALL * shade)
        )
        for index in np.unique(which[which >= 0]).astype(int):
            photograph = picture(self._world.prints[index].photograph)
            rows, columns = photograph.shape[:2]
            top = CAMERA_HEIGHT_M + PRINT_HEIGHT_M / 2
            u = np.ascontiguousarray(np.broadcast_to(share * (columns - 1), height.shape))
            v = (top - height) * ((rows - 1) / PRINT_HEIGHT_M)
            on_print = (which == index)[None, :] & (v >= 0) & (v <= rows - 1)
            image[on_print] = cv2.remap(photograph, u, v, cv2.INTER_LINEAR)[on_print]
        return np.clip(image * np.float32(brightness), 0, 255).astype(np.uint8)
