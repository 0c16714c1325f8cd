"""A deployment told for people who write questions about it. In: a deployment; out: Markdown.

It says what was seen where and when in plain lists: ids, dates, rooms. It does not show any caption.
"""

from __future__ import annotations

from remembr_ros.evaluation.sim.deployment import Deployment, Sighting
from remembr_ros.evaluation.sim.drive import FIRST_DAY, ZONE
from remembr_ros.evaluation.sim.inventory import Thing
from remembr_ros.evaluation.sim.truth import Seen, World, occasions
from remembr_ros.recall.when import to_local

_MANY = 12
"""A thing seen more often is told by its days."""
_LONG_MIN = 8.0


def tell(deployment: Deployment) -> str:
    """The whole chronicle."""
    world = World(deployment)
    lines = [
        f"# The deployment of seed {deployment.seed}",
        "",
        f"Day 1 is {FIRST_DAY:%A %Y-%m-%d}, times are {ZONE.key}. Room ids end in the floor (0 to 3).",
        "",
        "## Rooms (x, y in metres on the floor's map)",
        *(f"- {room.id}: {room.map_id} ({room.x:.0f}, {room.y:.0f})" for room in deployment.building.rooms),
        "",
        "## Things, people and signs",
        *(_told(thing, deployment) for thing in deployment.things),
        "",
        "## Long stays of the robot in one room",
        *(
            f"- {visit.room.id}: {_moment(visit.start_ns)} for {(visit.end_ns - visit.start_ns) / 60e9:.1f} minutes"
            for visit in deployment.visits
            if visit.room is not None and visit.end_ns - visit.start_ns >= _LONG_MIN * 60e9
        ),
        "",
        f"Things: {', '.join(world.things)}",
    ]
    return "\n".join(lines) + "\n"


def _told(thing: Thing, deployment: Deployment) -> str:
    sightings = deployment.sightings(thing)
    what = f"- `{thing.id}`" + (f', it reads "{thing.says}"' if thing.says else "")
    if not sightings:
        return f"{what}: never noted"
    if len(sightings) <= _MANY:
        seen = "; ".join(f"{_period(o)} in {_rooms(sightings, o)}" for o in occasions(sightings))
        return f"{what}: {seen}"
    spells: list[list[Sighting]] = []
    for sighting in sightings:
        if spells and spells[-1][-1].room is sighting.room:
            spells[-1].append(sighting)
        else:
            spells.append([sighting])
    told = "; ".join(
        f"in {s[0].room.id}, {len(occasions(s))} times from {_moment(s[0].start_ns)} to {_moment(s[-1].end_ns)}"
        for s in spells
    )
    return f"{what}: {told}"


def _rooms(sightings: object, occasion: Seen) -> str:
    assert isinstance(sightings, list)
    inside = [s.room.id for s in sightings if s.start_ns < occasion.end_ns and occasion.start_ns < s.end_ns]
    return ", ".join(dict.fromkeys(inside))


def _moment(instant_ns: int) -> str:
    local = to_local(instant_ns, ZONE)
    day = (local.date() - FIRST_DAY.date()).days + 1
    return f"day {day} ({local:%a %b} {local.day}) {local:%H:%M}"


def _period(occasion: Seen) -> str:
    seconds = round((occasion.end_ns - occasion.start_ns) / 1e9)
    return f"{_moment(occasion.start_ns)} for {seconds} s"
