"""What an ordered search of the model gives: occasions, to be counted and measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from list_memory import ListMemory
from scripted_llm import ScriptedLLM, answers, call, calls, cite, tool_results
from small_building import question

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.query import Order, Query
from remembr_ros.recall import prompt
from remembr_ros.recall.model_search import ModelSearch
from remembr_ros.recall.occasions import Occasions, occasions_of
from remembr_ros.records import NANOSECONDS, AnswerError, Hit, Memory

Ask = Callable[..., Any]
WINDOW_NS = 3 * NANOSECONDS


def memory(second: float, caption: str = "A red bicycle in a kitchen.", map_id: str = "floor") -> Memory:
    start_ns = round((1_791_187_200 + second) * NANOSECONDS)
    return Memory(
        id=f"r:c:{start_ns}",
        start_ns=start_ns,
        end_ns=start_ns + WINDOW_NS,
        episode_start_ns=start_ns,
        caption=caption,
        map_id=map_id,
        robot_id="r",
        camera="c",
    )


def test_windows_of_one_visit_are_one_occasion_with_two_ends() -> None:
    hits = [Hit(memory(second)) for second in (3, 0, 0, 200, 4000, 4003)]
    found = occasions_of(hits, latest_first=False)
    starts = [(o.first.memory.start_ns, o.last.memory.start_ns, o.number) for o in found]
    assert starts == [
        (memory(0).start_ns, memory(200).start_ns, 3),
        (memory(4000).start_ns, memory(4003).start_ns, 2),
    ]
    assert occasions_of(hits, latest_first=True) == found[::-1]


def test_another_floor_is_another_occasion() -> None:
    assert len(occasions_of([Hit(memory(0)), Hit(memory(3, map_id="attic"))], latest_first=False)) == 2


class Asked:
    """A search whose hits are given, by the order asked for; keeps the queries."""

    def __init__(self, **hits: list[Hit]) -> None:
        self.hits = hits
        self.queries: list[Query] = []

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        self.queries.append(query)
        return [
            hit
            for hit in self.hits.get(query.order.value, [])
            if (query.after_ns is None or hit.memory.end_ns > query.after_ns)
            and (query.before_ns is None or hit.memory.start_ns < query.before_ns)
        ]

    def between(self, after_ns: int, before_ns: int, limit: int) -> list[Memory]:
        return []


def test_what_says_all_the_words_goes_before_what_is_only_similar() -> None:
    bicycle, pram = Hit(memory(0), 0.8), Hit(memory(9000, "A red pram in a kitchen."), 0.6)
    found = ModelSearch(Asked(relevance=[bicycle], last=[pram, bicycle]), memory(99_999).start_ns).find(  # type: ignore[arg-type]
        Query(text="red bicycle", order=Order.LAST, limit=5), by_place=False
    )
    assert isinstance(found, Occasions) and len(found) == 2
    assert [o.first.memory for o in found.fitting] == [bicycle.memory]
    assert [o.first.memory for o in found.alike] == [pram.memory]


def test_a_room_number_is_found_among_different_captions() -> None:
    plate = Hit(memory(0, 'A door with the label "204, Dr. Weber".'), 0.4)
    others = [Hit(memory(n, f"Room {n} of many."), 0.5) for n in range(100, 103)]
    asked = Asked(relevance=[*others, plate])
    found = ModelSearch(asked, memory(99_999).start_ns).find(Query(text="room 204", limit=2), by_place=False)  # type: ignore[arg-type]
    assert isinstance(found, list) and plate in found and asked.queries[0].each_caption_once


def test_a_stay_is_read_off_its_two_ends(hashed_building: ListMemory, ask: Ask) -> None:
    searches = calls(call("search_text", {"query": "red chair", "order": "first", "limit": 1}))
    with ScriptedLLM([searches, answers(kind="not_found", text="no")]) as llm:
        ask(hashed_building, "What about it?", llm)
    (result,) = (m["content"] for m in tool_results(llm.requests[1]))
    heading, first, last = result.split("\n")[:3]
    assert heading.startswith("1 occasions fit") and "red chair" in first and last.endswith("memories")


def test_a_moment_as_both_bounds_is_the_time_around_it(hashed_building: ListMemory, ask: Ask) -> None:
    when = {"after": "2:10 pm", "before": "2:10 pm"}
    backwards = {"after": "2:30 pm", "before": "2:10 pm"}
    searches = calls(*(call("search_text", {"query": "chair", **bounds}) for bounds in (when, backwards)))
    with ScriptedLLM([searches, answers(kind="not_found", text="no")]) as llm:
        ask(hashed_building, "What about it?", llm)
    around, refused = (m["content"] for m in tool_results(llm.requests[1]))
    assert "chair" in around and "Error: after (2:30 pm) is not earlier than before (2:10 pm)" in refused


def test_a_memory_shown_again_is_named_by_its_id_where_room_is_short() -> None:
    line = 'm1 | Mon 2026-10-05 10:00:00 UTC+02:00 | 1 day ago | place unknown | "A chair."'
    new = 'm2 | Mon 2026-10-05 10:00:03 UTC+02:00 | 1 day ago | place unknown | "A lamp."'
    messages = [
        {"role": "user", "content": question("Where?").text},
        prompt.tool_request([("a", "search_text", {})]),
        prompt.tool_result("a", ["1 fit:", line]),
        prompt.tool_request([("b", "search_text", {})]),
        prompt.tool_result("b", ["2 fit:", line, new]),
    ]
    assert prompt.fit(messages, 100_000) == messages
    short = prompt.fit(messages, sum(len(m["content"]) for m in messages) + 100)
    assert short[2]["content"] == f"1 fit:\n{line}"
    assert short[4]["content"] == f"2 fit:\nm1: as above\n{new}"


def test_what_was_seen_before_is_left_out_before_what_is_new() -> None:
    def lines(letter: str) -> list[str]:
        return ["20 fit:", *(f'm{letter}{n} | a time | "{"x" * 80}"' for n in range(20))]

    messages = [
        {"role": "user", "content": "Where?"},
        prompt.tool_request([("a", "search_text", {})]),
        prompt.tool_result("a", lines("1")),
        prompt.tool_request([("b", "search_text", {})]),
        prompt.tool_result("b", lines("2")),
    ]
    fitted = prompt.fit(messages, 3500)
    assert fitted[4] == messages[4] and "(more left out)" in fitted[2]["content"]


def test_a_memory_without_a_place_proves_none(ask: Ask) -> None:
    rows = ListMemory([memory(-300_000 + n) for n in (0, 3)], HashingEmbedder(64))
    cites = cite("bicycle", kind="position")
    with ScriptedLLM([cites, cites, cites]) as llm:
        answer = ask(rows, "Where is the bicycle?", llm, now_ns=memory(0).start_ns)
    assert "places of these memories are not known" in tool_results(llm.requests[1])[0]["content"]
    assert answer.error is AnswerError.NOT_FOUND
