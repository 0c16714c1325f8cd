"""What the agent answers over HTTP: the real openai client against a scripted server."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, cite, shown_ids, tool_results
from small_building import ZONE_NAME, ns, question

from remembr_ros.recall.answerer import create_recall
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError, AnswerKind, Pose

Ask = Callable[..., Answer]
FAST = RecallSettings(time_limit_s=10.0, llm_timeout_s=3.0)


class TestWhatItAnswers:
    def test_two_searches_side_by_side_then_the_cited_place(self, hashed_building: ListMemory, ask: Ask) -> None:
        searches = calls(call("search_text", {"query": "red chair"}), call("search_time", {"at": "2:15pm"}))
        with ScriptedLLM([searches, cite("red chair", kind="position", text="By the window.")]) as llm:
            answer = ask(hashed_building, "Where is the red chair?", llm)
        assert answer.pose == Pose(ns(301.5), "map", 15.0, 3.0, yaw=0.0)
        assert answer.text.startswith("By the window.") and "x 15.0 m" in answer.text
        assert (answer.rounds, answer.llm_calls, answer.source) == (1, 2, "llm:test")
        assert len(tool_results(llm.requests[1])) == 2 and not llm.problems

    def test_the_prefetch_alone_can_answer_in_one_call(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([cite("red chair", kind="position")]) as llm:
            answer = ask(hashed_building, "Where is the red chair?", llm)
        assert (answer.rounds, answer.llm_calls) == (0, 1) and answer.pose is not None

    def test_time_is_the_cited_memorys(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([cite("Egyptian cat", kind="time", text="I met it at 9 o'clock.")]) as llm:
            answer = ask(hashed_building, "When did you see the Egyptian cat?", llm)
        assert answer.kind is AnswerKind.TIME and answer.time_ns in (ns(900), ns(903))
        assert "9 o'clock" not in answer.text and "2026-11-30 14:15:0" in answer.text

    def test_duration_runs_from_one_memory_to_another(self, hashed_building: ListMemory, ask: Ask) -> None:
        def reply(request: Request) -> Any:
            first, last = shown_ids(request, "computer lab")[0], shown_ids(request, "computer lab")[-1]
            return answers(kind="duration", text="Two hours.", evidence=[first, last], frm=first, until=last)

        searches = calls(
            call("search_text", {"query": "computer lab desks monitors", "order": "first", "limit": 1}),
            call("search_text", {"query": "computer lab desks monitors", "order": "last", "limit": 1}),
        )
        with ScriptedLLM([searches, reply]) as llm:
            answer = ask(hashed_building, "How long were you there?", llm, dataclasses.replace(FAST, prefetch=False))
        assert answer.duration_s == 60.0 and "1 minute" in answer.text and "hours" not in answer.text

    def test_since_the_start_until_now(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([answers(kind="duration", text="A while.", frm="start", until="now")]) as llm:
            answer = ask(hashed_building, "How long have you been on?", llm)
        assert answer.duration_s == 90_000.0

    def test_a_count_that_disagrees_with_its_evidence_is_sent_back(self, hashed_building: ListMemory, ask: Ask) -> None:
        def reply(request: Request) -> Any:
            ids = shown_ids(request, "steel doors")[:2]
            return answers(kind="count", text="Seven times.", evidence=ids, count=7 if len(llm.requests) == 1 else 2)

        with ScriptedLLM(reply) as llm:
            answer = ask(hashed_building, "How often did you see an elevator with steel doors?", llm)
        assert answer.count == 2 and answer.text.startswith("2 times.") and "Seven" not in answer.text
        assert "make them agree" in tool_results(llm.requests[1])[0]["content"]

    def test_no_without_evidence_is_an_answer_and_yes_is_not(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([answers(kind="yes_no", text="No.", yes_no=False)]) as llm:
            answer = ask(hashed_building, "Did you see a dog?", llm)
        assert answer.yes_no is False and answer.error is None
        with ScriptedLLM([answers(kind="yes_no", text="Yes!", yes_no=True)]) as llm:
            ask(hashed_building, "Did you see a dog?", llm)
        assert "cite" in tool_results(llm.requests[1])[0]["content"]

    def test_not_found_is_typed(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([answers(kind="not_found", text="Ich habe das nicht gesehen.")]) as llm:
            answer = ask(hashed_building, "Wo ist mein Hund?", llm)
        assert answer.error is AnswerError.NOT_FOUND and answer.text == "Ich habe das nicht gesehen."

    def test_times_and_places_of_a_search_may_be_shown_memories(self, hashed_building: ListMemory, ask: Ask) -> None:
        def second(request: Request) -> Any:
            cat = shown_ids(request, "14:15:03")[0]
            return calls(
                call("search_time", {"at": cat, "after": cat, "limit": 1}),
                call("search_position", {"near": cat, "limit": 1}),
                call("search_text", {"query": "cup", "before": "now", "after": "start", "near": "me", "within_m": 5}),
                call("motion", {"after": "start", "before": "now"}),
            )

        with ScriptedLLM([second, answers(kind="not_found", text="no")]) as llm:
            ask(hashed_building, "What came after the Egyptian cat?", llm)
        after, near, cup, motion = (m["content"] for m in tool_results(llm.requests[1]))
        assert "14:20:00" in after
        assert "Egyptian cat" in near
        assert "espresso" in cup and "red chair" not in cup
        assert "Drove" in motion

    def test_a_model_that_invents_a_place_names_no_place(self, hashed_building: ListMemory, ask: Ask) -> None:
        near = calls(call("search_position", {"near": "99, 99"}), call("search_text", {"query": "cup", "near": "m77"}))
        with ScriptedLLM([near, answers(kind="position", text="It is at (99.0, 99.0).", evidence=["m1"])]) as llm:
            answer = ask(hashed_building, "Where is it?", llm)
        assert all(m["content"].startswith("Error: near must be me") for m in tool_results(llm.requests[1]))
        assert answer.pose is not None and "99" not in answer.text

    def test_coordinates_that_the_user_gave_are_a_place(self, hashed_building: ListMemory, ask: Ask) -> None:
        replies = [calls(call("search_position", {"near": "15, 3"})), answers(kind="not_found", text="no")]
        with ScriptedLLM(replies) as llm:
            ask(hashed_building, "What is at 15, 3?", llm)
        assert "red chair" in tool_results(llm.requests[1])[0]["content"]

    def test_nothing_after_now_is_shown(self, hashed_building: ListMemory, ask: Ask) -> None:
        searches = calls(call("search_text", {"query": "elevator"}), call("search_time", {"at": "now"}))
        with ScriptedLLM([searches, answers(kind="not_found", text="no")]) as llm:
            ask(hashed_building, "Where is the elevator?", llm, now_ns=ns(450))
        assert "elevator" not in "".join(m["content"] for m in tool_results(llm.requests[1]))

    def test_words_without_proof_are_sent_back_once_more(self, hashed_building: ListMemory, ask: Ask) -> None:
        proven = cite("red chair", kind="text", text="By the window.")
        with ScriptedLLM([answers(kind="text", text="In the kitchen."), proven]) as llm:
            answer = ask(hashed_building, "What about the red chair?", llm)
        assert answer.text == "By the window." and answer.evidence

    @pytest.mark.parametrize("llm_on", [True, False])
    def test_go_with_no_place_named_is_no_goal(self, hashed_building: ListMemory, ask: Ask, llm_on: bool) -> None:
        with ScriptedLLM([answers(kind="position", text="Going.", go=True)]) as llm:
            answer = ask(hashed_building, "Take me there.", llm if llm_on else None)
        assert answer.error is AnswerError.NOT_FOUND and answer.pose is None and not answer.wants_goal


def test_the_scripted_backend_plays_a_file(hashed_building: ListMemory, tmp_path: Any) -> None:
    script = tmp_path / "replies.json"
    script.write_text(
        json.dumps([{"tool_calls": [call("answer", {"kind": "yes_no", "text": "No.", "yes_no": False})]}])
    )
    recall = create_recall(f"scripted:{script}", hashed_building, timezone=ZONE_NAME)
    answer = asyncio.run(recall.ask(question("Did you see a dog?")))
    assert answer.source == "scripted" and answer.yes_no is False


@pytest.mark.models
def test_over_milvus_two_searches_then_place_time_and_duration(milvus_building: Any, ask: Ask) -> None:
    searches = calls(
        call("search_text", {"query": "red chair", "order": "first"}),
        call("search_position", {"near": "me", "within_m": 4}),
    )
    for kind in ("position", "time", "duration"):
        with ScriptedLLM([searches, cite("red chair", kind=kind)]) as llm:
            answer = ask(milvus_building, "What about the chair?", llm)
        assert answer.pose is not None and answer.pose.distance_to(15.0, 3.0) < 0.2
        (cited,) = (hit.memory for hit in answer.evidence)
        assert ns(300) <= cited.start_ns <= ns(309)
        assert answer.time_ns == (cited.start_ns if kind == "time" else None)
        assert answer.duration_s == (3.0 if kind == "duration" else None)
