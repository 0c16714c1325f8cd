"""Two hundred replies that say the right thing in a wrong form: the intended answer comes out of nearly all of them."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from list_memory import ListMemory
from scripted_llm import history_problems, shown_ids
from small_building import ZONE, memories, question

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.agent import Agent
from remembr_ros.recall.replies import Reply, read_reply
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import AnswerKind

Arguments = dict[str, Any]
REPLIES = 200


def native(name: str, arguments: Any, **more: Any) -> Any:
    return {"tool_calls": [{"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}, **more}]}


def said(text: str) -> Any:
    return {"content": text}


def written(name: str, arguments: Arguments) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def keywords(arguments: Arguments) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in arguments.items())


def tagged(arguments: Arguments) -> str:
    return "".join(
        f"<parameter={key}>{', '.join(value) if isinstance(value, list) else value}</parameter>"
        for key, value in arguments.items()
    )


WRAPPERS: tuple[Callable[[str, Arguments], Any], ...] = (
    lambda n, a: native(n, json.dumps(a)),
    lambda n, a: native(n, a),
    lambda n, a: native(n, json.dumps(json.dumps(a))),
    lambda n, a: native(n, json.dumps(a)[:-1] + ",}"),
    lambda n, a: native(n, repr(a)),
    lambda n, a: native(n, f"```json\n{json.dumps(a)}\n```"),
    lambda n, a: native(n, json.dumps(a, indent=2)),
    lambda n, a: native(f"functions.{n}", json.dumps(a)),
    lambda n, a: native(f" {n.upper()} ", json.dumps(a)),
    lambda n, a: native(n.replace("_", "-"), json.dumps(a)),
    lambda n, a: {"tool_calls": [{"function": {"name": n, "arguments": json.dumps(a)}}]},
    lambda n, a: {"tool_calls": [{"id": None, "name": n, "arguments": a}]},
    lambda n, a: {"content": None, "function_call": {"name": n, "arguments": json.dumps(a)}},
    lambda n, a: {"content": "Let me see.", **native(n, json.dumps(a))},
    lambda n, a: said(written(n, a)),
    lambda n, a: said(f"Sure! Here it is:\n```json\n{written(n, a)}\n```\nAnything else?"),
    lambda n, a: said(f"<think>maybe (99, 99)? {written('answer', {'text': '99'})}</think>{written(n, a)}"),
    lambda n, a: said(f"<tool_call>\n{written(n, a)}\n</tool_call>"),
    lambda n, a: said(f"[TOOL_CALLS] [{written(n, a)}]"),
    lambda n, a: said(f"<|python_tag|>{written(n, a)}"),
    lambda n, a: said(f"<function={n}>{json.dumps(a)}</function>"),
    lambda n, a: said(f"<function={n}>{tagged(a)}</function>"),
    lambda n, a: said(f"Thought: I should look.\nAction: {n}\nAction Input: {json.dumps(a)}"),
    lambda n, a: said(f"function\n{n}\n```json\n{json.dumps(a)}\n```"),
    lambda n, a: said(f"{n}({keywords(a)})"),
    lambda n, a: said(f"```python\n{n}({keywords(a)})\n```"),
    lambda n, a: said(str({"name": n, "arguments": a})),
    lambda n, a: said(json.dumps({"tool": n, **a})),
    lambda n, a: said(json.dumps({"name": n, "parameters": a})),
    lambda n, a: said(json.dumps({"action": n, "action_input": a})),
    lambda n, a: said(json.dumps({"type": "function", "function": {"name": n, "arguments": json.dumps(a)}})),
    lambda n, a: said(json.dumps({"tool_calls": [{"name": n, "arguments": a}]})),
    lambda n, a: {"content": [{"type": "text", "text": written(n, a)}]},
)
ANSWER_SLIPS: tuple[Callable[[str], Arguments], ...] = (
    lambda m: {"evidence": [m]},
    lambda m: {"evidence": m},
    lambda m: {"evidence": [f"[{m}]"]},
    lambda m: {"evidence": [m.upper()]},
    lambda m: {"evidence": f"{m}, {m}"},
    lambda m: {"evidence": [m], "kind": "Position"},
    lambda m: {"evidence": [m], "position": [99, 99, 0], "confidence": 0.9},
    lambda m: {"evidence": [m], "yes_no": None, "count": None, "from": "", "go": False},
    lambda m: {"evidence": [m], "go": "false"},
)
SEARCH_SLIPS: tuple[Arguments, ...] = (
    {},
    {"limit": "5"},
    {"limit": 5.0},
    {"order": "Relevance"},
    {"near": None, "after": ""},
    {"within_m": "20", "near": "me"},
    {"after": "start", "before": "now"},
    {"near": "M1"},
)


class Clumsy:
    """Searches, then answers with the red chair; each time in the next wrong form."""

    name = "llm:clumsy"

    def __init__(self, draw: random.Random) -> None:
        self._draw = draw
        self.requests = 0

    async def complete(self, messages: Sequence[Any], tools: Sequence[Any], **_: Any) -> Reply:
        assert not history_problems(messages)
        self.requests += 1
        wrap = self._draw.choice(WRAPPERS)
        if self.requests == 1:
            body = wrap("search_text", {"query": "red chair by a window", **self._draw.choice(SEARCH_SLIPS)})
        else:
            chair = shown_ids({"messages": list(messages)}, "red chair")[0]
            slip = self._draw.choice(ANSWER_SLIPS)(chair)
            body = wrap("answer", {"kind": "position", "text": "By the window.", **slip})
        completion = {"choices": [{"message": json.loads(json.dumps(body)), "finish_reason": "stop"}]}
        return read_reply(completion, [t["function"]["name"] for t in tools], f"c{len(messages):04d}")

    async def close(self) -> None:
        pass


def test_nearly_all_repairable_replies_give_the_intended_answer() -> None:
    memory, failed = ListMemory(memories(), HashingEmbedder(64)), []
    for seed in range(REPLIES // 2):  # two replies each
        chat = Clumsy(random.Random(seed))
        agent = Agent(memory, chat, ZONE, RecallSettings(time_limit_s=10.0))
        answer = asyncio.run(agent.ask(question("Where is the red chair?")))
        right = (
            answer.error is None
            and answer.kind is AnswerKind.POSITION
            and answer.pose is not None
            and answer.pose.distance_to(15.0, 3.0) < 1.0
            and answer.text.startswith("By the window.")
            and (answer.rounds, chat.requests) == (1, 2)
            and not answer.wants_goal
        )
        if not right:
            failed.append((seed, chat.requests, answer.text, answer.error_msg))
    assert len(failed) <= 0.05 * REPLIES / 2, failed


def test_every_form_is_read_by_itself() -> None:
    tools = ("search_text", "answer")
    unread = []
    for index, wrap in enumerate(WRAPPERS):
        completion = {"choices": [{"message": wrap("search_text", {"query": "red chair"})}]}
        got = [(c.name, c.arguments) for c in read_reply(completion, tools).calls]
        if got != [("search_text", {"query": "red chair"})]:
            unread.append((index, got))
    assert not unread
