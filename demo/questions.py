"""Questions to ask after the tour, and whether an answer is right. The truth comes from building and tour alone.

In: building, tour, the tour's first instant. Out: questions with what is true, and verdicts on answers
(remembr_interfaces/msg/Answer).
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from demo.camera import Camera
from demo.photographs import Photograph, absent_things, all_photographs
from demo.route import Tour
from demo.world import Place, World

IN_VIEW_SHARE = 0.4
"""A print is in view when it takes so much of the picture's width."""
SAME_VIEW_GAP_S = 1.5
PLACE_TOLERANCE_M = 2.5
"""From a place where the thing was in view: the same room."""
TIME_TOLERANCE_S = 5.0
"""One window of 3 s and a little: memories are no finer."""
DURATION_TOLERANCE_S, DURATION_TOLERANCE = 6.0, 0.25
"""A window at either end, or a quarter of the time, whichever is more."""
GOAL_TOLERANCE_M = 0.5
TOLERANCES = (
    f"where: {PLACE_TOLERANCE_M:g} m from where it was in view; when: {TIME_TOLERANCE_S:g} s; "
    f"how long: {DURATION_TOLERANCE_S:g} s or {DURATION_TOLERANCE:.0%}; "
    f"goal: {GOAL_TOLERANCE_M:g} m, and the thing in view"
)
SAMPLE_S = 0.1
NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class View:
    """A print was in view of the camera, from `start_s` to `end_s` of the tour, without a break."""

    print_index: int
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Asking:
    """One question. `kind`: where, first, last, how long, yes, no, what, go, how many. `word` is what it is about."""

    kind: str
    text: str
    word: str = ""
    print_index: int = -1
    at_s: float = math.nan


@dataclass(frozen=True, slots=True)
class Verdict:
    """`truth` in words, `error` with its unit (empty where there is none to measure)."""

    right: bool
    truth: str
    error: str = ""


def views(world: World, tour: Tour) -> list[View]:
    """When which print was in view, in order."""
    camera = Camera(world)
    found: list[View] = []
    for step in range(int(tour.duration_s / SAMPLE_S) + 1):
        now = step * SAMPLE_S
        for index, share in camera.share_of_view(tour.at(now)).items():
            if share < IN_VIEW_SHARE:
                continue
            last = next((i for i in range(len(found) - 1, -1, -1) if found[i].print_index == index), None)
            if last is not None and now - found[last].end_s <= SAME_VIEW_GAP_S:
                found[last] = View(index, found[last].start_s, now)
            else:
                found.append(View(index, now, now))
    return [view for view in found if view.end_s - view.start_s >= 1.0]


class Truth:
    """What really happened on one tour, and the questions about it."""

    def __init__(self, world: World, tour: Tour, start_ns: int) -> None:
        self.world, self.tour, self.start_ns = world, tour, start_ns
        self.views = views(world, tour)
        self._camera = Camera(world)

    def questions(self) -> list[Asking]:
        """Eight questions or more of all kinds, drawn with the building's seed."""
        rng = random.Random(f"questions {self.world.seed}")
        seen = [i for i in dict.fromkeys(v.print_index for v in self.views) if self._photograph(i).words]
        once = [i for i in seen if len(self._of(i)) == 1]
        rng.shuffle(seen)

        def word(index: int) -> str:
            return rng.choice(self._photograph(index).words)

        asked: list[Asking] = []
        subjects = (seen * 4)[:4]
        thing = word(subjects[0])
        asked.append(
            Asking(
                "where", rng.choice(("Where did you see the {}?", "Where is the {}?")).format(thing), thing, subjects[0]
            )
        )
        thing, order = word(subjects[1]), rng.choice(("first", "last"))
        asked.append(Asking(order, f"When did you {order} see the {thing}?", thing, subjects[1]))
        index = rng.choice(once or seen)
        thing = word(index)
        asked.append(
            Asking(
                "how long",
                rng.choice(("How long did you look at the {}?", "How long did you see the {}?")).format(thing),
                thing,
                index,
            )
        )
        thing = word(subjects[2])
        asked.append(
            Asking("yes", rng.choice(("Did you see {}?", "Have you seen {}?")).format(_a(thing)), thing, subjects[2])
        )
        hidden = [
            p.words[0]
            for p in all_photographs()
            if p.words and p not in {self.world.prints[i].photograph for i in range(len(self.world.prints))}
        ]
        unseen = [
            self._photograph(i).words[0]
            for i in range(len(self.world.prints))
            if self._photograph(i).words and not self._of(i)
        ]
        thing = rng.choice([*absent_things(), *hidden, *unseen])
        asked.append(Asking("no", f"Did you see {_a(thing)}?", thing))
        view = rng.choice([v for v in self.views if self._photograph(v.print_index).words])
        middle = (view.start_s + view.end_s) / 2
        clock = datetime.fromtimestamp(self.start_ns // NANOSECONDS + round(middle), timezone.utc)
        asked.append(Asking("what", f"What did you see at {clock:%H:%M:%S}?", "", view.print_index, middle))
        again = [i for i in seen if len(self._of(i)) > 1]
        if again:
            thing = word(again[0])
            asked.append(Asking("how many", f"How many times did you see the {thing}?", thing, again[0]))
        thing = word(subjects[3])
        asked.append(Asking("go", f"Take me to the {thing}.", thing, subjects[3]))
        return asked

    def judge(self, asking: Asking, answer: Any, arrived_at: Place | None = None) -> Verdict:
        """Whether `answer` (msg/Answer) is right. `arrived_at`: where the robot really stands after "take me to"."""
        judges = {
            "where": self._where, "first": self._when, "last": self._when, "how long": self._how_long,
            "yes": self._yes_no, "no": self._yes_no, "what": self._what, "how many": self._how_many,
        }  # fmt: skip
        if asking.kind == "go":
            return self._go(asking, answer, arrived_at)
        return judges[asking.kind](asking, answer)

    def distance_to_view(self, index: int, x: float, y: float) -> float:
        """From (x, y) to the nearest place from which the print was in view on the tour [m]."""
        places = [
            self.tour.at(v.start_s + s * SAMPLE_S)
            for v in self._of(index)
            for s in range(int((v.end_s - v.start_s) / SAMPLE_S) + 1)
        ]
        return min(math.dist((x, y), (p.x, p.y)) for p in places)

    def _where(self, asking: Asking, answer: Any) -> Verdict:
        spot = self.tour.at(self._of(asking.print_index)[0].end_s - 1.0)
        truth = f"{self._room(asking.print_index)}, seen from ({spot.x:.1f}, {spot.y:.1f})"
        if not answer.has_pose:
            return Verdict(False, truth)
        position = answer.pose.pose.position
        off = self.distance_to_view(asking.print_index, position.x, position.y)
        return Verdict(off <= PLACE_TOLERANCE_M, truth, f"{off:.2f} m")

    def _when(self, asking: Asking, answer: Any) -> Verdict:
        view = self._of(asking.print_index)[0 if asking.kind == "first" else -1]
        truth = f"{self.clock(view.start_s)} to {self.clock(view.end_s)}"
        if not answer.has_time:
            return Verdict(False, truth)
        told_s = (answer.time.sec * NANOSECONDS + answer.time.nanosec - self.start_ns) / NANOSECONDS
        off = max(view.start_s - told_s, told_s - view.end_s, 0.0)
        return Verdict(off <= TIME_TOLERANCE_S, truth, f"{off:.1f} s")

    def _how_long(self, asking: Asking, answer: Any) -> Verdict:
        lengths = [v.end_s - v.start_s for v in self._of(asking.print_index)]
        truth = " or ".join(f"{length:.0f} s" for length in lengths)
        if not answer.has_duration:
            return Verdict(False, truth)
        told_s = answer.duration.sec + answer.duration.nanosec / NANOSECONDS
        off, length = min((abs(told_s - length), length) for length in lengths)
        return Verdict(off <= max(DURATION_TOLERANCE_S, DURATION_TOLERANCE * length), truth, f"{off:.1f} s")

    def _yes_no(self, asking: Asking, answer: Any) -> Verdict:
        return Verdict(answer.yes_no == (1 if asking.kind == "yes" else 0), asking.kind)

    def _what(self, asking: Asking, answer: Any) -> Verdict:
        photograph = self._photograph(asking.print_index)
        said = answer.text.lower()
        right = any(word.lower() in said for word in (*photograph.words, *photograph.labels))
        return Verdict(right, photograph.words[0])

    def _how_many(self, asking: Asking, answer: Any) -> Verdict:
        count = len(self._of(asking.print_index))
        return Verdict(answer.count == count, str(count), f"{abs(answer.count - count)}" if answer.count >= 0 else "")

    def _go(self, asking: Asking, answer: Any, arrived_at: Place | None) -> Verdict:
        truth = f"{self._room(asking.print_index)}, the {asking.word} in view"
        if not answer.has_pose or arrived_at is None:
            return Verdict(False, truth)
        position = answer.pose.pose.position
        off = math.dist((position.x, position.y), (arrived_at.x, arrived_at.y))
        visible = self._camera.share_of_view(arrived_at).get(asking.print_index, 0.0) >= IN_VIEW_SHARE
        return Verdict(
            off <= GOAL_TOLERANCE_M and visible, truth, f"{off:.2f} m" + ("" if visible else ", not in view")
        )

    def clock(self, tour_s: float) -> str:
        """A moment of the tour as a clock shows it, UTC."""
        return f"{datetime.fromtimestamp(self.start_ns / NANOSECONDS + tour_s, timezone.utc):%H:%M:%S}"

    def _of(self, index: int) -> list[View]:
        return [view for view in self.views if view.print_index == index]

    def _photograph(self, index: int) -> Photograph:
        return self.world.prints[index].photograph

    def _room(self, index: int) -> str:
        return self.world.rooms[index].name


def _a(thing: str) -> str:
    vowel = thing[0].lower() in "aeiou" and not thing.startswith(("uniform", "use"))
    return f"{'an' if vowel else 'a'} {thing}"
