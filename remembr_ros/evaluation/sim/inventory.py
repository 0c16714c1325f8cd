"""What is where and when. In: a building and the robot's visits; out: things, each with its stays in rooms.

A stay is a room, the views of it that show the thing, and a range of time. Rare things are put where the robot will
come by; whether a caption mentions them is another matter.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from remembr_ros.evaluation.sim.building import HALLWAY, SPOTS, Building, Room
from remembr_ros.evaluation.sim.drive import FIRST_DAY, Visit, instant_ns
from remembr_ros.evaluation.sim.things import ANIMAL_COLOURS, ANIMALS, COLOURS, HALVES, NAMES, NOTICES, Kind, Role
from remembr_ros.records import NANOSECONDS

_HOUR_NS = 3600 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class Stay:
    """Seen in `room` from views `first` to `last`, from `from_ns` until `until_ns`."""

    room: Room
    first: int
    last: int
    from_ns: int
    until_ns: int


@dataclass(slots=True)
class Thing:
    """One thing, person or sign. `noted`, `asked`: whole phrases, `noted` with an article, `asked` without.

    `family`: what it is alike with (a kind, "door plate", "notice"); `colour` empty where it has none that is told.
    """

    id: str
    family: str
    noted: tuple[str, ...]
    asked: tuple[str, ...]
    role: Role
    colour: str = ""
    plural: bool = False
    says: str = ""
    stays: list[Stay] = field(default_factory=list)


def furnish(chance: random.Random, building: Building, visits: Sequence[Visit], days: int, half: str) -> list[Thing]:
    """All things of a deployment, in a fixed order."""
    things: list[Thing] = []
    for kind in HALVES[half]:
        if kind.role is Role.FIXTURE:
            things += _fixtures(chance, building, kind, days)
        elif kind.role is Role.MOVABLE:
            things += _movables(chance, building, kind, days)
        elif kind.role is Role.RARE:
            things += _rare(chance, kind, visits)
        else:
            things.append(_person(chance, building, kind, days))
    return things + _door_plates(chance, building, half, days) + _notices(chance, building, half, days)


def with_article(noun: str, plural: bool) -> str:
    if plural:
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _thing(kind: Kind, number: str = "", colour: str = "") -> Thing:
    before = f"{colour} " if colour else ""
    return Thing(
        id="-".join(part for part in (kind.name, colour, number) if part),
        family=kind.name,
        noted=tuple(
            before + noted if noted == "broken glass" else with_article(before + noted, kind.plural)
            for noted in kind.noted
        ),
        asked=tuple(before + asked for asked in kind.asked),
        role=kind.role,
        colour=colour,
        plural=kind.plural,
    )


def _colours(chance: random.Random, kind: Kind, number: int) -> list[str]:
    return chance.sample(ANIMAL_COLOURS if kind.name in ANIMALS else COLOURS, number)


def _rooms(chance: random.Random, building: Building, kind: Kind, number: int) -> list[Room]:
    """That fit, on different floors as far as possible."""
    fitting = [r for r in building.rooms if (r.kind.name in kind.where if kind.where else r.kind.name != HALLWAY)]
    chance.shuffle(fitting)
    seen: Counter[str] = Counter()
    rank = {}
    for room in fitting:
        rank[room.id] = seen[room.map_id]
        seen[room.map_id] += 1
    return sorted(fitting, key=lambda room: rank[room.id])[:number]


def _views(chance: random.Random) -> tuple[int, int]:
    first = chance.randrange(SPOTS - 1)
    return first, first + 1


def _always(chance: random.Random, room: Room, days: int) -> Stay:
    return Stay(room, *_views(chance), instant_ns(1, 0), instant_ns(days + 1, 0))


def _fixtures(chance: random.Random, building: Building, kind: Kind, days: int) -> list[Thing]:
    rooms = _rooms(chance, building, kind, chance.randint(3, 4))
    colours = _colours(chance, kind, len(rooms)) if kind.coloured else [""] * len(rooms)
    things = []
    for number, (room, colour) in enumerate(zip(rooms, colours, strict=True), 1):
        thing = _thing(kind, "" if colour else str(number), colour)
        thing.stays.append(_always(chance, room, days))
        things.append(thing)
    return things


def _movables(chance: random.Random, building: Building, kind: Kind, days: int) -> list[Thing]:
    things = [_thing(kind, colour=colour) for colour in (_colours(chance, kind, 2) if kind.coloured else [""])]
    for thing in things:
        day = 1
        while day <= days:
            until = day + chance.randint(2, 7)
            room = chance.choice([r for r in building.rooms if r.kind.name != HALLWAY])
            if chance.random() < 0.85:  # else it is away
                thing.stays.append(Stay(room, *_views(chance), instant_ns(day, 0), instant_ns(until, 0)))
            day = until
    return things


def _rare(chance: random.Random, kind: Kind, visits: Sequence[Visit]) -> list[Thing]:
    things = [_thing(kind, colour=colour) for colour in (_colours(chance, kind, 2) if kind.coloured else [""])]
    seen = [
        visit for visit in visits if visit.room is not None and visit.room.kind.name != HALLWAY and visit.windows > 9
    ]
    for thing in things:
        for visit in chance.sample(seen, min(len(seen), chance.choice((1, 1, 2, 3, 4)))):
            assert visit.room is not None
            before, after = (round(chance.uniform(0.1, 1.0) * _HOUR_NS) for _ in range(2))
            thing.stays.append(Stay(visit.room, *_views(chance), visit.start_ns - before, visit.end_ns + after))
    return things


def _person(chance: random.Random, building: Building, kind: Kind, days: int) -> Thing:
    thing = _thing(kind)
    weekdays = chance.sample(range(7), chance.randint(1, 3))
    room = chance.choice([r for r in building.rooms if r.kind.name != HALLWAY])
    hour = chance.uniform(8, 16)
    for day in range(1, days + 1):
        if (FIRST_DAY + timedelta(days=day - 1)).weekday() in weekdays and chance.random() < 0.85:
            begins = hour + chance.uniform(-0.5, 0.5)
            ends = begins + chance.uniform(1.5, 3.0)
            thing.stays.append(Stay(room, *_views(chance), instant_ns(day, begins), instant_ns(day, ends)))
    return thing


def _door_plates(chance: random.Random, building: Building, half: str, days: int) -> list[Thing]:
    things = []
    names = chance.sample(NAMES[half], 8)
    rooms = chance.sample([r for r in building.rooms if r.kind.name != HALLWAY], len(names))
    for name, room in zip(names, rooms, strict=True):
        number = f"{int(room.map_id[-1]) + 1}{chance.randint(10, 89)}"
        thing = Thing(
            f"plate-{name.lower()}",
            "door plate",
            (f'a door plate that reads "{number} Dr. {name}"', f'a door with the label "{number}, Dr. {name}"'),
            (f"office of Dr. {name}", f"room {number}", f"Dr. {name}"),
            Role.FIXTURE,
            says=f"{number} Dr. {name}",
        )
        thing.stays.append(_always(chance, room, days))
        things.append(thing)
    return things


def _notices(chance: random.Random, building: Building, half: str, days: int) -> list[Thing]:
    things = []
    rooms = chance.sample([r for r in building.rooms if r.kind.name != HALLWAY], len(NOTICES[half]))
    for number, (text, room) in enumerate(zip(NOTICES[half], rooms, strict=True), 1):
        thing = Thing(
            f"notice-{number}",
            "notice",
            (f'a sheet on the wall with the words "{text}"', f'a printed page that reads "{text}"'),
            ("notice", "sign"),
            Role.RARE,
            says=text,
        )
        day = chance.randint(1, max(1, days - 6))
        thing.stays.append(Stay(room, *_views(chance), instant_ns(day, 7), instant_ns(day + chance.randint(3, 6), 20)))
        things.append(thing)
    return things
