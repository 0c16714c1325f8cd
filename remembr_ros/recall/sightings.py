"""Windows put together: sightings of one thing, stays of a parked robot. In: hits of a search; out: the same, grouped.

Times ns since the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remembr_ros.recall.matching import match
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.records import NANOSECONDS, Hit, Memory

SAME_SIGHTING_GAP_S = 10.0
"""Two windows farther apart in time than this are two sightings: about three windows in which a caption may miss it."""
SAME_OCCASION_GAP_S = 300.0
"""Sightings farther apart are counted as two: a robot that turns round in a room comes by once."""
SAME_STAY_GAP_S = 60.0
"""A stay in which the captions speak of other things for a minute is still one."""
LONGEST_LOOK_AWAY_S = 900.0
"""So long captions may speak of other things while the robot stays."""
SAME_PLACE_M = 5.0
"""A robot that moves less has not left."""
MAX_STEPS = 200
"""Steps of at most half an hour in which the end of a stay is looked for."""
MAX_ROWS = 1000
"""Windows looked at in one step."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """Windows without a gap in which the thing was seen, in time order; `score` of the best of them. Of a stay that
    shares an episode only the best window is here: the sighting begins when its first episode does."""

    hits: tuple[Hit, ...]
    score: float

    @property
    def start_ns(self) -> int:
        return min(hit.memory.episode_start_ns for hit in self.hits)

    @property
    def end_ns(self) -> int:
        return max(hit.memory.end_ns for hit in self.hits)


def sightings_of(hits: Sequence[Hit], about: str, gap_s: float = SAME_SIGHTING_GAP_S) -> list[Sighting]:
    """Windows at most `gap_s` apart put together into sightings, in time order. A parked robot's shared episode is one
    sighting."""
    groups: list[list[Hit]] = []
    end_ns = 0
    for hit in sorted(hits, key=lambda hit: hit.memory.start_ns):
        memory = hit.memory
        if groups and memory.episode_start_ns - end_ns <= gap_s * NANOSECONDS:
            groups[-1].append(hit)
            end_ns = max(end_ns, memory.end_ns)
        else:
            groups.append([hit])
            end_ns = memory.end_ns
    return [
        Sighting(tuple(group), max(match(about, h.memory.caption, h.score).score for h in group)) for group in groups
    ]


def joined(memory_store: SearchableMemory, sightings: Sequence[Sighting]) -> list[Sighting]:
    """Sightings of one stay put together: the robot had not left the place between them, whatever it saw."""
    stays: list[Sighting] = []
    for sighting in sightings:
        if stays and _stayed(memory_store, stays[-1].hits[-1].memory, sighting.hits[0].memory):
            last = stays.pop()
            sighting = Sighting(last.hits + sighting.hits, max(last.score, sighting.score))
        stays.append(sighting)
    return stays


def _stayed(memory_store: SearchableMemory, before: Memory, after: Memory) -> bool:
    if before.pose is None or before.map_id != after.map_id or after.start_ns <= before.end_ns:
        return False
    if after.start_ns - before.end_ns > LONGEST_LOOK_AWAY_S * NANOSECONDS:
        return False
    between = memory_store.between(before.end_ns, after.start_ns, MAX_ROWS)
    return len(between) > 0 and all(
        memory.pose is not None
        and memory.map_id == before.map_id
        and memory.pose.distance_to(before.pose.x, before.pose.y) <= SAME_PLACE_M
        for memory in (*between, after)
    )


def distinct(hits: Sequence[Hit]) -> list[Hit]:
    """One hit for each thing said about each stay, in order: the windows of one stay often say the same."""
    kept: list[Hit] = []
    for hit in hits:
        memory = hit.memory
        if not any(
            memory.caption == k.memory.caption
            and abs(memory.start_ns - k.memory.start_ns) <= 12 * SAME_SIGHTING_GAP_S * NANOSECONDS
            for k in kept
        ):
            kept.append(hit)
    return kept


def last_of_stay(memory_store: SearchableMemory, hit: Hit, now_ns: int) -> Hit:
    """The last window before `now_ns` of the stay that `hit` belongs to: its rows follow each other in time."""
    memory, span_ns = hit.memory, 60 * NANOSECONDS
    for _ in range(MAX_STEPS):
        end = min(memory.start_ns + span_ns, now_ns)
        rows = memory_store.between(memory.start_ns + 1, end, MAX_ROWS) if end > memory.start_ns + 1 else []
        same = [row for row in rows if _is_of_one_stay(row, memory) and row.start_ns < now_ns]
        if not same or same[-1].id == memory.id:
            break
        memory, span_ns = same[-1], min(4 * span_ns, 1800 * NANOSECONDS)
    return hit if memory.id == hit.memory.id else Hit(memory, hit.score)


def first_of_stay(memory_store: SearchableMemory, sighting: Sighting) -> Hit:
    """The window that a sighting begins with, which a search for one row of each stay need not give."""
    hit, start_ns = sighting.hits[0], sighting.start_ns
    if hit.memory.start_ns == start_ns:
        return hit
    rows = memory_store.between(start_ns, start_ns + 1, MAX_ROWS)
    first = (row for row in rows if _is_of_one_stay(row, hit.memory) and row.start_ns == start_ns)
    return next((Hit(row, hit.score) for row in first), hit)


def _is_of_one_stay(row: Memory, other: Memory) -> bool:
    return row.episode_start_ns == other.episode_start_ns and (row.robot_id, row.camera) == (
        other.robot_id,
        other.camera,
    )
