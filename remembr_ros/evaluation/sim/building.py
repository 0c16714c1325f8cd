"""The simulated building. In: a random generator; out: floors with rooms at places in metres, one map per floor."""

from __future__ import annotations

import random
from dataclasses import dataclass

from remembr_ros.evaluation.sim.places import BY_NAME, PLACES, PlaceKind

FLOORS = 4
ROOMS = 12
SPOTS = 4
"""Views of a room, one after the other along the robot's way through it."""
SPOT_M = 1.5
_COLUMNS, _WIDTH_M, _DEPTH_M = 4, 14.0, 11.0
HALLWAY = "hallway"


@dataclass(frozen=True, slots=True)
class Room:
    """A room, its middle at (x, y) [m] on the map `map_id`."""

    id: str
    kind: PlaceKind
    map_id: str
    x: float
    y: float

    def spot(self, number: float) -> tuple[float, float]:
        """Where the robot stands when it sees view `number` (0 to SPOTS - 1) [m]."""
        return self.x + SPOT_M * (number - (SPOTS - 1) / 2), self.y


@dataclass(frozen=True, slots=True)
class Building:
    """Rooms by floor; the dock is in the entrance or, where there is none, the first room of the ground floor."""

    floors: tuple[tuple[Room, ...], ...]

    @property
    def rooms(self) -> tuple[Room, ...]:
        return tuple(room for floor in self.floors for room in floor)

    def hallway(self, room: Room) -> Room:
        """The hallway of a room's floor."""
        return next(r for r in self.rooms if r.map_id == room.map_id and r.kind.name == HALLWAY)


def build(chance: random.Random) -> Building:
    """A hallway on every floor, and eleven other kinds of rooms; most kinds are on two floors."""
    floors = []
    others = [kind for kind in PLACES if kind.name != HALLWAY]
    deck: list[PlaceKind] = []
    for number in range(FLOORS):
        chosen: list[PlaceKind] = []
        while len(chosen) < ROOMS - 1:
            if not deck:
                deck = chance.sample(others, len(others))
            kind = deck.pop()
            if kind not in chosen:
                chosen.append(kind)
        kinds = [BY_NAME[HALLWAY], *chosen]
        cells = chance.sample(range(ROOMS), ROOMS)
        floors.append(
            tuple(
                Room(
                    f"{kind.name}-{number}",
                    kind,
                    f"floor-{number}",
                    _WIDTH_M * (cell % _COLUMNS) + chance.uniform(-2.0, 2.0),
                    _DEPTH_M * (cell // _COLUMNS) + chance.uniform(-2.0, 2.0),
                )
                for kind, cell in zip(kinds, cells, strict=True)
            )
        )
    return Building(tuple(floors))
