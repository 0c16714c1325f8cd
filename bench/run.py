"""Run one benchmark of this folder: see README.md beside this file.

In: the name of a module here, whose `run(quick)` measures, or whose `PARTS` do: functions of `quick`, by name, each of
which returns figures; or `all` (all.py). What a benchmark or a part measured is kept at once in results/, so that an
interrupted run can be resumed. Out: a table, optionally JSON; exit code 1 for a missed target with --check, 2 for a
name or file that does not exist.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console

from bench import _saved, report

HERE = Path(__file__).resolve().parent
NOT_BENCHMARKS = {"run", "report", "all"}


def available(folder: Path) -> list[str]:
    """Names of the benchmarks in a folder."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem not in NOT_BENCHMARKS and path.stem[0] != "_")


def load(path: Path) -> ModuleType:
    """The module of a benchmark's file."""
    spec = importlib.util.spec_from_file_location(f"bench_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


def measure(module: ModuleType, quick: bool) -> report.Result:
    """Run the benchmark. Raises TypeError if it returns something other than a Result."""
    result = module.run(quick)
    if not isinstance(result, report.Result):
        raise TypeError(f"{module.__file__}: run() must return bench.report.Result, got {type(result).__name__}")
    return result


def measure_parts(
    parts: Mapping[str, Callable[[bool], Iterable[report.Figure]]],
    results: Path,
    benchmark: str,
    quick: bool,
    resume: bool,
) -> report.Result:
    """Run each part and keep its figures; with `resume` those that are kept already are read instead."""
    figures: list[report.Figure] = []
    results.mkdir(exist_ok=True)
    for name, part in parts.items():
        file = results / f"{benchmark}.{name}{'.quick' if quick else ''}.json"
        if not (resume and file.is_file()):
            began = time.monotonic()
            measured = report.Result(tuple(part(quick)))
            took_s = time.monotonic() - began
            _keep(
                file, report.document(f"{benchmark}, part {name}", quick, report.this_machine(), measured, [], took_s)
            )
        figures += [report.Figure(**fields) for fields in json.loads(file.read_text(encoding="utf-8"))["figures"]]
    return report.Result(tuple(figures))


def _keep(file: Path, content: dict[str, Any]) -> None:
    """Whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".partial")
    unfinished.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(file)


def read_targets(path: Path, benchmark: str) -> dict[str, Any]:
    """The section of one benchmark; empty where there is none."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    if not path.is_file():
        return {}
    return dict(tomllib.loads(path.read_text(encoding="utf-8")).get(benchmark, {}))


def main(arguments: Sequence[str] | None = None, folder: Path = HERE) -> int:
    """Run from the command line; `folder` holds the benchmarks and targets.toml."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if arguments[:1] == ["all"]:
        from bench import all as every

        return every.main(arguments[1:])
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure, with the machine it was measured on.")
    parser.add_argument("name", nargs="?", help="the benchmark: a module in bench/")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and stop")
    parser.add_argument("--quick", action="store_true", help="a small run that only shows that it works")
    parser.add_argument("--check", action="store_true", help="exit 1 where a target in bench/targets.toml is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument(
        "--part", action="append", metavar="NAME", help="only this part of it; may be given several times"
    )
    parser.add_argument(
        "--resume", action="store_true", help="read the parts that were measured before from bench/results"
    )
    parser.add_argument("--folder", type=Path, default=folder, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    folder = options.folder

    names = available(folder)
    if options.list:
        print("\n".join([*names, *(["all"] if folder == HERE else [])]))
        return 0
    if options.name not in names:
        wanted = f"no benchmark {options.name!r}" if options.name else "name a benchmark"
        print(f"scripts/bench: {wanted}; there is: {', '.join(names) or 'none yet'}", file=sys.stderr)
        return 2

    targets = read_targets(folder / "targets.toml", options.name)
    machine, began = report.this_machine(), time.monotonic()
    results = folder / "results"
    with _saved.noting_failure(results, options.name, options.quick):
        module = load(folder / f"{options.name}.py")
    parts = getattr(module, "PARTS", {})
    if unknown := set(options.part or ()) - parts.keys():
        print(f"scripts/bench: no part {', '.join(unknown)}; there is: {', '.join(parts) or 'none'}", file=sys.stderr)
        return 2
    with _saved.noting_failure(results, options.name, options.quick):
        if parts:
            chosen = {name: part for name, part in parts.items() if name in (options.part or parts)}
            result = measure_parts(chosen, results, options.name, options.quick, options.resume)
        else:
            result = measure(module, options.quick)
    _saved.ended(results, options.name, options.quick, "")
    if options.part:
        targets = {name: targets[name] for name in targets if name in {figure.name for figure in result.figures}}
    missed = report.misses(result, targets)
    report.show(options.name, machine, result, targets, Console())
    content = report.document(options.name, options.quick, machine, result, missed, time.monotonic() - began)
    if not parts:
        _keep(results / f"{options.name}{'.quick' if options.quick else ''}.json", content)
    if options.json:
        _keep(options.json, content)
    if options.check and missed:
        print("scripts/bench: targets missed:\n  " + "\n  ".join(missed), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
