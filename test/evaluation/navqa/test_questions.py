"""Reading NaVQA's files: the made-up ones always, the published ones where NAVQA_DIR says they are."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

import navqa_like
import pytest

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.navqa.questions import Annotated, read_questions
from remembr_ros.records import NANOSECONDS, AnswerKind


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    navqa_like.write(tmp_path)
    return tmp_path


def by_id(questions: list[Annotated]) -> dict[str, Annotated]:
    return {asked.id: asked for asked in questions}


def change(folder: Path, row: int, column: int, value: str) -> None:
    rows = [list(cells) for cells in [navqa_like.HEADER, *navqa_like.ROWS]]
    rows[row][column] = value
    with (folder / "data.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@pytest.mark.skipif("NAVQA_DIR" not in os.environ, reason="NAVQA_DIR does not name the folder of NaVQA (data.csv)")
def test_all_published_questions_parse() -> None:
    questions = read_questions(Path(os.environ["NAVQA_DIR"]))
    assert len({asked.id for asked in questions}) == len(questions) == 210
    assert Counter(asked.length_class for asked in questions) == {"SHORT": 70, "MEDIUM": 70, "LONG": 70}
    assert Counter(asked.kind.value for asked in questions) == {
        "position": 71, "binary": 67, "text": 33, "time": 30, "duration": 9,
    }  # fmt: skip
    assert sum(len(asked.notes) for asked in questions) == 9, "clock times outside their stretch"
    assert all(asked.start_ns < asked.end_ns and asked.question for asked in questions)
    assert all(asked.parsable.lower() in ("yes", "no") for asked in questions if asked.kind is AnswerKind.BINARY)
    assert all(float(asked.parsable) > 0 for asked in questions if asked.kind is AnswerKind.DURATION)


def test_every_column_is_read(folder: Path) -> None:
    questions = by_id(read_questions(folder))
    assert list(questions) == [row[0] for row in navqa_like.ROWS]
    duration = questions["LONG_3"]
    assert (duration.sequence, duration.kind, duration.length_class) == ("7", AnswerKind.DURATION, "LONG")
    assert duration.clocks == ("10:05:00", "10:07:00") and duration.parsable == "2"
    assert duration.start_ns == round(navqa_like.SEVEN + 30) * NANOSECONDS
    assert questions["MEDIUM_2"].question == 'What color is the wheelbarrow by the "old" shed?'
    assert questions["12_LONG_1"].clocks == ("15:31:01", "15:31:05")


def test_clock_times_are_those_of_los_angeles_in_winter_and_summer(folder: Path) -> None:
    questions = by_id(read_questions(folder))

    def utc(identity: str) -> datetime:
        return datetime.fromtimestamp(questions[identity].instants_ns[0] / NANOSECONDS, timezone.utc)

    assert utc("LONG_1") == datetime(2024, 3, 4, 18, 2, 1, tzinfo=timezone.utc)
    assert utc("12_LONG_1") == datetime(2024, 7, 9, 22, 31, 1, tzinfo=timezone.utc)


def test_only_clock_times_farther_off_than_a_caption_are_flagged(folder: Path) -> None:
    noted = {asked.id: asked.notes for asked in read_questions(folder) if asked.notes}
    assert noted == {"SHORT_1": ("9:40:00 is 1740 s before its stretch",)}


@pytest.mark.parametrize(
    ("row", "column", "value", "complaint"),
    [
        (1, 0, "nobody", "'nobody' is in no qa_unfilled.json"),
        (1, 1, "8", "sequence '8' here"),
        (2, 3, "half past ten", "'half past ten' is not a clock time"),
        (2, 3, "10:61:00", "'10:61:00' is not a clock time"),
        (2, 3, " , ", "no clock time"),
        (2, 4, "smell", "unknown type 'smell'"),
        (0, 2, "Frage", "no column 'question'"),
    ],
)
def test_what_cannot_be_read_is_named(folder: Path, row: int, column: int, value: str, complaint: str) -> None:
    change(folder, row, column, value)
    with pytest.raises(InvalidInput, match=r"data\.csv") as error:
        read_questions(folder)
    assert complaint in str(error.value)


def test_a_folder_without_the_files_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"data\.csv"):
        read_questions(tmp_path)
    navqa_like.write(tmp_path)
    for path in tmp_path.glob("*/qa_unfilled.json"):
        path.write_text(json.dumps({"version": 0.1}))
    with pytest.raises(InvalidInput, match=r"qa_unfilled\.json is not a list"):
        read_questions(tmp_path)


def test_a_table_that_is_not_utf8_is_named_with_its_line(folder: Path) -> None:
    change(folder, 2, 2, "Where is the caf\u00e9?")
    table = folder / "data.csv"
    assert by_id(read_questions(folder))["LONG_2"].question == "Where is the caf\u00e9?"
    table.write_bytes(table.read_text(encoding="utf-8").encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"data\.csv, line \d+: this is not UTF-8"):
        read_questions(folder)
