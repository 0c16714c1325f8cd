"""What a benchmark returns, and what it is compared and reported with.

In: named figures with units. Out: a table, a JSON document, and the targets that were missed.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rich.console import Console
from rich.table import Table

PACKAGES = ("remembr_ros", "pymilvus", "milvus-lite", "sentence-transformers", "torch", "numpy", "openai")


@dataclass(frozen=True)
class Figure:
    """One measured value. The name ends in its unit where it has one: `first_answer_s`, `memory_mb`."""

    name: str
    value: float
    unit: str
    note: str = ""


@dataclass(frozen=True)
class Result:
    """What one run of a benchmark measured."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Machine:
    """Where it was measured."""

    cpu: str
    cores: int
    memory_gib: float
    system: str
    python: str
    packages: Mapping[str, str]


def this_machine() -> Machine:
    """Describe the machine and the versions that matter to the figures."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return Machine(
        cpu=_cpu_model(),
        cores=len(os.sched_getaffinity(0)),
        memory_gib=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        packages=versions,
    )


def _cpu_model() -> str:
    told: dict[str, str] = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, _, value = line.partition(":")
                told.setdefault(name.strip().lower(), value.strip())
    except OSError:
        pass
    model = told.get("model", "")  # a number on x86, the board on a Jetson
    return told.get("model name") or (model if not model.isdigit() else "") or platform.processor() or "unknown"


def misses(result: Result, targets: Mapping[str, Any]) -> list[str]:
    """Compare with targets, each `{max = x}` and/or `{min = x}`; one sentence per target that is not met.

    A target whose figure was not measured is missed too. Raises ValueError for a target of another form.
    """
    figures = {figure.name: figure for figure in result.figures}
    found = []
    for name, bounds in targets.items():
        if not isinstance(bounds, Mapping) or not bounds or not set(bounds) <= {"min", "max"}:
            raise ValueError(f"target {name!r} must be {{max = number}} or {{min = number}}, got {bounds!r}")
        figure = figures.get(name)
        if figure is None:
            found.append(f"{name}: not measured")
            continue
        value = f"{figure.value:g} {figure.unit}".strip()
        if "max" in bounds and not figure.value <= bounds["max"]:
            found.append(f"{name}: {value}, at most {bounds['max']:g} wanted")
        if "min" in bounds and not figure.value >= bounds["min"]:
            found.append(f"{name}: {value}, at least {bounds['min']:g} wanted")
    return found


def now() -> str:
    """When something was measured or written, in a form that sorts: "2026-11-30 23:10 UTC"."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def document(
    benchmark: str, quick: bool, machine: Machine, result: Result, missed: list[str], took_s: float
) -> dict[str, Any]:
    """The JSON document of one run, which ended now. `load`: the mean of running processes in the last 5 min, its own
    among them; far more than there are cores means that others ran beside it."""
    return {
        "benchmark": benchmark,
        "quick": quick,
        "measured": now(),
        "took_s": round(took_s, 1),
        "load": round(os.getloadavg()[1], 1),
        "machine": asdict(machine),
        "figures": [asdict(figure) for figure in result.figures],
        "misses": missed,
    }


def show(benchmark: str, machine: Machine, result: Result, targets: Mapping[str, Any], console: Console) -> None:
    """Print the figures beside their targets, and the machine below."""
    table = Table(title=benchmark, title_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("target")
    table.add_column("note", overflow="fold")
    for figure in result.figures:
        bounds = targets.get(figure.name, {})
        target = ", ".join(f"{'<=' if key == 'max' else '>='} {bound:g}" for key, bound in bounds.items())
        table.add_row(figure.name, f"{figure.value:.4g}", figure.unit, target, figure.note)
    console.print(table)
    console.print(
        f"{machine.cpu}, {machine.cores} cores, {machine.memory_gib} GiB, {machine.system}, Python {machine.python}"
    )
    console.print(", ".join(f"{name} {number}" for name, number in machine.packages.items()))
