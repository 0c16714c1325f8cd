"""Outcomes in numbers. In: `Outcome`s; out: counts, means with deviations, shares with confidence intervals, by kind
and group, and what the answers cost. Positions in m, times in minutes, latencies in s."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from remembr_ros.evaluation.cases import Outcome
from remembr_ros.records import AnswerKind

EVERYTHING = "all"
_Z95 = 1.959964

Measure = Callable[[Outcome], "float | None"]
ERRORS: dict[AnswerKind, tuple[str, str, Measure]] = {
    AnswerKind.POSITION: ("position error", "m", lambda outcome: outcome.position_error_m),
    AnswerKind.TIME: ("time error", "min", lambda outcome: outcome.time_error_min),
    AnswerKind.DURATION: ("duration error", "min", lambda outcome: outcome.duration_error_min),
    AnswerKind.COUNT: ("count error", "", lambda outcome: outcome.count_error),
    AnswerKind.TEXT: ("text score", "", lambda outcome: outcome.text_score),
}
"""What is measured beside right or wrong: its name, its unit, where it stands."""


@dataclass(frozen=True, slots=True)
class Share:
    """`right` of `total`, with the 95 % interval of Wilson (1927). NaN where there are none."""

    right: int
    total: int

    @property
    def value(self) -> float:
        return self.right / self.total if self.total else math.nan

    def interval(self) -> tuple[float, float]:
        if not self.total:
            return math.nan, math.nan
        n, p, z2 = self.total, self.value, _Z95**2
        middle, half = p + z2 / (2 * n), _Z95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return max(0.0, (middle - half) / (1 + z2 / n)), min(1.0, (middle + half) / (1 + z2 / n))


@dataclass(frozen=True, slots=True)
class Spread:
    """Of `count` measured values. `infinite`: places on another map, which are in none of the others."""

    count: int
    mean: float
    deviation: float
    median: float
    infinite: int = 0


@dataclass(frozen=True, slots=True)
class Cell:
    """Outcomes of one kind (None: of all) and group: how many are right, were answered at all, and how far off."""

    kind: str
    group: str
    right: Share
    answered: int
    error: Spread | None


@dataclass(frozen=True, slots=True)
class Costs:
    """Of one question, as when it was first asked: seconds, calls, tokens, money."""

    latency_p50_s: float
    latency_p95_s: float
    llm_calls: float
    prompt_tokens: float
    completion_tokens: float
    cost: float | None
    cost_in_all: float | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Whether what proves the answer was cited first, and among the first five; over cases where it is known."""

    first: Share
    first_five: Share


@dataclass(frozen=True, slots=True)
class Declines:
    """Questions answered with "not found": `rightly`, of those without an answer; `wrongly`, of the others."""

    rightly: Share
    wrongly: Share


def overall(outcomes: Sequence[Outcome]) -> Share:
    return Share(sum(outcome.correct for outcome in outcomes), len(outcomes))


def cells(outcomes: Sequence[Outcome]) -> list[Cell]:
    """By kind and group, then all groups of each kind, then all kinds of each group and of all."""
    kinds = [kind for kind in AnswerKind if any(outcome.case.truth.kind is kind for outcome in outcomes)]
    groups = list(dict.fromkeys(outcome.case.group for outcome in outcomes))
    columns = [*groups, EVERYTHING] if len(groups) > 1 else [EVERYTHING]
    return [_cell(outcomes, kind, group) for kind in [*kinds, None] for group in columns]


def spread(values: Sequence[float]) -> Spread | None:
    """Deviation: of the sample; 0 for a single value."""
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return Spread(0, math.nan, math.nan, math.nan, len(values)) if values else None
    deviation = statistics.stdev(finite) if len(finite) > 1 else 0.0
    return Spread(
        len(finite), statistics.fmean(finite), deviation, statistics.median(finite), len(values) - len(finite)
    )


def costs(outcomes: Sequence[Outcome]) -> Costs:
    """Of at least one outcome."""
    latencies = sorted(outcome.elapsed_s for outcome in outcomes)
    prices = [outcome.cost for outcome in outcomes]
    known = [price for price in prices if price is not None]
    in_all = sum(known) if len(known) == len(prices) else None
    return Costs(
        statistics.median(latencies),
        latencies[min(len(latencies) - 1, math.ceil(0.95 * len(latencies)) - 1)],
        statistics.fmean(outcome.llm_calls for outcome in outcomes),
        statistics.fmean(outcome.prompt_tokens for outcome in outcomes),
        statistics.fmean(outcome.completion_tokens for outcome in outcomes),
        None if in_all is None else in_all / len(outcomes),
        in_all,
    )


def evidence(outcomes: Sequence[Outcome]) -> Evidence | None:
    """None where no case says what proves its answer."""
    known = [outcome for outcome in outcomes if outcome.case.truth.evidence_ids and outcome.case.truth.answerable]
    if not known:
        return None
    ranks = [outcome.evidence_rank for outcome in known]
    return Evidence(
        Share(sum(rank == 1 for rank in ranks), len(known)),
        Share(sum(rank is not None and rank <= 5 for rank in ranks), len(known)),
    )


def declines(outcomes: Sequence[Outcome]) -> Declines | None:
    """None where every question has an answer."""
    without = [outcome for outcome in outcomes if not outcome.case.truth.answerable]
    others = [outcome for outcome in outcomes if outcome.case.truth.answerable]
    if not without:
        return None
    wrongly = sum(not outcome.given.found for outcome in others)
    return Declines(overall(without), Share(wrongly, len(others)))


def as_dict(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """All of the above, for JSON: NaN and infinity become None."""
    found, declined = evidence(outcomes), declines(outcomes)
    return {
        "correct": _share_dict(overall(outcomes)),
        "cells": [
            {**asdict(cell), "right": _share_dict(cell.right), "error": cell.error and _clean(asdict(cell.error))}
            for cell in cells(outcomes)
        ],
        "costs": asdict(costs(outcomes)) if outcomes else None,
        "declines": declined and {"rightly": _share_dict(declined.rightly), "wrongly": _share_dict(declined.wrongly)},
        "evidence": found and {"first": _share_dict(found.first), "first_five": _share_dict(found.first_five)},
    }


def _cell(outcomes: Sequence[Outcome], kind: AnswerKind | None, group: str) -> Cell:
    chosen = [
        outcome
        for outcome in outcomes
        if (kind is None or outcome.case.truth.kind is kind) and group in (EVERYTHING, outcome.case.group)
    ]
    answered = sum(outcome.given.found and not outcome.given.error for outcome in chosen)
    measure = ERRORS[kind][2] if kind in ERRORS else None
    values = [] if measure is None else [value for outcome in chosen if (value := measure(outcome)) is not None]
    return Cell(EVERYTHING if kind is None else kind.value, group, overall(chosen), answered, spread(values))


def _share_dict(share: Share) -> dict[str, float | int | None]:
    low, high = share.interval()
    return {"right": share.right, "total": share.total, **_clean({"share": share.value, "low": low, "high": high})}


def _clean(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()
    }
