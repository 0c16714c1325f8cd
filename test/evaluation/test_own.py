"""Questions written by hand."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation import own
from remembr_ros.evaluation.cases import Case, Place
from remembr_ros.evaluation.own import contents, read_cases
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.query import Query
from remembr_ros.records import AnswerKind, Memory

ZONE = ZoneInfo("Europe/Berlin")
NOON_NS = 1_796_036_400_000_000_000
"""2026-11-30 12:00:00 +01:00."""


def read(folder: Path, *entries: dict[str, Any]) -> list[Case]:
    file = folder / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)))
    return read_cases(file, ZONE)


def entry(answer: Any, **more: Any) -> dict[str, Any]:
    return {"question": "What?", "asked_at": "2026-11-30 12:00:00", "answer": answer, **more}


@pytest.mark.parametrize(
    ("answer", "kind", "field", "value"),
    [
        ({"position": [1, 2]}, AnswerKind.POSITION, "places", (Place(1.0, 2.0, "m"),)),
        ({"position": [[1, 2], [3, 4]]}, AnswerKind.POSITION, "places", (Place(1.0, 2.0, "m"), Place(3.0, 4.0, "m"))),
        ({"time": "2026-11-30T11:00:00Z"}, AnswerKind.TIME, "times", ((NOON_NS, NOON_NS),)),
        (
            {"time": ["2026-11-30 12:00", "2026-11-30 12:00:01"]},
            AnswerKind.TIME,
            "times",
            ((NOON_NS, NOON_NS + 10**9),),
        ),
        (
            {"time": [[1796036400, 1796036401.5], [0, 1]]},
            AnswerKind.TIME,
            "times",
            ((NOON_NS, NOON_NS + 1_500_000_000), (0, 10**9)),
        ),
        ({"duration_s": 90}, AnswerKind.DURATION, "duration_s", 90.0),
        ({"count": 3}, AnswerKind.COUNT, "count", 3),
        ({"yes_no": False}, AnswerKind.BINARY, "yes_no", False),
        ({"text": "red"}, AnswerKind.TEXT, "texts", ("red",)),
        ({"text": ["red", "crimson"]}, AnswerKind.TEXT, "texts", ("red", "crimson")),
        ({"found": False}, AnswerKind.TEXT, "answerable", False),
    ],
)
def test_every_kind_of_answer(tmp_path: Path, answer: Any, kind: AnswerKind, field: str, value: Any) -> None:
    (case,) = read(tmp_path, entry(answer, map="m"))
    assert case.truth.kind is kind and getattr(case.truth, field) == value
    assert (case.now_ns, case.id, case.pose) == (NOON_NS, "1", None)


def test_everything_optional(tmp_path: Path) -> None:
    given = entry({"count": 0}, id="a", group="g", at=[1, 2], map="m", not_before=1_796_000_000, evidence=["x"])
    (case,) = read(tmp_path, given)
    assert (case.id, case.group, case.map_id, case.not_before_ns) == ("a", "g", "m", 1_796_000_000 * 10**9)
    assert case.pose is not None and (case.pose.x, case.pose.y) == (1.0, 2.0)
    assert case.truth.evidence_ids == {"x"}


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (entry({"position": [1]}), r"a place is \[x, y\]"),
        (entry({"position": [1, 2], "count": 3}), "answer must have one of"),
        (entry({"colour": "red"}), "answer must have one of"),
        (entry("red"), "answer must be a mapping"),
        (entry({"yes_no": "perhaps"}), "yes_no must be true or false"),
        (entry({"time": "noon"}), "noon"),
        (entry({"time": ["2026-11-30 13:00", "2026-11-30 12:00"]}), "is before"),
        (entry({"time": ["2026-11-30 13:00"]}), "a time is one instant or"),
        (entry({"count": 1}, colour="red"), "unknown field 'colour'"),
        ({"question": "What?", "answer": {"count": 1}}, "there is no 'asked_at'"),
    ],
)
def test_what_is_wrong_is_named_with_its_question(tmp_path: Path, given: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=rf"own\.jsonl, question 2: .*{complaint}"):
        read(tmp_path, entry({"count": 1}), given)


@pytest.mark.parametrize("content", ["", "question: what", "[1, 2]", "{{", "- {question: x"])
def test_files_that_are_no_questions(tmp_path: Path, content: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(content)
    with pytest.raises(InvalidInput, match=r"own\.yaml"):
        read_cases(file, ZONE)


def test_files_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    file.write_bytes("# fine\n- {question: Where is the caf\u00e9?}".encode("latin-1"))
    with pytest.raises(InvalidInput, match=r"own\.yaml, line 2: this is not UTF-8"):
        read_cases(file, ZONE)
    with pytest.raises(InvalidInput, match=f"{tmp_path} is a folder"):
        read_cases(tmp_path, ZONE)


def test_two_questions_of_one_id(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="one id"):
        read(tmp_path, entry({"count": 1}, id="a"), entry({"count": 2}, id="a"))


class Listed:
    """A store of a list, as far as `contents` reads it."""

    embedder = HashingEmbedder(16)

    def __init__(self, written: Sequence[Memory]) -> None:
        self._all = sorted(written, key=lambda one: one.start_ns)

    def count(self) -> int:
        return len(self._all)

    def bounds(self) -> tuple[int, int] | None:
        return (self._all[0].start_ns, max(one.end_ns for one in self._all)) if self._all else None

    def select(self, query: Query) -> list[str]:
        return [one.id for one in self._all]

    def get(self, ids: Sequence[str]) -> list[Memory]:
        return [one for one in self._all if one.id in ids]

    def between(self, after_ns: int, before_ns: None, limit: int) -> list[Memory]:
        return [one for one in self._all if one.end_ns > after_ns][:limit]


def named(written: Sequence[Memory]) -> str:
    return contents(Listed(written))  # type: ignore[arg-type]


def windows(count: int) -> list[Memory]:
    starts = [number * 10**9 for number in range(1, count + 1)]
    return [Memory(str(at), at, at + 10**9, at, "a hall") for at in starts]


@pytest.mark.parametrize("whole", [2000, 5], ids=["all of it", "runs of it"])
def test_other_captions_or_places_are_another_memory(whole: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "WHOLE", whole)
    before = windows(21)
    first = named(before)
    assert named(list(reversed(before))) == first
    assert named([dataclasses.replace(one, caption="a yard") for one in before]) != first
    assert named([dataclasses.replace(one, map_id="elsewhere") for one in before]) != first
    assert named(before[:-1]) != first and named([]) != first


def test_of_a_large_memory_the_ends_and_the_middle_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting, value in (("WHOLE", 5), ("SPOTS", 3), ("RUN", 3)):
        monkeypatch.setattr(own, setting, value)
    before = windows(21)
    others = [[*before[:at], dataclasses.replace(one, caption="b"), *before[at + 1 :]] for at, one in enumerate(before)]
    assert [at for at, other in enumerate(others) if named(other) != named(before)] == [0, 1, 10, 11, 20]
