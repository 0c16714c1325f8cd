"""What a picture of the memory shows. In: a memory, and a floor plan if there is one. Out: places, path, evidence [m].

One picture is of one map: places of different maps cannot be drawn together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remembr_ros.errors import ConfigurationError, InvalidInput
from remembr_ros.memory.query import Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Hit, Memory

MOST_PLACES = 4000
"""Beyond this a picture shows no more, only slower."""
MOST_PATH_POINTS = 20_000
NAME_CHARACTERS = 60
FIRST_CELL_M = 0.25
LONGEST_GAP_S = 60.0
"""Between poses further apart in time nobody knows how the robot went."""

Line = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """`pixels`: (H, W) uint8, row 0 at the top, 255 free; `extent`: left, right, bottom, top [m]."""

    pixels: Any
    extent: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class MapContent:
    """`places`: what is shown of `count` memories with a place on the map `map_id`, in time order; `path`: lines."""

    map_id: str
    count: int
    places: tuple[Memory, ...]
    path: tuple[Line, ...]
    evidence: tuple[Hit, ...] = ()
    plan: FloorPlan | None = None

    @property
    def title(self) -> str:
        """What the picture is called; no longer than a line."""
        name = printable(self.map_id)[:NAME_CHARACTERS] or "(no name)"
        return f"{self.count:,} memories on the map {name}"

    def extent(self, margin_m: float = 1.0) -> tuple[float, float, float, float]:
        """Left, right, bottom, top [m] of everything."""
        points = [point for line in self.path for point in line]
        points += [(memory.pose.x, memory.pose.y) for memory in self.places if memory.pose is not None]
        if self.plan is not None:
            left, right, bottom, top = self.plan.extent
            points += [(left, bottom), (right, top)]
        xs, ys = zip(*points, strict=True)
        return min(xs) - margin_m, max(xs) + margin_m, min(ys) - margin_m, max(ys) + margin_m


def gather(
    store: MemoryStore, query: Query, *, map_id: str | None = None, about: str = "", plan: FloorPlan | None = None
) -> MapContent:
    """`query`: which memories; `map_id` None: the map of the latest of them; `about`: show what this text finds.

    Raises InvalidInput when there is nothing to draw.
    """
    placed = [memory for page in store.walk(query) for memory, _ in page if memory.pose is not None]
    if map_id is None and placed:
        map_id = placed[-1].map_id
    here = [memory for memory in placed if memory.map_id == map_id]
    if not here:
        maps = sorted({memory.map_id for memory in placed})
        raise InvalidInput(
            f"no memory with a place on the map {map_id!r}; maps: {', '.join(map(repr, maps)) or 'none'}"
        )
    evidence: Sequence[Hit] = ()
    if about:
        found = store.search(Query(text=about, map_id=here[0].map_id, robot_id=query.robot_id, camera=query.camera))
        evidence = [hit for hit in found if hit.memory.pose is not None]
    return MapContent(here[0].map_id, len(here), _thinned(here), tuple(_path(here)), tuple(evidence), plan)


def printable(text: str) -> str:
    """`text` of anybody's for a page, a picture or a terminal: what is no visible character (escape sequences, line
    ends, marks that turn the direction of writing, lone surrogates) becomes U+FFFD."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def read_floor_plan(file: Path) -> FloorPlan:
    """The YAML file of a map as Nav2's map_saver writes it (image, resolution, origin). Raises ConfigurationError."""
    import cv2
    import yaml

    try:
        described = yaml.safe_load(file.read_text(encoding="utf-8"))
        image, resolution_m = file.parent / described["image"], float(described["resolution"])
        x, y = (float(value) for value in described["origin"][:2])
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(f"{file} is no map of Nav2's map_saver: {type(error).__name__}: {error}") from None
    pixels = cv2.imread(str(image), cv2.IMREAD_GRAYSCALE)
    if pixels is None:
        raise ConfigurationError(f"{file}: {image} is no picture that can be read")
    height, width = pixels.shape
    return FloorPlan(pixels, (x, x + width * resolution_m, y, y + height * resolution_m))


def _thinned(memories: Iterable[Memory]) -> tuple[Memory, ...]:
    """The latest window of each stay; of too many, the latest of each cell, as fine as MOST_PLACES allows."""
    stays = list({(memory.episode_start_ns, memory.camera): memory for memory in memories}.values())
    cell_m = FIRST_CELL_M
    while len(stays) > MOST_PLACES:
        stays = list({_cell(memory, cell_m): memory for memory in stays}.values())
        cell_m *= 2.0
    return tuple(sorted(stays, key=lambda memory: memory.start_ns))


def _cell(memory: Memory, cell_m: float) -> tuple[int, int]:
    assert memory.pose is not None
    return math.floor(memory.pose.x / cell_m), math.floor(memory.pose.y / cell_m)


def _path(memories: Sequence[Memory]) -> Iterator[Line]:
    """Lines between poses that followed each other, without the points where the robot hardly moved."""
    step_m = 0.05 if len(memories) <= MOST_PATH_POINTS else 0.5
    line: list[tuple[float, float]] = []
    before: Memory | None = None
    for memory in memories:
        assert memory.pose is not None
        point = (memory.pose.x, memory.pose.y)
        if before is not None and not _followed(before, memory):
            if len(line) > 1:
                yield tuple(line)
            line = []
        if not line or math.dist(line[-1], point) >= step_m:
            line.append(point)
        before = memory
    if len(line) > 1:
        yield tuple(line)


def _followed(before: Memory, after: Memory) -> bool:
    same = (before.robot_id, before.camera, before.session_id) == (after.robot_id, after.camera, after.session_id)
    return same and (after.start_ns - before.end_ns) / NANOSECONDS <= LONGEST_GAP_S
