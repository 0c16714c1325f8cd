"""A robot that patrols a building for days, and questions about its rounds whose answers are known.

In: how many windows, a seed. Out: `Memory` records (one every 3 s, captions in whole sentences) and `Asked` questions.
Everyday scenes repeat thousands of times; each coloured thing is seen during one to three visits of one room.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from remembr_ros.memory.schema import memory_id
from remembr_ros.records import NANOSECONDS, Answer, AnswerError, Memory, Pose, Question

START_S = 1_796_061_600
WINDOW_S = 3
VISIT = 10
"""Windows of one visit to a room."""
SEEN = 4
"""Windows of a visit during which a thing is in view, from the fourth on."""
ROOMS = (
    "lobby", "corridor", "kitchen", "meeting room", "library", "workshop", "storage room", "printer room", "staircase",
    "canteen", "open office", "server room", "reception", "lounge", "loading dock", "laboratory", "gym", "mail room",
    "nursery", "auditorium", "archive", "showroom", "roof terrace", "garage",
)  # fmt: skip
VIEWS = (
    "The robot drives through the {room}, with grey carpet on the floor and white walls.",
    "The {room} is empty; daylight falls through a row of windows on the left.",
    "People talk in the {room} while others work on their laptops.",
    "A wide view of the {room} with lamps hanging from the ceiling and plants in the corners.",
    "The robot passes a table and several chairs in the {room}.",
)
COLOURS = ("red", "green", "blue", "yellow", "black")
OBJECTS = (
    "bicycle", "suitcase", "umbrella", "ladder", "guitar", "backpack", "skateboard", "telescope", "wheelchair",
    "mannequin", "surfboard", "hand truck",
)  # fmt: skip
ABSENT = ("accordion", "canoe", "parrot", "grand piano", "camel", "lawn mower", "chandelier", "drum kit")
NEAR_M = 1.5


@dataclass(frozen=True)
class Asked:
    """One question. `words` stand in it and say what to look for; `want` are the starts [s] of the windows that prove
    the answer, in groups of which one window each is needed; what comes out is compared with the rest."""

    question: Question
    kind: str
    words: str
    want: tuple[tuple[int, ...], ...] = ()
    after: str = ""
    places: tuple[tuple[float, float], ...] = ()
    time_s: int | None = None
    duration_s: float | None = None
    count: int | None = None
    order: str = ""

    def right(self, answer: Answer) -> bool:
        """Whether the typed answer is the true one: place within 1.5 m, time and duration within two windows."""
        slack_s = 2 * WINDOW_S
        if self.kind == "not_found":
            return answer.error is AnswerError.NOT_FOUND
        if answer.error is not None:
            return False
        if self.kind == "yes_no":
            return answer.yes_no is bool(self.want)
        if self.places:
            return answer.pose is not None and any(answer.pose.distance_to(*at) < NEAR_M for at in self.places)
        if self.time_s is not None:
            return answer.time_ns is not None and abs(answer.time_ns / NANOSECONDS - self.time_s) <= slack_s
        if self.duration_s is not None:
            return answer.duration_s is not None and abs(answer.duration_s - self.duration_s) <= slack_s
        if self.count is not None:
            return answer.count == self.count
        cited = {hit.memory.start_ns // NANOSECONDS for hit in answer.evidence}
        return all(cited & set(group) for group in self.want)


class Patrol:
    """`windows` memories, a multiple of ten."""

    def __init__(self, windows: int, seed: int = 5) -> None:
        self._random = random.Random(seed)
        self.visits = windows // VISIT
        self.end_s = START_S + windows * WINDOW_S
        self.things: dict[str, list[int]] = {}
        taken: set[int] = set()
        for index, thing in enumerate(f"{colour} {name}" for name in OBJECTS for colour in COLOURS):
            room = self._random.randrange(len(ROOMS))
            visits = [v for v in range(room, self.visits - 1, len(ROOMS)) if v not in taken]
            seen = sorted(self._random.sample(visits, min(1 + index % 3, len(visits))))
            taken.update(seen)
            self.things[thing] = seen
        self._thing_of = {visit: thing for thing, visits in self.things.items() for visit in visits}

    def memory(self, number: int) -> Memory:
        visit, step = divmod(number, VISIT)
        room = ROOMS[visit % len(ROOMS)]
        caption = VIEWS[step % len(VIEWS)].format(room=room)
        thing = self._thing_of.get(visit)
        if thing and 3 <= step < 3 + SEEN:
            caption = f"A {thing} stands by the wall of the {room}, next to a door."
        start_ns = (START_S + number * WINDOW_S) * NANOSECONDS
        x, y = self._place(visit, step)
        pose = Pose(start_ns, "map", x, y, yaw=0.1)
        end_ns = start_ns + WINDOW_S * NANOSECONDS
        return Memory(
            memory_id("carter", "front", start_ns), start_ns, end_ns, start_ns,
            caption, pose, True, "floor", "carter", "front",
        )  # fmt: skip

    def questions(self, most: int) -> list[Asked]:
        """About `most` questions, of all kinds in turn."""
        kinds = (
            self._where, self._when_last, self._take_me, self._what_at, self._how_long, self._yes, self._when_first,
            self._how_many, self._nearest, self._what_after, self._between, self._no, self._not_found,
        )  # fmt: skip
        once = [thing for thing, visits in self.things.items() if len(visits) == 1]
        often = [thing for thing, visits in self.things.items() if len(visits) > 1]
        return [
            kinds[n % len(kinds)](once[n // len(kinds) % len(once)], often[n // len(kinds) % len(often)], n)
            for n in range(most)
        ]

    def _where(self, once: str, often: str, n: int) -> Asked:
        return self._asked(
            f"Where did you see the {often}?", "position", often, (self._all(often),), places=self._places(often)
        )

    def _take_me(self, once: str, often: str, n: int) -> Asked:
        return self._asked(f"Take me to the {once}", "position", once, (self._all(once),), places=self._places(once))

    def _when_first(self, once: str, often: str, n: int) -> Asked:
        first = self._windows(self.things[often][0])
        text = f"When did you first see the {often}?"
        return self._asked(text, "time", often, (first[:1],), time_s=first[0], order="first")

    def _when_last(self, once: str, often: str, n: int) -> Asked:
        last = self._windows(self.things[often][-1])
        return self._asked(
            f"When did you last see the {often}?", "time", often, (last[-1:],), time_s=last[-1], order="last"
        )

    def _how_long(self, once: str, often: str, n: int) -> Asked:
        seen = self._windows(self.things[once][0])
        length = float(SEEN * WINDOW_S)
        text = f"How long did you see the {once}?"
        return self._asked(text, "duration", once, (seen[:1], seen[-1:]), duration_s=length)

    def _how_many(self, once: str, often: str, n: int) -> Asked:
        visits = tuple(self._windows(visit) for visit in self.things[often])
        text = f"How many times did you come by the {often}?"
        return self._asked(text, "count", often, visits, count=len(visits), order="last")

    def _yes(self, once: str, often: str, n: int) -> Asked:
        return self._asked(f"Did you see a {once}?", "yes_no", once, (self._all(once),))

    def _no(self, once: str, often: str, n: int) -> Asked:
        thing = ABSENT[n % len(ABSENT)]
        return self._asked(f"Did you see a {thing}?", "yes_no", thing)

    def _not_found(self, once: str, often: str, n: int) -> Asked:
        thing = ABSENT[n % len(ABSENT)]
        return self._asked(f"Where is the {thing}?", "not_found", thing)

    def _what_at(self, once: str, often: str, n: int) -> Asked:
        second = self._windows(self.things[once][0])[1]
        at = datetime.fromtimestamp(second + 1, timezone.utc)
        return self._asked(f"What did you see on {at:%Y-%m-%d at %H:%M:%S}?", "text", "", ((second,),))

    def _nearest(self, once: str, often: str, n: int) -> Asked:
        thing = once.split(" ", 1)[1]
        here = (11.0 * (n % 6), 9.0 * (n % 4))
        places = [at for name in self.things if name.endswith(f" {thing}") for at in self._places(name)]
        nearest = min(places, key=lambda at: (at[0] - here[0]) ** 2 + (at[1] - here[1]) ** 2)
        near = tuple(at for at in places if abs(at[0] - nearest[0]) + abs(at[1] - nearest[1]) < NEAR_M)
        seen = tuple(
            second
            for name in self.things
            if name.endswith(f" {thing}") and set(self._places(name)) & set(near)
            for second in self._all(name)
        )
        text = f"Where is the nearest {thing}?"
        return self._asked(text, "position", thing, (seen,), places=near, here=here, order="nearest")

    def _what_after(self, once: str, often: str, n: int) -> Asked:
        last = self._windows(self.things[once][0])[-1]
        following = tuple(last + WINDOW_S * step for step in (1, 2, 3))
        text = f"What did you see right after the {once}?"
        return self._asked(text, "text", once, (following,), after=once, order="last")

    def _between(self, once: str, often: str, n: int) -> Asked:
        names = [thing for thing, visits in self.things.items() if len(visits) == 1 and thing != once]
        first, second = sorted((once, names[n % len(names)]), key=lambda thing: self.things[thing][0])
        start, end = self._windows(self.things[first][0]), self._windows(self.things[second][0])
        text = f"How long was it between the {first} and the {second}?"
        wanted = (start[:1], end[:1])
        return self._asked(
            text, "duration", f"{first}; {second}", wanted, duration_s=float(end[0] - start[0] + WINDOW_S)
        )

    def _asked(
        self, text: str, kind: str, words: str, want: Sequence[Sequence[int]] = (), *, after: str = "",
        here: tuple[float, float] = (3.0, 3.0), places: tuple[tuple[float, float], ...] = (), time_s: int | None = None,
        duration_s: float | None = None, count: int | None = None, order: str = "",
    ) -> Asked:  # fmt: skip
        now_ns = self.end_s * NANOSECONDS
        question = Question(text, now_ns, Pose(now_ns, "map", *here, yaw=0.0), "floor")
        wanted = tuple(tuple(group) for group in want)
        return Asked(question, kind, words, wanted, after, places, time_s, duration_s, count, order)

    def _windows(self, visit: int) -> tuple[int, ...]:
        """Starts [s] of the windows of a visit in which its thing is seen."""
        return tuple(START_S + (visit * VISIT + 3 + step) * WINDOW_S for step in range(SEEN))

    def _all(self, thing: str) -> tuple[int, ...]:
        return tuple(second for visit in self.things[thing] for second in self._windows(visit))

    def _places(self, thing: str) -> tuple[tuple[float, float], ...]:
        return tuple(self._place(visit, 3 + step) for visit in self.things[thing] for step in range(SEEN))

    @staticmethod
    def _place(visit: int, step: int) -> tuple[float, float]:
        room = visit % len(ROOMS)
        return 12.0 * (room % 6) + 0.8 * step, 10.0 * (room // 6) + 0.1 * step
