"""Slips of a captioner, told by the windows beside them. In: windows that say a thing; out: those that may be believed.

A captioner takes one thing for another, or its colour, now and then. A robot that stands or drives by sees the same for
several windows: what the others contradict, or none of them says again, was likely never there. Times ns, places in the
map frame [m].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from remembr_ros.recall.matching import content_words, overlap
from remembr_ros.recall.other_words import colours_of, groups_of, without_colours
from remembr_ros.recall.searches import Searches
from remembr_ros.recall.sightings import Sighting, sightings_of
from remembr_ros.records import NANOSECONDS, Hit, Memory

ALONE_S = 60.0
"""So long before and after a sighting, other windows of the same view are looked at."""
SAME_VIEW_M = 1.5
"""Windows so near in time and place show much the same."""
SAID_AGAIN, SAID_AT_ALL = 0.3, 0.12
"""Shares of them that say a thing which is really there, at least, as captioners leave things out, too: where a surer
sighting can be had, and where each counts."""
ENOUGH = 5
"""Windows of a view from which on their silence tells something."""
MOST_CHECKED = 40
"""Sightings that are compared with what was noted beside them; for a single answer, a quarter of them."""
MOST_BESIDE = 200
"""Windows looked at beside one sighting."""


class Beside(NamedTuple):
    """What the windows of one view say: how many there are, the captions of those that say the thing, and how many say
    it in another colour."""

    windows: int
    says_so: tuple[str, ...]
    others: int


def without_slips(
    searches: Searches, about: str, wordings: Sequence[str], hits: list[Hit], *, every: bool = False
) -> list[Hit]:
    """`hits` that say `about`, or one of its `wordings`, without those that other windows of the same view contradict,
    and without those that none of them says again where other sightings are surer.

    `every`: all sightings are looked at, for a count; else the first ones, until one is sure.
    """
    sightings = sightings_of(hits, about, ALONE_S)
    place = {hit.memory.id: number for number, hit in enumerate(hits)}
    sightings.sort(key=lambda sighting: min(place[hit.memory.id] for hit in sighting.hits))
    wrong: set[str] = set()
    alone: set[str] = set()
    sure = False
    for sighting in sightings[: MOST_CHECKED if every else MOST_CHECKED // 4]:
        ids = {hit.memory.id for hit in sighting.hits}
        beside = _beside(searches, [about, *wordings], sighting)
        again = len(beside.says_so) >= (SAID_AT_ALL if every else SAID_AGAIN) * beside.windows
        if beside.others > len(beside.says_so):
            wrong |= ids
        elif len(set(beside.says_so)) == 1 and not again and beside.windows >= ENOUGH:
            alone |= ids
        elif len(beside.says_so) != 1:
            sure = True
            if not every:
                break
    dropped = wrong | alone if sure else wrong
    return [hit for hit in hits if hit.memory.id not in dropped]


def _beside(searches: Searches, wordings: Sequence[str], sighting: Sighting) -> Beside:
    """What fits by meaning alone has no captions that say so: it cannot be looked for by its words."""
    span_ns, here = round(ALONE_S * NANOSECONDS), sighting.hits[0].memory
    rows = [
        row
        for row in searches.rows(here.start_ns - span_ns, here.end_ns + span_ns, MOST_BESIDE)
        if row.camera == here.camera and row.robot_id == here.robot_id and _is_same_view(row, here)
    ]
    bare = [without_colours(words) for words in wordings if without_colours(words) != words]
    bare = [words for words in bare if content_words(words)]
    says_so: list[str] = []
    others = 0
    for row in rows:
        if any(overlap(words, row.caption) == 1.0 for words in wordings):
            says_so.append(row.caption)
        elif any(_in_other_colour(words, row.caption) for words in bare):
            others += 1
    return Beside(len(rows), tuple(says_so), others)


def _is_same_view(row: Memory, here: Memory) -> bool:
    if row.pose is None or here.pose is None:
        return True
    return row.map_id == here.map_id and row.pose.distance_to(here.pose.x, here.pose.y) <= SAME_VIEW_M


def _in_other_colour(thing: str, caption: str) -> bool:
    """Whether a group of words of `caption` says `thing` with a colour."""
    wanted = set(content_words(thing))
    return any(wanted <= set(content_words(group)) and colours_of(group) for group in groups_of(caption))
