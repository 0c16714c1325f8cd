"""The oracle: sees the bytes of requests, searches with words it was given, cites what it was shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remembr_ros.evaluation.cases import Case, Place, Truth
from remembr_ros.evaluation.oracle import Oracle
from remembr_ros.evaluation.sim.drive import ZONE
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.schema import memory_id
from remembr_ros.recall.other_words import OtherWords
from remembr_ros.records import NANOSECONDS, AnswerKind

SEEN_S = 1_791_187_200  # 2026-10-05 10:00:00 in Berlin
NOW_NS = (SEEN_S + 86_400) * NANOSECONDS
PROOF = memory_id("sim", "front", SEEN_S * NANOSECONDS)
LINE = 'm3 | Mon 2026-10-05 10:00:00 UTC+02:00 | 1 day ago | x 1.0 y 2.0 | "A settee in a foyer."'
OTHER = 'm4 | Mon 2026-10-05 11:00:00 UTC+02:00 | 1 day ago | x 1.0 y 2.0 | "A lamp in a foyer."'


def case(truth: Truth, question: str = "Where is the couch?") -> Case:
    return Case("1", "where", question, NOW_NS, truth)


def reply(one: Case, *shown: str, rounds: int = 0, only_answer: bool = False) -> list[tuple[str, dict[str, Any]]]:
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"Question: {json.dumps(one.question)}"},
        {"role": "assistant", "tool_calls": []},
        {"role": "tool", "content": "\n".join(["2 fit:", *shown])},
        *({"role": "assistant", "tool_calls": []} for _ in range(rounds)),
    ]
    tools = [{}] if only_answer else [{}, {}]
    oracle = Oracle([one], ZONE, OtherWords(create_embedder("hashing")))
    body = oracle.reply(json.dumps({"messages": messages, "tools": tools}).encode())
    calls = body["choices"][0]["message"]["tool_calls"]
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]


WHERE = case(Truth(AnswerKind.POSITION, places=(Place(1.0, 2.0),), evidence_ids=frozenset({PROOF})))
ELSEWHERE = frozenset({memory_id("sim", "front", (SEEN_S + 50_000) * NANOSECONDS)})
WHERE_ELSE = case(Truth(AnswerKind.POSITION, places=(Place(1.0, 2.0),), evidence_ids=ELSEWHERE))


def test_shown_the_proof_it_cites_it() -> None:
    ((name, arguments),) = reply(WHERE, OTHER, LINE)
    assert name == "answer" and arguments["evidence"] == ["m3"]


def test_not_shown_it_searches_with_words_of_the_question_and_of_what_it_saw() -> None:
    calls = reply(WHERE, OTHER, rounds=1)
    assert {name for name, _ in calls} == {"search_text"}
    words = {word for _, arguments in calls for word in arguments["query"].split()}
    assert words <= set("Where is the couch A lamp in a foyer couch lamp foyer".split())


@pytest.mark.parametrize(("rounds", "only_answer"), [(3, False), (0, True)])
def test_without_the_proof_it_gives_up_in_the_end(rounds: int, only_answer: bool) -> None:
    ((name, arguments),) = reply(WHERE, OTHER, rounds=rounds, only_answer=only_answer)
    assert name == "answer" and arguments["kind"] == "not_found"


def test_what_is_not_there_is_not_found_after_one_search() -> None:
    nothing = case(Truth(AnswerKind.POSITION, answerable=False))
    assert reply(nothing, OTHER)[0][0] == "search_text"
    assert reply(nothing, OTHER, rounds=1)[0][1]["kind"] == "not_found"


def test_a_time_far_from_the_truth_proves_nothing() -> None:
    begin = (SEEN_S - 3600) * NANOSECONDS
    late = case(Truth(AnswerKind.TIME, times=((begin, begin),), evidence_ids=frozenset({PROOF})), "When was it?")
    assert reply(late, LINE)[0][0] == "search_text"


def test_a_length_is_told_by_its_two_ends() -> None:
    ends = frozenset({PROOF, memory_id("sim", "front", (SEEN_S + 3600) * NANOSECONDS)})
    stay = case(Truth(AnswerKind.DURATION, duration_s=3603.0, evidence_ids=ends), "How long?")
    ((_, arguments),) = reply(stay, OTHER, LINE)
    assert (arguments["from"], arguments["until"]) == ("m3", "m4")


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_its_searches_are_the_same_whatever_is_true(rounds: int) -> None:
    truths = (
        Truth(AnswerKind.POSITION, places=(Place(1.0, 2.0),), evidence_ids=ELSEWHERE),
        Truth(AnswerKind.COUNT, count=3, evidence_ids=ELSEWHERE),
        Truth(AnswerKind.DURATION, duration_s=60.0, evidence_ids=ELSEWHERE),
        Truth(AnswerKind.TEXT, texts=("a settee",), evidence_ids=ELSEWHERE),
    )
    made = [reply(case(truth), OTHER, LINE, rounds=rounds) for truth in truths]
    assert made[0] and all(calls == made[0] for calls in made)


def test_a_second_turn_searches_for_what_captions_call_the_thing() -> None:
    queries = [arguments["query"] for _, arguments in reply(WHERE_ELSE, LINE, rounds=1)]
    assert "settee" in queries, "a couch is a settee, and a caption says so"
    assert "sofa" not in queries, "no caption was shown that says so"


def test_no_search_is_made_twice() -> None:
    first = reply(WHERE, OTHER)
    body = {"role": "assistant", "tool_calls": [_call(name, arguments) for name, arguments in first]}
    messages = [
        {"role": "user", "content": f"Question: {json.dumps(WHERE.question)}"},
        {"role": "assistant", "tool_calls": []},
        {"role": "tool", "content": OTHER},
        body,
    ]
    oracle = Oracle([WHERE], ZONE, OtherWords(create_embedder("hashing")))
    said = oracle.reply(json.dumps({"messages": messages, "tools": [{}, {}]}).encode())
    calls = said["choices"][0]["message"]["tool_calls"]
    second = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
    assert second and not any(call in first for call in second)


def test_an_occasion_is_counted_once_though_both_its_ends_are_shown() -> None:
    seconds = (0, 700, 1400)  # more than ten minutes between those that are shown
    ids = frozenset(memory_id("sim", "front", (SEEN_S + s) * NANOSECONDS) for s in (0, 350, 700, 1050, 1400))
    lines = [f'm{n} | Mon 2026-10-05 10:{s // 60:02d}:{s % 60:02d} UTC+02:00 | "A."' for n, s in enumerate(seconds)]
    ((_, arguments),) = reply(case(Truth(AnswerKind.COUNT, count=1, evidence_ids=ids), "How often?"), *lines)
    assert arguments["evidence"] == ["m0"]


def test_the_other_end_of_an_occasion_has_only_a_time() -> None:
    ends = frozenset({PROOF, memory_id("sim", "front", (SEEN_S + 3600) * NANOSECONDS)})
    stay = case(Truth(AnswerKind.DURATION, duration_s=3603.0, evidence_ids=ends), "How long?")
    end = "m4 | Mon 2026-10-05 11:00:00 UTC+02:00 | last of its 20 memories"
    ((_, arguments),) = reply(stay, LINE, end)
    assert (arguments["from"], arguments["until"]) == ("m3", "m4")


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
