"""Every benchmark in one report: what ran is in it with its date, what did not is said."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench import all as every
from bench import run

TINY = '''"""Tiny: it measures 0.5 | 5.

More words that are not in the report.
"""
from bench.report import Figure, Result

def run(quick):
    return Result(figures=(Figure("first_s", 0.5 if quick else 5.0, "s", "a | b"), Figure("right", 0.8, "")))
'''
PARTED = '''"""Two parts."""
from bench.report import Figure

def one(quick):
    return [Figure("one_s", 1.0, "s")]

def two(quick):
    return [Figure("two_s", 2.0, "s")]

PARTS = {"one": one}
PARTS |= {"two": two}
'''
FAILS = '''"""It fails."""
def run(quick):
    raise OSError("no device /dev/sound0 here")
'''
HANGS = '''"""It hangs."""
import time
def run(quick):
    time.sleep(600)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tiny.py").write_text(TINY)
    (tmp_path / "parted.py").write_text(PARTED)
    (tmp_path / "fails.py").write_text(FAILS)
    (tmp_path / "targets.toml").write_text(
        "[tiny]\nfirst_s = {max = 1}\nright = {min = 0.8}\n[fails]\nlost = {max = 0}\n"
    )
    (tmp_path / "results").mkdir()
    return tmp_path


def report(folder: Path, *arguments: str, code: int = 0) -> str:
    document = folder / "docs" / "benchmarks.md"
    assert every.main(arguments, folder, document) == code
    quick = folder / "results" / "benchmarks.quick.md"
    return (quick if "--quick" in arguments else document).read_text()


def section(text: str, name: str) -> str:
    return text.split(f"\n## {name}\n")[1].split("\n## ")[0]


def test_each_runs_and_one_that_fails_costs_no_other(folder: Path) -> None:
    text = report(folder, code=1)
    tiny, parted, fails = (section(text, name) for name in ("tiny", "parted", "fails"))
    assert "| first_s | 5 | s | **≤ 1, missed** | a \\| b |" in tiny and "| right | 0.8 |  | ≥ 0.8 |  |" in tiny
    assert "Target missed: first_s: 5 s, at most 1 wanted." in tiny
    assert re.search(r"- Measured 20\d\d-\d\d-\d\d \d\d:\d\d UTC, took \d+ s, load [\d.]+, machine 1\.", tiny)
    assert "it measures 0.5 | 5." in tiny and "More words" not in tiny
    assert "Part one: measured 20" in parted and "Part two: measured 20" in parted
    assert "Not run." in fails and "failed: OSError: no device ... here" in fails
    assert "| 1 | 1 | 0 |" in next(line for line in text.splitlines() if "[tiny]" in line)
    assert "not run | 0 | 0 | 1 |" in next(line for line in text.splitlines() if "[fails]" in line)


def test_from_results_runs_nothing_and_says_what_is_missing(folder: Path) -> None:
    earlier = folder / "earlier.md"
    earlier.write_text("as it was")
    assert every.main(["--from-results"], folder, earlier) == 2
    assert earlier.read_text() == "as it was", "a document is not replaced by one of nothing"
    assert run.main(["parted", "--part", "two"], folder) == 0
    assert run.main(["tiny", "--quick"], folder) == 0
    text = report(folder, "--from-results")
    assert "Part two: measured" in section(text, "parted") and "Part one: not run." in section(text, "parted")
    assert "- Not run." in section(text, "tiny"), "a quick run is no measurement"
    assert "| first_s | 0.5 |" in report(folder, "--from-results", "--quick")
    assert every.main(["--from-results", "--check"], folder, folder / "x.md") == 1


def test_results_that_are_damaged_are_named(folder: Path) -> None:
    assert run.main(["tiny"], folder) == 0
    (folder / "results" / "tiny.old.json").write_text('{"figures": ')
    (folder / "results" / "parted.one.json").write_text("[]")
    text = report(folder, "--from-results")
    assert "tiny.old.json cannot be read" in section(text, "tiny") and "| first_s | 5 |" in section(text, "tiny")
    assert "parted.one.json cannot be read" in section(text, "parted")


def test_figures_measured_twice_are_the_latest(folder: Path) -> None:
    assert run.main(["tiny"], folder) == 0
    file = folder / "results" / "tiny.json"
    old = json.loads(file.read_text())
    old["measured"], old["figures"][0]["value"] = "2001-01-01 00:00 UTC", 99.0
    (folder / "results" / "tiny.before.json").write_text(json.dumps(old))
    text = section(report(folder, "--from-results"), "tiny")
    assert "| first_s | 5 |" in text and "99" not in text and "measured 2001-01-01 00:00 UTC" in text


def test_resume_and_only_run_what_is_wanted(folder: Path) -> None:
    assert run.main(["tiny"], folder) == 0
    before = (folder / "results" / "tiny.json").stat().st_mtime_ns
    report(folder, "--resume", "--only", "tiny", "parted")
    assert (folder / "results" / "tiny.json").stat().st_mtime_ns == before
    assert (folder / "results" / "parted.two.json").exists() and not (folder / "results" / "fails.failed.json").exists()
    assert every.main(["--only", "huge"], folder, folder / "x.md") == 2


def test_one_that_hangs_is_ended(folder: Path) -> None:
    (folder / "hangs.py").write_text(HANGS)
    text = report(folder, "--only", "hangs", "--limit-min", "0.05", code=1)
    assert "failed: not finished within 0.05 min" in section(text, "hangs")


def test_what_a_benchmark_leaves_is_in_its_section(folder: Path) -> None:
    assert run.main(["tiny"], folder) == 0
    (folder / "results" / "tiny.variants.md").write_text("| a table |\n")
    (folder / "results" / "tiny.right.png").write_bytes(b"\x89PNG")
    text = section(report(folder, "--from-results"), "tiny")
    assert "| a table |" in text and "![tiny.right](benchmarks/tiny.right.png)" in text
    assert (folder / "docs" / "benchmarks" / "tiny.right.png").read_bytes() == b"\x89PNG"


def test_no_host_and_no_path_is_in_the_report(folder: Path) -> None:
    import socket

    assert run.main(["tiny"], folder) == 0
    text = report(folder, "--from-results")
    assert str(folder) not in text and socket.gethostname() not in text and "cores" in text
