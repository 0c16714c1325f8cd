"""Plots of an evaluation. In: outcomes of each variant; out: PNG files, none where matplotlib is not installed."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remembr_ros.evaluation import summary
from remembr_ros.evaluation.cases import Outcome
from remembr_ros.evaluation.summary import ERRORS, EVERYTHING
from remembr_ros.records import AnswerKind

_DPI = 90
_CURVES = (AnswerKind.POSITION, AnswerKind.TIME)


def draw(folder: Path, runs: Mapping[str, Sequence[Outcome]]) -> list[Path]:
    """right.png: the share of right answers by kind; errors.png: how many places and times are within what error."""
    if importlib.util.find_spec("matplotlib") is None or not any(runs.values()):
        return []
    from matplotlib.figure import Figure

    files = []
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    _right(figure.subplots(), runs)
    files.append(folder / "right.png")
    figure.savefig(files[-1], dpi=_DPI)
    measured = [kind for kind in _CURVES if any(_errors(outcomes, kind) for outcomes in runs.values())]
    if measured:
        figure = Figure(figsize=(9, 3.6), layout="constrained")
        for axes, kind in zip(figure.subplots(1, len(measured), squeeze=False)[0], measured, strict=True):
            _curves(axes, kind, runs)
        files.append(folder / "errors.png")
        figure.savefig(files[-1], dpi=_DPI)
    return files


def _right(axes: Any, runs: Mapping[str, Sequence[Outcome]]) -> None:
    kinds = list(dict.fromkeys(cell.kind for outcomes in runs.values() for cell in summary.cells(outcomes)))
    width = 0.8 / len(runs)
    for number, (name, outcomes) in enumerate(runs.items()):
        own = {cell.kind: cell.right for cell in summary.cells(outcomes) if cell.group == EVERYTHING}
        at = [index + number * width for index, kind in enumerate(kinds) if kind in own]
        shares = [own[kind] for kind in kinds if kind in own]
        ends = [share.interval() for share in shares]
        whiskers = [
            [max(0.0, share.value - low) for share, (low, _) in zip(shares, ends, strict=True)],
            [max(0.0, high - share.value) for share, (_, high) in zip(shares, ends, strict=True)],
        ]
        axes.bar(at, [share.value for share in shares], width * 0.95, yerr=whiskers, capsize=2, label=name)
    axes.set_xticks([index + 0.4 - width / 2 for index in range(len(kinds))], kinds)
    axes.set_ylim(0, 1)
    axes.set_ylabel("share right, with 95 % interval")
    axes.legend(fontsize="x-small", ncols=2)


def _curves(axes: Any, kind: AnswerKind, runs: Mapping[str, Sequence[Outcome]]) -> None:
    name, unit, _ = ERRORS[kind]
    largest = max(error for outcomes in runs.values() for error in _errors(outcomes, kind))
    for variant, outcomes in runs.items():
        asked = sum(outcome.case.truth.kind is kind for outcome in outcomes)
        errors = _errors(outcomes, kind)
        if errors:
            shares = [(index + 1) / asked for index in range(len(errors))]
            axes.step([0.0, *errors, 1.1 * largest + 0.1], [0.0, *shares, shares[-1]], where="post", label=variant)
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(f"{name} [{unit}]")
    axes.set_ylabel("share of questions within it")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small")


def _errors(outcomes: Sequence[Outcome], kind: AnswerKind) -> list[float]:
    measure = ERRORS[kind][2]
    values = [measure(outcome) for outcome in outcomes]
    return sorted(value for value in values if value is not None and math.isfinite(value))
