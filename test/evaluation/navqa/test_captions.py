"""Caption files to memories, and questions with memories to cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import navqa_like
import numpy as np
import pytest

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.cases import Case, Place
from remembr_ros.evaluation.navqa.captions import Drive, read_drives
from remembr_ros.evaluation.navqa.cases import make_cases
from remembr_ros.evaluation.navqa.questions import read_questions
from remembr_ros.memory.interchange import Header, to_line
from remembr_ros.records import NANOSECONDS, AnswerKind


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return navqa_like.write(tmp_path)


def drives(files: list[Path]) -> dict[str, Drive]:
    return read_drives(files, read_questions(files[0].parent))


def rewrite(file: Path, **changes: Any) -> None:
    """Change fields of every caption; a function is given the old value."""
    rows = json.loads(file.read_text())
    for row in rows:
        for name, value in changes.items():
            row[name] = value(row[name]) if callable(value) else value
    file.write_text(json.dumps(rows))


def ns(seconds: float) -> int:
    return round((navqa_like.SEVEN + seconds) * NANOSECONDS)


class TestCaptions:
    def test_a_file_belongs_to_the_sequence_of_its_times(self, files: list[Path]) -> None:
        found = drives(list(reversed(files)))
        assert {name: len(drive.memories) for name, drive in found.items()} == {"7": 200, "12": 100}

    def test_a_window_reaches_as_far_after_its_mean_as_before(self, files: list[Path]) -> None:
        memory = drives(files)["7"].memories[40]
        assert (memory.start_ns, memory.end_ns) == (ns(120), ns(123))
        assert memory.caption.startswith("A blue mailbox")
        assert memory.pose is not None and (memory.pose.x, memory.pose.y, memory.pose.z) == (121.5, 2.0, 0.3)

    def test_a_heading_that_never_changes_is_none(self, files: list[Path]) -> None:
        assert drives(files)["7"].memories[0].pose.yaw is None
        rows = json.loads(files[0].read_text())
        rows[0]["theta"] = 1.0
        files[0].write_text(json.dumps(rows))
        assert [m.pose.yaw for m in drives(files)["7"].memories[:2]] == [1.0, 3.14]

    def test_a_stay_is_one_episode(self, files: list[Path]) -> None:
        rows = json.loads(files[0].read_text())
        for row in rows[10:20]:
            row["position"], row["caption"] = rows[10]["position"], rows[10]["caption"]
        files[0].write_text(json.dumps(rows))
        starts = {memory.episode_start_ns for memory in drives(files)["7"].memories[10:20]}
        assert starts == {ns(30)}

    def test_without_file_names_windows_are_three_seconds(self, files: list[Path]) -> None:
        rewrite(files[0], file_start="frame one", file_end=None)
        memory = drives(files)["7"].memories[1]
        assert (memory.start_ns, memory.end_ns) == (ns(3), ns(6))

    @pytest.mark.parametrize(
        ("changes", "complaint"),
        [
            ({"position": [1.0]}, "caption 0: not enough values"),
            ({"position": [1.0, 2.0, float("nan")]}, "caption 0: its position or time is not finite"),
            ({"time": "noon"}, "caption 0: could not convert"),
            ({"time": 5.0}, "of no sequence"),
            ({"time": 1e300}, "caption 0: its time 1e+300 is not in Unix seconds"),
            ({"time": 10**400}, "caption 0: int too large"),
            ({"caption": None}, "caption 0: its caption is null, not a text"),
            ({"caption": ["a"]}, 'caption 0: its caption is ["a"], not a text'),
            ({"caption": " "}, "the caption of every entry is empty"),
        ],
    )
    def test_what_cannot_be_read_is_named(self, files: list[Path], changes: dict[str, Any], complaint: str) -> None:
        rewrite(files[0], **changes)
        with pytest.raises(InvalidInput, match=r"made_up_7\.json") as error:
            drives(files)
        assert complaint in str(error.value)

    def test_no_list_no_json_and_two_files_of_one_sequence_are_named(self, files: list[Path], tmp_path: Path) -> None:
        with pytest.raises(InvalidInput, match="both hold captions of sequence 7"):
            drives([files[0], files[0]])
        for content in ("{", "{}", "[]"):
            files[0].write_text(content)
            with pytest.raises(InvalidInput, match=r"made_up_7\.json is not"):
                drives(files)


class TestExports:
    """What `remembr export` wrote of a drive is as good as the reference implementation's captions."""

    @pytest.fixture
    def exported(self, files: list[Path], tmp_path: Path) -> Path:
        memories = drives(files)["7"].memories
        lines = [Header("hashing:8", 8, len(memories)).to_line(), *(to_line(m, np.ones(8)) for m in reversed(memories))]
        file = tmp_path / "export.jsonl"
        file.write_text("".join(lines))
        return file

    def test_the_same_memories_the_same_cases(self, files: list[Path], exported: Path) -> None:
        questions = read_questions(exported.parent)
        found = read_drives([exported, files[1]], questions)
        assert found["7"].memories == drives(files)["7"].memories
        assert make_cases(questions, found) == make_cases(questions, drives(files))

    def test_places_that_are_not_known_are_noted(self, exported: Path) -> None:
        header, *lines = exported.read_text().splitlines()
        blind = [json.dumps({**json.loads(line), "pose": None, "localized": False}) for line in lines]
        exported.write_text("\n".join([header, *blind]))
        questions = read_questions(exported.parent)
        cases = {case.id: case for case in make_cases(questions, read_drives([exported], questions))}
        assert cases["LONG_1"].notes == ("where the robot was is not known",) and cases["LONG_1"].pose is None

    def test_a_damaged_line_is_named(self, exported: Path) -> None:
        exported.write_text(exported.read_text() + "{\n")
        with pytest.raises(InvalidInput, match=r"export\.jsonl, line 202: not a memory"):
            read_drives([exported], read_questions(exported.parent))


class TestCases:
    @pytest.fixture
    def cases(self, files: list[Path]) -> dict[str, Case]:
        return {case.id: case for case in make_cases(read_questions(files[0].parent), drives(files))}

    def test_asked_at_the_end_of_the_stretch_where_the_robot_stood(self, cases: dict[str, Case]) -> None:
        case = cases["LONG_3"]
        assert (case.now_ns, case.not_before_ns, case.memory, case.map_id) == (ns(590), ns(30), "7", "navqa-7")
        assert case.pose is not None and case.pose.x == 589.5

    def test_the_truth_is_the_caption_at_the_clock_time(self, cases: dict[str, Case]) -> None:
        assert cases["LONG_1"].truth.places == (Place(121.5, 2.0, "navqa-7", 0.3),)
        assert cases["LONG_2"].truth.times == ((ns(241.5), ns(241.5)),)
        assert cases["LONG_3"].truth.duration_s == 120.0
        assert cases["MEDIUM_1"].truth.yes_no is True and cases["SHORT_2"].truth.yes_no is False
        assert cases["12_LONG_1"].truth.texts == ("It trades marbles", "marbles")
        assert cases["MEDIUM_2"].truth.kind is AnswerKind.TEXT and cases["MEDIUM_2"].truth.texts == ("It was green.",)
        proof = cases["LONG_1"].truth.evidence_ids
        assert {identity[:19] for identity in proof} == {str(ns(seconds)) for seconds in (117, 120, 123)}

    def test_a_truth_without_its_caption_is_noted_and_the_nearest_counts(self, cases: dict[str, Case]) -> None:
        assert cases["SHORT_1"].notes[1] == "no caption at 9:40:00; the nearest counts"
        assert cases["SHORT_1"].truth.places == (Place(1.5, 2.0, "navqa-7", 0.3),)
        assert [case.id for case in cases.values() if case.notes] == ["SHORT_1"]

    def test_sequences_without_captions_are_left_out(self, files: list[Path]) -> None:
        cases = make_cases(read_questions(files[0].parent), drives(files[1:]))
        assert [case.id for case in cases] == ["12_LONG_1", "12_SHORT_1"]
