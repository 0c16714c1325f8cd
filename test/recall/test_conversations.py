"""Follow-ups: "take me there", "and when was that?", with rules and with a language model; bounded and forgotten."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, shown_ids
from small_building import ZONE_NAME, memories, ns, question

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.answerer import Recall, create_recall
from remembr_ros.recall.conversations import Conversations
from remembr_ros.recall.searchable import OneRobot
from remembr_ros.records import Answer, AnswerError, AnswerKind, Navigate

CHAIR = (15.0, 3.0)


def talk(memory: Any, *asked: str | dict[str, Any], llm: ScriptedLLM | None = None, **options: Any) -> list[Answer]:
    """The answers to questions of one conversation, one after the other. A dict is a question's fields with `text`."""

    async def main() -> list[Answer]:
        name, url = ("openai:test", llm.base_url) if llm else ("extractive", "")
        recall: Recall = create_recall(name, memory, base_url=url, timezone=ZONE_NAME, **options)
        try:
            out = []
            for item in asked:
                fields = {"text": item} if isinstance(item, str) else dict(item)
                fields.setdefault("conversation", "a")
                out.append(await recall.ask(question(**fields)))
            return out
        finally:
            await recall.close()

    return asyncio.run(main())


def at(answer: Answer, place: tuple[float, float]) -> bool:
    return answer.pose is not None and answer.pose.distance_to(*place) < 1.0


@pytest.mark.models
class TestRules:
    @pytest.mark.parametrize(
        "text", ["Take me there.", "take me there please", "Go there!", "Can you bring me there?", "ok, drive there"]
    )
    def test_there_is_where_the_last_answer_was(self, building: ListMemory, text: str) -> None:
        _, answer = talk(building, "Where is the red chair?", text)
        assert at(answer, CHAIR) and answer.kind is AnswerKind.POSITION and answer.wants_goal

    @pytest.mark.parametrize("text", ["And when was that?", "When did you see it?", "how long ago was that?"])
    def test_when_was_that(self, building: ListMemory, text: str) -> None:
        first, answer = talk(building, "Where is the red chair?", text)
        assert answer.kind is AnswerKind.TIME and answer.time_ns == first.evidence[0].memory.start_ns

    def test_where_was_that(self, building: ListMemory) -> None:
        _, answer = talk(building, "When did you see a cat?", "Where was that?")
        assert at(answer, (30.0, 0.0)) and not answer.wants_goal

    @pytest.mark.parametrize(
        ("text", "count", "yes", "time"),
        [
            ("How many times did you see it?", 2, None, None),
            ("Did you see it in the last 30 minutes?", None, False, None),
            ("When did you first see it?", None, None, 120),
        ],
    )
    def test_it_is_searched_for_again(
        self, building: ListMemory, text: str, count: int | None, yes: bool | None, time: float | None
    ) -> None:
        _, answer = talk(building, "Where did you last see the espresso?", text)
        assert (answer.count, answer.yes_no) == (count, yes), answer.text
        assert answer.time_ns == (None if time is None else ns(time))

    def test_what_came_after_that(self, building: ListMemory) -> None:
        _, after, before = talk(
            building, "When did you see the cat?", "What did you see after that?", "And before that?"
        )
        assert "espresso" in after.text
        assert "cat" in before.text

    def test_what_is_near_it(self, building: ListMemory) -> None:
        _, answer = talk(building, "Where is the red chair?", "What is near it?")
        assert answer.kind is AnswerKind.TEXT and "red chair" in answer.text

    @pytest.mark.parametrize("text", ["And the blue chair?", "What about the blue chair?", "how about the laptop"])
    def test_a_thing_alone_takes_the_form_before(self, building: ListMemory, text: str) -> None:
        _, answer = talk(building, "Where is the red chair?", text)
        assert at(answer, (16.0, 9.0)) and answer.kind is AnswerKind.POSITION
        _, answer = talk(building, "When did you see the red chair?", text)
        assert answer.time_ns == ns(400)

    def test_a_chain(self, building: ListMemory) -> None:
        *_, time, go = talk(
            building, "Where is the red chair?", "And the elevator?", "When was that?", "Take me there, please"
        )
        assert time.kind is AnswerKind.TIME and go.wants_goal and at(go, (25.3, 5.0))


class TestBothWays:
    @pytest.fixture(params=["rules", "llm"])
    def on(self, request: pytest.FixtureRequest) -> Any:
        if request.param == "rules":
            yield None
            return

        def reply(body: Request) -> Any:
            asked = json.loads(
                body["messages"][-1 if body["messages"][-1]["role"] == "user" else 1]["content"].split("Question: ")[-1]
            )
            ids = shown_ids(body, "red chair" if "red chair" in asked else "")
            return answers(kind="position", text="There.", evidence=ids[:1], go="there" in asked)

        with ScriptedLLM(reply) as llm:
            yield llm

    def test_there_of_nothing_is_no_place(self, hashed_building: ListMemory, on: Any) -> None:
        (answer,) = talk(hashed_building, "Take me there.", llm=on)
        assert answer.error is AnswerError.NOT_FOUND and answer.pose is None and not answer.wants_goal

    def test_there_after_nothing_was_found_is_no_place(self, hashed_building: ListMemory) -> None:
        _, answer = talk(hashed_building, "Where is the unicorn?", "Take me there.")
        assert answer.error is AnswerError.NOT_FOUND and not answer.wants_goal

    def test_conversations_do_not_mix_and_no_name_is_none(self, hashed_building: ListMemory, on: Any) -> None:
        for other in ({"conversation": "b"}, {"conversation": ""}):
            _, answer = talk(hashed_building, "Where is the red chair?", {"text": "Take me there.", **other}, llm=on)
            assert answer.pose is None and not answer.wants_goal
        _, answer = talk(
            hashed_building,
            {"text": "Where is the red chair?", "conversation": ""},
            {"text": "Take me there.", "conversation": ""},
            llm=on,
        )
        assert answer.pose is None

    def test_a_pause_ends_it(self, hashed_building: ListMemory, on: Any) -> None:
        late = {"text": "Take me there.", "now_ns": ns(3600 + 601)}
        _, answer = talk(hashed_building, "Where is the red chair?", late, llm=on)
        assert answer.pose is None
        _, answer = talk(hashed_building, "Where is the red chair?", {**late, "now_ns": ns(3600 + 599)}, llm=on)
        assert at(answer, CHAIR)

    def test_a_clock_that_jumped_back_ends_it(self, hashed_building: ListMemory, on: Any) -> None:
        early = {"text": "Take me there.", "now_ns": ns(3599)}
        _, answer = talk(hashed_building, "Where is the red chair?", early, llm=on)
        assert answer.pose is None

    def test_what_was_forgotten_meanwhile_is_no_place(self, hashed_building: ListMemory, on: Any) -> None:
        async def main() -> Answer:
            name, url = ("openai:test", on.base_url) if on else ("extractive", "")
            recall = create_recall(name, hashed_building, base_url=url, timezone=ZONE_NAME)
            await recall.ask(question("Where is the red chair?", conversation="a"))
            hashed_building.forget("red chair")
            answer = await recall.ask(question("Take me there.", conversation="a"))
            await recall.close()
            return answer

        answer = asyncio.run(main())
        assert answer.pose is None and not answer.wants_goal


class TestModel:
    def test_earlier_turns_are_shown_as_data_and_can_be_cited(self, hashed_building: ListMemory) -> None:
        def reply(request: Request) -> Any:
            if not any("Take me" in m["content"] for m in request["messages"]):
                return answers(kind="position", text="By the window.", evidence=shown_ids(request, "red chair")[:1])
            return answers(kind="position", text="Going.", evidence=shown_ids(request, "red chair")[:1], go=True)

        with ScriptedLLM(reply) as llm:
            first, answer = talk(hashed_building, "Where is the red chair?", "Take me there.", llm=llm)
        assert at(answer, CHAIR) and answer.wants_goal and not llm.problems
        roles = [m["role"] for m in llm.requests[1]["messages"][:5]]
        assert roles == ["system", "user", "assistant", "tool", "user"]
        given = json.loads(llm.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"])
        assert given == {"kind": "position", "evidence": ["m1"]}, "no words that could quote a caption"
        assert "red chair" in llm.requests[1]["messages"][3]["content"] and first.error is None

    @pytest.mark.parametrize("asked", ["Take me there.", "Go there", "Can you drive there?", "bring me to it"])
    def test_there_is_never_what_a_search_brought_up(self, hashed_building: ListMemory, asked: str) -> None:
        def reply(request: Request) -> Any:
            if len(llm.requests) == 1:
                return answers(kind="position", text="There.", evidence=shown_ids(request, "red chair")[:1])
            if len(llm.requests) == 2:
                return calls(call("search_text", {"query": "elevator"}))
            return answers(kind="position", text="Going.", evidence=shown_ids(request, "elevator")[:1], go=True)

        with ScriptedLLM(reply) as llm:
            _, answer = talk(hashed_building, "Where is the red chair?", asked, llm=llm)
        assert answer.pose is None and not answer.wants_goal
        assert any("names no place" in m["content"] for m in llm.requests[-1]["messages"] if m["role"] == "tool")

    def test_a_wanted_goal_without_a_place_in_words_is_held_to_the_same(self, hashed_building: ListMemory) -> None:
        with ScriptedLLM(lambda r: answers(kind="position", text="Ok.", evidence=shown_ids(r)[:1], go=True)) as llm:
            (answer,) = talk(hashed_building, {"text": "there", "navigate": Navigate.ALWAYS}, llm=llm)
        assert answer.pose is None


class TestBounds:
    def answered(self, text: str = "x", error: AnswerError | None = None) -> Answer:
        return Answer(text, AnswerKind.TEXT, text, error=error)

    def test_the_oldest_conversation_and_the_oldest_turn_go(self) -> None:
        kept = Conversations(most=2, turns=3)
        for name in ("a", "b", "a", "c"):
            kept.add(question("q", conversation=name), self.answered())
        assert [len(kept.before(question("q", conversation=n))) for n in "abc"] == [2, 0, 1]
        for number in range(5):
            kept.add(question(f"q{number}", conversation="c"), self.answered())
        assert [t.question.text for t in kept.before(question("q", conversation="c"))] == ["q2", "q3", "q4"]

    @pytest.mark.parametrize("error", [e for e in AnswerError if e is not AnswerError.NOT_FOUND])
    def test_a_failure_is_no_turn(self, error: AnswerError) -> None:
        kept = Conversations()
        kept.add(question("q", conversation="a"), self.answered(error=error))
        assert kept.before(question("q", conversation="a")) == ()


class TestOneRobot:
    def shared(self) -> ListMemory:
        other = [
            dataclasses.replace(m, id=f"o{m.id}", robot_id="other", caption=m.caption.replace("red", "green"))
            for m in memories()
        ]
        return ListMemory([*memories(), *other], HashingEmbedder(256))

    def test_a_robot_answers_for_itself(self) -> None:
        (mine,) = talk(self.shared(), "Did you see a green chair?", robot_id="robot")
        (others,) = talk(self.shared(), "Did you see a green chair?", robot_id="other")
        (anyones,) = talk(self.shared(), "Did you see a green chair?")
        assert (mine.yes_no, others.yes_no, anyones.yes_no) == (False, True, True)

    def test_every_way_in_shows_one_robot(self) -> None:
        memory = OneRobot(self.shared(), "other")
        assert {m.robot_id for m in memory.between(ns(0), ns(3600), 1000)} == {"other"}
        own = memories()[0].id
        assert memory.get([own, f"o{own}"])[0].robot_id == "other" and memory.neighbours(own, 1, 1) == []
        assert memory.bounds() == (ns(-86400), ns(3549))
        assert OneRobot(self.shared(), "nobody").bounds() is None

    @pytest.mark.models
    def test_over_milvus(self, milvus_building: Any) -> None:
        assert OneRobot(milvus_building, "robot").bounds() == milvus_building.bounds()
        assert OneRobot(milvus_building, "other").bounds() is None
        assert len(OneRobot(milvus_building, "robot").between(ns(300), ns(312), 10)) == 4
