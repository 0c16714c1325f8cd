"""The memories shown to the model during one question: short ids, and one line of text for each.

A line holds the id, full local date and time, age, place, distance to the asker, and the caption as a JSON string: data
that cannot end its own quotation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from remembr_ros.recall.when import format_age, format_instant
from remembr_ros.records import NANOSECONDS, Hit, Memory, Question

MAX_CAPTION = 600


class Notebook:
    """Short ids (m1, m2, ...) are stable within a question and mean nothing after it."""

    def __init__(self, question: Question, zone: ZoneInfo) -> None:
        self._question = question
        self._zone = zone
        self._hits: dict[str, Hit] = {}
        self._short: dict[str, str] = {}

    def note(self, hits: Sequence[Hit]) -> list[str]:
        """Remember what is shown; the short id of each."""
        shorts = []
        for hit in hits:
            short = self._short.setdefault(hit.memory.id, f"m{len(self._short) + 1}")
            known = self._hits.get(short)
            if known is None or math.isnan(known.score) or hit.score > known.score:
                self._hits[short] = hit
            shorts.append(short)
        return shorts

    def hit(self, short: str) -> Hit | None:
        """The memory that was shown under this id, with its best score."""
        return self._hits.get(short.strip().strip("[]()#").lower())

    def line(self, short: str) -> str:
        memory = self._hits[short].memory
        age = format_age((self._question.now_ns - memory.start_ns) / NANOSECONDS)
        caption = " ".join(memory.caption.split())[:MAX_CAPTION]
        return " | ".join(
            [
                short,
                format_instant(memory.start_ns, self._zone),
                age,
                self._place(memory),
                json.dumps(caption, ensure_ascii=True),
            ]
        )

    def short_line(self, short: str, remark: str) -> str:
        """A memory that belongs to the one in the line before: its id and its time."""
        return " | ".join([short, format_instant(self._hits[short].memory.start_ns, self._zone), remark])

    def _place(self, memory: Memory) -> str:
        if memory.pose is None:
            return "place unknown"
        place = f"x {memory.pose.x:.1f} y {memory.pose.y:.1f}"
        here = self._question.pose
        if memory.map_id != self._question.map_id:
            return f"{place} on another map"
        return place if here is None else f"{place}, {memory.pose.distance_to(here.x, here.y):.1f} m from you"
