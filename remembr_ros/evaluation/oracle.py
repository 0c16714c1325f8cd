"""A language model that knows a right memory when it is shown one: what is left is the agent's and the search's fault.

In: nothing but the bytes of HTTP requests. Its searches are made of words of the question and of memories it was shown,
by code that knows no truth (oracle_searches.py); the truth only tells it which of the shown memories to cite, and when
to stop. Times ns, durations s.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import product
from typing import Any
from zoneinfo import ZoneInfo

from remembr_ros.evaluation.cases import Case
from remembr_ros.evaluation.chat_server import ChatServer, Sent
from remembr_ros.evaluation.oracle_searches import Call, Searcher, Shown
from remembr_ros.memory.schema import start_of
from remembr_ros.recall.other_words import OtherWords
from remembr_ros.records import NANOSECONDS, AnswerKind

MAX_SEARCHES = 3
TIME_SLACK_S = 100.0
"""A cited time or length this far off is not proof: below the 2 min that count as right."""
OCCASION_GAP_S = 600.0
_KIND = {
    AnswerKind.POSITION: "position",
    AnswerKind.TIME: "time",
    AnswerKind.DURATION: "duration",
    AnswerKind.COUNT: "count",
    AnswerKind.BINARY: "yes_no",
    AnswerKind.TEXT: "text",
}
_LINE = re.compile(
    r"^(?:.* at )?(m\d+) \| \w+ (\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2})(?: UTC([+-]\d{2}:\d{2}))? \|"
    r"(?:.*?(\".*\")|.* memories)$"
)


class Oracle(ChatServer):
    """An OpenAI-compatible server on a free port; use as a context manager. `words`: knowledge of language alone."""

    def __init__(self, cases: Sequence[Case], zone: ZoneInfo, words: OtherWords) -> None:
        self._cases: dict[str, list[Case]] = {}
        for case in cases:
            self._cases.setdefault(case.question, []).append(case)
        self._zone = zone
        self._words = words
        super().__init__(lambda body, _: Sent(json.dumps(self.reply(body)).encode()))

    def reply(self, body: bytes) -> dict[str, Any]:
        """The chat completion for one request."""
        request = json.loads(body)
        messages = request["messages"]
        text = next(m["content"] for m in reversed(messages) if m["role"] == "user" and "Question: " in m["content"])
        question, _ = json.JSONDecoder().raw_decode(text.rpartition("Question: ")[2])
        shown = _shown(messages, self._zone)
        case = self._case(question, text)
        searches = sum(1 for m in messages if m["role"] == "assistant") - 1  # the first stands for the prefetch
        proof = _proof(case, _placed(messages, shown) if case.truth.kind is AnswerKind.POSITION else shown)
        last = len(request["tools"]) == 1 or searches >= MAX_SEARCHES
        nothing_to_find = not case.truth.answerable or case.truth.yes_no is False
        if proof is not None and (case.truth.kind is not AnswerKind.COUNT or _complete(case, shown) or last):
            calls = [proof]
        elif last or (nothing_to_find and searches >= 1):
            calls = [_give_up(case)]
        else:
            searcher = Searcher(question, case.now_ns, self._zone, self._words)
            calls = searcher.calls(searches, shown, _made(messages))
        made = [
            {"id": f"call{n:05d}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": made}
        return {
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
        }

    def _case(self, question: str, moment: str) -> Case:
        """The case of the question; of several with the same words, that of the moment it is asked at."""
        cases = self._cases[question]
        for case in cases:
            local = datetime.fromtimestamp(case.now_ns // NANOSECONDS, self._zone)
            if f"{local:%Y-%m-%d %H:%M}" in moment:
                return case
        return cases[0]


def _evidence(case: Case) -> set[int]:
    starts = (start_of(identity) for identity in case.truth.evidence_ids)
    return {start // NANOSECONDS for start in starts if start is not None}


def _proof(case: Case, shown: Shown) -> Call | None:
    """The answer that the shown memories prove, None while they do not."""
    truth = case.truth
    evidence = _evidence(case)
    seconds = [second for second in shown if second in evidence]
    if not truth.answerable or not seconds:
        return None
    given: dict[str, Any] = {"kind": _KIND[truth.kind], "text": "I saw it."}
    if truth.kind is AnswerKind.TIME:
        near = [(_off_s(second, truth.times), second) for second in seconds]
        off, second = min(near)
        return ("answer", given | {"evidence": [shown[second][0]]}) if off <= TIME_SLACK_S else None
    if truth.kind is AnswerKind.DURATION:
        assert truth.duration_s is not None
        wanted = truth.duration_s
        pairs = [(abs(b + 3 - a - wanted), a, b) for a, b in product(seconds, repeat=2) if a <= b]
        off, first, last = min(pairs)
        ends = {"from": shown[first][0], "until": shown[last][0]}
        evidence_of = {"evidence": [shown[first][0], shown[last][0]]}
        return ("answer", given | evidence_of | ends) if off <= TIME_SLACK_S else None
    if truth.kind is AnswerKind.COUNT:
        return "answer", given | {"evidence": [shown[second][0] for second in _one_each(evidence, shown)]}
    if truth.kind is AnswerKind.TEXT:
        judged = [second for second in seconds if any(_says(shown[second][1], text) for text in truth.texts)]
        second = (judged or seconds)[0]
        return "answer", given | {"evidence": [shown[second][0]], "text": shown[second][1]}
    if truth.kind is AnswerKind.BINARY:
        given["yes_no"] = truth.yes_no
    return "answer", given | {"evidence": [shown[second][0] for second in seconds[:3]]}


def _complete(case: Case, shown: Shown) -> bool:
    return len(_one_each(_evidence(case), shown)) == case.truth.count


def _one_each(evidence: set[int], shown: Shown) -> list[int]:
    """One of each occasion of which any is shown."""
    chosen: list[int] = []
    previous, done = 0, True
    for second in sorted(evidence):
        if second - previous > OCCASION_GAP_S:
            done = False
        if not done and second in shown:
            chosen.append(second)
            done = True
        previous = second
    return chosen


def _off_s(second: int, times: Sequence[tuple[int, int]]) -> float:
    instant = second * NANOSECONDS
    return min(max(begin - instant, instant - end, 0) for begin, end in times) / NANOSECONDS


def _says(caption: str, text: str) -> bool:
    said = set(re.findall(r"\w+", caption.lower()))
    return set(re.findall(r"\w+", text.lower())) <= said


def _give_up(case: Case) -> Call:
    if case.truth.kind is AnswerKind.BINARY:
        return "answer", {"kind": "yes_no", "text": "No.", "yes_no": False}
    if case.truth.kind is AnswerKind.COUNT:
        return "answer", {"kind": "count", "text": "Never.", "evidence": [], "count": 0}
    return "answer", {"kind": "not_found", "text": "I could not find that."}


def _shown(messages: Sequence[Mapping[str, Any]], zone: ZoneInfo) -> Shown:
    """In the order in which they were shown first."""
    shown: Shown = {}
    for message in messages:
        if message["role"] != "tool":
            continue
        for line in str(message["content"]).split("\n"):
            found = _LINE.match(line)
            if found:
                wall = datetime.strptime(found[2], "%Y-%m-%d %H:%M:%S")
                stamp = (
                    datetime.fromisoformat(f"{wall.isoformat()}{found[3]}") if found[3] else wall.replace(tzinfo=zone)
                )
                second, caption = int(stamp.timestamp()), json.loads(found[4]) if found[4] else ""
                if not shown.get(second, ("", ""))[1]:
                    shown[second] = found[1], caption
    return shown


def _placed(messages: Sequence[Mapping[str, Any]], shown: Shown) -> Shown:
    """Without those whose lines say that their place is not known: they prove no place."""
    lines = [line for message in messages if message["role"] == "tool" for line in str(message["content"]).split("\n")]
    unknown = {line.partition(" | ")[0] for line in lines if " | place unknown | " in line}
    return {second: memory for second, memory in shown.items() if memory[0] not in unknown}


def _made(messages: Sequence[Mapping[str, Any]]) -> list[Call]:
    calls = [call["function"] for message in messages for call in message.get("tool_calls") or []]
    return [(call["name"], json.loads(call["arguments"])) for call in calls]
