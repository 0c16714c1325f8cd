"""Every benchmark, one report: `scripts/bench all [--quick] [--from-results] [--only NAME ...] [--resume]`.

Each runs in a process of its own with a time limit, so that one that fails or hangs costs no other; what they measure
is kept in bench/results/. Out: docs/benchmarks.md (with --quick: bench/results/benchmarks.quick.md). Exit code 1 where
a run failed, or with --check where a target is missed or was not measured.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import _document, _saved, run
from bench._document import Benchmark

ROOT = run.HERE.parent
LIMIT_MIN = 180.0
_END_S = 10.0


def main(arguments: Sequence[str], folder: Path = run.HERE, document: Path = ROOT / "docs" / "benchmarks.md") -> int:
    """`folder` holds the benchmarks, targets.toml and results/."""
    parser = argparse.ArgumentParser(prog="scripts/bench all", description="Run every benchmark; write one report.")
    parser.add_argument("--quick", action="store_true", help="small runs that only show that they work")
    parser.add_argument("--from-results", action="store_true", help="run nothing: report what was measured before")
    parser.add_argument("--only", nargs="+", metavar="NAME", default=(), help="run these; the report is of all")
    parser.add_argument("--resume", action="store_true", help="run only what has no results yet")
    parser.add_argument("--check", action="store_true", help="exit 1 where a target is missed or was not measured")
    parser.add_argument("--limit-min", type=float, default=LIMIT_MIN, help="longest time for one benchmark [min]")
    options = parser.parse_args(arguments)

    names, results = run.available(folder), folder / "results"
    if unknown := set(options.only) - set(names):
        print(
            f"scripts/bench: no benchmark {', '.join(sorted(unknown))}; there is: {', '.join(names)}", file=sys.stderr
        )
        return 2
    results.mkdir(exist_ok=True)
    failures = 0
    if not options.from_results:
        for name in options.only or names:
            if options.resume and _is_complete(folder, results, name, options.quick):
                continue
            failures += not _run(folder, name, options.quick, options.resume, 60.0 * options.limit_min)
    benchmarks = [_benchmark(folder, results, name, options.quick) for name in names]
    if options.from_results and not any(benchmark.results.runs for benchmark in benchmarks):
        print(f"scripts/bench: nothing was measured here yet: {results} has no results", file=sys.stderr)
        return 2  # and the document of an earlier run stays
    target = results / "benchmarks.quick.md" if options.quick else document
    _document.write(target, benchmarks, quick=options.quick)
    print(target)
    missed = [f"{one.name}: {sentence}" for one in benchmarks for sentence in (*one.missed(), *one.not_measured())]
    if options.check and missed:
        print("scripts/bench: targets missed or not measured:\n  " + "\n  ".join(missed), file=sys.stderr)
    return 1 if failures or (options.check and missed) else 0


def _benchmark(folder: Path, results: Path, name: str, quick: bool) -> Benchmark:
    file = folder / f"{name}.py"
    more = () if quick else sorted(results.glob(f"{name}.*"))
    return Benchmark(
        _saved.read(results, name, quick),
        _saved.says(file),
        _saved.parts_of(file),
        run.read_targets(folder / "targets.toml", name),
        [path for path in more if path.suffix == ".md"],
        [path for path in more if path.suffix == ".png"],
    )


def _is_complete(folder: Path, results: Path, name: str, quick: bool) -> bool:
    benchmark = _benchmark(folder, results, name, quick)
    return bool(benchmark.results.runs) and not benchmark.parts_not_run()


def _run(folder: Path, name: str, quick: bool, resume: bool, limit_s: float) -> bool:
    """Whether it measured; if not, why is kept with the results."""
    command = [sys.executable, "-m", "bench.run", name, "--folder", str(folder)]
    command += ["--quick"] * quick + ["--resume"] * resume
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    why = ""
    try:
        status = process.wait(limit_s)
        if status < 0:  # what raised has said so itself
            why = f"ended by {signal.Signals(-status).name}"
    except subprocess.TimeoutExpired:
        status, why = 1, f"not finished within {limit_s / 60:g} min"
    finally:
        _end(process)
    if why:
        _saved.ended(folder / "results", name, quick, why)
    return status == 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """A benchmark that still runs, and what it started: first asked to clean up, then killed."""
    for last in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, last)
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            continue
