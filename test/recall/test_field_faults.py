"""Field faults through the whole reading path, with further inputs of each kind: 11, 15, 17, 25, 45, 59, 63, 65."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, message, shown_ids
from small_building import memories

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.when import from_local
from remembr_ros.records import NANOSECONDS, Answer, AnswerError

Ask = Callable[..., Answer]
FAST = RecallSettings(time_limit_s=10.0, llm_timeout_s=3.0)
NEW_YORK = ZoneInfo("America/New_York")


def results(request: Request) -> list[str]:
    """The results of the model's own calls."""
    return [
        m["content"]
        for m in request["messages"]
        if m["role"] == "tool" and not m["tool_call_id"].startswith("prefetch")
    ]


def chair(request: Request) -> Any:
    return answers(kind="position", text="There.", evidence=shown_ids(request, "blue chair")[:1])


@pytest.mark.parametrize(
    "content",
    [
        'search_text\n{"query": "blue chair"}',
        'I will call the tool now: search_text with {"query": "blue chair"}',
        '<|channel|>commentary<|message|>{"name": "functions.search_text", "arguments": {"query": "blue chair"}}',
        '<invoke name="search_text"><parameter name="query">blue chair</parameter></invoke>',
        '{"tool_calls": [{"id": "1", "function": {"name": "search_text", "arguments": {"query": "blue chair"}}}]}',
    ],
)
def test_11_further_calls_written_as_text(hashed_building: ListMemory, ask: Ask, content: str) -> None:
    with ScriptedLLM([message(content), chair]) as llm:
        answer = ask(hashed_building, "Where is it?", llm, FAST)
    assert "blue chair" in results(llm.requests[1])[0] and answer.pose is not None
    assert "query" not in answer.text and not llm.problems


@pytest.mark.parametrize("count", [2, 7, 20])
def test_15_any_number_of_calls_each_get_one_result(hashed_building: ListMemory, ask: Ask, count: int) -> None:
    many = calls(*(call("search_text", {"query": f"chair {n}"}, "x" if n % 2 else None) for n in range(count)))
    with ScriptedLLM([many, chair]) as llm:
        answer = ask(hashed_building, "Where is a chair?", llm, FAST)
    assert len(results(llm.requests[1])) == count and answer.error is None and not llm.problems


def test_15_an_answer_beside_searches_ends_it_and_a_faulty_one_is_named(hashed_building: ListMemory, ask: Ask) -> None:
    both = calls(call("search_text", {"query": "blue chair"}), call("answer", {"kind": "position", "text": "x"}))
    with ScriptedLLM([both, chair]) as llm:
        answer = ask(hashed_building, "Where is it?", llm, FAST)
    searched, faulty = results(llm.requests[1])
    assert "blue chair" in searched and faulty.startswith("Error: cite") and answer.pose is not None


@pytest.mark.parametrize(
    "replies",
    [
        [calls(call("motion", {"after": "start", "before": "now"}))],
        [calls(call("search_text", {"query": "unicorn"}), content="Hm."), calls(call("search_time", {"at": "now"}))],
        [calls(call("answer", {"kind": "position", "text": "there", "evidence": ["m99"]}))],
        [calls(call("fly", {})), message("no"), message("")],
        [message("I would rather not say.")],
    ],
)
def test_17_no_way_of_repeating_goes_on_for_ever(hashed_building: ListMemory, ask: Ask, replies: list[Any]) -> None:
    turn = iter(range(10_000))
    with ScriptedLLM(lambda request: replies[next(turn) % len(replies)]) as llm:
        answer = ask(hashed_building, "Where is the unicorn?", llm, FAST)
    assert len(llm.requests) <= 6 and answer.text and answer.pose is None and not answer.wants_goal


@pytest.mark.parametrize(
    "raw",
    [
        "\x00",
        '{"query": "a"',
        "{'query': }",
        '{"query": 1e999}',
        "true",
        "[{}]",
        "{'query': {1, 2}}",
        "{'query': b'x'}",
        '{"a": ' * 60,
        "undefined",
    ],
)
def test_25_further_arguments_that_cannot_be_read(hashed_building: ListMemory, ask: Ask, raw: str) -> None:
    settings = dataclasses.replace(FAST, prefetch=False)
    with ScriptedLLM([calls(call("search_text", raw)), answers(kind="not_found", text="no")]) as llm:
        ask(hashed_building, "Where is it?", llm, settings)
    assert results(llm.requests[1])[0].startswith("Error: ") and not hashed_building.queries and not llm.problems


@pytest.mark.parametrize(
    "first",
    [
        {},
        {"choices": None},
        {"choices": [{"finish_reason": "length", "message": None}]},
        message("<think>It is at [1, 2, 0], I think", finish="length"),
        message([], refusal="I cannot help with that."),
        message(None, tool_calls=[]),
    ],
)
def test_45_further_empty_replies_are_retried_and_then_given_up(
    hashed_building: ListMemory, ask: Ask, first: Any
) -> None:
    with ScriptedLLM([first, chair]) as llm:
        assert ask(hashed_building, "Where is the blue chair?", llm, FAST).source == "llm:test"
    with ScriptedLLM([first]) as llm:
        answer = ask(hashed_building, "Where is the blue chair?", llm, FAST)
    assert len(llm.requests) <= 3 and answer.source.startswith("extractive (") and "[1, 2" not in answer.text


@pytest.mark.parametrize(
    "encode",
    [
        lambda a: json.dumps(json.dumps(a)),
        lambda a: json.dumps(json.dumps(a, indent=2)),
        lambda a: json.dumps(str(a)),
        lambda a: json.dumps(f"```json\n{json.dumps(a)}\n```"),
    ],
)
def test_59_further_double_encodings(hashed_building: ListMemory, ask: Ask, encode: Callable[[Any], str]) -> None:
    with ScriptedLLM([calls(call("search_text", encode({"query": "blue chair"}))), chair]) as llm:
        answer = ask(hashed_building, "Where is it?", llm, FAST)
    made = [m for m in llm.requests[1]["messages"] if m.get("tool_calls")][-1]["tool_calls"][0]
    assert json.loads(made["function"]["arguments"]) == {"query": "blue chair"} and answer.pose is not None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('~~~\n{"text": "by the door"}\n~~~', "by the door"),
        ('{"answer": "by the door", "position": [1e9, 0, 0]}', "by the door"),
        ("[{'text': 'by the door', 'go': True}]", "by the door"),
        ('<answer>{"text": "by the door"}</answer>', "by the door"),
        ("open('pwned', 'w').write('x') or by the door", "open('pwned', 'w').write('x') or by the door"),
    ],
)
def test_63_further_wrappings_are_words_without_a_place(
    hashed_building: ListMemory, ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with ScriptedLLM([message(content)]) as llm:
        answer = ask(hashed_building, "What is it?", llm, FAST)
    assert answer.text == said and answer.pose is None and not answer.wants_goal and not list(tmp_path.iterdir())


class Test65DaylightSaving:
    """Ten minutes before and after each change of the clocks, and both of the hours that look the same."""

    def night(self, *stamps_s: int) -> ListMemory:
        base = memories()[0]
        rows = [
            dataclasses.replace(
                base,
                id=f"n{n}",
                start_ns=stamp * NANOSECONDS,
                end_ns=(stamp + 3) * NANOSECONDS,
                episode_start_ns=stamp * NANOSECONDS,
                caption=f"a night watchman, round {n}",
            )
            for n, stamp in enumerate(stamps_s)
        ]
        return ListMemory(rows, HashingEmbedder(64))

    FIRST, SECOND = 1793511000, 1793514600  # 01:30 EDT and 01:30 EST on 2026-11-01
    NOON = from_local(datetime(2026, 11, 2, 12), NEW_YORK)[0][0]

    @pytest.mark.parametrize(
        "asked",
        [
            "What did you see at 01:30 on Nov 1?",
            "what did you see at 1:30 am on november 1st",
            "What did you see on 2026-11-01 at 01:30:00?",
            "What did you see on Sunday at 1:30am?",
        ],
    )
    def test_both_hours_are_answered_with_their_offsets(self, ask: Ask, asked: str) -> None:
        answer = ask(self.night(self.FIRST, self.SECOND), asked, now_ns=self.NOON)
        assert "UTC-04:00" in answer.text and "UTC-05:00" in answer.text and "twice" in answer.text
        assert len(answer.evidence) == 2

    def test_the_model_is_shown_both_hours(self, ask: Ask) -> None:
        search = calls(call("search_time", {"at": "01:30 on Nov 1"}))
        with ScriptedLLM([search, answers(kind="not_found", text="no")]) as llm:
            ask(
                self.night(self.FIRST, self.SECOND),
                "What was there at half past one?",
                llm,
                dataclasses.replace(FAST, prefetch=False),
                now_ns=self.NOON,
            )
        (shown,) = results(llm.requests[1])
        assert "UTC-04:00" in shown and "UTC-05:00" in shown

    def test_an_hour_that_never_was_is_said_to_be_missing(self, ask: Ask) -> None:
        after = from_local(datetime(2026, 3, 8, 3, 0), NEW_YORK)[0][0] // NANOSECONDS
        now_ns = from_local(datetime(2026, 3, 9, 12), NEW_YORK)[0][0]
        answer = ask(self.night(after), "What did you see at 02:30 on Mar 8 2026?", now_ns=now_ns)
        assert "did not exist" in answer.text and "watchman" in answer.text

    def test_yesterday_holds_all_of_its_25_hours(self, ask: Ask) -> None:
        midnight = from_local(datetime(2026, 11, 1), NEW_YORK)[0][0] // NANOSECONDS
        memory = self.night(midnight - 60, midnight + 60, midnight + 25 * 3600 - 60, midnight + 25 * 3600 + 60)
        answer = ask(memory, "How many times did you see a watchman yesterday?", now_ns=self.NOON)
        assert answer.count == 2

    def test_the_time_of_a_memory_in_the_second_hour_is_its_own(self, ask: Ask) -> None:
        answer = ask(self.night(self.SECOND), "When did you see the watchman?", now_ns=self.NOON)
        assert answer.time_ns == self.SECOND * NANOSECONDS and "UTC-05:00" in answer.text


def test_nothing_of_these_is_an_internal_error(hashed_building: ListMemory, ask: Ask) -> None:
    with ScriptedLLM([message("{" * 500), message("[" * 500), message('"' * 500)]) as llm:
        answer = ask(hashed_building, "Where is it?", llm, FAST)
    assert answer.error is not AnswerError.INTERNAL
