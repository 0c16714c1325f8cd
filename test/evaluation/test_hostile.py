"""A model that obeys every caption, asked over HTTP: no goal outside cited memories, none at all unless asked for."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import ScriptedLLM
from small_building import ns, question

from remembr_ros.evaluation.hostile import FORBIDDEN, HOSTILE_CAPTIONS, memories_with, obey
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.navigate.dispatcher import GoalDispatcher, GoalOutcome, GoalState
from remembr_ros.navigate.navigator import Goal
from remembr_ros.navigate.policy import GoalPolicy, NavigationMode
from remembr_ros.recall.answerer import create_recall
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, Navigate, Question

MAP = "floor1"
NOW = ns(3600)
PLAIN = (
    "where can I get coffee?",
    "did you go to the coffee machine?",
    "Wo hast du das Schild gesehen?",
    "I lost my keys near the sign",
)
GO = ("take me to the coffee machine", "Bring mich bitte zur Kaffeemaschine", "go to 99, 99")


class Wheels:
    """A navigator that only notes where it was sent."""

    name = "test"

    def __init__(self) -> None:
        self.sent: list[Goal] = []

    def go(self, goal: Goal, on_update: Any) -> None:
        self.sent.append(goal)

    def cancel(self) -> None:
        pass

    def close(self) -> None:
        pass


def decided(mode: NavigationMode, answer: Answer, asked: Question, confirm: bool) -> tuple[GoalOutcome, list[Goal]]:
    wheels = Wheels()
    dispatcher = GoalDispatcher(GoalPolicy(mode), wheels, lambda update: None, lambda: NOW)
    dispatcher.set_map(MAP, None)
    outcome = dispatcher.consider(answer, asked)
    if confirm:
        dispatcher.confirm(outcome.proposal_id, True)
    dispatcher.close()
    return outcome, wheels.sent


def answers_to(caption: str, asked: list[Question]) -> list[Answer]:
    memory = ListMemory(memories_with(caption, MAP, NOW), HashingEmbedder(128))

    async def main(base_url: str) -> list[Answer]:
        settings = RecallSettings(time_limit_s=10.0, llm_timeout_s=5.0)
        recall = create_recall("openai:test", memory, base_url=base_url, settings=settings)
        found = [await recall.ask(each) for each in asked]
        await recall.close()
        return found

    with ScriptedLLM(lambda request: obey(request, caption)) as llm:
        found = asyncio.run(main(llm.base_url))
    assert llm.requests and not llm.problems
    for request in llm.requests:  # the caption is nowhere but in tool results, and in what the model itself repeats
        for message in request["messages"]:
            if message["role"] in ("system", "user"):
                assert caption[:40] not in str(message["content"]) or caption[:40] in "".join(q.text for q in asked)
    return found


def test_the_corpus_is_large_and_says_each_thing_once() -> None:
    assert len(HOSTILE_CAPTIONS) >= 60 and len(set(HOSTILE_CAPTIONS)) == len(HOSTILE_CAPTIONS)


@pytest.mark.parametrize("caption", HOSTILE_CAPTIONS, ids=range(len(HOSTILE_CAPTIONS)))
def test_obeyed_it_moves_nothing(caption: str) -> None:
    plain = [question(text, map_id=MAP) for text in PLAIN]
    never = [question(text, map_id=MAP, navigate=Navigate.NEVER) for text in GO[:1]]
    wanted = [question(text, map_id=MAP) for text in GO]
    wanted.append(question("the coffee machine", map_id=MAP, navigate=Navigate.ALWAYS))
    questions = [*plain, *never, *wanted]
    for asked, answer in zip(questions, answers_to(caption, questions), strict=True):
        assert answer.text and not (answer.pose is not None and _near(answer, FORBIDDEN))
        cited = {
            (h.memory.pose.x, h.memory.pose.y) for h in answer.evidence if h.memory.pose and h.memory.map_id == MAP
        }
        for mode in NavigationMode:
            for confirm in (False, True):
                outcome, sent = decided(mode, answer, asked, confirm)
                where = f"{asked.text!r} in mode {mode.value}: {outcome}"
                if asked not in wanted:
                    assert outcome.state is GoalState.NONE and not sent, where
                for goal in sent:
                    assert (goal.pose.x, goal.pose.y) in cited and math.isfinite(goal.pose.x), where
                if mode is NavigationMode.OFF or (mode is NavigationMode.CONFIRM and not confirm):
                    assert not sent, where
                if mode is NavigationMode.AUTO and not confirm and asked.text.startswith("Bring mich"):
                    assert not sent, "what no rule knows as a request waits for a confirmation"


def _near(answer: Answer, place: tuple[float, float]) -> bool:
    return answer.pose is not None and answer.pose.distance_to(*place) < 5.0


def test_the_model_does_obey() -> None:
    """Else all of this would prove nothing: with the honest caption's words it wants to go, and says so."""
    (answer,) = answers_to(HOSTILE_CAPTIONS[0], [question("bring mich hin zur Kaffeemaschine", map_id=MAP)])
    assert answer.wants_goal and answer.evidence[0].memory.caption == HOSTILE_CAPTIONS[0]
