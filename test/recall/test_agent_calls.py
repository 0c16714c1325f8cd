"""Calls of tools as models write them: as text, in parallel, with bad arguments. Field faults 11, 15, 25, 59, 63."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, cite, message, tool_results

from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError

Ask = Callable[..., Answer]
FAST = RecallSettings(time_limit_s=10.0, llm_timeout_s=3.0)


class TestFault11CallsAsText:
    def test_the_tool_is_run_and_the_json_never_spoken(self, hashed_building: ListMemory, ask: Ask) -> None:
        written = message('{"name": "search_text", "arguments": {"query": "blue chair"}}')
        with ScriptedLLM([written, cite("blue chair", kind="position")]) as llm:
            answer = ask(hashed_building, "Where is it?", llm)
        assert answer.pose is not None and answer.pose.distance_to(16.0, 9.0) < 1.0 and "{" not in answer.text
        assert "blue chair" in tool_results(llm.requests[1])[0]["content"] and not llm.problems

    def test_a_server_without_tools_is_driven_by_json_text(self, hashed_building: ListMemory, ask: Ask) -> None:
        def reply(request: Request) -> Any:
            if "tools" in request:
                return 400, {"error": {"message": "registry.ollama.ai/library/x does not support tools"}}
            assert all(m["role"] in ("system", "user", "assistant") for m in request["messages"])
            text = "".join(m["content"] for m in request["messages"])
            assert "search_text" in request["messages"][0]["content"]
            cited = [line.split(" | ")[0] for line in text.split("\n") if "red chair" in line and " | " in line]
            return message(
                json.dumps(
                    {"name": "answer", "arguments": {"kind": "position", "text": "There.", "evidence": cited[:1]}}
                )
            )

        with ScriptedLLM(reply) as llm:
            answer = ask(hashed_building, "Where is the red chair?", llm)
        assert answer.pose is not None and answer.pose.distance_to(15.0, 3.0) < 1.0

    @pytest.mark.parametrize(
        "name", ["drive to", "rm -rf /", "\ud83d\udc4d", "\ud83d", "a" * 200, "functions.search_text"]
    )
    def test_an_odd_name_goes_back_as_servers_accept_names(
        self, hashed_building: ListMemory, ask: Ask, name: str
    ) -> None:
        odd = calls(call(name, {"query": "\ud83d"}, "\ud83d"), content="\ud83d")
        with ScriptedLLM([odd, answers(kind="not_found", text="no")]) as llm:
            answer = ask(hashed_building, "Where is the \ud83d chair?", llm)
        assert answer.error is AnswerError.NOT_FOUND and answer.source == "llm:test" and not llm.problems
        (made,) = [m for m in llm.requests[1]["messages"] if m.get("tool_calls")][-1]["tool_calls"]
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", made["function"]["name"]) and made["id"].isascii()

    def test_an_invented_tool_is_named_back(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([calls(call("drive_to", {"x": 99, "y": 99})), answers(kind="not_found", text="no")]) as llm:
            answer = ask(hashed_building, "Go to 99, 99", llm)
        assert "no tool 'drive_to'" in tool_results(llm.requests[1])[0]["content"] and not answer.wants_goal


@pytest.mark.parametrize(
    "ids", [("call_1", "call_2", "call_3"), ("same", "same", "same"), (None, None, None), ("", "a", "a")]
)
def test_fault_15_every_parallel_call_is_answered_once_in_order(
    hashed_building: ListMemory, ask: Ask, ids: tuple[Any, ...]
) -> None:
    three = calls(
        call("search_text", {"query": "chair"}, ids[0]),
        call("search_position", {"near": "me"}, ids[1]),
        call("search_time", {"at": "bad"}, ids[2]),
    )
    with ScriptedLLM([three, cite("chair", kind="position")]) as llm:
        answer = ask(hashed_building, "Where is a chair?", llm)
    results = [m["content"] for m in tool_results(llm.requests[1])]
    assert len(results) == 3 and "chair" in results[0] and results[1].endswith('"')
    assert results[2].startswith("Error: ") and "bad" in results[2]
    assert answer.error is None and not llm.problems


@pytest.mark.parametrize(
    "raw",
    [
        "",
        '{"query": "red ch',
        "[]",
        "null",
        '"chair"',
        '{"query":"chair"} {"query":"sofa"}',
        "{}",
        '{"query": ""}',
        '{"query": 5, "limit": "many"}',
        '{"query": "x", "order": "sideways"}',
        '{"q": "chair"}',
        '{"query": "x", "within_m": -1, "near": "me"}',
    ],
)
def test_fault_25_bad_arguments_are_named_back_and_nothing_runs(
    hashed_building: ListMemory, ask: Ask, raw: str
) -> None:
    settings = dataclasses.replace(FAST, prefetch=False)
    with ScriptedLLM([calls(call("search_text", raw)), answers(kind="not_found", text="no")]) as llm:
        before = len(hashed_building.queries)
        answer = ask(hashed_building, "Where is it?", llm, settings)
    assert tool_results(llm.requests[1])[0]["content"].startswith("Error: ")
    assert len(hashed_building.queries) == before and answer.error is AnswerError.NOT_FOUND and not llm.problems


def test_fault_25_arguments_as_an_object_work(hashed_building: ListMemory, ask: Ask) -> None:
    native = calls(
        {"id": "a", "type": "function", "function": {"name": "search_text", "arguments": {"query": "blue chair"}}}
    )
    with ScriptedLLM([native, answers(kind="not_found", text="no")]) as llm:
        ask(hashed_building, "Where is it?", llm)
    assert "blue chair" in tool_results(llm.requests[1])[0]["content"] and not llm.problems


def test_fault_59_double_encoded_arguments_run_and_are_resent_encoded_once(
    hashed_building: ListMemory, ask: Ask
) -> None:
    twice = json.dumps(json.dumps({"query": "blue chair"}))
    replies = [
        calls(call("search_text", twice), call("search_text", json.dumps(twice))),
        answers(kind="not_found", text="no"),
    ]
    with ScriptedLLM(replies) as llm:
        ask(hashed_building, "Where is it?", llm)
    good, bad = tool_results(llm.requests[1])
    assert "blue chair" in good["content"] and bad["content"].startswith("Error: ")
    made = [m for m in llm.requests[1]["messages"] if m.get("tool_calls")][-1]["tool_calls"]
    assert json.loads(made[0]["function"]["arguments"]) == {"query": "blue chair"}


@pytest.mark.parametrize(
    "first",
    [
        message("", finish="length"),
        message(None, reasoning_content="the chair is at [1,2,0]"),
        {"choices": []},
        message(None, finish="content_filter"),
        message("   "),
    ],
)
def test_fault_45_an_empty_reply_is_retried_a_bounded_number_of_times(
    hashed_building: ListMemory, ask: Ask, first: Any
) -> None:
    with ScriptedLLM([first, cite("red chair", kind="position")]) as llm:
        answer = ask(hashed_building, "Where is the red chair?", llm)
    assert answer.pose is not None and answer.pose.distance_to(15.0, 3.0) < 1.0
    assert llm.requests[1]["max_tokens"] > llm.requests[0]["max_tokens"]
    with ScriptedLLM([first]) as llm:
        answer = ask(hashed_building, "Where is the red chair?", llm)
    assert len(llm.requests) <= 3 and answer.source.startswith("extractive") and answer.text and not answer.wants_goal
