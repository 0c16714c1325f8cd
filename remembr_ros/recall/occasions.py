"""Hits put together into occasions, so that a model can count them and read off how long each was. In: hits of one
search; out: `Occasion`s.

A robot that passes a thing, or stands before it, remembers it again and again: twenty hits may all be of one minute.
Times ns since the epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remembr_ros.recall.sightings import SAME_OCCASION_GAP_S
from remembr_ros.records import NANOSECONDS, Hit


@dataclass(frozen=True, slots=True)
class Occasion:
    """The first and the last of `number` memories, none more than `SAME_OCCASION_GAP_S` after the one before."""

    first: Hit
    last: Hit
    number: int


@dataclass(frozen=True, slots=True)
class Occasions:
    """What an ordered search found: occasions that fit, and hits that are only alike. `latest_first`: their order."""

    fitting: tuple[Occasion, ...]
    alike: tuple[Occasion, ...] = ()
    latest_first: bool = False

    def __len__(self) -> int:
        return len(self.fitting) + len(self.alike)


def occasions_of(hits: Sequence[Hit], *, latest_first: bool) -> list[Occasion]:
    """Each hit once, on one map, in time order or against it."""
    groups: list[list[Hit]] = []
    distinct = {hit.memory.id: hit for hit in hits}
    for hit in sorted(distinct.values(), key=lambda hit: hit.memory.start_ns):
        last = groups[-1][-1].memory if groups else None
        gap_ns = SAME_OCCASION_GAP_S * NANOSECONDS
        if last and hit.memory.map_id == last.map_id and hit.memory.start_ns - last.end_ns <= gap_ns:
            groups[-1].append(hit)
        else:
            groups.append([hit])
    found = [Occasion(group[0], group[-1], len(group)) for group in groups]
    return found[::-1] if latest_first else found
