"""The seam to whatever drives the robot, and the records that cross it.

A navigator takes one goal at a time and reports by callback. It never blocks the caller: every method returns at
once, results arrive through `on_update` on a thread of the navigator's own choosing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from remembr_ros.records import Pose


class NavigationState(Enum):
    """States of a goal, in the order of msg/NavigationStatus."""

    IDLE = 0
    PROPOSED = 1
    SENT = 2
    ACTIVE = 3
    SUCCEEDED = 4
    ABORTED = 5
    CANCELED = 6
    REJECTED = 7
    REFUSED = 8
    EXPIRED = 9
    UNAVAILABLE = 10

    @property
    def final(self) -> bool:
        """Nothing follows for this goal."""
        return self not in (NavigationState.PROPOSED, NavigationState.SENT, NavigationState.ACTIVE)


@dataclass(frozen=True, slots=True)
class Goal:
    """A place to drive to. `id` is the proposal's id; late results of an older goal are told apart by it.

    `pose.yaw` None means that the heading on arrival does not matter.
    """

    id: str
    pose: Pose


@dataclass(frozen=True, slots=True)
class NavigationUpdate:
    """What became of goal `goal.id`. `distance_remaining_m` and `time_remaining_s` are NaN when unknown."""

    goal: Goal
    state: NavigationState
    distance_remaining_m: float = math.nan
    time_remaining_s: float = math.nan
    error_code: int = 0
    error_msg: str = ""


class Navigator(Protocol):
    """Drives to one goal at a time; a new goal replaces the old one, whose last update is CANCELED."""

    name: str

    def go(self, goal: Goal, on_update: Callable[[NavigationUpdate], None]) -> None:
        """Start driving; returns at once. `on_update` gets SENT, ACTIVE (repeatedly) and exactly one final state."""
        ...

    def cancel(self) -> None:
        """Stop driving, also while the goal is not yet accepted. Returns at once.

        The final update is CANCELED; ABORTED, with the reason, when the robot could not be told to stop or did not
        confirm it, since it may still be moving.
        """
        ...

    def close(self) -> None:
        """Cancel, and release what the navigator holds. Returns within 2 s."""
        ...
