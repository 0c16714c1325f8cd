"""Ask every case and keep what came of it. In: cases, their memory, a variant; out: scored `Outcome`s, in that order.

Each answer is a line of JSON in `results`, written when it is there; run again, answers that the same code, variant,
memory and question gave before are read instead. Scores are computed anew each time. What a model could not be reached
for is not kept; three in a row end the run.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import remembr_ros
from remembr_ros.errors import LanguageModelUnavailable, MemoryUnavailable
from remembr_ros.evaluation.cases import Case, Given, Outcome, Place
from remembr_ros.evaluation.kept_replies import KeepingChat, KeptReplies
from remembr_ros.evaluation.scores import Scorer
from remembr_ros.evaluation.variants import Variant, answerer, chats_of
from remembr_ros.evaluation.within import Within
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.records import Answer, AnswerError, AnswerKind, Navigate, Question

MOST_FAILURES = 3
"""In a row, before a run ends: nothing is gained by asking a model that is away two hundred times."""
_AWAY = {AnswerError.LLM_UNAVAILABLE: LanguageModelUnavailable, AnswerError.MEMORY_UNAVAILABLE: MemoryUnavailable}


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens, in any currency."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


def evaluate(
    cases: Sequence[Case],
    memory: SearchableMemory | Mapping[str, SearchableMemory],
    variant: Variant,
    *,
    zone: ZoneInfo,
    scorer: Scorer | None = None,
    kept: KeptReplies | None = None,
    results: Path | None = None,
    memory_name: str = "",
    prices: Prices | None = None,
    parallel: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """`memory`: one, or by `Case.memory`. `memory_name` says what is in it (captions, embedder): answers are reused
    under the same only. `parallel`: so many questions at a time, each of which is slower then. `progress` gets (done,
    total). Raises LanguageModelUnavailable, MemoryUnavailable, ConfigurationError."""
    asked = _Asked(variant, zone, scorer or Scorer(), kept or KeptReplies(None), results, memory_name, prices)
    return asyncio.run(asked.all(cases, memory, parallel, progress or (lambda done, total: None)))


class _Asked:
    """One variant's way through all cases."""

    def __init__(
        self,
        variant: Variant,
        zone: ZoneInfo,
        scorer: Scorer,
        kept: KeptReplies,
        results: Path | None,
        memory_name: str,
        prices: Prices | None,
    ) -> None:
        self._variant = variant
        self._zone = zone
        self._scorer = scorer
        self._kept = kept
        self._results = results
        self._prices = prices
        self._away = 0
        self._tag = f"{code_fingerprint()} {memory_name} {variant!r}"

    async def all(
        self,
        cases: Sequence[Case],
        memory: SearchableMemory | Mapping[str, SearchableMemory],
        parallel: int,
        progress: Callable[[int, int], None],
    ) -> list[Outcome]:
        known = _read_lines(self._results)
        waiting = iter(enumerate(cases))
        outcomes: dict[int, Outcome] = {}

        async def work() -> None:
            chats = chats_of(self._variant, self._kept)
            try:
                for number, case in waiting:
                    source = memory[case.memory] if isinstance(memory, Mapping) else memory
                    outcomes[number] = await self._one(case, source, known, chats)
                    progress(len(outcomes), len(cases))
            finally:
                for chat in chats:
                    await chat.close()

        try:
            await asyncio.gather(*(work() for _ in range(max(1, parallel))))
        finally:
            await self._scorer.judge.close()
        return [outcomes[number] for number in range(len(cases))]

    async def _one(
        self, case: Case, memory: SearchableMemory, known: Mapping[str, dict[str, Any]], chats: list[KeepingChat]
    ) -> Outcome:
        key = self._key(case)
        line = known.get(key)
        if line is None:
            line, error = await self._ask(case, memory, chats)
            if error in _AWAY:
                self._away += 1
                if self._away >= MOST_FAILURES:
                    raise _AWAY[error](f"{self._variant.name}, {self._away} in a row: {line['given']['text']}")
            else:
                self._away = 0
                _append(self._results, {"key": key, "variant": self._variant.name, "case": case.id, **line})
        return await self._scorer.score(self._outcome(case, line))

    async def _ask(
        self, case: Case, memory: SearchableMemory, chats: list[KeepingChat]
    ) -> tuple[dict[str, Any], AnswerError | None]:
        seen = Within(memory, case.not_before_ns, case.now_ns)
        answers = answerer(self._variant, seen, self._zone, chats)
        question = Question(case.question, case.now_ns, case.pose, case.map_id, navigate=Navigate.AUTO)
        before = [dataclasses.replace(chat.spent) for chat in chats]
        began = time.monotonic()
        answer = await answers.ask(question)
        elapsed_s = time.monotonic() - began
        spent = [(chat.spent, old) for chat, old in zip(chats, before, strict=True)]
        line = {
            "given": dataclasses.asdict(given_by(answer, case.map_id)) | {"kind": answer.kind.value},
            "elapsed_s": round(elapsed_s + sum(new.kept_s - old.kept_s for new, old in spent), 4),
            "llm_calls": sum(new.calls - old.calls for new, old in spent),
            "prompt_tokens": sum(new.prompt_tokens - old.prompt_tokens for new, old in spent),
            "completion_tokens": sum(new.completion_tokens - old.completion_tokens for new, old in spent),
        }
        return line, answer.error

    def _outcome(self, case: Case, line: Mapping[str, Any]) -> Outcome:
        given = dict(line["given"])
        place = given.pop("place")
        prices = self._prices if self._variant.asks_a_model else Prices(0.0, 0.0)
        return Outcome(
            case,
            self._variant.name,
            Given(
                **given
                | {
                    "kind": AnswerKind(given["kind"]),
                    "place": None if place is None else Place(**place),
                    "evidence_ids": tuple(given["evidence_ids"]),
                }
            ),
            elapsed_s=line["elapsed_s"],
            llm_calls=line["llm_calls"],
            prompt_tokens=line["prompt_tokens"],
            completion_tokens=line["completion_tokens"],
            cost=None if prices is None else prices.of(line["prompt_tokens"], line["completion_tokens"]),
        )

    def _key(self, case: Case) -> str:
        asked = (case.id, case.question, case.now_ns, case.pose, case.map_id, case.not_before_ns, case.memory)
        return hashlib.sha256(f"{self._tag} {asked!r}".encode()).hexdigest()[:32]


def given_by(answer: Answer, map_id: str = "") -> Given:
    """What an Answer says, in plain values. `map_id`: of a place that is no memory's, such as the robot's own."""
    found = answer.error is not AnswerError.NOT_FOUND
    other = answer.error is not None and found
    pose = answer.pose
    map_id = next((hit.memory.map_id for hit in answer.evidence if hit.memory.pose == pose), map_id)
    return Given(
        kind=answer.kind,
        text=answer.text,
        yes_no=answer.yes_no,
        place=None if pose is None else Place(pose.x, pose.y, map_id, pose.z),
        time_ns=answer.time_ns,
        duration_s=answer.duration_s,
        count=answer.count,
        evidence_ids=tuple(hit.memory.id for hit in answer.evidence),
        found=found,
        error=answer.error.name if answer.error is not None and other else "",
        source=answer.source,
    )


def code_fingerprint() -> str:
    """Of all that answers depend on in this package: an answer that other code gave is not an answer of this one."""
    root = Path(remembr_ros.__file__).parent
    digest = hashlib.sha256()
    folders = (root / "recall", root / "memory")
    for path in sorted(path for folder in folders for kind in ("*.py", "*.txt") for path in folder.rglob(kind)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _read_lines(results: Path | None) -> dict[str, dict[str, Any]]:
    if results is None or not results.exists():
        return {}
    lines = {}
    text = results.read_text(encoding="utf-8")
    for row in text.splitlines():
        try:
            line = json.loads(row)
            lines[str(line["key"])] = line
        except (ValueError, KeyError, TypeError):
            continue  # the last line of a run that was killed
    if text and not text.endswith("\n"):
        with results.open("a", encoding="utf-8") as file:
            file.write("\n")
    return lines


def _append(results: Path | None, line: Mapping[str, Any]) -> None:
    if results is None:
        return
    results.parent.mkdir(parents=True, exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
