"""docs/benchmarks.md: each benchmark with its figures, targets, date and machine. In: results; out: Markdown, plots."""

from __future__ import annotations

import importlib.util
import math
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench._saved import Results, Saved
from bench.report import Figure, Result, misses, now

Targets = Mapping[str, Mapping[str, Any]]
"""By benchmark, then by figure: `{max = x}` and/or `{min = x}`."""


@dataclass(frozen=True)
class Benchmark:
    """One section. `parts`: those that it has; `texts`, `pictures`: more that its run left in the results."""

    results: Results
    says: str
    parts: Sequence[str]
    targets: Mapping[str, Any]
    texts: Sequence[Path] = ()
    pictures: Sequence[Path] = ()

    @property
    def name(self) -> str:
        return self.results.name

    def missed(self) -> list[str]:
        """Of what was measured; what was not is told apart."""
        figures = self.results.figures()
        known = {figure.name for figure in figures}
        return misses(Result(tuple(figures)), {name: self.targets[name] for name in self.targets if name in known})

    def not_measured(self) -> list[str]:
        known = {figure.name for figure in self.results.figures()}
        return [name for name in self.targets if name not in known]

    def parts_not_run(self) -> list[str]:
        whole = any(not run.part for run in self.results.runs)
        return [] if whole else [part for part in self.parts if part not in {run.part for run in self.results.runs}]


def write(document: Path, benchmarks: Sequence[Benchmark], *, quick: bool) -> None:
    """The Markdown at `document`, its pictures in a folder beside it that has the same name."""
    folder = document.with_suffix("")
    document.parent.mkdir(parents=True, exist_ok=True)
    pictures = {} if quick else _pictures(folder, benchmarks)
    machines = list(dict.fromkeys(_machine(run) for benchmark in benchmarks for run in benchmark.results.runs))
    lines = ["# Benchmarks", ""]
    lines += ["Made by `scripts/bench all`" + (" `--quick`: its figures are not for quoting." if quick else ".")]
    lines += [f"Written {now()}. Each section says when its figures were measured, and what was not.", ""]
    lines += _summary(benchmarks)
    for picture in pictures.get("", []):
        lines += ["", f"![{picture.stem}]({folder.name}/{picture.name})"]
    lines += [
        "",
        "## Machines",
        "",
        "Load: the mean number of running processes in the last five minutes of a run.",
        "",
    ]
    lines += [f"{number}. {text}" for number, text in enumerate(machines, 1)] or ["Nothing was measured."]
    for benchmark in benchmarks:
        lines += ["", *_section(benchmark, machines)]
        for picture in pictures.get(benchmark.name, []):
            lines += ["", f"![{picture.stem}]({folder.name}/{picture.name})"]
    document.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _summary(benchmarks: Sequence[Benchmark]) -> list[str]:
    lines = ["| benchmark | measured | targets met | missed | not measured |", "|---|---|---:|---:|---:|"]
    for benchmark in benchmarks:
        missed, absent = len(benchmark.missed()), len(benchmark.not_measured())
        met = len(benchmark.targets) - missed - absent
        runs = benchmark.results.runs
        when = " to ".join(dict.fromkeys((runs[0].measured[:10], runs[-1].measured[:10]))) if runs else "not run"
        lines.append(f"| [{benchmark.name}](#{benchmark.name}) | {when} | {met} | {missed} | {absent} |")
    return lines


def _section(benchmark: Benchmark, machines: Sequence[str]) -> list[str]:
    lines = [f"## {benchmark.name}", "", benchmark.says, ""]
    for run in benchmark.results.runs:
        took = "" if run.took_s is None else f", took {_length(run.took_s)}"
        took += "" if run.load is None else f", load {run.load:g}"
        what = f"Part {run.part}: measured" if run.part else "Measured"
        lines.append(f"- {what} {run.measured}{took}, machine {machines.index(_machine(run)) + 1}.")
    if not benchmark.results.runs:
        lines.append("- Not run.")
    lines += [f"- Part {part}: not run." for part in benchmark.parts_not_run()]
    lines += [f"- {_cell(complaint)}" for complaint in benchmark.results.complaints]
    lines += [f"- Target missed: {_cell(sentence)}." for sentence in benchmark.missed()]
    absent = benchmark.not_measured()
    if absent and benchmark.results.runs:
        lines.append(f"- Targets not measured: {', '.join(absent)}.")
    figures = benchmark.results.figures()
    if figures:
        lines += ["", "| figure | value | unit | target | note |", "|---|---:|---|---|---|"]
        lines += [_row(figure, benchmark.targets.get(figure.name, {})) for figure in figures]
    for text in benchmark.texts:
        lines += ["", text.read_text(encoding="utf-8").strip()]
    return lines


def _row(figure: Figure, bounds: Mapping[str, float]) -> str:
    target = ", ".join(f"{'≤' if key == 'max' else '≥'} {bound:g}" for key, bound in bounds.items())
    if bounds and misses(Result((figure,)), {figure.name: bounds}):
        target = f"**{target}, missed**"
    value = f"{figure.value:.4g}" if math.isfinite(figure.value) else "-"
    return f"| {_cell(figure.name)} | {value} | {_cell(figure.unit)} | {target} | {_cell(figure.note)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _machine(run: Saved) -> str:
    """In words, without names of hosts or folders."""
    machine = run.machine
    packages = ", ".join(f"{name} {number}" for name, number in dict(machine.get("packages", {})).items())
    return (
        f"{machine.get('cpu', 'unknown')}, {machine.get('cores', '?')} cores, {machine.get('memory_gib', '?')} GiB, "
        f"{machine.get('system', '?')}, Python {machine.get('python', '?')}; {packages}"
    )


def _length(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _pictures(folder: Path, benchmarks: Sequence[Benchmark]) -> dict[str, list[Path]]:
    """Drawn and copied into `folder`, by benchmark; "" for the one of all. None are drawn without matplotlib."""
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Path]] = {}
    for benchmark in benchmarks:
        for picture in benchmark.pictures:
            shutil.copyfile(picture, folder / picture.name)
            found.setdefault(benchmark.name, []).append(folder / picture.name)
    if importlib.util.find_spec("matplotlib") is not None:
        headroom = _headroom(benchmarks)
        if headroom:
            found[""] = [folder / "targets.png"]
            _draw_headroom(headroom, found[""][0])
    return found


def _headroom(benchmarks: Sequence[Benchmark]) -> list[tuple[str, float]]:
    """Each figure with a target, as a share of what is allowed: 1 is the bound, more is missed. Bounds of 0 and figures
    of 0 have no place on a logarithmic axis."""
    found = []
    for benchmark in benchmarks:
        for figure in benchmark.results.figures():
            bounds = benchmark.targets.get(figure.name, {})
            shares = [figure.value / bound for key, bound in bounds.items() if key == "max" and bound > 0]
            shares += [bound / figure.value for key, bound in bounds.items() if key == "min" and figure.value > 0]
            if shares and math.isfinite(max(shares)) and max(shares) > 0:
                found.append((f"{benchmark.name}: {figure.name}", max(shares)))
    return found


def _draw_headroom(shares: Sequence[tuple[str, float]], file: Path) -> None:
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(8, 0.8 + 0.17 * len(shares)), layout="constrained")
    axes = picture.subplots()
    names = [name for name, _ in reversed(shares)]
    values = [share for _, share in reversed(shares)]
    axes.barh(names, values, color=["tab:red" if share > 1 else "tab:blue" for share in values], height=0.7)
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.tick_params(axis="y", labelsize=6)
    axes.margins(y=0.01)
    axes.set_xlabel("share of what the target allows (1 = the bound)")
    picture.savefig(file, dpi=80)
