"""A small building made from a seed: a corridor, rooms on both sides, one photograph in each room.

Frame `map`: x along the corridor, y to the left of it [m]. Everything that is true about the building is here; nothing
of the package knows it.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from demo.photographs import Photograph, all_photographs

CORRIDOR_WIDTH_M = 2.4
ROOM_DEPTH_M = 5.0
DOOR_WIDTH_M = 1.4
PRINT_WIDTH_M = 2.2
PRINT_HEIGHT_M = PRINT_WIDTH_M * 3 / 4
VIEWING_DISTANCE_M = 2.0
RESOLUTION_M = 0.05
MARGIN_M = 1.0
FREE, OCCUPIED, UNKNOWN = 0, 100, -1


@dataclass(frozen=True, slots=True)
class Place:
    """Where the robot stands and looks [m, m, rad], frame map."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True, slots=True)
class Wall:
    """A straight wall from (x0, y0) to (x1, y1) [m]."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Print:
    """A photograph on a wall: seen from the room, it reaches from its left end (x0, y0) to its right end (x1, y1)."""

    photograph: Photograph
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Room:
    """`spot` is where one stands to look at the photograph; its x is also that of the door's middle."""

    name: str
    x0: float
    y0: float
    x1: float
    y1: float
    spot: Place
    hung: Print

    def contains(self, x: float, y: float) -> bool:
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


@dataclass(frozen=True, slots=True)
class World:
    """The building. `start` is where the robot waits in the corridor."""

    seed: int
    length_m: float
    rooms: tuple[Room, ...]
    walls: tuple[Wall, ...]
    start: Place

    @property
    def prints(self) -> tuple[Print, ...]:
        return tuple(room.hung for room in self.rooms)


@dataclass(frozen=True)
class Grid:
    """The building as a map server would give it: `cells` (rows, columns) int8 of 0 free, 100 occupied, -1 unknown;
    cell [0, 0] has its corner at (`origin_x`, `origin_y`) [m]."""

    cells: np.ndarray[Any, Any]
    origin_x: float
    origin_y: float
    resolution_m: float = RESOLUTION_M


def make_world(seed: int) -> World:
    """The building of this seed; the same for the same seed."""
    rng = random.Random(f"building {seed}")
    widths = [[rng.uniform(5.0, 6.5) for _ in range(rng.choice((3, 4)))] for _ in range(2)]
    length = max(sum(side) for side in widths)
    photographs = list(all_photographs())
    rng.shuffle(photographs)
    rooms: list[Room] = []
    walls: list[Wall] = []
    for side, row in enumerate(widths):
        scale = length / sum(row)
        near = CORRIDOR_WIDTH_M if side == 0 else 0.0
        outward = 1.0 if side == 0 else -1.0
        far = near + outward * ROOM_DEPTH_M
        x = 0.0
        walls.append(Wall(0.0, far, length, far))
        for width in (share * scale for share in row):
            room = _room(rng, len(rooms), x, x + width, near, far, photographs[len(rooms)])
            half = DOOR_WIDTH_M / 2
            walls += [
                Wall(x, near, room.spot.x - half, near),
                Wall(room.spot.x + half, near, x + width, near),
                Wall(x + width, near, x + width, far),
            ]
            rooms.append(room)
            x += width
    walls += [
        Wall(0.0, -ROOM_DEPTH_M, 0.0, CORRIDOR_WIDTH_M + ROOM_DEPTH_M),
        Wall(length, 0.0, length, CORRIDOR_WIDTH_M),
    ]
    start = Place(rng.uniform(1.0, length - 1.0), CORRIDOR_WIDTH_M / 2, rng.choice((0.0, math.pi)))
    return World(seed, length, tuple(rooms), tuple(walls), start)


def _room(
    rng: random.Random, number: int, left: float, right: float, near: float, far: float, photograph: Photograph
) -> Room:
    y = (near + far) / 2 + rng.uniform(-0.3, 0.3)
    half = PRINT_WIDTH_M / 2
    if rng.random() < 0.5:  # on the wall at greater x: seen when looking along +x, its left end is at greater y
        spot = Place(right - VIEWING_DISTANCE_M, y, 0.0)
        hung = Print(photograph, right, y + half, right, y - half)
    else:
        spot = Place(left + VIEWING_DISTANCE_M, y, math.pi)
        hung = Print(photograph, left, y - half, left, y + half)
    return Room(f"room {number + 1}", left, min(near, far), right, max(near, far), spot, hung)


def occupancy(world: World) -> Grid:
    """The building as an occupancy grid of 5 cm cells; walls are two cells thick."""
    origin_x, origin_y = -MARGIN_M, -ROOM_DEPTH_M - MARGIN_M
    columns = math.ceil((world.length_m + 2 * MARGIN_M) / RESOLUTION_M)
    rows = math.ceil((2 * ROOM_DEPTH_M + CORRIDOR_WIDTH_M + 2 * MARGIN_M) / RESOLUTION_M)
    cells = np.full((rows, columns), UNKNOWN, dtype=np.int8)

    def fill(x0: float, y0: float, x1: float, y1: float, value: int) -> None:
        c0, c1 = (round((x - origin_x) / RESOLUTION_M) for x in (x0, x1))
        r0, r1 = (round((y - origin_y) / RESOLUTION_M) for y in (y0, y1))
        cells[r0:r1, c0:c1] = value

    fill(0.0, 0.0, world.length_m, CORRIDOR_WIDTH_M, FREE)
    for room in world.rooms:
        fill(room.x0, room.y0, room.x1, room.y1, FREE)
    thick = RESOLUTION_M
    for wall in world.walls:
        x0, x1, y0, y1 = min(wall.x0, wall.x1), max(wall.x0, wall.x1), min(wall.y0, wall.y1), max(wall.y0, wall.y1)
        fill(x0 - thick, y0 - thick, x1 + thick, y1 + thick, OCCUPIED)
    for room in world.rooms:  # walls of neighbours are thick, too: open the doors at last
        near = CORRIDOR_WIDTH_M if room.y0 >= 0.0 else 0.0
        half = DOOR_WIDTH_M / 2 - thick
        fill(room.spot.x - half, near - thick, room.spot.x + half, near + thick, FREE)
    return Grid(cells, origin_x, origin_y)
