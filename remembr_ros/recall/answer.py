"""From cited memories to a typed Answer. In: a question and its evidence; out: numbers computed by code, and words.

The composer (language model or rules) only picks evidence. Position = the pose of the first cited memory that has one
(map frame, where the ROBOT stood); time = the start of the first cited memory; duration = from the start of one to the
end of another; count = distinct cited episodes. No number that a model wrote reaches the asker unless the evidence or
the question holds it too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from remembr_ros.legible import legible
from remembr_ros.recall.when import format_age, format_duration, format_instant
from remembr_ros.records import NANOSECONDS, Answer, AnswerError, AnswerKind, Hit, Memory, Pose, Question

_NUMBER_WORD = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    "|hundred|dozen|half"
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_QUANTITY = re.compile(rf"\d|\b(?:{_NUMBER_WORD}|noon|midnight|once|twice|thrice)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?\u3002])\s+")
_NUMERIC = (AnswerKind.POSITION, AnswerKind.TIME, AnswerKind.DURATION, AnswerKind.COUNT)
MAX_TEXT = 1000


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about an answer before it is worded: its evidence and the numbers that came of it."""

    kind: AnswerKind
    evidence: Sequence[Hit]
    pose: Pose | None
    time_ns: int | None
    start_ns: int | None
    end_ns: int | None
    count: int | None

    def seen_from_there(self) -> Memory | None:
        """The cited memory whose pose is `pose`."""
        return next((hit.memory for hit in self.evidence if hit.memory.pose == self.pose), None)


@dataclass(frozen=True, slots=True)
class Composer:
    """Who composes the answers to one question: the asker's question, the zone of spoken times, the name of the source.

    `neutral`: places, times and lengths without English words, beside a wording in another language. `inspected`: what
    was seen in the pictures of memories, by id; their words may be repeated like those of captions.
    """

    question: Question
    zone: ZoneInfo
    source: str
    neutral: bool = False
    inspected: dict[str, str] = field(default_factory=dict)

    def compose(
        self,
        kind: AnswerKind,
        evidence: Sequence[Hit],
        *,
        text: str = "",
        yes_no: bool | None = None,
        start_ns: int | None = None,
        end_ns: int | None = None,
        count: int | None = None,
        note: str = "",
        wants_goal: bool = False,
        pose: Pose | None = None,
    ) -> Answer:
        """The answer of one kind from its evidence, best first. `text` is the composer's own wording; what it says in
        numbers is dropped where the evidence does not say it.

        `start_ns`/`end_ns`: the two ends of a DURATION, or `start_ns` the instant of a TIME when it is not the start of
        the first memory. `count`: the number of separate sightings when the evidence lists only some. `pose`: a known
        place that is no memory's, such as where the robot stands now. A kind whose number the evidence cannot give
        becomes NOT_FOUND.
        """
        first = evidence[0].memory if evidence else None
        pose = pose or next((hit.memory.pose for hit in evidence if hit.memory.pose is not None), None)
        time_ns = duration_s = None
        if kind is AnswerKind.POSITION and pose is None:
            return self.not_found(kind, "I do not know where I was then." if evidence else "", evidence)
        if kind is AnswerKind.TIME:
            time_ns = start_ns if start_ns is not None else first.start_ns if first else None
            if time_ns is None:
                return self.not_found(kind)
        if kind is AnswerKind.DURATION:
            if start_ns is None or end_ns is None:
                return self.not_found(kind, evidence=evidence)
            duration_s = max(0, end_ns - start_ns) / NANOSECONDS
        if kind is AnswerKind.COUNT:
            count = count if count is not None else len({_episode(hit.memory) for hit in evidence})
        else:
            count = None
        facts = self._in_words(Facts(kind, evidence, pose, time_ns, start_ns, end_ns, count))
        own = self._grounded(text, kind, evidence)
        words = " ".join(part for part in (own, facts if kind in _NUMERIC or not own else "", note) if part)
        if not words and kind is AnswerKind.BINARY:
            words = {True: "Yes.", False: "No."}.get(yes_no, "") if yes_no is not None else ""
        if not words:
            return self.not_found(kind, evidence=evidence)
        return Answer(
            question=self.question.text,
            kind=kind,
            text=words,
            yes_no=yes_no if kind is AnswerKind.BINARY else None,
            pose=pose,
            time_ns=time_ns,
            duration_s=duration_s,
            count=count,
            evidence=tuple(evidence),
            source=self.source,
            wants_goal=wants_goal,
        )

    def not_found(self, kind: AnswerKind, text: str = "", evidence: Sequence[Hit] = ()) -> Answer:
        """The memory was searched and holds no answer."""
        words = text or "I could not find that in my memory."
        return self.failed(AnswerError.NOT_FOUND, words, words, kind, evidence)

    def failed(
        self,
        error: AnswerError,
        message: str,
        text: str = "",
        kind: AnswerKind = AnswerKind.TEXT,
        evidence: Sequence[Hit] = (),
    ) -> Answer:
        """No answer, and why: `message` for the log, `text` for the asker."""
        return Answer(
            question=self.question.text[: MAX_TEXT * 2],
            kind=kind,
            text=legible(text or f"I cannot answer: {message}"),
            evidence=tuple(evidence),
            source=self.source,
            error=error,
            error_msg=legible(message),
        )

    def spoken(self, text: str) -> str:
        """A composer's wording without the numbers that the question does not hold."""
        return self._grounded(text, AnswerKind.TEXT, ())

    def describe(self, memory: Memory) -> str:
        """One memory in a sentence's words: what, where, when, how long ago."""
        return f"{quote(memory.caption)} {self.place_and_time(memory)}"

    def place_and_time(self, memory: Memory) -> str:
        where = f"from {self._place(memory.pose, memory)} " if memory.pose else ""
        return f"{where}on {format_instant(memory.start_ns, self.zone)}, {self._age(memory.start_ns)}"

    def _in_words(self, facts: Facts) -> str:
        if self.neutral and facts.kind in _NUMERIC:
            return self._in_figures(facts)
        kind, evidence, pose = facts.kind, facts.evidence, facts.pose
        if kind is AnswerKind.POSITION and pose is not None:
            seen = facts.seen_from_there()
            if seen is None:
                return f"I am at {format_place(pose)}."
            when = f"on {format_instant(seen.start_ns, self.zone)}, {self._age(seen.start_ns)}"
            return f"I was at {self._place(pose, seen)} {when}, when I noted {quote(seen.caption)}."
        if kind is AnswerKind.TIME and facts.time_ns is not None:
            noted = f" I noted {quote(evidence[0].memory.caption)}." if evidence else ""
            return f"It was on {format_instant(facts.time_ns, self.zone)}, {self._age(facts.time_ns)}.{noted}"
        if kind is AnswerKind.DURATION and facts.start_ns is not None and facts.end_ns is not None:
            length = format_duration((facts.end_ns - facts.start_ns) / NANOSECONDS)
            start, end = format_instant(facts.start_ns, self.zone), format_instant(facts.end_ns, self.zone)
            return f"For {length}, from {start} to {end}."
        if kind is AnswerKind.COUNT:
            last = max((hit.memory for hit in evidence), key=lambda memory: memory.start_ns, default=None)
            return f"{_times(facts.count or 0)}." + (f" The last was {self.describe(last)}." if last else "")
        return "; ".join(self.describe(hit.memory) for hit in evidence[:5]) + "." if evidence else ""

    def _in_figures(self, facts: Facts) -> str:
        """Figures alone, for an answer that is worded in another language."""
        pose = facts.pose
        if facts.kind is AnswerKind.POSITION and pose is not None:
            seen = facts.seen_from_there()
            when = f", {self._stamp(seen.start_ns)}" if seen is not None else ""
            return f"(x {pose.x:.1f} m, y {pose.y:.1f} m, {pose.frame_id}{when})"
        if facts.kind is AnswerKind.TIME and facts.time_ns is not None:
            return f"({self._stamp(facts.time_ns)})"
        if facts.kind is AnswerKind.DURATION and facts.start_ns is not None and facts.end_ns is not None:
            minutes, seconds = divmod(max(0, round((facts.end_ns - facts.start_ns) / NANOSECONDS)), 60)
            hours = f"{minutes // 60} h " if minutes >= 60 else ""
            length = f"{hours}{minutes % 60} min {seconds} s"
            return f"({length}: {self._stamp(facts.start_ns)} - {self._stamp(facts.end_ns)})"
        return f"({facts.count} x)"

    def _place(self, pose: Pose, memory: Memory) -> str:
        other = memory.map_id and self.question.map_id and memory.map_id != self.question.map_id
        return format_place(pose, memory.map_id if other else "")

    def _stamp(self, instant_ns: int) -> str:
        return format_instant(instant_ns, self.zone).partition(" ")[2]

    def _age(self, instant_ns: int) -> str:
        return format_age((self.question.now_ns - instant_ns) / NANOSECONDS)

    def _grounded(self, text: str, kind: AnswerKind, evidence: Sequence[Hit]) -> str:
        """The sentences of a composer's wording that hold no number of its own making."""
        sentences = _SENTENCE_END.split(legible(" ".join(text.split())[:MAX_TEXT]))
        if kind in _NUMERIC:
            return " ".join(s for s in sentences if not _QUANTITY.search(s))
        known_text = " ".join(
            [
                self.question.text,
                *(f"{h.memory.caption} {self.place_and_time(h.memory)}" for h in evidence),
                *(self.inspected.get(h.memory.id, "") for h in evidence),
            ]
        )
        known = set(_NUMBER.findall(known_text))
        return " ".join(s for s in sentences if set(_NUMBER.findall(s)) <= known)


def quote(caption: str, limit: int = 240) -> str:
    """A caption as somebody's words, shortened: never mistaken for a sentence of ours."""
    words = legible(" ".join(caption.split())).replace('"', "'")  # it cannot end its own quotation
    return f'"{words if len(words) <= limit else words[: limit - 1] + "…"}"'


def format_place(pose: Pose, other_map: str = "") -> str:
    """ "(x 3.2 m, y -1.0 m in map)"; `other_map`: of a map that is not the asker's."""
    where = f", on another map: {legible(other_map)}" if other_map else ""
    return f"(x {pose.x:.1f} m, y {pose.y:.1f} m in {legible(pose.frame_id)}{where})"


def _times(count: int) -> str:
    return {0: "Never, as far as I remember", 1: "Once"}.get(count, f"{count} times")


def _episode(memory: Memory) -> tuple[str, str, int]:
    return memory.robot_id, memory.camera, memory.episode_start_ns
