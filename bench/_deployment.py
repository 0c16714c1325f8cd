"""Simulated months of memories for the benchmarks: records and vectors as captions of a building would give them.

In: how many, a seed, a dimension. Out: `Memory` records (one every 3 s) and (N, dimension) float32 unit vectors. They
lie around 200 centres, one for each kind of scene, as those of real captions do. `uniform`: the robot drives all the
time. `parked`: it drives for 8 h a day and stands at one of three docks for the rest, each stay one episode.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from remembr_ros.memory.schema import memory_id
from remembr_ros.records import NANOSECONDS, Memory, Pose

KINDS = 200
SPREAD = 0.6
START_NS = 1_796_061_600_000_000_000
WINDOW_NS = 3 * NANOSECONDS
DAY = 28_800
"""Windows."""
DRIVING = DAY // 3
DOCKS = ((5.0, 3.0), (41.0, 17.0), (70.0, 50.0))
FLOOR_M = (80.0, 60.0)
MAP, ROBOT, CAMERA = "floor", "carter", "front"


class Deployment:
    """`parked_heavy` chooses between the two kinds of days."""

    def __init__(self, dimension: int, *, parked_heavy: bool = False, seed: int = 7) -> None:
        self.dimension = dimension
        self.parked_heavy = parked_heavy
        self._random = np.random.default_rng(seed)
        self._centres = self._random.standard_normal((KINDS, dimension), dtype=np.float32)

    def batches(self, first: int, last: int, size: int) -> Iterator[tuple[list[Memory], np.ndarray[Any, Any]]]:
        """Memories first to last - 1 with their vectors."""
        for start in range(first, last, size):
            numbers = range(start, min(last, start + size))
            memories = [self.memory(number) for number in numbers]
            yield memories, self.vectors([self.kind(number) for number in numbers])

    def kind(self, number: int) -> int:
        """Which kind of scene that window shows."""
        return self._dock(number) if self._is_parked(number) else number * 7919 % KINDS

    def vectors(self, kinds: list[int]) -> np.ndarray[Any, Any]:
        """(len(kinds), dimension): near the centres of these kinds."""
        noise = self._random.standard_normal((len(kinds), self.dimension), dtype=np.float32)
        vectors = self._centres[kinds] + np.float32(SPREAD) * noise
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def memory(self, number: int) -> Memory:
        start_ns = START_NS + number * WINDOW_NS
        x, y = DOCKS[self._dock(number)] if self._is_parked(number) else _place(number)
        episode = number // DAY * DAY + DRIVING if self._is_parked(number) else number
        return Memory(
            id=memory_id(ROBOT, CAMERA, start_ns),
            start_ns=start_ns,
            end_ns=start_ns + WINDOW_NS,
            episode_start_ns=START_NS + episode * WINDOW_NS,
            caption=f"I see a scene that people would describe in about so many words, of kind {self.kind(number)}",
            pose=Pose(start_ns, "map", x, y, yaw=0.1),
            localized=True,
            map_id=MAP,
            robot_id=ROBOT,
            camera=CAMERA,
        )

    def _is_parked(self, number: int) -> bool:
        return self.parked_heavy and number % DAY >= DRIVING

    def _dock(self, number: int) -> int:
        return number // DAY % len(DOCKS)


def _place(number: int) -> tuple[float, float]:
    """A path that fills the floor evenly: two triangle waves whose periods have no common measure."""
    width_m, height_m = FLOOR_M
    return width_m * _wave(number * 0.0137 * math.sqrt(2)), height_m * _wave(number * 0.0071)


def _wave(phase: float) -> float:
    return abs(phase % 2.0 - 1.0)
