"""Run one benchmark of this folder: see README.md beside this file.

In: the name of a module here, whose `run(quick)` measures. Out: a table, optionally JSON; exit code 1 for a missed
target with --check, 2 for a name or file that does not exist.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from bench import report

HERE = Path(__file__).resolve().parent
NOT_BENCHMARKS = {"run", "report"}


def available(folder: Path) -> list[str]:
    """Names of the benchmarks in a folder."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem not in NOT_BENCHMARKS and path.stem[0] != "_")


def measure(path: Path, quick: bool) -> report.Result:
    """Load the benchmark's file and run it. Raises TypeError if it returns something other than a Result."""
    spec = importlib.util.spec_from_file_location(f"bench_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    result = module.run(quick)
    if not isinstance(result, report.Result):
        raise TypeError(f"{path.name}: run() must return bench.report.Result, got {type(result).__name__}")
    return result


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
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure, with the machine it was measured on.")
    parser.add_argument("name", nargs="?", help="the benchmark: a module in bench/")
    parser.add_argument("--list", action="store_true", help="list the benchmarks and stop")
    parser.add_argument("--quick", action="store_true", help="a small run that only shows that it works")
    parser.add_argument("--check", action="store_true", help="exit 1 where a target in bench/targets.toml is missed")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args(arguments)

    names = available(folder)
    if options.list:
        print("\n".join(names))
        return 0
    if options.name not in names:
        wanted = f"no benchmark {options.name!r}" if options.name else "name a benchmark"
        print(f"scripts/bench: {wanted}; there is: {', '.join(names) or 'none yet'}", file=sys.stderr)
        return 2

    targets = read_targets(folder / "targets.toml", options.name)
    machine = report.this_machine()
    result = measure(folder / f"{options.name}.py", options.quick)
    missed = report.misses(result, targets)
    report.show(options.name, machine, result, targets, Console())
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        content = report.document(options.name, options.quick, machine, result, missed)
        options.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    if options.check and missed:
        print("scripts/bench: targets missed:\n  " + "\n  ".join(missed), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
