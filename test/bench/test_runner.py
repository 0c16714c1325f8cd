"""The benchmark runner: targets decide the exit code, figures and machine reach the JSON file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import report, run

BENCHMARK = """
from bench.report import Figure, Result

def run(quick):
    return Result(figures=(Figure("first_answer_s", 0.5 if quick else 5.0, "s"), Figure("right", 0.9, "")))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiny.py").write_text(BENCHMARK)
    (tmp_path / "targets.toml").write_text("[tiny]\nfirst_answer_s = {max = 1.0}\nright = {min = 0.9}\n")
    return tmp_path


def test_a_run_within_its_targets_passes_and_writes_machine_and_figures(folder: Path) -> None:
    file = folder / "out" / "tiny.json"
    assert run.main(["tiny", "--quick", "--check", "--json", str(file)], folder) == 0
    written = json.loads(file.read_text())
    assert written["figures"][0] == {"name": "first_answer_s", "value": 0.5, "unit": "s", "note": ""}
    assert written["misses"] == [] and written["quick"] is True
    assert written["machine"]["cores"] >= 1 and written["machine"]["packages"]["numpy"]


def test_check_fails_and_names_each_miss(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["tiny"], folder) == 0
    assert run.main(["tiny", "--check"], folder) == 1
    error = capsys.readouterr().err
    assert "first_answer_s: 5 s, at most 1 wanted" in error
    assert "right" not in error


def test_a_target_that_was_not_measured_is_missed() -> None:
    assert report.misses(report.Result(figures=()), {"recall_at_5": {"min": 0.8}}) == ["recall_at_5: not measured"]


def test_nan_misses_every_bound() -> None:
    result = report.Result(figures=(report.Figure("latency_s", float("nan"), "s"),))
    assert report.misses(result, {"latency_s": {"max": 1.0}})


@pytest.mark.parametrize("bounds", [3.0, {"maximum": 3.0}, {}])
def test_a_target_of_another_form_is_refused(bounds: object) -> None:
    with pytest.raises(ValueError, match="latency_s"):
        report.misses(report.Result(figures=()), {"latency_s": bounds})


def test_an_unknown_name_lists_what_there_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["huge"], folder) == 2
    assert "'huge'" in (error := capsys.readouterr().err) and "tiny" in error
    assert run.main(["--list"], folder) == 0
    assert capsys.readouterr().out == "tiny\n"


def test_a_benchmark_that_returns_something_else_is_named(folder: Path) -> None:
    (folder / "wrong.py").write_text("def run(quick):\n    return {'a': 1}\n")
    with pytest.raises(TypeError, match=r"wrong\.py"):
        run.main(["wrong"], folder)


PARTS = """
from pathlib import Path
from bench.report import Figure

def first(quick):
    with (Path(__file__).parent / "runs").open("a") as runs:
        runs.write("first ")
    return [Figure("first_s", 1.0, "s")]

def second(quick):
    if not (Path(__file__).parent / "fixed").exists():
        raise RuntimeError("interrupted")
    return [Figure("second_s", 2.0, "s")]

PARTS = {"first": first, "second": second}
"""


def test_an_interrupted_run_keeps_its_parts_and_resumes(folder: Path) -> None:
    (folder / "parted.py").write_text(PARTS)
    (folder / "targets.toml").write_text("[parted]\nfirst_s = {max = 1}\nsecond_s = {max = 2}\n")
    file = folder / "parted.json"
    with pytest.raises(RuntimeError, match="interrupted"):
        run.main(["parted", "--check"], folder)
    (folder / "fixed").touch()
    assert run.main(["parted", "--check", "--resume", "--json", str(file)], folder) == 0
    assert [figure["name"] for figure in json.loads(file.read_text())["figures"]] == ["first_s", "second_s"]
    assert (folder / "runs").read_text() == "first "
    assert run.main(["parted", "--check", "--part", "second"], folder) == 0
    assert run.main(["parted", "--part", "third"], folder) == 2
