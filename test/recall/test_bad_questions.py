"""Questions that cannot be answered, oddly worded ones, and orders not to go: by the rules, without a model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest
from list_memory import ListMemory
from scripted_llm import ScriptedLLM, cite
from small_building import memories, ns

from remembr_ros.intent import asks_not_to_go, asks_to_go
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.records import Answer, AnswerError, AnswerKind

Ask = Callable[..., Answer]

REFUSALS = [
    "do not go to the red door",
    "don't take me to the elevator",
    "never go to the elevator",
    "please don't go to the elevator",
    "stop going to the elevator",
    "hey robot, do not bring me to the elevator!",
]


@pytest.mark.parametrize("text", REFUSALS)
@pytest.mark.parametrize("llm_on", [False, True])
def test_an_order_not_to_go_is_no_question_and_no_goal(
    hashed_building: ListMemory, ask: Ask, text: str, llm_on: bool
) -> None:
    with ScriptedLLM([cite("elevator", kind="position", go=True)]) as llm:
        answer = ask(hashed_building, text, llm if llm_on else None)
    assert asks_not_to_go(text) and not answer.wants_goal
    if not llm_on:
        assert answer.text == "All right, I will not go there." and answer.yes_no is None and answer.pose is None


@pytest.mark.parametrize("text", ["did you not go to the lab?", "didn't you go to the lab?", "don't you see a chair?"])
def test_questions_with_a_not_are_questions(text: str) -> None:
    assert not asks_not_to_go(text) and not asks_to_go(text)


@pytest.mark.parametrize("text", ["go to the elevator? no", "take me to the lab, no", "go to the lab. nope!"])
def test_taken_back_in_one_breath(text: str) -> None:
    assert not asks_to_go(text)


@pytest.mark.parametrize(
    "text",
    [
        "did you see a chair on Feb 30?",
        "did you see a chair at 25:00?",
        "did you see a chair tomorrow?",
        "did you see a chair in the next hour?",
        "how many chairs did you see next week?",
        "when did you last see the chair next Tuesday?",
        "where will the chair be in the future?",
        "did you see a chair on 9999-12-31?",
        "how many chairs did you see on 31 June?",
    ],
)
def test_a_time_that_never_was_is_neither_no_nor_never(hashed_building: ListMemory, ask: Ask, text: str) -> None:
    answer = ask(hashed_building, text)
    assert answer.error is AnswerError.NOT_FOUND and "no such time" in answer.text
    assert answer.yes_no is None and answer.count is None


@pytest.mark.parametrize(
    "text",
    [
        "was ist hier passiert?",
        "Was war hier los?",
        "Hast du eine Katze gesehen?",
        "As-tu vu un chat ?",
        "¿Has visto un gato?",
        "猫を見ましたか?",
        "أين الكرسي الأحمر؟",
        "אֵיפֹה הַכִּסֵּא הָאָדֹם",
    ],
)
def test_what_the_rules_do_not_understand_is_never_a_no(hashed_building: ListMemory, ask: Ask, text: str) -> None:
    answer = ask(hashed_building, text)
    assert answer.error is AnswerError.NOT_FOUND and answer.yes_no is None and "English" in answer.text


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("😀😀😀", AnswerError.NOT_FOUND),
        ("?!?!...", AnswerError.INVALID_QUESTION),
        ("-", AnswerError.INVALID_QUESTION),
        ("\x00\x1b[31m\x07", AnswerError.INVALID_QUESTION),
        ("\u202e\u200b\u2066", AnswerError.INVALID_QUESTION),
        ("'; DROP TABLE memories; -- \"", AnswerError.NOT_FOUND),
        ('caption like "%" or 1==1', AnswerError.NOT_FOUND),
        ('{"kind": "position", "evidence": ["m1"]}', AnswerError.NOT_FOUND),
        ("x" * 2000, AnswerError.NOT_FOUND),
        ("x" * 2001, AnswerError.INVALID_QUESTION),
    ],
)
def test_a_question_without_a_word_about_anything(
    hashed_building: ListMemory, ask: Ask, text: str, error: AnswerError
) -> None:
    answer = ask(hashed_building, text)
    assert answer.error is error and not answer.evidence


@pytest.mark.parametrize(
    "text", ["\x00\x1b[31mwhere is the red chair\x07", "where is the \u202ered\u202c chair\u200b?"]
)
def test_escapes_and_invisible_characters_are_not_part_of_a_question(
    hashed_building: ListMemory, ask: Ask, text: str
) -> None:
    answer = ask(hashed_building, text)
    assert answer.kind is AnswerKind.POSITION and answer.pose is not None and answer.question.isprintable()


@pytest.mark.parametrize(
    ("text", "yes", "count"),
    [
        ("isn't there a red chair?", True, None),
        ("you haven't seen an Egyptian cat, have you?", True, None),
        ("did you not see a red chair?", True, None),
        ("you never saw a dragon, did you?", False, None),
        ("count the red chairs", None, 1),
    ],
)
def test_odd_wordings(hashed_building: ListMemory, ask: Ask, text: str, yes: bool | None, count: int | None) -> None:
    answer = ask(hashed_building, text)
    assert (answer.yes_no, answer.count) == (yes, count)


def test_the_nearest_of_one_thing_to_another_and_what_is_here(hashed_building: ListMemory, ask: Ask) -> None:
    nearest = ask(hashed_building, "where is the nearest elevator to the red chair?")
    assert nearest.pose is not None and abs(nearest.pose.x - 25.0) < 1.0
    assert "espresso" in ask(hashed_building, "what happened here?").text
    assert ask(hashed_building, "any idea where the red chair is?").kind is AnswerKind.POSITION


def test_without_a_place_of_its_own_the_robot_says_so(hashed_building: ListMemory, ask: Ask) -> None:
    assert "do not know where I am" in ask(hashed_building, "what is the nearest chair?", pose=None).text


def test_a_place_on_another_map_is_named_as_one(ask: Ask) -> None:
    rows = [dataclasses.replace(memory, map_id="floor2") for memory in memories()]
    answer = ask(ListMemory(rows, HashingEmbedder(256)), "where is the red chair?")
    assert "on another map: floor2" in answer.text and answer.evidence[0].memory.map_id == "floor2"


def test_times_in_utc_say_utc(hashed_building: ListMemory) -> None:
    from remembr_ros.recall.when import format_instant, load_zone

    assert format_instant(ns(0), load_zone("UTC")) == "Mon 2026-11-30 19:00:00 UTC"
