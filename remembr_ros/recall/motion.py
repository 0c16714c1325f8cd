"""How the robot moved: distance, turns and stops from the poses of memories. Metres, radians, REP 103 (left is
positive)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from remembr_ros.records import NANOSECONDS, Memory, Pose, normalize_yaw

STOP_RADIUS_M = 0.3
STOP_MIN_S = 6.0
TURN_MIN_RAD = math.radians(50.0)


@dataclass(frozen=True, slots=True)
class Turn:
    """A change of heading: `angle` [rad], positive = left."""

    at: Memory
    angle: float


@dataclass(frozen=True, slots=True)
class Stop:
    """The robot stayed within STOP_RADIUS_M of `at` for `duration_s`."""

    at: Memory
    duration_s: float


@dataclass(frozen=True, slots=True)
class Motion:
    """`path_m` driven, `straight_m` between the ends."""

    path_m: float
    straight_m: float
    turns: tuple[Turn, ...]
    stops: tuple[Stop, ...]


def motion_of(memories: Sequence[Memory]) -> Motion | None:
    """The motion over memories in time order, of one map; None when fewer than two have a pose."""
    placed = [(memory, memory.pose) for memory in memories if memory.pose is not None]
    placed = [(memory, pose) for memory, pose in placed if memory.map_id == placed[-1][0].map_id]
    if len(placed) < 2:
        return None
    steps = [b.distance_to(a.x, a.y) for (_, a), (_, b) in pairwise(placed)]
    first, last = placed[0][1], placed[-1][1]
    # Jitter of a standing robot is no driving.
    path = sum(step for step in steps if step > 0.05)
    return Motion(path, last.distance_to(first.x, first.y), tuple(_turns(placed)), tuple(_stops(placed)))


def _turns(placed: Sequence[tuple[Memory, Pose]]) -> list[Turn]:
    """Heading changes in one direction are summed until the heading rests or turns back."""
    turns: list[Turn] = []
    total, began = 0.0, placed[0][0]
    for (memory, a), (_, b) in pairwise(placed):
        change = normalize_yaw(b.yaw - a.yaw) if a.yaw is not None and b.yaw is not None else 0.0
        if abs(change) < math.radians(8.0) or change * total < 0.0:
            if abs(total) >= TURN_MIN_RAD:
                turns.append(Turn(began, total))
            total = 0.0
        if abs(change) >= math.radians(8.0):
            if total == 0.0:
                began = memory
            total += change
    if abs(total) >= TURN_MIN_RAD:
        turns.append(Turn(began, total))
    return turns


def _stops(placed: Sequence[tuple[Memory, Pose]]) -> list[Stop]:
    stops: list[Stop] = []
    start = 0
    for index in range(1, len(placed) + 1):
        anchor = placed[start][1]
        if index < len(placed) and placed[index][1].distance_to(anchor.x, anchor.y) <= STOP_RADIUS_M:
            continue
        duration = (placed[index - 1][0].end_ns - placed[start][0].start_ns) / NANOSECONDS
        if duration >= STOP_MIN_S:
            stops.append(Stop(placed[start][0], duration))
        start = index
    return stops
