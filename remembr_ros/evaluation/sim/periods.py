"""Periods as people say them. In: a moment, a day (1 is the first); out: words and the range of time they mean [ns]."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from remembr_ros.evaluation.sim.drive import FIRST_DAY, ZONE, instant_ns
from remembr_ros.recall.when import to_local

_PARTS = (("morning", 5.0, 12.0), ("afternoon", 12.0, 18.0))
_DAY_NS = 86_400_000_000_000
_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


@dataclass(frozen=True, slots=True)
class Period:
    """`words` stand at the end of a question: "yesterday", "on October 12"."""

    words: str
    after_ns: int
    before_ns: int


def day_of(instant: int) -> int:
    """The number of the day that an instant [ns] lies in."""
    return (to_local(instant, ZONE).date() - FIRST_DAY.date()).days + 1


def of_day(day: int, now_ns: int) -> Iterator[Period]:
    """The ways to name a day that is not in the future."""
    back = day_of(now_ns) - day
    date = FIRST_DAY + timedelta(days=day - 1)
    names = [f"on {date:%B} {date.day}", f"on the {_ordinal(date.day)} of {date:%B}"]
    if back == 0:
        names = ["today", *names]
    elif back == 1:
        names = ["yesterday", "yesterday", *names]
    elif back <= 6:
        names = [f"on {date:%A}", f"{_COUNTS[back]} days ago", *names]
    for name in names:
        yield Period(name, instant_ns(day, 0), instant_ns(day + 1, 0))


def part_of_day(instant: int, now_ns: int) -> Iterator[Period]:
    """The ways to name the morning or afternoon that an instant lies in."""
    local = to_local(instant, ZONE)
    hour, day = local.hour + local.minute / 60, day_of(instant)
    back = day_of(now_ns) - day
    for part, begins, ends in _PARTS:
        if begins <= hour < ends:
            bounds = instant_ns(day, begins), instant_ns(day, ends)
            if back == 0:
                yield Period(f"this {part}", *bounds)
            elif back == 1:
                yield Period(f"yesterday {part}", *bounds)
            elif back <= 6:
                yield Period(f"on {local:%A} {part}", *bounds)
            else:
                yield Period(f"in the {part} of {local:%B} {local.day}", *bounds)
    first = int(hour)
    if back <= 1 and 8 <= first <= 18:
        day_name = "today" if back == 0 else "yesterday"
        bounds = instant_ns(day, first), instant_ns(day, first + 1)
        yield Period(f"between {_clock(first)} and {_clock(first + 1)} {day_name}", *bounds)


def recent(days: int, now_ns: int) -> Period:
    """The last so many days (2 to 6)."""
    return Period(f"in the last {_COUNTS[days]} days", now_ns - days * _DAY_NS, now_ns)


def some(chance: random.Random, instant: int, now_ns: int) -> Period:
    """One that holds an instant."""
    return chance.choice([*of_day(day_of(instant), now_ns), *part_of_day(instant, now_ns)])


def _clock(hour: int) -> str:
    return f"{(hour - 1) % 12 + 1} {'am' if hour < 12 else 'pm'}"


def _ordinal(day: int) -> str:
    return f"{day}{'th' if 10 <= day % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"
