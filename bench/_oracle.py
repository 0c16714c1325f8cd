"""A language model that answers at once and knows when the evidence is before it: the measure of how few calls suffice.

It sees only the bytes of HTTP requests. Its searches are made of words of the question and ids of shown memories; the
truth only tells it which of the shown memories prove the answer. Shown what it needs, it answers; else it searches.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from scripted_llm import Request, ScriptedLLM, call
from scripted_llm import calls as completion

from bench._patrol import Asked

MAX_SEARCHES = 3
Call = tuple[str, dict[str, Any]]
Shown = dict[int, tuple[str, str]]
"""Start [s] of each shown memory: its id and its line."""


class Oracle(ScriptedLLM):
    """The server of the tests, answering as the module says."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._asked = {item.question.text: item for item in asked}
        super().__init__(self.reply)

    def reply(self, request: Request) -> dict[str, Any]:
        """The chat completion for one request."""
        messages = request["messages"]
        text = next(m["content"] for m in reversed(messages) if m["role"] == "user" and "Question: " in m["content"])
        asked = self._asked[json.loads(text.rpartition("Question: ")[2])]
        shown = _shown(messages)
        searches = sum(1 for m in messages if m["role"] == "assistant") - 1  # the first stands for the prefetch
        only_answer = len(request["tools"]) == 1
        evidence = [next((shown[second][0] for second in group if second in shown), "") for group in asked.want]
        if asked.want and all(evidence):
            calls = [_answer(asked, evidence)]
        elif only_answer or searches >= MAX_SEARCHES or (not asked.want and searches >= 1):
            calls = [_give_up(asked)]
        else:
            calls = _searches(asked, searches, shown)
        return completion(*(call(name, arguments, f"call{n:05d}") for n, (name, arguments) in enumerate(calls)))


def _answer(asked: Asked, evidence: list[str]) -> Call:
    given: dict[str, Any] = {"kind": asked.kind, "text": "I saw it.", "evidence": evidence}
    if asked.kind == "yes_no":
        given["yes_no"] = True
    if asked.kind == "duration":
        given |= {"from": evidence[0], "until": evidence[-1]}
    return "answer", given


def _give_up(asked: Asked) -> Call:
    if asked.kind == "yes_no":
        return "answer", {"kind": "yes_no", "text": "No.", "yes_no": False}
    return "answer", {"kind": "not_found", "text": "I could not find that."}


def _searches(asked: Asked, number: int, shown: Shown) -> list[Call]:
    """The next searches: first as the question says, then wider."""
    limit = (5, 20, 20)[number]
    words = asked.words.split("; ") if asked.words else [asked.question.text]
    assert all(word in asked.question.text for word in words)
    named = [identity for _, (identity, line) in sorted(shown.items()) if asked.after and asked.after in line]
    if named:
        return [("search_time", {"at": named[-1], "after": named[-1], "order": "first", "limit": limit})]
    calls: list[Call] = []
    for word in words:
        call: dict[str, Any] = {"query": word, "limit": limit}
        if asked.order == "nearest" and number == 0:
            call |= {"near": "me", "order": "nearest"}
        elif asked.order in ("first", "last") and number < 2:
            call["order"] = asked.order
        calls.append(("search_text", call))
    if asked.kind == "duration" and len(words) == 1:
        calls += [("search_text", {"query": words[0], "order": order, "limit": 3}) for order in ("first", "last")]
    return calls


_LINE = re.compile(r"^(?:.* at )?(m\d+) \| \w+ (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}) UTC([+-]\d{2}:\d{2})? \|")


def _shown(messages: list[dict[str, Any]]) -> Shown:
    shown: Shown = {}
    for message in messages:
        if message["role"] == "tool":
            for line in message["content"].split("\n"):
                found = _LINE.match(line)
                if found:
                    start = datetime.strptime(f"{found[2]} {found[3] or '+00:00'}", "%Y-%m-%d %H:%M:%S %z")
                    shown[int(start.timestamp())] = (found[1], line)
    return shown
