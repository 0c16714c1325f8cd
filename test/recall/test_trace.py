"""The trace of every question: one line of JSON that tells what happened, without a key, and never in the way."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import ScriptedLLM, answers, call, calls, shown_ids

from remembr_ros.errors import ConfigurationError
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.trace import TraceFile
from remembr_ros.records import Answer

Ask = Callable[..., Answer]


def settings(path: Path) -> RecallSettings:
    return RecallSettings(time_limit_s=10.0, llm_timeout_s=3.0, trace_path=str(path))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_searches_requests_and_the_answer_are_there_and_the_key_is_not(
    hashed_building: ListMemory, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    path = tmp_path / "traces" / "trace.jsonl"
    replies = [
        calls(call("search_text", {"query": "blue chair"})),
        lambda request: answers(kind="position", text="There.", evidence=shown_ids(request, "blue chair")[:1]),
    ]
    with ScriptedLLM(replies) as llm:
        answer = ask(hashed_building, "Where is the chair?", llm, settings(path))
    (line,) = lines(path)
    assert line["question"] == "Where is the chair?" and line["answer"]["text"] == answer.text
    assert line["answer"]["evidence"] == [hit.memory.id for hit in answer.evidence]
    tools = [(step["tool"], step["detail"], step["hits"]) for step in line["steps"] if "tool" in step]
    assert ("search_text", "query=blue chair", 5) in tools and len(tools) == 4
    first, second = (step for step in line["steps"] if "reply" in step)
    assert first["reply"]["calls"][0]["name"] == "search_text" and second["reply"]["calls"][0]["name"] == "answer"
    assert second["messages"][0]["role"] == "assistant", "only what is new"
    assert [step["after_s"] for step in line["steps"]] == sorted(step["after_s"] for step in line["steps"])
    assert "sk-secret" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_rules_and_failures_are_traced_too(hashed_building: ListMemory, ask: Ask, tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    ask(hashed_building, "Where is the red chair?", None, settings(path))
    ask(hashed_building, "", None, settings(path))
    with ScriptedLLM([(401, {})]) as llm:
        ask(hashed_building, "Where is the \ud83d chair?", llm, settings(path))
    found = lines(path)
    assert [line["answer"]["error"] for line in found[:2]] == [None, "INVALID_QUESTION"]
    assert found[0]["steps"][0]["tool"] == "search" and found[2]["answer"]["source"].startswith("extractive (")


def test_a_full_disk_costs_the_trace_and_not_the_answer(
    hashed_building: ListMemory, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: TraceFile, text: str) -> None:
        if text:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(TraceFile, "_append", full)
    path = tmp_path / "trace.jsonl"
    path.touch()
    assert ask(hashed_building, "Where is the red chair?", None, settings(path)).error is None


def test_a_long_trace_is_set_aside(tmp_path: Path) -> None:
    trace = TraceFile(str(tmp_path / "t.jsonl"), max_bytes=100)
    for number in range(30):
        trace.write(f'{{"n": {number}}}')
    assert (tmp_path / "t.jsonl").stat().st_size <= 100 and (tmp_path / "t.jsonl.1").stat().st_size <= 100
    assert lines(tmp_path / "t.jsonl")[-1] == {"n": 29} and len(list(tmp_path.iterdir())) == 2


def test_a_path_that_cannot_be_written_is_refused_by_parameter(
    hashed_building: ListMemory, ask: Ask, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="trace_path"):
        ask(hashed_building, "x", None, settings(tmp_path / "file" / "trace.jsonl"))
