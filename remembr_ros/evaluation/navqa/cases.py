"""NaVQA's questions as cases. In: annotated questions, the captions of their sequences; out: `Case`s with their truth.

As in the paper: a place is where the caption at the annotated clock time was taken, a time the middle of that caption,
a duration what the annotator wrote [min]. The question is asked at the end of its stretch, at the place of the last
caption before it.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.cases import Case, Place, Truth
from remembr_ros.evaluation.navqa.captions import Drive
from remembr_ros.evaluation.navqa.questions import SLACK_NS, Annotated
from remembr_ros.records import AnswerKind, Memory


def make_cases(questions: Sequence[Annotated], drives: Mapping[str, Drive]) -> list[Case]:
    """Of the questions whose sequence has captions. Raises InvalidInput for an answer that fits no type."""
    return [make_case(asked, drives[asked.sequence]) for asked in questions if asked.sequence in drives]


def make_case(asked: Annotated, drive: Drive) -> Case:
    starts = [memory.start_ns for memory in drive.memories]
    shown = [_at(instant_ns, starts, drive.memories) for instant_ns in asked.instants_ns]
    notes = list(asked.notes)
    for clock, instant_ns, memory in zip(asked.clocks, asked.instants_ns, shown, strict=True):
        if not memory.start_ns - SLACK_NS <= instant_ns <= memory.end_ns + SLACK_NS:
            notes.append(f"no caption at {clock}; the nearest counts")
    here = _at(asked.end_ns, starts, drive.memories)
    truth = _truth(asked, shown, drive)
    if truth.kind is AnswerKind.POSITION and not truth.places:
        notes.append("where the robot was is not known")
    return Case(
        id=asked.id,
        group=asked.length_class,
        question=asked.question,
        now_ns=asked.end_ns,
        truth=truth,
        pose=here.pose,
        map_id=here.map_id,
        not_before_ns=asked.start_ns,
        memory=asked.sequence,
        notes=tuple(notes),
    )


def _at(instant_ns: int, starts: Sequence[int], memories: Sequence[Memory]) -> Memory:
    """The last caption that begins no later; before all of them, the first."""
    return memories[max(0, bisect.bisect_right(starts, instant_ns) - 1)]


def _truth(asked: Annotated, shown: Sequence[Memory], drive: Drive) -> Truth:
    kind = asked.kind
    yes_no = duration_s = None
    places: tuple[Place, ...] = ()
    times: tuple[tuple[int, int], ...] = ()
    texts: tuple[str, ...] = ()
    if kind is AnswerKind.BINARY:
        word = asked.parsable.strip().lower().rstrip(".")
        if word not in ("yes", "no"):
            raise InvalidInput(f"question {asked.id}: {asked.parsable!r} is neither yes nor no")
        yes_no = word == "yes"
    elif kind is AnswerKind.POSITION:
        places = tuple(Place(m.pose.x, m.pose.y, m.map_id, m.pose.z) for m in shown if m.pose is not None)
    elif kind is AnswerKind.TIME:
        times = tuple(((m.start_ns + m.end_ns) // 2,) * 2 for m in shown)
    elif kind is AnswerKind.DURATION:
        try:
            duration_s = 60.0 * float(asked.parsable)
        except ValueError as error:
            raise InvalidInput(f"question {asked.id}: {asked.parsable!r} is no number of minutes") from error
    else:
        texts = tuple(dict.fromkeys(text for text in (asked.text, asked.parsable) if text))
    proof = frozenset(
        memory.id
        for memory in drive.memories
        if any(memory.start_ns - SLACK_NS <= at_ns <= memory.end_ns + SLACK_NS for at_ns in asked.instants_ns)
    )
    return Truth(
        kind, yes_no=yes_no, places=places, times=times, duration_s=duration_s, texts=texts, evidence_ids=proof
    )
