"""The questions of NaVQA as published. In: a folder with data.csv and SEQUENCE/qa_unfilled.json; out: `Annotated`.

data.csv says what was asked, of what type, and the clock times at which the answer is to be seen; the JSON files say
which stretch of the drive each question is about. Clock times are those that the annotators saw: America/Los_Angeles,
on the day that the stretch begins.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.text_files import read_utf8
from remembr_ros.records import NANOSECONDS, AnswerKind

ZONE_NAME = "America/Los_Angeles"
SLACK_NS = 3 * NANOSECONDS
"""One caption: a clock time that is no farther outside its stretch was rounded, not wrong."""
KINDS = {
    "binary": AnswerKind.BINARY,
    "position": AnswerKind.POSITION,
    "time": AnswerKind.TIME,
    "duration": AnswerKind.DURATION,
    "text": AnswerKind.TEXT,
}
_COLUMNS = {
    "id": "uuid",
    "sequence": "seq id",
    "question": "question",
    "clocks": "timestamp",
    "type": "type",
    "text": "text answer",
    "parsable": "parsable answer",
}


@dataclass(frozen=True, slots=True)
class Annotated:
    """One question. It is asked at `end_ns` about [start_ns, end_ns]; `instants_ns` are the clock times of its answer.
    `length_class`: SHORT, MEDIUM or LONG. `notes`: what is wrong with it."""

    id: str
    sequence: str
    question: str
    kind: AnswerKind
    length_class: str
    start_ns: int
    end_ns: int
    clocks: tuple[str, ...]
    instants_ns: tuple[int, ...]
    text: str
    parsable: str
    notes: tuple[str, ...] = ()


def read_questions(folder: Path) -> list[Annotated]:
    """In the order of data.csv. Raises InvalidInput naming the file and line, OSError."""
    table = folder / "data.csv"
    if not table.is_file():
        raise InvalidInput(f"--questions: there is no {table}; it must be the folder of NaVQA that holds data.csv")
    stretches = _stretches(folder)
    zone = ZoneInfo(ZONE_NAME)
    rows = csv.reader(io.StringIO(read_utf8(table), newline=""))
    columns = _columns(next(rows, []), table)
    questions = []
    for row in rows:
        if not any(cell.strip() for cell in row):
            continue
        cells = {name: row[at].strip() if at < len(row) else "" for name, at in columns.items()}
        try:
            questions.append(_question(cells, stretches, zone))
        except InvalidInput as error:
            raise InvalidInput(f"{table}, up to line {rows.line_num}: {error}") from error
    return questions


def _columns(header: Sequence[str], table: Path) -> dict[str, int]:
    """Where each column is; headers run over several lines and say more than the name."""
    names = [" ".join(cell.lower().split()) for cell in header]
    found = {}
    for column, name in _COLUMNS.items():
        wordy = column in ("clocks", "type")
        at = next((i for i, given in enumerate(names) if given == name or (wordy and given.startswith(name))), None)
        if at is None:
            raise InvalidInput(f"{table}: no column {name!r}; there is: {', '.join(names)}")
        found[column] = at
    return found


def _stretches(folder: Path) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """By question id: the sequence, and what qa_unfilled.json says."""
    found: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for path in sorted(folder.glob("*/qa_unfilled.json")):
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            for item in content["data"]:
                found[str(item["id"])] = (path.parent.name, item)
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidInput(f"{path} is not a list of questions with an id each: {error}") from error
    if not found:
        raise InvalidInput(f"--questions: there is no SEQUENCE/qa_unfilled.json in {folder}")
    return found


def _question(
    cells: Mapping[str, str], stretches: Mapping[str, tuple[str, Mapping[str, Any]]], zone: ZoneInfo
) -> Annotated:
    identity = cells["id"]
    if identity not in stretches:
        raise InvalidInput(f"question {identity!r} is in no qa_unfilled.json")
    sequence, stretch = stretches[identity]
    if cells["sequence"] != sequence:
        raise InvalidInput(
            f"question {identity} is of sequence {cells['sequence']!r} here, of {sequence!r} in its JSON file"
        )
    kind = KINDS.get(cells["type"].lower())
    if kind is None:
        raise InvalidInput(f"question {identity}: unknown type {cells['type']!r}; known: {', '.join(KINDS)}")
    try:
        start_ns, end_ns = (round(float(stretch[name]) * NANOSECONDS) for name in ("start_time", "end_time"))
        length_class = str(stretch["length_category"]).upper()
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"question {identity}: its qa_unfilled.json has no usable {error}") from error
    clocks = tuple(clock.strip() for clock in cells["clocks"].split(",") if clock.strip())
    if not clocks:
        raise InvalidInput(f"question {identity} has no clock time")
    instants_ns = tuple(_instant(clock, start_ns, zone, identity) for clock in clocks)
    return Annotated(
        identity,
        sequence,
        cells["question"],
        kind,
        length_class,
        start_ns,
        end_ns,
        clocks,
        instants_ns,
        cells["text"],
        cells["parsable"],
        tuple(
            _outside(clock, at, start_ns, end_ns)
            for clock, at in zip(clocks, instants_ns, strict=True)
            if not start_ns - SLACK_NS <= at <= end_ns + SLACK_NS
        ),
    )


def _instant(clock: str, start_ns: int, zone: ZoneInfo, identity: str) -> int:
    day = datetime.fromtimestamp(start_ns / NANOSECONDS, zone)
    try:
        hour, minute, second = (int(part) for part in clock.split(":"))
        at = day.replace(hour=hour, minute=minute, second=second, microsecond=0)
    except ValueError as error:
        raise InvalidInput(f"question {identity}: {clock!r} is not a clock time H:MM:SS") from error
    return round(at.timestamp()) * NANOSECONDS


def _outside(clock: str, at_ns: int, start_ns: int, end_ns: int) -> str:
    off_s = (start_ns - at_ns if at_ns < start_ns else at_ns - end_ns) / NANOSECONDS
    return f"{clock} is {off_s:.0f} s {'before' if at_ns < start_ns else 'after'} its stretch"
