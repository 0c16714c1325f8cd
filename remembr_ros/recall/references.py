"""What a language model refers to: times and places. In: "m3", "me", "now", "yesterday at 3pm"; out: ns, metres.

A place is a shown memory, the robot, or numbers that stand in the user's own question: a model cannot make one up. What
cannot be resolved is a ToolFault, which goes back to the model.
"""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

from remembr_ros.errors import InvalidInput
from remembr_ros.recall.arguments import ToolFault
from remembr_ros.recall.notebook import Notebook
from remembr_ros.recall.when import TimeExpression, parse_time
from remembr_ros.records import Question


class References:
    """Resolves references of one question. `bounds`: (first start, last end) [ns] of the memory, None when empty."""

    def __init__(self, question: Question, zone: ZoneInfo, bounds: tuple[int, int] | None, notebook: Notebook) -> None:
        self._question = question
        self._zone = zone
        self._bounds = bounds
        self._notebook = notebook

    def instant(self, reference: str, *, late: bool) -> int:
        """An end of an answer: a memory's start or end, `start` or `now`. Times in words are not evidence."""
        hit = self._notebook.hit(reference)
        if hit is not None:
            return hit.memory.end_ns if late else hit.memory.start_ns
        if reference.lower() == "now":
            return self._question.now_ns
        if reference.lower() == "start":
            return self.start()
        raise ToolFault(f"{reference!r} is neither a shown memory nor start or now")

    def bound(self, reference: str, *, late: bool) -> int:
        """A bound of a search. After a memory = after its end, before it = before its start; a day counts whole."""
        hit = self._notebook.hit(reference)
        if hit is not None:
            return hit.memory.start_ns if late else hit.memory.end_ns
        moment = self.time(reference)
        if moment.instants_ns:
            return moment.instants_ns[-1 if late else 0]
        first, last = moment.after_ns, moment.before_ns
        bound = (
            (last if last is not None else self._question.now_ns) if late else (first if first is not None else last)
        )
        assert bound is not None
        return bound

    def time(self, text: str) -> TimeExpression:
        """A time of a search: a memory, `start`, `now`, or a time in words."""
        now_ns = self._question.now_ns
        if text.lower() == "now":
            return TimeExpression(None, now_ns, (now_ns,))
        hit = self._notebook.hit(text)
        if hit is not None:
            return TimeExpression(None, None, ((hit.memory.start_ns + hit.memory.end_ns) // 2,))
        if text.lower() == "start":
            return TimeExpression(None, None, (self.start(),))
        try:
            return parse_time(text, now_ns, self._zone)
        except InvalidInput as error:
            raise ToolFault(str(error)) from error

    def start(self) -> int:
        """When the memory begins."""
        if self._bounds is None:
            raise ToolFault("the memory is empty")
        return self._bounds[0]

    def place(self, reference: str) -> tuple[tuple[float, float], str]:
        """((x, y) [m], map_id) of `me`, a shown memory, or coordinates that stand in the user's question."""
        hit = self._notebook.hit(reference)
        if hit is not None:
            if hit.memory.pose is None:
                raise ToolFault(f"the place of {reference} is not known")
            return (hit.memory.pose.x, hit.memory.pose.y), hit.memory.map_id
        if reference.lower() in ("me", "here", "you", "robot", "user"):
            if self._question.pose is None:
                raise ToolFault("where you are is not known now; leave near out")
            return (self._question.pose.x, self._question.pose.y), self._question.map_id
        numbers = re.findall(r"-?\d+(?:\.\d+)?", reference)
        asked = {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", self._question.text)}
        if len(numbers) >= 2 and all(float(number) in asked for number in numbers[:2]):
            return (float(numbers[0]), float(numbers[1])), self._question.map_id
        raise ToolFault("near must be me, a shown memory id such as m1, or coordinates that the user gave")
