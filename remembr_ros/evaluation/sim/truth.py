"""What is true of a deployment. In: a query (a thing or room, a period, which occasion); out: a `Truth`.

A thing counts as seen where a caption names it: somebody who reads all captions could answer every question. Occasions
are more than ten minutes apart.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.cases import Place, Truth
from remembr_ros.evaluation.sim.building import Room
from remembr_ros.evaluation.sim.deployment import Deployment, Sighting
from remembr_ros.evaluation.sim.drive import instant_ns
from remembr_ros.evaluation.sim.inventory import Thing
from remembr_ros.records import NANOSECONDS, AnswerKind, Memory

OCCASION_GAP_NS = 600 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class Seen:
    """One occasion: from first to last view, the windows that note it."""

    start_ns: int
    end_ns: int
    noted: tuple[Memory, ...]

    @property
    def first_noted(self) -> tuple[int, int]:
        """Any instant that may be told as its beginning [ns]."""
        return self.start_ns, self.noted[0].end_ns

    @property
    def last_noted(self) -> tuple[int, int]:
        return self.noted[-1].start_ns, self.end_ns


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question is about: things and rooms of which any counts, between two instants [ns]; None is open.

    `which`: "first", "last", "nearest", or "" for any occasion.
    """

    things: tuple[Thing, ...] = ()
    rooms: tuple[Room, ...] = ()
    after_ns: int | None = None
    before_ns: int | None = None
    which: str = ""


class World:
    """The truth of `deployment`. Nothing later than `now_ns` is known."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.things = {thing.id: thing for thing in deployment.things}
        self.rooms = {room.id: room for room in deployment.building.rooms}
        self._visits: dict[str, list[Sighting]] = defaultdict(list)
        for visit, memories in deployment.visited:
            if visit.room is not None and memories:
                self._visits[visit.room.id].append(Sighting(visit.room, visit.start_ns, visit.end_ns, memories))

    def seen(self, wanted: Wanted, now_ns: int) -> list[Seen]:
        """The occasions, in time order."""
        after_ns = wanted.after_ns if wanted.after_ns is not None else 0
        before_ns = min(now_ns, wanted.before_ns if wanted.before_ns is not None else now_ns)
        sightings = [s for thing in wanted.things for s in self.deployment.sightings(thing)]
        sightings += [s for room in wanted.rooms for s in self._visits[room.id]]
        parts = (_clipped(sighting, after_ns, before_ns) for sighting in sightings)
        return occasions(part for part in parts if part is not None)

    def where(self, wanted: Wanted, now_ns: int) -> Truth:
        """Every place of the occasions meant from which a caption notes it."""
        seen = self._which(wanted, now_ns)
        noted = [m for occasion in seen for m in occasion.noted if m.pose is not None]
        # Where the robot never knew its place, nobody can tell.
        return self._found(
            Truth(AnswerKind.POSITION, places=_places(noted), evidence_ids=_ids(seen)), seen if noted else []
        )

    def nearest(self, wanted: Wanted, now_ns: int, here: Room) -> Truth:
        """The places of the one of several alike that is nearest to `here` on its floor."""
        by_thing = []
        for thing in wanted.things:
            seen = self.seen(dataclasses.replace(wanted, things=(thing,), which=""), now_ns)
            noted = [m for o in seen for m in o.noted if m.pose is not None and m.map_id == here.map_id and m.localized]
            if noted:
                distance = min(m.pose.distance_to(here.x, here.y) for m in noted if m.pose is not None)
                by_thing.append((distance, seen, noted))
        if not by_thing:
            return Truth(AnswerKind.POSITION, answerable=False)
        _, seen, noted = min(by_thing, key=lambda found: found[0])
        return Truth(AnswerKind.POSITION, places=_places(noted), evidence_ids=_ids(seen))

    def when(self, wanted: Wanted, now_ns: int) -> Truth:
        """The instants of the occasions meant."""
        seen = self._which(wanted, now_ns)
        if wanted.which == "first":
            times = tuple(occasion.first_noted for occasion in seen)
        elif wanted.which == "last":
            times = tuple(occasion.last_noted for occasion in seen)
        else:
            times = tuple((occasion.start_ns, occasion.end_ns) for occasion in seen)
        return self._found(Truth(AnswerKind.TIME, times=times, evidence_ids=_ids(seen)), seen)

    def how_long(self, wanted: Wanted, now_ns: int) -> Truth:
        """The length of the one occasion, the longest if there are several."""
        seen = self._which(wanted, now_ns)
        longest = max(((o.end_ns - o.start_ns) / NANOSECONDS for o in seen), default=None)
        return self._found(Truth(AnswerKind.DURATION, duration_s=longest, evidence_ids=_ids(seen)), seen)

    def between(self, first: Wanted, second: Wanted, now_ns: int) -> Truth:
        """From the beginning of one occasion to the beginning of the other."""
        begin, end = self._which(first, now_ns), self._which(second, now_ns)
        if not begin or not end:
            return Truth(AnswerKind.DURATION, answerable=False)
        length = abs(end[0].noted[0].start_ns - begin[0].noted[0].start_ns) / NANOSECONDS
        return Truth(AnswerKind.DURATION, duration_s=length, evidence_ids=_ids([begin[0], end[0]]))

    def how_many(self, wanted: Wanted, now_ns: int) -> Truth:
        seen = self.seen(wanted, now_ns)
        return Truth(AnswerKind.COUNT, count=len(seen), evidence_ids=_ids(seen))

    def yes_no(self, wanted: Wanted, now_ns: int) -> Truth:
        seen = self.seen(wanted, now_ns)
        return Truth(AnswerKind.BINARY, yes_no=bool(seen), evidence_ids=_ids(seen))

    def what(self, wanted: Wanted, now_ns: int, words: Sequence[str]) -> Truth:
        seen = self._which(wanted, now_ns)
        return self._found(Truth(AnswerKind.TEXT, texts=tuple(words), evidence_ids=_ids(seen)), seen)

    def _which(self, wanted: Wanted, now_ns: int) -> list[Seen]:
        seen = self.seen(wanted, now_ns)
        if wanted.which == "first":
            return seen[:1]
        return seen[-1:] if wanted.which == "last" else seen

    @staticmethod
    def _found(truth: Truth, seen: Sequence[Seen]) -> Truth:
        return truth if seen else dataclasses.replace(truth, answerable=False)


def period(days: Sequence[int] | None, hours: Sequence[float] | None) -> tuple[int | None, int | None]:
    """[from, until) in ns of whole days (first and last, from 1) and, within one day, hours of it."""
    if days is None:
        if hours is not None:
            raise InvalidInput("hours need days")
        return None, None
    first, last = days
    if hours is None:
        return instant_ns(first, 0), instant_ns(last + 1, 0)
    if first != last:
        raise InvalidInput("hours need a single day")
    return instant_ns(first, hours[0]), instant_ns(first, hours[1])


def occasions(sightings: Iterable[Sighting]) -> list[Seen]:
    """Sightings less than ten minutes apart are one occasion."""
    found: list[Seen] = []
    for sighting in sorted(sightings, key=lambda s: s.start_ns):
        if found and sighting.start_ns - found[-1].end_ns <= OCCASION_GAP_NS:
            last = found.pop()
            noted = tuple(sorted(last.noted + sighting.noted, key=lambda memory: memory.start_ns))
            found.append(Seen(last.start_ns, max(last.end_ns, sighting.end_ns), noted))
        else:
            found.append(Seen(sighting.start_ns, sighting.end_ns, sighting.noted))
    return found


def _clipped(sighting: Sighting, after_ns: int, before_ns: int) -> Sighting | None:
    if sighting.end_ns <= after_ns or sighting.start_ns >= before_ns:
        return None
    noted = tuple(m for m in sighting.noted if m.end_ns > after_ns and m.start_ns < before_ns)
    if not noted:
        return None
    return Sighting(sighting.room, max(sighting.start_ns, after_ns), min(sighting.end_ns, before_ns), noted)


def _places(memories: Sequence[Memory]) -> tuple[Place, ...]:
    """Each place once, to 0.5 m."""
    found = {
        (round(2 * m.pose.x), round(2 * m.pose.y), m.map_id): Place(m.pose.x, m.pose.y, m.map_id)
        for m in memories
        if m.pose is not None
    }
    return tuple(found.values())


def _ids(seen: Sequence[Seen]) -> frozenset[str]:
    return frozenset(memory.id for occasion in seen for memory in occasion.noted)
