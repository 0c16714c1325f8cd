"""The agent: its own time, the characters it sends, and how many calls of a language model a question takes.

In: days of a robot on patrol (bench/_patrol.py) in embedded Milvus, asked over HTTP by an oracle that answers as soon
as the evidence is shown (bench/_oracle.py). Own time is all but the language model, the embedding and Milvus: prompts,
tools, the HTTP client. Out: that, beside what the openai client alone takes for the same requests; accuracy from the
same run, and the same questions by the rules without a model.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openai

from bench._oracle import Oracle
from bench._patrol import Asked, Patrol
from bench.report import Figure, Result
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.recall.answerer import create_recall
from remembr_ros.records import Answer

Interval = tuple[float, float]
RUNS = 3
"""Of each question the shortest run counts: what else the machine does meanwhile is not the agent's time."""


class RememberedEmbedder:
    """The packaged embedding model, asked once for each caption: a patrol says the same thing thousands of times."""

    def __init__(self) -> None:
        self._model = create_embedder("packaged")
        self.name, self.dimension = self._model.name, self._model.dimension
        self._known: dict[str, np.ndarray[Any, Any]] = {}

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._model.embed_documents(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self._model.embed_queries(texts)


class TimedMemory:
    """A memory that notes when it was busy. `busy` holds (start, end) [s, perf_counter]."""

    def __init__(self, store: MemoryStore) -> None:
        self.busy: list[Interval] = []
        for name in ("search", "get", "neighbours", "between", "bounds"):
            setattr(self, name, self._timed(getattr(store, name)))

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self.busy.append((began, time.perf_counter()))

        return timed


def run(quick: bool) -> Result:
    """Three minutes; `quick`: 5,000 memories and 26 questions."""
    patrol = Patrol(5_000 if quick else 100_000)
    asked = patrol.questions(26 if quick else 130)
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryStore.open(str(Path(folder).resolve() / "bench.db"), RememberedEmbedder(), timeout_s=60.0) as store,
    ):
        rows = patrol.visits * 10
        for first in range(0, rows, 2000):
            store.write([patrol.memory(number) for number in range(first, min(rows, first + 2000))])
        memory = TimedMemory(store)
        with Oracle(asked) as oracle:
            by_model = asyncio.run(_ask(asked, memory, oracle))
        by_rules = asyncio.run(_ask(asked, memory, None))
    return Result((Figure("rows", rows, "memories"), *_model_figures(by_model), *_rule_figures(by_rules)))


async def _ask(asked: Sequence[Asked], memory: TimedMemory, oracle: Oracle | None) -> list[dict[str, Any]]:
    plain = None if oracle is None else openai.AsyncOpenAI(api_key="none", base_url=oracle.base_url, max_retries=0)
    recall = (
        create_recall("extractive", memory)
        if oracle is None
        else create_recall("openai:oracle", memory, base_url=oracle.base_url)
    )
    await recall.ask(asked[0].question)  # connections, lazy imports
    measured = []
    for item in asked:
        took_ms, own_ms, client_ms = [], [], []
        for _ in range(RUNS):
            memory.busy.clear()
            if oracle is not None:
                oracle.busy.clear()
                oracle.characters.clear()
                oracle.requests.clear()
            began = time.perf_counter()
            answer = await recall.ask(item.question)
            took_s = time.perf_counter() - began
            elsewhere_s = _covered([*memory.busy, *(oracle.busy if oracle else [])])
            took_ms.append(took_s * 1e3)
            own_ms.append((took_s - elsewhere_s) * 1e3)
            characters = sum(oracle.characters) if oracle else 0
            if oracle is not None and plain is not None:
                client_ms.append(await _client_ms(plain, oracle))
        measured.append(
            {
                "asked": item,
                "answer": answer,
                "right": item.right(answer),
                "took_ms": min(took_ms),
                "own_ms": min(own_ms),
                "client_ms": min(client_ms, default=0.0),
                "characters": characters,
            }
        )
    await recall.close()
    if plain is not None:
        await plain.close()
    return measured


async def _client_ms(plain: openai.AsyncOpenAI, oracle: Oracle) -> float:
    """What a program takes that only sends the requests which `oracle` has got, less the time of the oracle."""
    requests = list(oracle.requests)
    oracle.busy.clear()
    began = time.perf_counter()
    for request in requests:
        await plain.chat.completions.create(**request)
    return (time.perf_counter() - began - _covered(oracle.busy)) * 1e3


def _covered(intervals: Sequence[Interval]) -> float:
    """Seconds in which at least one of them was under way."""
    total, until = 0.0, 0.0
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, until))
        until = max(until, end)
    return total


def _model_figures(measured: list[dict[str, Any]]) -> list[Figure]:
    answers: list[Answer] = [m["answer"] for m in measured]
    fallbacks = sum(not answer.source.startswith("llm:") for answer in answers)
    return [
        *_spread("own", [m["own_ms"] for m in measured], "ms"),
        *_spread("client", [m["client_ms"] for m in measured], "ms"),
        *_spread("own_over_client", [m["own_ms"] / m["client_ms"] for m in measured], ""),
        *_spread("with_milvus", [m["took_ms"] for m in measured], "ms"),
        *_spread("prompt", [m["characters"] for m in measured], "characters"),
        *_spread("llm", [answer.llm_calls for answer in answers], "calls"),
        Figure("questions", len(measured), ""),
        Figure("accuracy", _share(measured), "", _misses(measured)),
        Figure("fallbacks", fallbacks, ""),
    ]


def _rule_figures(measured: list[dict[str, Any]]) -> list[Figure]:
    return [
        *_spread("rules", [m["took_ms"] for m in measured], "ms"),
        Figure("rules_accuracy", _share(measured), "", _misses(measured)),
    ]


def _spread(name: str, values: list[float], unit: str) -> list[Figure]:
    return [
        Figure("_".join(filter(None, (name, unit, "p50"))), statistics.median(values), unit),
        Figure("_".join(filter(None, (name, unit, "p95"))), sorted(values)[int(0.95 * (len(values) - 1))], unit),
    ]


def _share(measured: list[dict[str, Any]]) -> float:
    return sum(m["right"] for m in measured) / len(measured)


def _misses(measured: list[dict[str, Any]]) -> str:
    wrong: dict[str, int] = defaultdict(int)
    for m in measured:
        if not m["right"]:
            wrong[" ".join(m["asked"].question.text.split()[:4])] += 1
    return ", ".join(f"{count} x {text} ..." for text, count in sorted(wrong.items()))
