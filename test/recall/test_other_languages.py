"""Questions in other languages: searched for in the captions' language, answered in the asker's, numbers by code."""
# ruff: noqa: RUF001 -- letters that look like others are the point

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, shown_ids
from small_building import ns

from remembr_ros.recall import prompt
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.understand import in_english
from remembr_ros.records import Answer, AnswerError, AnswerKind

Ask = Callable[..., Answer]
SETTINGS = RecallSettings(time_limit_s=10.0, llm_timeout_s=5.0)


def model(words: str, **answer: Any) -> Callable[[Request], Any]:
    """Searches in English, then cites and answers in the asker's language."""

    def reply(request: Request) -> Any:
        if not any(m["role"] == "assistant" and "english_" in str(m) for m in request["messages"]):
            return calls(call("search_text", {"query": words}, "english_1"))
        return answers(evidence=shown_ids(request, words)[:1], **answer)

    return reply


def test_the_rules_say_so() -> None:
    assert "language of the\n  captions" in prompt.RULES and "language of the question" in prompt.RULES


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Wo hast du den roten Stuhl gesehen?", "Neben dem breiten Fenster."),
        ("¿Dónde está la silla roja?", "Junto a la ventana."),
        ("赤い椅子はどこですか", "窓のそばです。"),
        ("Où est la chaise rouge ?", "À côté de la fenêtre."),
        ("Где красный стул?", "Рядом с окном."),
    ],
)
def test_where(hashed_building: ListMemory, ask: Ask, asked: str, said: str) -> None:
    with ScriptedLLM(model("red chair", kind="position", text=said)) as llm:
        answer = ask(hashed_building, asked, llm, SETTINGS)
    assert answer.kind is AnswerKind.POSITION and answer.pose is not None and answer.pose.distance_to(15.0, 3.0) < 1.0
    assert answer.text == f"{said} (x 15.0 m, y 3.0 m, map, 2026-11-30 14:05:00 UTC-05:00)"
    assert asked in llm.requests[0]["messages"][1]["content"] and not answer.wants_goal


def test_when_how_long_and_how_often(hashed_building: ListMemory, ask: Ask) -> None:
    with ScriptedLLM(model("Egyptian cat", kind="time", text="Ich habe sie heute gesehen.")) as llm:
        answer = ask(hashed_building, "Wann hast du die Katze gesehen?", llm, SETTINGS)
    assert answer.time_ns == ns(900) and answer.text == "Ich habe sie heute gesehen. (2026-11-30 14:15:00 UTC-05:00)"
    with ScriptedLLM(model("Egyptian cat", kind="duration", text="Seitdem.", until="now")) as llm:
        answer = ask(hashed_building, "Wie lange ist das her?", llm, SETTINGS)
    assert answer.duration_s == 2700 and "(45 min 0 s: 2026-11-30 14:15:00" in answer.text
    with ScriptedLLM(model("Egyptian cat", kind="count", text="Nur diese.")) as llm:
        answer = ask(hashed_building, "Wie viele Katzen hast du gesehen?", llm, SETTINGS)
    assert answer.count == 1 and answer.text == "Nur diese. (1 x)"


def test_numbers_of_its_own_are_dropped_in_any_language(hashed_building: ListMemory, ask: Ask) -> None:
    with ScriptedLLM(model("red chair", kind="position", text="Bei (99, 99). Am Fenster.")) as llm:
        answer = ask(hashed_building, "Wo ist der rote Stuhl?", llm, SETTINGS)
    assert answer.text.startswith("Am Fenster. (x 15.0") and "99" not in answer.text


def test_not_found_and_no_in_the_askers_words(hashed_building: ListMemory, ask: Ask) -> None:
    with ScriptedLLM([answers(kind="not_found", text="Das habe ich nie gesehen.")]) as llm:
        answer = ask(hashed_building, "Wo ist das Einhorn?", llm, SETTINGS)
    assert answer.error is AnswerError.NOT_FOUND and answer.text == "Das habe ich nie gesehen."
    with ScriptedLLM([answers(kind="yes_no", text="Nein.", yes_no=False)]) as llm:
        assert ask(hashed_building, "Hast du einen Hund gesehen?", llm, SETTINGS).text == "Nein."


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Where is the red chair?", True),
        ("take me there", True),
        ("How many?", True),
        ("Wo ist der rote Stuhl?", False),
        ("Bring mich zur Küche", False),
        ("Waar is de stoel?", False),
        ("椅子はどこ", False),
    ],
)
def test_english_or_not(text: str, english: bool) -> None:
    assert in_english(text) is english
