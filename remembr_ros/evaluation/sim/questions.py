"""Questions about a deployment, with their truth. In: a deployment, how many; out: `Case`s, the same for the same seed.

A thing is asked for in words that no caption of it has. Each family is a group of its own; a third of the questions is
asked in the middle of the deployment, and nothing later counts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from remembr_ros.evaluation.cases import Case, Truth
from remembr_ros.evaluation.sim import periods, wordings
from remembr_ros.evaluation.sim.building import HALLWAY, Room
from remembr_ros.evaluation.sim.deployment import Deployment
from remembr_ros.evaluation.sim.drive import ZONE, instant_ns
from remembr_ros.evaluation.sim.inventory import Thing, with_article
from remembr_ros.evaluation.sim.periods import Period
from remembr_ros.evaluation.sim.things import ABSENT, ABSENT_NAMES, COLOURS, Role
from remembr_ros.evaluation.sim.truth import Wanted, World
from remembr_ros.recall.when import to_local
from remembr_ros.records import AnswerKind, Pose

SHARES = {
    "where": 60, "nearest": 25, "first": 25, "last": 25, "when": 30, "how_long": 35, "how_many": 30, "yes_no": 40,
    "what": 35, "unanswerable": 35,
}  # fmt: skip
"""Of 340 questions."""
_MOST_TRIES = 400
_BARE = ("something", "somebody", "someone", "people")


@dataclass(frozen=True, slots=True)
class Moment:
    """When and where it is asked."""

    now_ns: int
    room: Room

    @property
    def pose(self) -> Pose:
        return Pose(self.now_ns, "map", self.room.x, self.room.y, yaw=0.0)


Drawn = tuple[str, Truth] | None


class Questions:
    """Draws questions about one deployment."""

    def __init__(self, deployment: Deployment) -> None:
        self._world = World(deployment)
        self._deployment = deployment
        self._chance = random.Random(f"questions {deployment.seed}")
        self._seen = [thing for thing in deployment.things if deployment.sightings(thing)]

    def cases(self, number: int = 340) -> list[Case]:
        """About `number`, in the proportions of `SHARES`."""
        made: list[Case] = []
        known: set[str] = set()
        for family, share in SHARES.items():
            wanted = max(1, round(share * number / sum(SHARES.values())))
            draw: Callable[[Moment], Drawn] = getattr(self, f"_{family}")
            tries = 0
            while wanted and tries < _MOST_TRIES * share:
                tries += 1
                moment = self._moment()
                drawn = draw(moment)
                if drawn is None or drawn[0] in known or drawn[1].answerable == (family == "unanswerable"):
                    continue
                known.add(drawn[0])
                made.append(self._case(family, len(made), drawn, moment))
                wanted -= 1
        return made

    def _case(self, family: str, number: int, drawn: tuple[str, Truth], moment: Moment) -> Case:
        return Case(
            id=f"sim-{self._deployment.seed}-{number:03d}-{family}",
            group=family,
            question=drawn[0],
            now_ns=moment.now_ns,
            truth=drawn[1],
            pose=moment.pose,
            map_id=moment.room.map_id,
        )

    def _moment(self) -> Moment:
        chance, days = self._chance, self._deployment.days
        room = chance.choice([room for room in self._deployment.building.rooms if room.kind.name != HALLWAY])
        if days < 8 or chance.random() < 0.65:
            return Moment(self._deployment.end_ns, room)
        return Moment(instant_ns(chance.randint(7, days - 1), chance.uniform(10.0, 20.0)), room)

    # -- families: (question, truth), None where the draw does not make a good question

    def _where(self, moment: Moment) -> Drawn:
        chance = self._chance
        if chance.random() < 0.15:
            room = chance.choice([room for room in self._deployment.building.rooms if room.kind.asked])
            alike = tuple(r for r in self._deployment.building.rooms if r.kind is room.kind)
            text = chance.choice(wordings.WHERE_ROOM).format(r=chance.choice(room.kind.asked))
            return text, self._world.where(Wanted(rooms=alike), moment.now_ns)
        thing = chance.choice(self._seen)
        if thing.family == "notice":
            return None
        same = self._alike(thing)
        if thing.role is Role.MOVABLE and chance.random() < 0.8:
            if chance.random() < 0.5:
                text = self._fill(chance.choice(wordings.WHERE_LAST), thing)
                return text, self._world.where(Wanted(same, which="last"), moment.now_ns)
            period = self._period_of(thing, moment)
            if period is None:
                return None
            wanted = _within(same, period)
            return self._fill(chance.choice(wordings.WHERE_THEN), thing, period), self._world.where(
                wanted, moment.now_ns
            )
        period = self._period_of(thing, moment) if chance.random() < 0.3 else None
        text = chance.choice(wordings.WHERE)
        if period is not None and "{p}" not in text:
            period = None
        wanted = _within(same, period)
        return self._fill(text, thing, period), self._world.where(wanted, moment.now_ns)

    def _nearest(self, moment: Moment) -> Drawn:
        thing = self._chance.choice([t for t in self._seen if t.role is Role.FIXTURE and t.family != "door plate"])
        alike = tuple(t for t in self._deployment.things if t.family == thing.family)
        noun = self._chance.choice([asked.removeprefix(f"{thing.colour} ") for asked in thing.asked])
        if noun.split()[0] in _BARE:
            return None
        text = self._chance.choice(wordings.NEAREST).format(n=noun)
        return text, self._world.nearest(Wanted(alike), moment.now_ns, moment.room)

    def _first(self, moment: Moment) -> Drawn:
        thing = self._few_or_movable()
        text = self._fill(self._chance.choice(wordings.FIRST), thing)
        return text, self._world.when(Wanted((thing,), which="first"), moment.now_ns)

    def _last(self, moment: Moment) -> Drawn:
        thing = self._few_or_movable()
        text = self._fill(self._chance.choice(wordings.LAST), thing)
        return text, self._world.when(Wanted((thing,), which="last"), moment.now_ns)

    def _when(self, moment: Moment) -> Drawn:
        thing = self._few_or_movable()
        period = self._period_of(thing, moment) if self._chance.random() < 0.6 else None
        wanted = _within((thing,), period)
        if len(self._world.seen(wanted, moment.now_ns)) > 4:
            return None
        return self._fill(self._chance.choice(wordings.WHEN), thing, period), self._world.when(wanted, moment.now_ns)

    def _how_long(self, moment: Moment) -> Drawn:
        chance = self._chance
        if chance.random() < 0.2:
            return self._between(moment)
        visits = [
            v
            for v in self._deployment.visits
            if v.long and v.room is not None and v.room.kind.asked and v.windows > 160
        ]
        visit = chance.choice(visits) if visits else None
        if visit is None or visit.room is None or visit.end_ns >= moment.now_ns:
            return None
        period = periods.some(chance, visit.start_ns, moment.now_ns)
        alike = tuple(room for room in self._deployment.building.rooms if room.kind is visit.room.kind)
        wanted = Wanted(rooms=alike, after_ns=period.after_ns, before_ns=period.before_ns)
        if len(self._world.seen(wanted, moment.now_ns)) != 1:
            return None
        text = chance.choice(wordings.HOW_LONG).format(r=chance.choice(visit.room.kind.asked), p=period.words)
        return text, self._world.how_long(wanted, moment.now_ns)

    def _between(self, moment: Moment) -> Drawn:
        chance = self._chance
        first, second = chance.sample([t for t in self._seen if t.role in (Role.RARE, Role.PERSON)], 2)
        if "notice" in (first.family, second.family):
            return None
        seen = [self._world.seen(Wanted((thing,)), moment.now_ns) for thing in (first, second)]
        if not all(seen):
            return None
        days = {periods.day_of(o.start_ns) for o in seen[0]} & {periods.day_of(o.start_ns) for o in seen[1]}
        if not days:
            return None
        day = chance.choice(sorted(days))
        period = chance.choice(list(periods.of_day(day, moment.now_ns)))
        a, b = (_within((t,), period) for t in (first, second))
        if any(len(self._world.seen(wanted, moment.now_ns)) != 1 for wanted in (a, b)):
            return None
        text = chance.choice(wordings.BETWEEN)
        text = " ".join(text.format(t=self._the(first), u=self._the(second), p=period.words).split()).replace(" ?", "?")
        return text, self._world.between(a, b, moment.now_ns)

    def _how_many(self, moment: Moment) -> Drawn:
        thing = self._few_or_movable()
        period = self._period_of(thing, moment) if thing.role is Role.MOVABLE or self._chance.random() < 0.3 else None
        if period is None and thing.role is Role.MOVABLE:
            return None
        wanted = _within((thing,), period)
        if not 1 <= len(self._world.seen(wanted, moment.now_ns)) <= 5:
            return None
        text = self._fill(self._chance.choice(wordings.HOW_MANY), thing, period)
        return text, self._world.how_many(wanted, moment.now_ns)

    def _yes_no(self, moment: Moment) -> Drawn:
        chance = self._chance
        text = chance.choice(wordings.YES_NO)
        kind = chance.choice(("yes", "yes", "never", "not then"))
        if kind == "never":
            return self._absent(text), Truth(AnswerKind.BINARY, yes_no=False)
        thing = self._few_or_movable()
        if kind == "not then":
            period = self._period_without(thing, moment)
        else:
            period = self._period_of(thing, moment) if chance.random() < 0.6 else None
        if kind == "not then" and period is None:
            return None
        wanted = _within((thing,), period)
        truth = self._world.yes_no(wanted, moment.now_ns)
        return (self._fill(text, thing, period), truth) if truth.yes_no is (kind == "yes") else None

    def _what(self, moment: Moment) -> Drawn:
        chance = self._chance
        kind = chance.choice(("notice", "colour", "whose", "time"))
        if kind == "time":
            return self._at_time(moment)
        if kind == "whose":
            plate = chance.choice([t for t in self._seen if t.family == "door plate"])
            text = chance.choice(wordings.WHOSE).format(number=plate.says.split()[0])
            return text, self._world.what(Wanted((plate,)), moment.now_ns, [plate.says.split()[-1]])
        if kind == "notice":
            notices = [t for t in self._seen if t.family == "notice" and t.stays[0].room.kind.asked]
            if not notices:
                return None
            room = chance.choice(notices).stays[0].room.kind
            there = tuple(t for t in notices if t.stays[0].room.kind is room)
            text = chance.choice(wordings.NOTICE).format(r=chance.choice(room.asked))
            return text, self._world.what(Wanted(there), moment.now_ns, [t.says for t in there])
        thing = chance.choice([t for t in self._seen if t.colour])
        sighting = chance.choice(list(self._deployment.sightings(thing)))
        if not sighting.room.kind.asked:
            return None
        there = tuple(
            t
            for t in self._seen
            if t.family == thing.family
            and any(s.room.kind is sighting.room.kind for s in self._deployment.sightings(t))
        )
        noun = chance.choice(thing.asked).removeprefix(f"{thing.colour} ")
        text = chance.choice(wordings.COLOUR).format(t=f"the {noun}", r=chance.choice(sighting.room.kind.asked))
        return text, self._world.what(Wanted(there), moment.now_ns, [t.colour for t in there])

    def _at_time(self, moment: Moment) -> Drawn:
        chance = self._chance
        visit, memories = chance.choice(self._deployment.visited)
        if visit.room is None or visit.windows < 20 or visit.end_ns >= moment.now_ns:
            return None
        middle = memories[len(memories) // 2]
        local = to_local(middle.start_ns, ZONE)
        clock, date = f"{local:%H:%M}", f"{local:%B} {local.day}"
        if local.fold or (local.date().month, local.date().day) == (10, 25):
            return None
        minute_ns = 60_000_000_000
        begin = middle.start_ns - local.second * 1_000_000_000
        near = self._deployment.between(begin - minute_ns // 2, begin + 3 * minute_ns // 2)
        text = chance.choice(wordings.AT_TIME).format(date=date, clock=clock)
        texts = tuple(dict.fromkeys(m.caption for m in near))
        return text, Truth(AnswerKind.TEXT, texts=texts, evidence_ids=frozenset(m.id for m in near))

    def _unanswerable(self, moment: Moment) -> Drawn:
        chance = self._chance
        kind = chance.choice(("never", "never", "colour", "name", "not then"))
        where = chance.random() < 0.6
        text = chance.choice(wordings.WHERE if where else wordings.WHEN)
        truth = Truth(AnswerKind.POSITION if where else AnswerKind.TIME, answerable=False)
        if kind == "never":
            return self._absent(text), truth
        if kind == "name":
            name = chance.choice(ABSENT_NAMES[self._deployment.half])
            return _tidy(text.format(t=f"the office of Dr. {name}", a=f"an office of Dr. {name}", p="")), truth
        if kind == "colour":
            thing = chance.choice([t for t in self._deployment.things if t.colour])
            taken = {t.colour for t in self._deployment.things if t.family == thing.family}
            colour = chance.choice([c for c in COLOURS if c not in taken])
            noun = chance.choice(thing.asked).replace(thing.colour, colour)
            article = with_article(noun, thing.plural)
            return _tidy(text.format(t=f"the {noun}", a=article, p="")), truth
        thing = self._few_or_movable()
        period = self._period_without(thing, moment)
        if period is None:
            return None
        text = chance.choice(wordings.WHERE_THEN if where else wordings.WHEN)
        return self._fill(text, thing, period), truth

    # -- parts

    def _few_or_movable(self) -> Thing:
        """A thing of which single occasions can be asked for."""
        return self._chance.choice(
            [t for t in self._seen if t.role in (Role.RARE, Role.PERSON, Role.MOVABLE) and t.family != "notice"]
        )

    def _alike(self, thing: Thing) -> tuple[Thing, ...]:
        """All that the words for `thing` could mean."""
        return tuple(t for t in self._deployment.things if t.family == thing.family and set(t.asked) & set(thing.asked))

    def _absent(self, text: str) -> str:
        noun = self._chance.choice(ABSENT[self._deployment.half])
        return _tidy(text.format(t=f"the {noun}", a=with_article(noun, False), p=""))

    def _period_of(self, thing: Thing, moment: Moment) -> Period | None:
        """A period in which it was seen."""
        seen = self._world.seen(Wanted((thing,)), moment.now_ns)
        if not seen:
            return None
        occasion = self._chance.choice(seen)
        return periods.some(self._chance, occasion.start_ns, moment.now_ns)

    def _period_without(self, thing: Thing, moment: Moment) -> Period | None:
        """A day in which it was not seen, though at another time it was."""
        chance = self._chance
        today = periods.day_of(moment.now_ns)
        day = chance.randint(max(1, today - 8), today - 1)
        period = chance.choice(list(periods.of_day(day, moment.now_ns)))
        everything = self._world.seen(Wanted((thing,)), moment.now_ns)
        then = _within((thing,), period)
        alike = _within(self._alike(thing), period)
        drove = any(period.after_ns <= visit.start_ns < period.before_ns for visit in self._deployment.visits)
        if (
            not everything
            or not drove
            or self._world.seen(then, moment.now_ns)
            or self._world.seen(alike, moment.now_ns)
        ):
            return None
        return period

    def _fill(self, text: str, thing: Thing, period: Period | None = None) -> str:
        noun = self._chance.choice(thing.asked)
        filled = text.format(t=_the(noun), a=_a(noun, thing), p=period.words if period else "")
        if thing.role is Role.PERSON or thing.plural:
            filled = filled.replace("Where is", "Where are" if thing.plural else "Where is")
        return _tidy(filled)

    def _the(self, thing: Thing) -> str:
        return _the(self._chance.choice(thing.asked))


def _within(things: tuple[Thing, ...], period: Period | None) -> Wanted:
    if period is None:
        return Wanted(things)
    return Wanted(things, after_ns=period.after_ns, before_ns=period.before_ns)


def _the(noun: str) -> str:
    return noun if noun.split()[0] in _BARE or noun.startswith("Dr.") or noun.startswith("room ") else f"the {noun}"


def _a(noun: str, thing: Thing) -> str:
    if thing.family == "door plate" or noun.split()[0] in _BARE:
        return _the(noun)
    return with_article(noun, thing.plural)


def _tidy(text: str) -> str:
    return " ".join(text.split()).replace(" ?", "?").replace(" .", ".")
