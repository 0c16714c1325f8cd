"""Where the robot was and when. In: a building, days, windows of 3 s; out: visits to rooms in time order.

Tours fill the daytime of every day, fewer at weekends; between two rooms the robot passes the hallway of the floor.
Some visits are long stays. At night it stands at its dock and takes a window a minute. Twice it was off for a while.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from remembr_ros.evaluation.sim.building import Building, Room
from remembr_ros.records import NANOSECONDS

WINDOW_NS = 3 * NANOSECONDS
FIRST_DAY = datetime(2026, 10, 5)
"""A Monday; the clocks of most of Europe go back on day 21."""
ZONE = ZoneInfo("Europe/Berlin")
_NIGHT_STRIDE_NS = 60 * NANOSECONDS
_NIGHT_WINDOWS = 480
_TRANSIT = (3, 7)
_VISIT = (10, 45)
_LONG = (160, 620)
_LONG_SHARE = 0.035
"""Of visits, 8 to 31 minutes long."""
_TOUR_PAUSE_S = (300, 3600)


@dataclass(frozen=True, slots=True)
class Visit:
    """The robot in one room: `windows` windows from `start_ns`, `stride_ns` apart. `room` None: parked at the dock."""

    room: Room | None
    start_ns: int
    windows: int
    long: bool = False
    stride_ns: int = WINDOW_NS

    @property
    def end_ns(self) -> int:
        return self.start_ns + (self.windows - 1) * self.stride_ns + WINDOW_NS


def instant_ns(day: int, hour: float) -> int:
    """Local time `hour` (0 to 24) of day `day` (1 is the first) [ns]."""
    midnight = datetime.combine((FIRST_DAY + timedelta(days=day - 1)).date(), time(), ZONE)
    wall = midnight.replace(tzinfo=None) + timedelta(hours=hour)
    return round(wall.replace(tzinfo=ZONE).timestamp()) * NANOSECONDS


def drive(chance: random.Random, building: Building, days: int, windows: int) -> list[Visit]:
    """About `windows` windows within `days` days, never more."""
    visits: list[Visit] = []
    off = _off(chance, days)
    weight = [0.5 if (FIRST_DAY + timedelta(days=day)).weekday() >= 5 else 1.0 for day in range(days)]
    left = windows
    for day in range(1, days + 1):
        share = int(left * weight[day - 1] / sum(weight[day - 1 :]))
        night = min(_NIGHT_WINDOWS, share // 10) if days > 1 else 0
        made = _day(chance, building, day, share - night, off)
        if made and night:
            start_ns = made[-1].end_ns + 120 * NANOSECONDS
            made.append(Visit(None, start_ns, night, stride_ns=_NIGHT_STRIDE_NS))
        visits += made
        left -= sum(visit.windows for visit in made)
    return visits


def _off(chance: random.Random, days: int) -> list[tuple[int, int]]:
    """When the robot was switched off: some hours once in ten days, and a whole day once in thirty."""
    gaps = []
    for _ in range(days // 10):
        day, hour = chance.randint(2, days - 1), chance.uniform(8, 14)
        gaps.append((instant_ns(day, hour), instant_ns(day, hour + chance.uniform(2, 5))))
    for _ in range(days // 30):
        day = chance.randint(3, days - 2)
        gaps.append((instant_ns(day, 0), instant_ns(day + 1, 0)))
    return gaps


def _day(chance: random.Random, building: Building, day: int, windows: int, off: list[tuple[int, int]]) -> list[Visit]:
    visits: list[Visit] = []
    now_ns = instant_ns(day, 6.5 + chance.random())
    end_ns = instant_ns(day, 20.5)
    busy_s = windows * 3
    slack_s = max(0, (end_ns - now_ns) // NANOSECONDS - busy_s)
    while windows > 0 and now_ns < end_ns:
        for room in _tour(chance, building):
            transit = Visit(building.hallway(room), now_ns, min(windows, chance.randint(*_TRANSIT)))
            long = chance.random() < _LONG_SHARE
            length = chance.randint(*(_LONG if long else _VISIT))
            visit = Visit(room, transit.end_ns, min(windows - transit.windows, length), long)
            for made in (transit, visit):
                if made.windows > 0 and not any(start <= made.end_ns and made.start_ns < end for start, end in off):
                    visits.append(made)
                    windows -= made.windows
                now_ns = max(now_ns, made.end_ns)
            if windows <= 0 or now_ns >= end_ns:
                break
        pause_s = min(chance.randint(*_TOUR_PAUSE_S), max(60, slack_s // 3))
        now_ns += pause_s * NANOSECONDS
        slack_s -= pause_s
    return visits


def _tour(chance: random.Random, building: Building) -> list[Room]:
    """Some rooms of two or three floors, floor by floor."""
    rooms: list[Room] = []
    for floor in chance.sample(building.floors, chance.randint(2, 3)):
        others = [room for room in floor if room is not building.hallway(room)]
        rooms += chance.sample(others, chance.randint(4, 8))
    return rooms
