"""What one search of the memory asks for: the record that tools, services and the command line all speak."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from numbers import Integral, Real

from remembr_ros.errors import InvalidInput
from remembr_ros.memory.filters import clean_name
from remembr_ros.memory.schema import stored_name
from remembr_ros.records import Memory

MAX_LIMIT = 1000


class Order(Enum):
    """Which of the matching memories come first."""

    RELEVANCE = "relevance"
    FIRST = "first"
    LAST = "last"
    NEAREST = "nearest"


@dataclass(frozen=True, slots=True)
class Query:
    """Criteria that must all hold; those left out do not restrict.

    `text`: what to look for, by meaning. `near`: (x, y) [m] in the frame of `map_id`; `within_m`: radius [m] around
    it. `after_ns`/`before_ns`: windows that overlap [after_ns, before_ns). `at_ns`: with order NEAREST and no `near`,
    the instant to be nearest to. `map_id`, `robot_id`, `camera`: exact, empty = any; a place is only compared within
    one map, so `near` with an empty `map_id` compares rows of the unnamed map. `limit`: 1 to 1000 distinct episodes.
    `collapse` False returns every window instead of one per episode; `words` False ranks by meaning alone, without the
    words that a name or number in the text shares with captions. `each_caption_once`: of windows with the same caption
    only one, for a robot that sees the same again often says the same; with a text and order RELEVANCE.
    """

    text: str = ""
    near: tuple[float, float] | None = None
    within_m: float | None = None
    after_ns: int | None = None
    before_ns: int | None = None
    at_ns: int | None = None
    map_id: str = ""
    robot_id: str = ""
    camera: str = ""
    localized_only: bool = False
    order: Order = Order.RELEVANCE
    limit: int = 5
    collapse: bool = True
    words: bool = True
    each_caption_once: bool = False

    def __post_init__(self) -> None:
        if self.near is not None and (len(self.near) != 2 or not all(map(_is_finite, self.near))):
            raise InvalidInput(f"near is not a finite (x, y): {self.near!r}")
        if self.within_m is not None:
            if self.near is None:
                raise InvalidInput("within_m needs near")
            if not (_is_finite(self.within_m) and self.within_m > 0.0):
                raise InvalidInput(f"within_m must be a positive distance [m], not {self.within_m!r}")
        for field in ("after_ns", "before_ns", "at_ns"):
            if not _is_integer(getattr(self, field)) and getattr(self, field) is not None:
                raise InvalidInput(f"{field} is not an integer of nanoseconds: {getattr(self, field)!r}")
        if self.after_ns is not None and self.before_ns is not None and self.after_ns >= self.before_ns:
            raise InvalidInput(f"after ({self.after_ns}) is not earlier than before ({self.before_ns})")
        if not (_is_integer(self.limit) and 1 <= self.limit <= MAX_LIMIT):
            raise InvalidInput(f"limit must be 1 to {MAX_LIMIT}, not {self.limit!r}")
        if self.order is Order.NEAREST and self.near is None and self.at_ns is None:
            raise InvalidInput("order nearest needs near or at_ns")
        for field in ("map_id", "robot_id", "camera"):
            stored_name(field, getattr(self, field))  # refuses what no row can have

    def matches(self, memory: Memory) -> bool:
        """Whether `memory`, which need not be stored, satisfies the criteria other than the text."""
        if self.after_ns is not None and memory.end_ns <= self.after_ns:
            return False
        if self.before_ns is not None and memory.start_ns >= self.before_ns:
            return False
        for name in ("robot_id", "camera"):
            if getattr(self, name) and clean_name(getattr(memory, name)) != clean_name(getattr(self, name)):
                return False
        if self.localized_only and not memory.localized:
            return False
        if (self.map_id or self.within_m is not None) and clean_name(memory.map_id) != clean_name(self.map_id):
            return False
        if self.near is None or self.within_m is None:
            return True
        return memory.pose is not None and memory.pose.distance_to(*self.near) <= self.within_m


def _is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_finite(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
