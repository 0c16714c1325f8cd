"""Replies as servers and small models really send them. Field faults 11, 25, 45, 59, 63 at the parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_llm import call, calls, message

from remembr_ros.recall.replies import MAX_REPLY, read_arguments, read_reply
from remembr_ros.recall.tool_tables import TOOLS

SEARCH = {"query": "red chair"}


def arguments_of(body: Any) -> list[tuple[str, Any]]:
    return [(c.name, c.arguments) for c in read_reply(body, TOOLS).calls]


@pytest.mark.parametrize(
    "content",
    [
        '{"name": "search_text", "arguments": {"query": "red chair"}}',
        'Sure! I will look.\n```json\n{"name": "search_text", "arguments": {"query": "red chair"}}\n```',
        '<tool_call>\n{"name": "search_text", "arguments": {"query": "red chair"}}\n</tool_call>',
        '[TOOL_CALLS] [{"name": "search_text", "arguments": {"query": "red chair"}}]',
        '<function=search_text>{"query": "red chair"}</function>',
        '{"type": "function", "function": {"name": "search_text", "arguments": "{\\"query\\": \\"red chair\\"}"}}',
        '{"name": "search_text", "parameters": {"query": "red chair"}}',
        '{"tool": "search_text", "query": "red chair"}',
        "{'name': 'search_text', 'arguments': {'query': 'red chair'}}",
        'search_text(query="red chair")',
        '<think>{"name": "answer", "arguments": {"text": "99"}}</think>'
        '{"name": "search_text", "arguments": {"query": "red chair"}}',
    ],
)
def test_fault_11_a_call_written_as_text_is_a_call(content: str) -> None:
    reply = read_reply(message(content), TOOLS)
    assert [(c.name, c.arguments) for c in reply.calls] == [("search_text", SEARCH)]
    assert reply.text == "", "the JSON must never be spoken"


@pytest.mark.parametrize(
    "content", ["I saw {a chair} there.", '{"name": "rm", "arguments": {"path": "/"}}', "{", "[1, 2]", "a] b} c"]
)
def test_text_that_calls_nothing_stays_text(content: str) -> None:
    reply = read_reply(message(content), TOOLS)
    assert not reply.calls and reply.text == content


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "  ",
        '{"query": "red ch',
        "[]",
        "null",
        '"chair"',
        '{"query":"chair"} {"query":"sofa"}',
        "{}{}",
        "3",
        "NaN",
        '{"query": NaN}',
        "{'query': open('x')}",
        '"' * 50,
        "[" * 100_000,
        None,
        7,
        ["query"],
    ],
)
def test_fault_25_unusable_arguments_have_a_fault_and_no_value(raw: Any) -> None:
    arguments, fault = read_arguments(raw)
    assert arguments is None and fault


@pytest.mark.parametrize(
    "raw",
    [
        SEARCH,
        json.dumps(SEARCH),
        '{"query": "red chair",}',
        "{'query': 'red chair'}",
        '```json\n{"query": "red chair"}\n```',
    ],
)
def test_fault_25_what_can_be_mended_safely_is(raw: Any) -> None:
    assert read_arguments(raw) == (SEARCH, "")


def test_fault_59_two_levels_of_json_are_decoded_and_three_are_not() -> None:
    twice = json.dumps(json.dumps(SEARCH))
    assert read_arguments(twice) == (SEARCH, "")
    arguments, fault = read_arguments(json.dumps(twice))
    assert arguments is None and "string" in fault


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []},
        {"choices": None},
        {},
        None,
        [],
        "text",
        {"choices": [None]},
        {"choices": [{"message": None}]},
        message(""),
        message(None),
        message("   "),
        message(None, reasoning_content="the chair is at [1,2,0]"),
        message("<think>the chair is at [1,2,0]"),
        message(None, finish="content_filter"),
        message([{"type": "image"}]),
        message(None, tool_calls="x"),
        message(None, tool_calls=[None, 3]),
    ],
)
def test_fault_45_a_reply_without_content_is_empty_not_an_error(body: Any) -> None:
    assert read_reply(body, TOOLS).empty


def test_fault_45_a_cut_reply_is_marked() -> None:
    assert read_reply(message("", finish="length"), TOOLS).cut


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('Sure!\n```json\n{"text": "by the door", "position": [1,2,0]}\n```', "by the door"),
        ("{'text': 'by the door', 'position': None}", "by the door"),
        ('```bash\nrm -rf x\n```\n{"text":"ok","position":null}', "ok"),
        ('{"text": "use ```x``` here", "position": null}', "use ```x``` here"),
        ('The answer: {"answer": "by the door"}', "by the door"),
    ],
)
def test_fault_63_an_answer_in_a_fence_prose_or_python_is_an_answer(content: str, text: str) -> None:
    ((name, arguments),) = arguments_of(message(content))
    assert name == "answer" and arguments["text"] == text


@pytest.mark.parametrize(
    "content",
    [
        '__import__("os").system("touch pwned")',
        '{"text": __import__("os").system("touch pwned")}',
        'answer(text=__import__("os").system("touch pwned"))',
        '```python\nsearch_text(query=open("pwned", "w").write("x"))\n```',
    ],
)
def test_fault_63_nothing_is_evaluated(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reply = read_reply(message(content), TOOLS)
    assert not reply.calls and reply.text == content
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("identity", ["call_1", None, "", 7, "x" * 500])
def test_fault_15_missing_and_repeated_ids_become_distinct(identity: Any) -> None:
    body = calls(*(call("search_text", {"query": str(n)}, identity) for n in range(3)))
    ids = [c.id for c in read_reply(body, TOOLS).calls]
    assert len(set(ids)) == 3 and all(0 < len(i) <= 64 for i in ids)


def test_a_long_reply_is_cut_and_its_calls_are_bounded() -> None:
    assert len(read_reply(message("x" * (3 * MAX_REPLY)), TOOLS).text) == MAX_REPLY
    assert len(read_reply(calls(*[call("search_text", SEARCH)] * 500), TOOLS).calls) <= 32


_json = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "arguments", "text", "function", "choices", "message", "tool_calls", "content"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_json, st.text(max_size=80))
def test_any_body_gives_a_reply(body: Any, content: str) -> None:
    for reply in (read_reply(body, TOOLS), read_reply(message(body), TOOLS), read_reply(message(content), TOOLS)):
        assert len({c.id for c in reply.calls}) == len(reply.calls)
        assert all(c.arguments is not None or c.fault for c in reply.calls)
