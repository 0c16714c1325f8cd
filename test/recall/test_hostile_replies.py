"""Hundreds of broken or hostile replies: each question ends in a typed Answer, and no place is invented."""

from __future__ import annotations

import asyncio
import json
import math
import os
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from list_memory import ListMemory
from scripted_llm import history_problems
from small_building import ZONE, memories, question

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.navigate.policy import GoalPolicy, NavigationMode, Proposal
from remembr_ros.recall.agent import Agent
from remembr_ros.recall.replies import Reply, read_reply
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import AnswerError

MEMORY = ListMemory(memories(), HashingEmbedder(64))
PLACES = {(m.pose.x, m.pose.y) for m in memories() if m.pose}

_scalar = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats() | st.text(max_size=15)
_id = st.sampled_from(
    ["m1", "m2", "m3", "m99", "M1", "[m1]", "start", "now", "me", "99, 99", "yesterday", "", "\ud83d"]
)
_value = _id | _scalar | st.lists(_id | _scalar, max_size=3) | st.dictionaries(st.text(max_size=3), _scalar, max_size=2)
_names = st.sampled_from(
    ["query", "near", "after", "before", "at", "within_m", "order", "limit", "kind", "text", "evidence", "yes_no"]
) | st.sampled_from(["from", "until", "count", "go", "position", "pose", "x", "y"])
_kinds = st.sampled_from(["text", "yes_no", "binary", "position", "time", "duration", "count", "not_found", "goal", ""])
_arguments = st.dictionaries(_names, _value, max_size=6) | st.fixed_dictionaries(
    {"kind": _kinds, "text": st.just("Go to (99.0, 99.0).") | st.text(max_size=20)},
    optional={
        "evidence": st.lists(_id, max_size=4) | _scalar,
        "go": st.booleans() | _scalar,
        "yes_no": st.booleans(),
        "from": _id,
        "until": _id,
        "count": st.integers(-5, 5),
        "position": st.just([99.0, 99.0, 0.0]),
    },
)
_tool = st.sampled_from(["search_text", "search_position", "search_time", "motion", "answer", "answer", "drive", ""])


def _encoded(arguments: Any) -> Any:
    return json.dumps(arguments)


_call = st.builds(
    lambda name, arguments, identity, cut: {
        "id": identity,
        "function": {
            "name": name,
            "arguments": arguments
            if isinstance(arguments, dict) and cut < 0
            else _encoded(arguments)[: cut if cut > 0 else None],
        },
    },
    _tool,
    _arguments,
    st.sampled_from(["a", "a", "", None]),
    st.integers(-1, 60) | st.just(0),
)
_message = st.one_of(
    st.fixed_dictionaries(
        {"tool_calls": st.lists(_call, max_size=4)}, optional={"content": st.text(max_size=20) | st.none()}
    ),
    st.builds(lambda name, arguments: {"content": _encoded({"name": name, "arguments": arguments})}, _tool, _arguments),
    st.builds(lambda text: {"content": text}, st.text(max_size=60) | st.just("It is at (99.0, 99.0).")),
    st.builds(
        lambda value: value, _scalar | st.dictionaries(st.sampled_from(["content", "tool_calls"]), _value, max_size=2)
    ),
)
_body = st.builds(
    lambda m, finish: {"choices": [{"message": m, "finish_reason": finish}]},
    _message,
    st.sampled_from(["stop", "length", None]),
) | st.builds(lambda v: v, _scalar)


EXAMPLES = int(os.environ.get("REMEMBR_EXAMPLES", "400"))
"""Lists of up to four replies each, so 1,000 hostile or broken replies in every run; more with REMEMBR_EXAMPLES."""
MODES = [GoalPolicy(mode) for mode in NavigationMode]


class Hostile:
    """Plays bodies through the real reader, without the network."""

    name = "llm:hostile"

    def __init__(self, bodies: Sequence[Any]) -> None:
        self._bodies = list(bodies)
        self.requests = 0

    async def complete(self, messages: Sequence[Any], tools: Sequence[Any], **_: Any) -> Reply:
        assert not history_problems(messages)
        json.dumps(list(messages))
        body = self._bodies[self.requests % len(self._bodies)]
        self.requests += 1
        return read_reply(body, [tool["function"]["name"] for tool in tools], f"call_{len(messages)}")

    async def close(self) -> None:
        pass


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_body, min_size=1, max_size=4))
@pytest.mark.timeout(120)
def test_every_question_ends_in_a_typed_answer(bodies: list[Any]) -> None:
    chat = Hostile(bodies)
    limits = RecallSettings(time_limit_s=10.0)
    asked = question("Where can I get some coffee?")
    answer = asyncio.run(Agent(MEMORY, chat, ZONE, limits).ask(asked))
    assert answer.error in (None, AnswerError.NOT_FOUND, AnswerError.LLM_UNAVAILABLE), answer.error_msg
    assert answer.text.strip()
    assert chat.requests <= limits.max_rounds + 3
    assert answer.pose is None or (answer.pose.x, answer.pose.y) in PLACES
    assert answer.pose is None or answer.evidence
    assert "99.0" not in answer.text and "99, 99" not in answer.text
    assert answer.duration_s is None or (math.isfinite(answer.duration_s) and answer.duration_s >= 0.0)
    assert not answer.wants_goal
    assert all(policy.propose(answer, asked, "floor1", asked.now_ns) is None for policy in MODES)


@settings(max_examples=EXAMPLES // 4, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(_body, min_size=1, max_size=4), st.sampled_from(["take me to the coffee", "Bring mich zum Kaffee"]))
@pytest.mark.timeout(120)
def test_a_goal_is_always_a_cited_localized_memory(bodies: list[Any], text: str) -> None:
    asked = question(text)
    answer = asyncio.run(Agent(MEMORY, Hostile(bodies), ZONE, RecallSettings(time_limit_s=10.0)).ask(asked))
    for policy in MODES:
        proposal = policy.propose(answer, asked, "floor1", asked.now_ns)
        if isinstance(proposal, Proposal):
            assert proposal.memory in [hit.memory for hit in answer.evidence] and proposal.memory.localized
            assert (proposal.pose.x, proposal.pose.y) in PLACES
            assert proposal.at_once is (policy.mode is NavigationMode.AUTO and text.startswith("take"))
