"""One evaluation from end to end. In: cases, their memory, variants; out: outcomes of each, and a report after each.

Everything lies in one folder: results.jsonl (answers, to go on after an interruption), replies/ (of models), report.md,
report.json and plots.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from remembr_ros.evaluation import report
from remembr_ros.evaluation.cases import Case, Outcome
from remembr_ros.evaluation.kept_replies import KeptReplies
from remembr_ros.evaluation.report import About
from remembr_ros.evaluation.run import Prices, evaluate
from remembr_ros.evaluation.scores import Scorer, Tolerances
from remembr_ros.evaluation.text_judges import ModelJudge, TextJudge, WordOverlap
from remembr_ros.evaluation.variants import Variant, open_chat
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.settings import RecallSettings


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an evaluation is run. `judge`: `<vendor>:<model>` that judges answers in words, empty = by word overlap;
    `judge_base_url` as for a language model. `memory_name`: see run.evaluate."""

    variants: tuple[Variant, ...]
    zone: ZoneInfo
    folder: Path
    memory_name: str
    judge: str = ""
    judge_base_url: str = ""
    tolerances: Tolerances = field(default_factory=Tolerances)
    prices: Prices | None = None
    currency: str = ""
    parallel: int = 1


def compare(
    comparison: Comparison,
    cases: Sequence[Case],
    memory: SearchableMemory | Mapping[str, SearchableMemory],
    *,
    title: str,
    lines: Sequence[str],
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, list[Outcome]]:
    """By variant. `title` and `lines` head the report; `progress` gets (variant, done, total). Raises as `evaluate`."""
    kept = KeptReplies(comparison.folder / "replies")
    tell = progress or (lambda name, done, total: None)
    runs: dict[str, list[Outcome]] = {}
    for variant in comparison.variants:
        judge = open_judge(comparison, kept)
        runs[variant.name] = evaluate(
            cases,
            memory,
            variant,
            zone=comparison.zone,
            scorer=Scorer(comparison.tolerances, judge),
            kept=kept,
            results=comparison.folder / "results.jsonl",
            memory_name=comparison.memory_name,
            prices=comparison.prices,
            parallel=comparison.parallel,
            progress=lambda done, total, name=variant.name: tell(name, done, total),  # type: ignore[misc]
        )
        about = About(title, (*lines, _right(comparison.tolerances)), judge.name, comparison.currency)
        done = len(runs) == len(comparison.variants)
        report.write(comparison.folder, about, comparison.variants[: len(runs)], runs, plots=done)
    return runs


def open_judge(comparison: Comparison, kept: KeptReplies) -> TextJudge:
    """For one run: a client belongs to one event loop."""
    if not comparison.judge:
        return WordOverlap()
    return ModelJudge(open_chat(comparison.judge, kept, comparison.judge_base_url, RecallSettings(), "--judge"))


def _right(tolerances: Tolerances) -> str:
    return (
        f"Right: a place within {tolerances.position_m:g} m, a time within {tolerances.time_min:g} min, a duration "
        f"within {tolerances.duration_min:g} min, yes or no and counts exactly."
    )
