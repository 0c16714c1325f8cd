"""The simulated robot, without ROS. In: the tour, later velocities. Out: its pose, and what AMCL would say of it.

Simulated time goes in steps of `STEP_NS`; a picture is taken every second step (5 Hz).
"""

from __future__ import annotations

import math
import random

from demo.route import Tour
from demo.world import Place

STEP_NS = 100_000_000
IMAGE_EVERY = 2
WINDOW_NS = 3_000_000_000
UPDATE_MIN_D, UPDATE_MIN_A = 0.25, 0.2
"""AMCL's defaults: a new pose only after the robot moved so far [m] or turned so much [rad]."""
POSITION_STD, YAW_STD = 0.05, 0.02
"""What AMCL reaches in a mapped building [m, rad]."""


class Robot:
    """Follows the tour while it lasts, then the velocity it is given."""

    def __init__(self, tour: Tour) -> None:
        self._tour = tour
        self._tour_s = -1.0
        self.place = tour.at(0.0)
        self.velocity = (0.0, 0.0)

    @property
    def touring(self) -> bool:
        return 0.0 <= self._tour_s < self._tour.duration_s

    def begin_tour(self) -> None:
        self._tour_s = 0.0

    def step(self) -> None:
        """One step of simulated time."""
        seconds = STEP_NS / 1e9
        if self.touring:
            self._tour_s += seconds
            self.place = self._tour.at(self._tour_s)
            return
        forward, turn = self.velocity
        yaw = self.place.yaw + turn * seconds
        middle = self.place.yaw + turn * seconds / 2
        self.place = Place(
            self.place.x + forward * seconds * math.cos(middle),
            self.place.y + forward * seconds * math.sin(middle),
            yaw,
        )


class Localizer:
    """Says where the robot is as AMCL does: only after motion, with a little noise."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(f"localizer {seed}")
        self._told: Place | None = None

    def update(self, place: Place) -> Place | None:
        """The new estimate, or None while the robot has hardly moved."""
        told = self._told
        if told is not None:
            moved = math.hypot(place.x - told.x, place.y - told.y)
            if moved < UPDATE_MIN_D and abs(math.remainder(place.yaw - told.yaw, math.tau)) < UPDATE_MIN_A:
                return None
        self._told = place
        noise = self._rng.gauss
        return Place(
            place.x + noise(0.0, POSITION_STD / 2),
            place.y + noise(0.0, POSITION_STD / 2),
            place.yaw + noise(0.0, YAW_STD / 2),
        )


def brightness(stamp_ns: int) -> float:
    """Daylight comes and goes a little: a factor around 1."""
    return 1.0 + 0.06 * math.sin(stamp_ns / 1e9 / 11.0)


class Pace:
    """How far simulated time may go: `speed` times as fast as real time, and never more than `lead_ns` ahead of what
    the captioner has done, so that a slow machine makes a slow demo instead of a forgetful robot."""

    def __init__(self, start_ns: int, lead_ns: int = 3 * WINDOW_NS) -> None:
        self.now_ns = start_ns
        self._lead_ns = lead_ns
        self._captioned_ns: int | None = None
        self._budget_ns = 0.0

    def wait_for_captions(self, from_ns: int) -> None:
        """From now on stay within reach of the captions."""
        self._captioned_ns = from_ns

    def captioned(self, end_ns: int) -> None:
        """A window that ends then has been captioned."""
        if self._captioned_ns is not None:
            self._captioned_ns = max(self._captioned_ns, end_ns)

    def steps(self, elapsed_s: float, speed: float) -> int:
        """How many steps are due after so much real time."""
        self._budget_ns = min(self._budget_ns + elapsed_s * speed * 1e9, 5.0 * STEP_NS)
        due = int(self._budget_ns // STEP_NS)
        if self._captioned_ns is not None:
            due = max(0, min(due, (self._captioned_ns + self._lead_ns - self.now_ns) // STEP_NS))
        self._budget_ns -= due * STEP_NS
        return due
