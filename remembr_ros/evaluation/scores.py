"""How far an answer is from the truth. In: an `Outcome`; out: the same with errors [m, min], right or wrong.

As in the ReMEmbR paper (arXiv 2409.13682, section on evaluation): positions by their distance, times and durations by
the minutes they are off, yes or no exactly, texts by a judge. An answer counts as right within `Tolerances`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from remembr_ros.evaluation.cases import Case, Given, Outcome
from remembr_ros.evaluation.text_judges import RIGHT, TextJudge, WordOverlap
from remembr_ros.records import NANOSECONDS, AnswerKind

_MINUTE_NS = 60 * NANOSECONDS


@dataclass(frozen=True, slots=True)
class Tolerances:
    """What still counts as right: 15 m, and 2 min for times and durations."""

    position_m: float = 15.0
    time_min: float = 2.0
    duration_min: float = 2.0


class Scorer:
    """Scores outcomes; `judge` for those in words."""

    def __init__(self, tolerances: Tolerances | None = None, judge: TextJudge | None = None) -> None:
        self.tolerances = tolerances or Tolerances()
        self.judge: TextJudge = judge or WordOverlap()

    async def score(self, outcome: Outcome) -> Outcome:
        """Raises LanguageModelUnavailable where the judge is a model that is away."""
        case, given = outcome.case, outcome.given
        text_score = None
        if case.truth.kind is AnswerKind.TEXT and case.truth.texts and given.found and not given.error:
            text_score = await self.judge.score(case.question, case.truth.texts, given.text)
        scored = dataclasses.replace(
            outcome,
            position_error_m=position_error_m(case, given),
            time_error_min=time_error_min(case, given),
            duration_error_min=duration_error_min(case, given),
            count_error=count_error(case, given),
            text_score=text_score,
            evidence_rank=evidence_rank(case, given),
        )
        return dataclasses.replace(scored, correct=self._is_right(scored))

    def _is_right(self, outcome: Outcome) -> bool:
        truth, given = outcome.case.truth, outcome.given
        if given.error:
            return False
        if not truth.answerable:
            return not given.found or (truth.yes_no is not None and given.yes_no is truth.yes_no)
        if truth.kind is AnswerKind.BINARY:
            return given.yes_no is not None and given.yes_no is truth.yes_no
        if truth.kind is AnswerKind.COUNT:
            return outcome.count_error == 0
        within = self.tolerances
        error, tolerance = {
            AnswerKind.POSITION: (outcome.position_error_m, within.position_m),
            AnswerKind.TIME: (outcome.time_error_min, within.time_min),
            AnswerKind.DURATION: (outcome.duration_error_min, within.duration_min),
            AnswerKind.TEXT: (None if outcome.text_score is None else 1.0 - outcome.text_score, 1.0 - RIGHT),
        }[truth.kind]
        return error is not None and error <= tolerance


def position_error_m(case: Case, given: Given) -> float | None:
    """From the given place to the nearest right one [m]; infinite where it is on another map."""
    if case.truth.kind is not AnswerKind.POSITION or given.place is None or not given.found:
        return None
    return min((place.distance_to(given.place) for place in case.truth.places), default=None)


def time_error_min(case: Case, given: Given) -> float | None:
    """Minutes outside the nearest right range of time."""
    if case.truth.kind is not AnswerKind.TIME or given.time_ns is None:
        return None
    time_ns = given.time_ns
    outside = [max(from_ns - time_ns, time_ns - until_ns, 0) for from_ns, until_ns in case.truth.times]
    return min(outside) / _MINUTE_NS if outside else None


def duration_error_min(case: Case, given: Given) -> float | None:
    """Minutes too long or too short."""
    if case.truth.kind is not AnswerKind.DURATION or given.duration_s is None or case.truth.duration_s is None:
        return None
    return abs(given.duration_s - case.truth.duration_s) / 60.0


def count_error(case: Case, given: Given) -> int | None:
    """How many too many or too few."""
    if case.truth.kind is not AnswerKind.COUNT or given.count is None or case.truth.count is None:
        return None
    return abs(given.count - case.truth.count)


def evidence_rank(case: Case, given: Given) -> int | None:
    """Place, from 1, of the first memory in the evidence that proves the answer."""
    ranks = [rank for rank, identity in enumerate(given.evidence_ids, 1) if identity in case.truth.evidence_ids]
    return ranks[0] if ranks else None
