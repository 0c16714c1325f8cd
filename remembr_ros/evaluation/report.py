"""The report of an evaluation. In: outcomes of each variant and what they are of; out: report.md, report.json, plots.

The same tables for every evaluation: each variant on all cases and on those without notes, then each by kind and group,
costs, evidence, and the cases that were left out with what is wrong with them. Files name cases, not their questions.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from remembr_ros.evaluation import summary
from remembr_ros.evaluation.cases import Outcome
from remembr_ros.evaluation.plots import draw
from remembr_ros.evaluation.summary import ERRORS, EVERYTHING, Cell, Share, Spread
from remembr_ros.evaluation.variants import Variant
from remembr_ros.records import AnswerKind


@dataclass(frozen=True, slots=True)
class About:
    """What a report is of: `title`, `lines` that say on what and how it was measured, how answers in words were judged,
    the currency of costs."""

    title: str
    lines: tuple[str, ...]
    judged_by: str
    currency: str = ""


MOST_COLUMNS = 5
"""Of groups, in a table of Markdown."""
Runs = Mapping[str, Sequence[Outcome]]
"""By the name of the variant."""


def write(folder: Path, about: About, variants: Sequence[Variant], runs: Runs, *, plots: bool = True) -> list[Path]:
    """report.md, report.json and, where matplotlib is, plots beside them. Returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = draw(folder, runs) if plots else []
    text, data = folder / "report.md", folder / "report.json"
    text.write_text(markdown(about, variants, runs, [path.name for path in pictures]), encoding="utf-8")
    data.write_text(json.dumps(document(about, variants, runs), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return [text, data, *pictures]


def document(about: About, variants: Sequence[Variant], runs: Runs) -> dict[str, Any]:
    """The whole report for programs, with every outcome."""
    return {
        "title": about.title,
        "about": list(about.lines),
        "judged_by": about.judged_by,
        "currency": about.currency,
        "written": _now(),
        "variants": {
            variant.name: {
                "way": variant.way.value,
                "says": variant.says,
                "llm": variant.llm,
                "all": summary.as_dict(runs[variant.name]),
                "clean": summary.as_dict(clean(runs[variant.name])),
                "outcomes": [_outcome(outcome) for outcome in runs[variant.name]],
            }
            for variant in variants
        },
        "left_out": {outcome.case.id: list(outcome.case.notes) for outcome in _noted(runs)},
    }


def markdown(about: About, variants: Sequence[Variant], runs: Runs, pictures: Sequence[str] = ()) -> str:
    """The report for people."""
    parts = [f"# {about.title}", "", *(f"- {line}" for line in about.lines)]
    parts += [f"- Answers in words judged by: {about.judged_by}.", f"- Written {_now()}.", ""]
    parts += ["## Right answers", "", *_overall(variants, runs), ""]
    parts += [line for picture in pictures for line in (f"![{picture.removesuffix('.png')}]({picture})", "")]
    for variant in variants:
        parts += [f"## {variant.name}", "", f"{variant.says}{f' ({variant.llm})' if variant.llm else ''}", ""]
        parts += [*_by_kind(runs[variant.name]), ""]
    parts += ["## What answers cost", "", *_costs(variants, runs, about.currency), ""]
    if any(summary.evidence(runs[variant.name]) for variant in variants):
        parts += ["## Evidence", "", "Over questions whose proof is known and that have an answer.", ""]
        parts += [*_evidence(variants, runs), ""]
    if any(summary.declines(runs[variant.name]) for variant in variants):
        parts += ["## Questions without an answer", "", *_declines(variants, runs), ""]
    noted = _noted(runs)
    if noted:
        parts += [f"## Left out of the clean set ({len(noted)})", ""]
        parts += [f"- {outcome.case.id}: {'; '.join(outcome.case.notes)}" for outcome in noted] + [""]
    return "\n".join(parts)


def clean(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those of cases without notes."""
    return [outcome for outcome in outcomes if not outcome.case.notes]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of Markdown; all columns but the first to the right."""
    return [
        f"| {' | '.join(header)} |",
        f"|{'|'.join(['---'] + ['---:'] * (len(header) - 1))}|",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def percent(share: Share) -> str:
    """ "70 % (63-76)": the share and its 95 % interval; an empty one is a dash."""
    if not share.total:
        return "-"
    low, high = share.interval()
    return f"{100 * share.value:.0f} % ({100 * low:.0f}-{100 * high:.0f})"


def _overall(variants: Sequence[Variant], runs: Runs) -> list[str]:
    rows = []
    for variant in variants:
        everything, good = runs[variant.name], clean(runs[variant.name])
        rows.append(
            [variant.name, f"{len(everything)}", percent(summary.overall(everything)), f"{len(good)}",
             percent(summary.overall(good))]
        )  # fmt: skip
    return table(["variant", "all", "right (95 %)", "clean", "right (95 %)"], rows)


def _by_kind(outcomes: Sequence[Outcome]) -> list[str]:
    found = summary.cells(outcomes)
    groups = list(dict.fromkeys(cell.group for cell in found))
    if len(groups) > MOST_COLUMNS:
        return _by_group(found)
    rows = []
    for kind in dict.fromkeys(cell.kind for cell in found):
        own = {cell.group: cell for cell in found if cell.kind == kind}
        rows.append([f"{kind} ({own[EVERYTHING].right.total})", *(percent(own[group].right) for group in groups)])
        if kind != EVERYTHING and AnswerKind(kind) in ERRORS:
            name, unit, _ = ERRORS[AnswerKind(kind)]
            rows.append([f"{name}{f' [{unit}]' if unit else ''}", *(_spread(own[group].error) for group in groups)])
        rows.append(["answered", *(f"{own[group].answered}/{own[group].right.total}" for group in groups)])
    return table(["", *groups], rows)


def _by_group(found: Sequence[Cell]) -> list[str]:
    """One row for each group and kind that there is, where the groups are too many to be columns."""
    there = sorted((cell for cell in found if cell.right.total), key=lambda cell: cell.group == EVERYTHING)
    kinds = Counter(cell.group for cell in there if cell.kind != EVERYTHING)
    rows = []
    for cell in there:
        if cell.kind == EVERYTHING and kinds[cell.group] == 1:
            continue  # says what the row before said
        unit = "" if cell.error is None else ERRORS[AnswerKind(cell.kind)][1]
        answered = f"{cell.answered}/{cell.right.total}"
        rows.append([cell.group, cell.kind, percent(cell.right), f"{_spread(cell.error)} {unit}".rstrip(), answered])
    return table(["group", "kind", "right (95 %)", "error or score", "answered"], rows)


def _spread(error: Spread | None) -> str:
    if error is None:
        return "-"
    elsewhere = f", {error.infinite} on another map" if error.infinite else ""
    return f"{_number(error.mean)} ± {_number(error.deviation)}{elsewhere}"


def _costs(variants: Sequence[Variant], runs: Runs, currency: str) -> list[str]:
    rows = []
    for variant in variants:
        if not runs[variant.name]:
            continue
        cost = summary.costs(runs[variant.name])
        money = ["-", "-"] if cost.cost is None else [f"{cost.cost:.4f}", f"{cost.cost_in_all:.2f}"]
        rows.append(
            [variant.name, f"{cost.latency_p50_s:.2f}", f"{cost.latency_p95_s:.2f}", f"{cost.llm_calls:.1f}",
             f"{cost.prompt_tokens:.0f}", f"{cost.completion_tokens:.0f}", *money]
        )  # fmt: skip
    unit = f" [{currency}]" if currency else ""
    header = [
        "variant",
        "p50 [s]",
        "p95 [s]",
        "LLM calls",
        "prompt tokens",
        "reply tokens",
        f"cost{unit}",
        f"in all{unit}",
    ]
    return table(header, rows)


def _evidence(variants: Sequence[Variant], runs: Runs) -> list[str]:
    rows = []
    for variant in variants:
        found = summary.evidence(runs[variant.name])
        if found is not None:
            rows.append([variant.name, f"{found.first.total}", percent(found.first), percent(found.first_five)])
    return table(["variant", "questions", "first (95 %)", "among the first five (95 %)"], rows)


def _declines(variants: Sequence[Variant], runs: Runs) -> list[str]:
    rows = []
    for variant in variants:
        found = summary.declines(runs[variant.name])
        if found is not None:
            rows.append([variant.name, f"{found.rightly.total}", percent(found.rightly), percent(found.wrongly)])
    return table(["variant", "questions", "declined (95 %)", "others declined (95 %)"], rows)


def _noted(runs: Runs) -> list[Outcome]:
    outcomes = next(iter(runs.values()), ())
    return [outcome for outcome in outcomes if outcome.case.notes]


def _outcome(outcome: Outcome) -> dict[str, Any]:
    values = {
        name: getattr(outcome, name)
        for name in (
            "correct", "position_error_m", "time_error_min", "duration_error_min", "count_error", "text_score",
            "evidence_rank", "elapsed_s", "llm_calls", "prompt_tokens", "completion_tokens", "cost",
        )
    }  # fmt: skip
    values = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()
    }
    given = outcome.given
    return {
        "case": outcome.case.id, "group": outcome.case.group, "kind": outcome.case.truth.kind.value, **values,
        "found": given.found, "error": given.error, "source": given.source,
    }  # fmt: skip


def _number(value: float) -> str:
    return "-" if not math.isfinite(value) else f"{value:.3g}"


def _now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
