"""One simulated deployment. In: seed, days, windows; out: its memories in time order, and what was seen in truth.

The same seed gives the same deployment. Rules were tuned on things of seeds below 200, which have others from there on;
the files of questions in bench/ name the seed that they are about. Sensor noise: places are 0.15 m off, a hundredth of
the windows is missing, in a hundredth the place is unknown, in two hundredths it is known badly and not trusted.
"""

from __future__ import annotations

import bisect
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from remembr_ros.evaluation.sim.building import SPOTS, Building, Room, build
from remembr_ros.evaluation.sim.captioner import Description, describe
from remembr_ros.evaluation.sim.drive import WINDOW_NS, Visit, drive
from remembr_ros.evaluation.sim.inventory import Stay, Thing, furnish
from remembr_ros.evaluation.sim.places import DOCK_DAY, DOCK_NIGHT
from remembr_ros.evaluation.sim.things import half_of
from remembr_ros.memory.schema import memory_id
from remembr_ros.records import Memory, Pose

ROBOT, CAMERA = "sim", "front"
_VARIANTS = 12
"""Captions of one view: a captioner that sees the same again often says the same again."""
_DOCK_ROOM = 0
_MISSING, _NO_POSE, _BAD_POSE = 0.01, 0.01, 0.02


@dataclass(frozen=True, slots=True)
class Sighting:
    """A thing in view during one visit. `noted`: the windows whose captions name it, in time order, at least one."""

    room: Room
    start_ns: int
    end_ns: int
    noted: tuple[Memory, ...]


class Deployment:
    """`memories` in time order; `things`; `visits`; `sightings(thing)`; `in_room(room)`."""

    def __init__(self, seed: int, *, days: int = 30, windows: int = 200_000) -> None:
        self.seed = seed
        self.days = days
        self.half = half_of(seed)
        chance = random.Random(f"deployment {seed} {days} {windows}")
        self.building: Building = build(chance)
        self.visits: list[Visit] = drive(chance, self.building, days, round(windows / (1.0 - _MISSING)))
        self.things: list[Thing] = furnish(chance, self.building, self.visits, days, self.half)
        self.memories: list[Memory] = []
        self.visited: list[tuple[Visit, tuple[Memory, ...]]] = []
        """Each visit with its windows."""
        self._sightings: dict[str, list[Sighting]] = defaultdict(list)
        self._descriptions: dict[tuple[str, int, tuple[str, ...]], list[Description]] = {}
        self._chance = random.Random(f"captions {seed} {days} {windows}")
        self._stays = self._stays_by_room()
        for number, visit in enumerate(self.visits):
            self._live_through(visit, f"session-{number // 5000}")

    @property
    def start_ns(self) -> int:
        return self.memories[0].start_ns

    @property
    def end_ns(self) -> int:
        return self.memories[-1].end_ns

    def sightings(self, thing: Thing) -> Sequence[Sighting]:
        """In time order."""
        return self._sightings[thing.id]

    def between(self, after_ns: int, before_ns: int) -> list[Memory]:
        """The memories that start in [after_ns, before_ns)."""
        first = bisect.bisect_left(self.memories, after_ns, key=lambda memory: memory.start_ns)
        last = bisect.bisect_left(self.memories, before_ns, key=lambda memory: memory.start_ns)
        return self.memories[first:last]

    def _stays_by_room(self) -> dict[str, list[tuple[Thing, Stay]]]:
        by_room: dict[str, list[tuple[Thing, Stay]]] = defaultdict(list)
        for thing in self.things:
            for stay in thing.stays:
                by_room[stay.room.id].append((thing, stay))
        return by_room

    def _live_through(self, visit: Visit, session: str) -> None:
        made = self._parked(visit, session) if visit.room is None else self._in_room(visit, visit.room, session)
        self.memories += made
        self.visited.append((visit, tuple(made)))

    def _parked(self, visit: Visit, session: str) -> list[Memory]:
        chance = self._chance
        dock = self.building.floors[0][_DOCK_ROOM]
        made: list[Memory] = []
        caption, episode_ns = "", visit.start_ns
        for number in range(visit.windows):
            start_ns = visit.start_ns + number * visit.stride_ns
            if number % 60 == 0:
                caption, episode_ns = chance.choice(DOCK_DAY if number < 30 else DOCK_NIGHT), start_ns
            pose = Pose(start_ns, "map", dock.x - 3.0, dock.y - 2.0, yaw=0.0, position_var=0.01)
            made.append(self._memory(start_ns, episode_ns, caption, pose, True, dock.map_id, session))
        return made

    def _in_room(self, visit: Visit, room: Room, session: str) -> list[Memory]:
        chance = self._chance
        here = [(t, s) for t, s in self._stays[room.id] if s.from_ns <= visit.end_ns and visit.start_ns < s.until_ns]
        parked_at = chance.randrange(SPOTS)
        yaw = chance.uniform(-3.1, 3.1)
        no_pose, bad_pose = chance.random() < _NO_POSE, chance.random() < _BAD_POSE
        made: list[Memory] = []
        seen: dict[str, list[tuple[int, Memory | None]]] = defaultdict(list)
        description: Description | None = None
        view: tuple[int, tuple[str, ...]] | None = None
        episode_ns = visit.start_ns
        for number in range(visit.windows):
            start_ns = visit.start_ns + number * visit.stride_ns
            parked = visit.long and 6 <= number < visit.windows - 6
            spot = parked_at if parked else min(SPOTS - 1, number * SPOTS // visit.windows)
            in_view = [t for t, s in here if s.first <= spot <= s.last and s.from_ns <= start_ns < s.until_ns]
            now = (spot, tuple(thing.id for thing in in_view))
            if description is None or now != view or chance.random() < (0.08 if parked else 0.5):
                description, view = chance.choice(self._captions(room, spot, in_view)), now
                episode_ns = start_ns
            if chance.random() < _MISSING:
                for thing in in_view:
                    seen[thing.id].append((start_ns, None))
                continue
            x, y = room.spot(spot if parked else number * (SPOTS - 1) / max(1, visit.windows - 1))
            off_m = 1.5 if bad_pose else 0.15
            pose = Pose(
                start_ns,
                "map",
                x + chance.gauss(0.0, off_m),
                y + chance.gauss(0.0, off_m),
                yaw=yaw,
                position_var=off_m**2,
            )
            memory = self._memory(
                start_ns,
                episode_ns if parked else start_ns,
                description.caption,
                None if no_pose else pose,
                not (no_pose or bad_pose),
                room.map_id,
                session,
            )
            made.append(memory)
            for thing in in_view:
                seen[thing.id].append((start_ns, memory if thing in description.named else None))
        for identity, views in seen.items():
            noted = tuple(memory for _, memory in views if memory is not None)
            if noted:
                self._sightings[identity].append(Sighting(room, views[0][0], views[-1][0] + WINDOW_NS, noted))
        return made

    def _captions(self, room: Room, spot: int, in_view: Sequence[Thing]) -> list[Description]:
        key = (room.id, spot, tuple(thing.id for thing in in_view))
        known = self._descriptions.get(key)
        if known is None:
            known = [describe(self._chance, room, in_view, self.things) for _ in range(_VARIANTS)]
            self._descriptions[key] = known
        return known

    @staticmethod
    def _memory(
        start_ns: int, episode_ns: int, caption: str, pose: Pose | None, localized: bool, map_id: str, session: str
    ) -> Memory:
        return Memory(
            id=memory_id(ROBOT, CAMERA, start_ns),
            start_ns=start_ns,
            end_ns=start_ns + WINDOW_NS,
            episode_start_ns=episode_ns,
            caption=caption,
            pose=pose,
            localized=localized,
            map_id=map_id,
            robot_id=ROBOT,
            camera=CAMERA,
            session_id=session,
            captioner="simulated",
        )
