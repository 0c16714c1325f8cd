"""Questions about simulated deployments of 30 days and 200,000 windows, whose truth is known. It is not NaVQA.

In: deployments of seeds that no rule was tuned on, two with generated questions and one with a hundred by people who
had read no rule; no deployment that rules were tuned on has the things of seeds from 200. Out, for each of `PARTS`:
right answers by family with 95 % intervals, of the rules, of an oracle behind the agent and of keywords, and of
retrieval with more and less of what the memory can do. Part `tuning`: what the rules were tuned on, for comparison.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bench.report import Figure
from remembr_ros.evaluation.cases import Case, Outcome
from remembr_ros.evaluation.kept_vectors import KeptVectors
from remembr_ros.evaluation.memories import stored
from remembr_ros.evaluation.oracle import Oracle
from remembr_ros.evaluation.run import evaluate
from remembr_ros.evaluation.scores import Scorer, Tolerances
from remembr_ros.evaluation.sim import by_hand, keywords
from remembr_ros.evaluation.sim.deployment import Deployment
from remembr_ros.evaluation.sim.drive import ZONE
from remembr_ros.evaluation.sim.questions import Questions
from remembr_ros.evaluation.summary import Share
from remembr_ros.evaluation.variants import VARIANTS, Variant
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.recall.other_words import OtherWords
from remembr_ros.records import AnswerKind

QUICK_SEED = 1
"""Seeds below 100 are for tuning."""
HELD_OUT = Path(__file__).resolve().parent / "questions_held_out.yaml"
RETRIEVAL = ("retrieval_plain", "retrieval_distinct", "retrieval_words", "retrieval_time_aware")
IN_A_ROOM_M = 5.0
"""A place this near to one from which the thing was seen is right: rooms are 11 to 14 m apart."""
WHERE_WHAT = ("where", "nearest", "what")


def seed_101(quick: bool) -> list[Figure]:
    """340 generated questions about the things of half "b"; `quick`: 40 about three days of the first seed."""
    if quick:
        deployment = Deployment(QUICK_SEED, days=3, windows=6_000)
        return _measure("sim_101", deployment, Questions(deployment).cases(40), RETRIEVAL)
    return _generated(101, ())


def seed_201(quick: bool) -> list[Figure]:
    """340 about those of half "c", with the retrieval variants."""
    return [] if quick else _generated(201, RETRIEVAL)


def held_out(quick: bool) -> list[Figure]:
    """A hundred by hand, of half "c"."""
    if quick:
        return []
    deployment = Deployment(by_hand.seed_of(HELD_OUT))
    return _measure("hand", deployment, by_hand.read(HELD_OUT, deployment), ())


def tuning(quick: bool) -> list[Figure]:
    """The rules on the questions that they were tuned on."""
    figures: list[Figure] = []
    for path in [] if quick else sorted(HELD_OUT.parent.glob("questions_tuning_*.yaml")):
        seed = by_hand.seed_of(path)
        deployment = Deployment(seed)
        with _stored(deployment) as (store, _):
            outcomes = _ask(by_hand.read(path, deployment), store, VARIANTS["extractive"])
        figures += _figures(f"tuning_{seed}_rules", outcomes)
    return figures


PARTS = {"seed_101": seed_101, "seed_201": seed_201, "held_out": held_out, "tuning": tuning}


def _generated(seed: int, retrieval: Sequence[str]) -> list[Figure]:
    deployment = Deployment(seed)
    return _measure(f"sim_{seed}", deployment, Questions(deployment).cases(340), retrieval)


@contextlib.contextmanager
def _stored(deployment: Deployment) -> Iterator[tuple[MemoryStore, KeptVectors]]:
    embedder = KeptVectors(create_embedder("packaged"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "sim.db"
        with stored(file, embedder, {"sim": deployment.memories}) as stores:
            yield stores["sim"], embedder


def _measure(name: str, deployment: Deployment, cases: Sequence[Case], retrieval: Sequence[str]) -> list[Figure]:
    began = time.monotonic()
    figures = [
        Figure(f"{name}_windows", len(deployment.memories), ""),
        Figure(f"{name}_captions", len({memory.caption for memory in deployment.memories}), "", "different ones"),
        Figure(f"{name}_questions", len(cases), ""),
    ]
    with _stored(deployment) as (store, embedder):
        gc.freeze()  # no query node holds the truth of 200,000 windows, which each collection of garbage would visit
        figures.append(Figure(f"{name}_stored_s", time.monotonic() - began, "s"))
        figures += _figures(f"{name}_rules", _ask(cases, store, VARIANTS["extractive"]))
        figures.append(_share(f"{name}_keywords", keywords.baseline(cases, deployment.memories, _scorer()), _is_right))
        for variant in retrieval:
            outcomes = _ask(cases, store, VARIANTS[variant])
            figures.append(_share(f"{name}_{variant}_at_5", _placed(outcomes), _has_evidence))
            figures.append(_share(f"{name}_{variant}", outcomes, _is_right))
        with Oracle(cases, ZONE, OtherWords(embedder)) as oracle:
            agent = dataclasses.replace(VARIANTS["agent"], llm="openai:oracle", base_url=oracle.base_url)
            outcomes = _ask(cases, store, agent)
        figures.append(_share(f"{name}_oracle", outcomes, _is_right))
        figures += _by_family(f"{name}_oracle", outcomes)
    return figures


def _ask(cases: Sequence[Case], store: MemoryStore, variant: Variant) -> list[Outcome]:
    return evaluate(cases, store, variant, zone=ZONE, scorer=_scorer())


def _scorer() -> Scorer:
    return Scorer(Tolerances(position_m=IN_A_ROOM_M))


def _figures(name: str, outcomes: Sequence[Outcome]) -> list[Figure]:
    answerable = [o for o in outcomes if o.case.truth.answerable]
    nothing = [o for o in outcomes if not o.case.truth.answerable]
    latencies = sorted(o.elapsed_s * 1e3 for o in outcomes)
    return [
        _share(name, outcomes, _is_right),
        *_by_family(name, outcomes),
        _share(f"{name}_evidence_at_5", _placed(outcomes), _has_evidence),
        _share(f"{name}_declined", nothing, lambda o: not o.given.found),
        _share(f"{name}_declined_wrongly", answerable, _is_declined),
        Figure(f"{name}_ms_p50", latencies[len(latencies) // 2], "ms"),
    ]


def _by_family(name: str, outcomes: Sequence[Outcome]) -> list[Figure]:
    families = dict.fromkeys(o.case.group for o in outcomes)
    return [_share(f"{name}_{one}", [o for o in outcomes if o.case.group == one], _is_right) for one in families]


def _placed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.case.group in WHERE_WHAT and o.case.truth.evidence_ids]


def _is_right(outcome: Outcome) -> bool:
    return outcome.correct


def _has_evidence(outcome: Outcome) -> bool:
    return outcome.evidence_rank is not None and outcome.evidence_rank <= 5


def _is_declined(outcome: Outcome) -> bool:
    """Not found, or a "no" or "never" where there was one."""
    given, truth = outcome.given, outcome.case.truth
    if truth.kind is AnswerKind.BINARY:
        return truth.yes_no is True and given.yes_no is not True
    return not given.found or (truth.kind is AnswerKind.COUNT and given.count == 0)


def _share(name: str, outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> Figure:
    share = Share(sum(holds(outcome) for outcome in outcomes), len(outcomes))
    low, high = share.interval()
    return Figure(name, share.value, "", f"{share.right} of {share.total}; 95 %: {low:.2f} to {high:.2f}")
