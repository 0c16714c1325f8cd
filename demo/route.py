"""The tour: which rooms the robot visits, in which order, for how long.

In: building and seed. Out: a pose for every moment.

Times are seconds since the tour began; poses are in the frame map.
"""

from __future__ import annotations

import bisect
import math
import random
from dataclasses import dataclass

from demo.world import CORRIDOR_WIDTH_M, Place, World

SPEED = 0.7
"""[m/s]"""
TURN_RATE = 0.9
"""[rad/s]"""
SWAY = 0.06
"""How far the robot looks around while it stands [rad]."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The robot stands at the spot of `world.rooms[room]` and looks, from `start_s` to `end_s`."""

    room: int
    start_s: float
    end_s: float


class Tour:
    """A robot's way through the building as straight pieces between moments."""

    def __init__(self, start: Place) -> None:
        self._knots: list[tuple[float, Place]] = [(0.0, start)]
        self.visits: list[Visit] = []

    @property
    def duration_s(self) -> float:
        return self._knots[-1][0]

    def at(self, time_s: float) -> Place:
        """Where the robot is; before the tour at its start, after it at its end."""
        index = bisect.bisect_right(self._knots, time_s, key=lambda knot: knot[0])
        if index == 0 or index == len(self._knots):
            return self._knots[min(index, len(self._knots) - 1)][1]
        (t0, a), (t1, b) = self._knots[index - 1], self._knots[index]
        share = (time_s - t0) / (t1 - t0)
        turn = math.remainder(b.yaw - a.yaw, math.tau)
        return Place(a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.yaw + share * turn)

    def turn_to(self, yaw: float) -> None:
        time_s, last = self._knots[-1]
        turn = abs(math.remainder(yaw - last.yaw, math.tau))
        if turn > 1e-6:
            self._knots.append((time_s + turn / TURN_RATE, Place(last.x, last.y, yaw)))

    def drive_to(self, x: float, y: float) -> None:
        """Turn towards the point, then drive straight to it."""
        last = self._knots[-1][1]
        distance = math.hypot(x - last.x, y - last.y)
        if distance > 0.01:
            yaw = math.atan2(y - last.y, x - last.x)
            self.turn_to(yaw)
            self._knots.append((self.duration_s + distance / SPEED, Place(x, y, yaw)))

    def look(self, seconds: float) -> None:
        """Stand, looking around a little."""
        began, last = self._knots[-1]
        steps = max(1, round(seconds / 0.25))
        for step in range(1, steps + 1):
            elapsed = seconds * step / steps
            sway = SWAY * math.sin(math.tau * elapsed / 7.0) * min(1.0, (seconds - elapsed) / 1.0)
            self._knots.append((began + elapsed, Place(last.x, last.y, last.yaw + sway)))


def plan_tour(world: World, visits: int) -> Tour:
    """The tour of this building's seed through `visits` rooms, the last possibly one that it was in before.

    At least four rooms (all, where there are fewer visits) hang a photograph that people ask about.
    """
    rng = random.Random(f"route {world.seed}")
    named = [index for index, room in enumerate(world.rooms) if room.hung.photograph.words]
    others = [index for index in range(len(world.rooms)) if index not in named]
    rng.shuffle(named)
    again = visits >= 5 and rng.random() < 0.5
    rooms = named[: visits - (1 if again else 0)]
    if others and len(rooms) > 4 and rng.random() < 0.5:
        rooms[-1] = rng.choice(others)
    rng.shuffle(rooms)
    if again:
        rooms.append(rng.choice([room for room in rooms[:-1] if room in named]))
    middle = CORRIDOR_WIDTH_M / 2
    tour = Tour(world.start)
    tour.look(2.0)
    longest = rng.randrange(len(rooms))
    for order, number in enumerate(rooms):
        spot = world.rooms[number].spot
        tour.drive_to(spot.x, middle)
        tour.drive_to(spot.x, spot.y)
        tour.turn_to(spot.yaw)
        began = tour.duration_s
        tour.look(rng.uniform(18.0, 24.0) if order == longest else rng.uniform(8.0, 13.0))
        tour.visits.append(Visit(number, began, tour.duration_s))
        tour.drive_to(spot.x, middle)
    tour.turn_to(0.0)
    tour.look(6.0)
    return tour
