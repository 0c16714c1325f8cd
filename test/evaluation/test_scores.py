"""How far an answer is from the truth, and what the report makes of it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import math
from pathlib import Path

import pytest

from remembr_ros.evaluation import report
from remembr_ros.evaluation.cases import Case, Given, Outcome, Place, Truth
from remembr_ros.evaluation.report import About
from remembr_ros.evaluation.scores import Scorer, Tolerances
from remembr_ros.evaluation.summary import Share, cells, costs, evidence, spread
from remembr_ros.evaluation.text_judges import WordOverlap
from remembr_ros.evaluation.variants import VARIANTS
from remembr_ros.records import NANOSECONDS, AnswerKind

MINUTE_NS = 60 * NANOSECONDS
NOW_NS = 1_000_000 * MINUTE_NS


def scored(truth: Truth, tolerances: Tolerances | None = None, *, question: str = "?", **given: object) -> Outcome:
    case = Case("c", "g", question, NOW_NS, truth)
    values = {"kind": truth.kind, "text": "", **given}
    return asyncio.run(Scorer(tolerances).score(Outcome(case, "v", Given(**values))))  # type: ignore[arg-type]


def place(*places: Place) -> Truth:
    return Truth(AnswerKind.POSITION, places=places)


class TestPlaces:
    def test_the_nearest_right_place_counts_in_three_dimensions(self) -> None:
        outcome = scored(place(Place(0, 0, z=0.0), Place(50, 0)), place=Place(3, 4, z=12.0))
        assert outcome.position_error_m == pytest.approx(13.0) and outcome.correct

    def test_heights_that_are_not_known_are_not_compared(self) -> None:
        assert scored(place(Place(0, 0)), place=Place(3, 4, z=12.0)).position_error_m == pytest.approx(5.0)

    @pytest.mark.parametrize(("x", "right"), [(15.0, True), (15.1, False)])
    def test_fifteen_metres_are_right(self, x: float, right: bool) -> None:
        assert scored(place(Place(0, 0)), place=Place(x, 0)).correct is right

    def test_another_map_is_never_near(self) -> None:
        outcome = scored(place(Place(0, 0, "a")), place=Place(0, 0, "b"))
        assert outcome.position_error_m == math.inf and not outcome.correct

    def test_no_place_and_not_found_are_wrong_without_an_error_in_metres(self) -> None:
        for outcome in (scored(place(Place(0, 0))), scored(place(Place(0, 0)), found=False, place=Place(0, 0))):
            assert not outcome.correct and outcome.position_error_m is None


class TestTimes:
    @pytest.mark.parametrize(("minutes", "error", "right"), [(-3, 3.0, False), (0, 0.0, True), (2, 1.0, True)])
    def test_minutes_outside_the_range(self, minutes: int, error: float, right: bool) -> None:
        truth = Truth(AnswerKind.TIME, times=((NOW_NS, NOW_NS + MINUTE_NS),))
        outcome = scored(truth, time_ns=NOW_NS + minutes * MINUTE_NS)
        assert outcome.time_error_min == pytest.approx(error) and outcome.correct is right

    def test_durations_are_off_both_ways(self) -> None:
        truth = Truth(AnswerKind.DURATION, duration_s=300.0)
        assert scored(truth, duration_s=120.0).duration_error_min == pytest.approx(3.0)
        assert scored(truth, duration_s=420.0).correct
        assert not scored(truth, Tolerances(duration_min=1.0), duration_s=420.0).correct


class TestTheOthers:
    @pytest.mark.parametrize(("said", "right"), [(True, True), (False, False), (None, False)])
    def test_yes_or_no_exactly(self, said: bool | None, right: bool) -> None:
        assert scored(Truth(AnswerKind.BINARY, yes_no=True), yes_no=said).correct is right

    def test_counts_exactly(self) -> None:
        assert scored(Truth(AnswerKind.COUNT, count=3), count=3).correct
        assert scored(Truth(AnswerKind.COUNT, count=3), count=4).count_error == 1

    def test_what_has_no_answer_must_not_be_found(self) -> None:
        nowhere = Truth(AnswerKind.POSITION, answerable=False)
        assert scored(nowhere, found=False).correct
        assert not scored(nowhere, place=Place(1, 2)).correct
        assert not scored(nowhere, found=False, error="TIMEOUT").correct
        assert scored(Truth(AnswerKind.BINARY, yes_no=False, answerable=False), yes_no=False).correct

    def test_an_error_is_never_right(self) -> None:
        assert not scored(Truth(AnswerKind.BINARY, yes_no=True), yes_no=True, error="TIMEOUT").correct

    def test_the_rank_of_the_proof(self) -> None:
        truth = dataclasses.replace(place(Place(0, 0)), evidence_ids=frozenset({"b", "c"}))
        assert scored(truth, evidence_ids=("a", "b", "c")).evidence_rank == 2
        assert scored(truth, evidence_ids=("a",)).evidence_rank is None


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("They are striped.", 1.0),
        ("I noted the curtains near the door.", 0.0),
        ("Striped cloth and blue cushions", 1.0),
        ("", 0.0),
    ],
)
def test_words_of_the_question_earn_nothing(answer: str, score: float) -> None:
    judge = WordOverlap()
    said = asyncio.run(judge.score("Which pattern do the curtains have?", ["The curtains are striped."], answer))
    assert said == score


def test_the_best_of_several_texts_counts() -> None:
    texts = Truth(AnswerKind.TEXT, texts=("It sells marbles", "glass beads"))
    assert scored(texts, question="What does it sell?", text="Beads of glass").text_score == 1.0


class TestNumbers:
    def test_wilsons_interval(self) -> None:
        low, high = Share(8, 10).interval()
        assert (low, high) == (pytest.approx(0.4902, abs=1e-4), pytest.approx(0.9433, abs=1e-4))
        assert Share(0, 5).interval()[0] == 0.0 and Share(5, 5).interval()[1] == 1.0
        assert math.isnan(Share(0, 0).interval()[0])

    def test_means_leave_out_other_maps_and_say_so(self) -> None:
        found = spread([1.0, 3.0, math.inf])
        assert found is not None and (found.mean, found.count, found.infinite) == (2.0, 2, 1)
        assert found.deviation == pytest.approx(math.sqrt(2.0))
        assert spread([]) is None

    def test_cells_are_by_kind_and_group_and_sum_up(self) -> None:
        found = {(cell.kind, cell.group): cell for cell in cells(outcomes())}
        assert found["position", "near"].right == Share(1, 1) and found["position", "far"].right == Share(0, 2)
        assert found["position", "all"].answered == 2 and found["all", "all"].right == Share(2, 4)
        assert found["binary", "all"].error is None

    def test_costs_and_evidence(self) -> None:
        spent = costs(outcomes())
        assert (spent.latency_p50_s, spent.latency_p95_s, spent.llm_calls) == (2.5, 4.0, 2.0)
        assert spent.cost == pytest.approx(0.25) and spent.cost_in_all == pytest.approx(1.0)
        assert costs([dataclasses.replace(outcomes()[0], cost=None)]).cost is None
        proved = evidence(outcomes())
        assert proved is not None and (proved.first, proved.first_five) == (Share(1, 3), Share(2, 3))


def outcomes() -> list[Outcome]:
    """Three places (one right, one 40 m off, one not found), and a no."""
    truth = dataclasses.replace(place(Place(0, 0)), evidence_ids=frozenset({"p"}))
    given = (
        ("near", truth, {"place": Place(0, 0), "evidence_ids": ("p",)}, ()),
        ("far", truth, {"place": Place(40, 0), "evidence_ids": ("q", "p")}, ("10:00:00 is 90 s after its stretch",)),
        ("far", truth, {"found": False}, ()),
        ("far", Truth(AnswerKind.BINARY, yes_no=False), {"yes_no": False}, ()),
    )
    found = []
    for number, (group, true, answer, notes) in enumerate(given, 1):
        one = scored(true, **answer)
        case = dataclasses.replace(one.case, id=f"c{number}", group=group, notes=notes)
        found.append(dataclasses.replace(one, case=case, elapsed_s=float(number), llm_calls=2, cost=0.25))
    return found


class TestTheReport:
    ABOUT = About("A test", ("Of nothing.",), "word overlap", "EUR")

    def test_a_report_says_all_and_clean_by_kind_and_group(self, tmp_path: Path) -> None:
        files = report.write(tmp_path, self.ABOUT, [VARIANTS["extractive"]], {"extractive": outcomes()}, plots=False)
        text = files[0].read_text()
        assert "| extractive | 4 | 50 % (15-85) | 3 | 67 % (21-94) |" in text
        assert "| position error [m] | 0 ± 0 | 40 ± 0 | 20 ± 28.3 |" in text
        assert "| extractive | 2.50 | 4.00 | 2.0 | 0 | 0 | 0.2500 | 1.00 |" in text
        assert "- c2: 10:00:00 is 90 s after its stretch" in text
        data = json.loads(files[1].read_text())
        assert data["variants"]["extractive"]["clean"]["correct"]["right"] == 2
        assert data["variants"]["extractive"]["outcomes"][1]["position_error_m"] == 40.0

    def test_many_groups_are_rows(self, tmp_path: Path) -> None:
        found = [
            dataclasses.replace(one, case=dataclasses.replace(one.case, group=f"{one.case.group}{number}"))
            for number in range(3)
            for one in outcomes()
        ]
        files = report.write(tmp_path, self.ABOUT, [VARIANTS["extractive"]], {"extractive": found}, plots=False)
        text = files[0].read_text()
        assert "| near1 | position | 100 % (21-100) | 0 ± 0 m | 1/1 |" in text and "| near1 | all |" not in text
        assert "| far2 | all | 33 % (6-79) | - | 2/3 |" in text
        assert "| all | position | 33 % (12-65) | 20 ± 21.9 m | 6/9 |" in text
        assert "| all | all | 50 % (25-75) | - | 9/12 |" in text

    def test_what_was_declined_rightly_and_wrongly(self, tmp_path: Path) -> None:
        nowhere = scored(Truth(AnswerKind.POSITION, answerable=False), found=False)
        found = [*outcomes(), nowhere]
        files = report.write(tmp_path, self.ABOUT, [VARIANTS["extractive"]], {"extractive": found}, plots=False)
        assert "| extractive | 1 | 100 % (21-100) | 25 % (5-70) |" in files[0].read_text()
        declined = json.loads(files[1].read_text())["variants"]["extractive"]["all"]["declines"]
        assert (declined["rightly"]["right"], declined["wrongly"]["right"]) == (1, 1)

    def test_places_on_another_map_are_in_the_json_as_none(self, tmp_path: Path) -> None:
        elsewhere = scored(place(Place(0, 0, "a")), place=Place(0, 0, "b"))
        files = report.write(tmp_path, self.ABOUT, [VARIANTS["extractive"]], {"extractive": [elsewhere]}, plots=False)
        assert "1 on another map" in files[0].read_text()
        assert json.loads(files[1].read_text())["variants"]["extractive"]["outcomes"][0]["position_error_m"] is None

    def test_plots_are_pictures_beside_it(self, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib", reason="pip install -r requirements-demo.txt")
        files = report.write(tmp_path, self.ABOUT, [VARIANTS["extractive"]], {"extractive": outcomes()})
        assert [path.name for path in files[2:]] == ["right.png", "errors.png"]
        assert all(path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size < 60_000 for path in files[2:])
        assert "![right](right.png)" in files[0].read_text()
