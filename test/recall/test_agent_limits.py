"""The agent always ends: repeats, empty replies, time, characters, cancellation. Field faults 17, 45."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, message, shown_ids, tool_results
from small_building import ZONE_NAME, memories, ns, question

from remembr_ros.recall.answerer import create_recall
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError

Ask = Callable[..., Answer]
FAST = RecallSettings(time_limit_s=10.0, llm_timeout_s=3.0)


class TestFault17NoEndlessLoop:
    @pytest.mark.parametrize("empty", [True, False])
    def test_the_same_search_for_ever(self, hashed_building: ListMemory, ask: Ask, empty: bool) -> None:
        memory = ListMemory([], None) if empty else hashed_building
        with ScriptedLLM([calls(call("search_text", {"query": "unicorn"}))]) as llm:
            answer = ask(memory, "Where is the unicorn?", llm)
        assert answer.error is AnswerError.NOT_FOUND and "could not find" in answer.text
        assert len(llm.requests) <= 6
        assert any("same call before" in m["content"] for m in tool_results(llm.requests[-1]))
        assert [t["function"]["name"] for t in llm.requests[-1]["tools"]] == ["answer"]

    def test_two_alternating_searches(self, hashed_building: ListMemory, ask: Ask) -> None:
        def reply(request: Request) -> Any:
            return calls(call("search_text", {"query": ("unicorn", "horse")[len(llm.requests) % 2]}))

        with ScriptedLLM(reply) as llm:
            answer = ask(hashed_building, "Where is the unicorn?", llm)
        assert answer.error is AnswerError.NOT_FOUND and len(llm.requests) <= 6

    def test_always_new_searches_end_after_the_rounds(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM(
            lambda request: calls(call("search_text", {"query": f"thing {len(request['messages'])}"}))
        ) as llm:
            answer = ask(hashed_building, "Where is the unicorn?", llm)
        assert answer.error is AnswerError.NOT_FOUND and (answer.rounds, answer.llm_calls) == (3, 4)

    def test_unreadable_replies_fall_back_to_the_rules(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM(["this is no JSON"]) as llm:
            answer = ask(hashed_building, "Where is the red chair?", llm)
        assert len(llm.requests) <= 6 and answer.source == "extractive (llm:test unavailable)"
        assert answer.pose is not None

    def test_a_hundred_calls_in_one_reply_are_capped(self, hashed_building: ListMemory, ask: Ask) -> None:
        many = calls(*(call("search_text", {"query": f"thing {n}"}) for n in range(30)))
        with ScriptedLLM([many, answers(kind="not_found", text="no")]) as llm:
            before = len(hashed_building.queries)
            ask(hashed_building, "Where is it?", llm)
        assert len(hashed_building.queries) - before <= 4 + 6 and not llm.problems

    def test_a_silent_server_ends_at_the_time_limit(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([message("late")], delay_s=30.0) as llm:
            began = time.monotonic()
            answer = ask(hashed_building, "Where is it?", llm, RecallSettings(time_limit_s=1.0, llm_timeout_s=20.0))
        assert answer.error is AnswerError.TIMEOUT and time.monotonic() - began < 3.0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('Sure!\n```json\n{"text": "by the door", "position": [1,2,0]}\n```', "by the door"),
        ("{'text': 'by the door', 'position': None}", "by the door"),
        ('```bash\nrm -rf x\n```\n{"text":"ok","position":null}', "ok"),
        ('{"text": "use ```x``` here", "position": null}', "use ```x``` here"),
        ('__import__("os").system("touch pwned")', '__import__("os").system("touch pwned")'),
        ("It is by the door. It is at (3.5, 7.2).", "It is by the door."),
    ],
)
def test_fault_63_answers_in_prose_are_words_without_a_place(
    hashed_building: ListMemory, ask: Ask, content: str, said: str
) -> None:
    with ScriptedLLM([message(content)]) as llm:
        answer = ask(hashed_building, "What is it?", llm)
    assert answer.text == said and answer.pose is None and not answer.wants_goal


class TestLimits:
    def test_memories_are_trimmed_and_the_question_never(self, ask: Ask) -> None:
        from remembr_ros.memory.embedders.hashing import HashingEmbedder

        base = memories()[0]
        rows = [
            dataclasses.replace(
                base,
                id=f"r{n}",
                start_ns=ns(10 * n),
                end_ns=ns(10 * n + 3),
                episode_start_ns=ns(10 * n),
                caption=f"chair {n} " + "very " * 100,
            )
            for n in range(100)
        ]
        text = "Where is the chair? " + "Really. " * 60
        replies = [
            calls(*(call("search_text", {"query": f"chair {n}", "limit": 20}) for n in range(6))),
            answers(kind="not_found", text="no"),
        ]
        with ScriptedLLM(replies) as llm:
            ask(ListMemory(rows, HashingEmbedder(64)), text, llm, dataclasses.replace(FAST, prompt_characters=8000))
        request = llm.requests[1]
        assert sum(len(m["content"] or "") for m in request["messages"]) <= 8500
        assert json.dumps(text, ensure_ascii=False) in request["messages"][1]["content"]
        assert request["messages"][0] == llm.requests[0]["messages"][0], "a prefix that servers can cache"
        assert "left out" in request["messages"][-1]["content"] and not llm.problems

    def test_a_cancelled_question_stops_within_a_second(self, hashed_building: ListMemory) -> None:
        async def main(base_url: str) -> float:
            recall = create_recall(
                "openai:test",
                hashed_building,
                base_url=base_url,
                timezone=ZONE_NAME,
                settings=RecallSettings(llm_timeout_s=30.0),
            )
            task = asyncio.ensure_future(recall.ask(question("Where is it?")))
            while not llm.requests:
                await asyncio.sleep(0.01)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await recall.close()
            return time.monotonic() - began

        with ScriptedLLM([message("late")], delay_s=20.0) as llm:
            assert asyncio.run(main(llm.base_url)) < 1.0

    def test_questions_side_by_side_do_not_mix(self, hashed_building: ListMemory) -> None:
        def reply(request: Request) -> Any:
            words = "red chair" if "red chair" in request["messages"][1]["content"] else "blue chair"
            return answers(kind="position", text="There.", evidence=shown_ids(request, words)[:1])

        async def main(base_url: str) -> list[Answer]:
            recall = create_recall("openai:test", hashed_building, base_url=base_url, timezone=ZONE_NAME)
            asked = [recall.ask(question(f"Where is the {c} chair?")) for c in ("red", "blue") * 4]
            found = await asyncio.gather(*asked)
            await recall.close()
            return list(found)

        with ScriptedLLM(reply) as llm:
            found = asyncio.run(main(llm.base_url))
        assert [round(a.pose.y) for a in found if a.pose] == [3, 9] * 4
