"""The searches worth making before a language model is asked for the first time. In: a question understood; out: calls
of the model's own tools, whose results stand in the first prompt: most questions then need no second one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from remembr_ros.memory.query import Order
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.replies import ToolCall
from remembr_ros.recall.same_words import SameWords, everyday
from remembr_ros.recall.understand import Asked
from remembr_ros.records import Question

MAX_WORDS = 500
"""Characters of a question that are searched for."""
MOST = 4
MOST_COUNTED = 8
SYNONYMS = 4
"""Everyday words for the same that are searched for as well: captions call it one thing, the asker another."""
WRITTEN = "a sign with words on it"
"""A caption of a room that has a sign is nearer to these words than to the room's name."""


def first_searches(asked: Asked, question: Question, same_words: SameWords | None = None) -> tuple[ToolCall, ...]:
    """At most four calls: the thing by meaning, the same in the order asked for (for a place and a number: the last
    occasions), the second thing or landmark, the time asked about or else the latest memories, and other words for the
    thing, from `same_words` (None = those of the package)."""
    about = asked.about or ("" if asked.time is not None else question.text)
    within = _bounds(asked)
    searches: list[tuple[str, dict[str, Any]]] = []
    if about:
        searches.append(("search_text", {"query": about[:MAX_WORDS], **within}))
        if asked.written:
            searches.append(("search_text", {"query": f"{about[:MAX_WORDS]}, {WRITTEN}", **within}))
        for order in _orders(asked, question):
            place = {"near": "me"} if order == "nearest" else {}
            limit = MOST_COUNTED if asked.form is Form.HOW_MANY else 2
            searches.append(
                ("search_text", {"query": about[:MAX_WORDS], **within, **place, "order": order, "limit": limit})
            )
    other = asked.until_about or (asked.landmark if asked.landmark not in ("me", "that") else "")
    if other:
        searches.append(("search_text", {"query": other[:MAX_WORDS], "limit": 3}))
        if asked.until_about:
            searches.append(("search_text", {"query": other[:MAX_WORDS], "order": "first", "limit": 2}))
            return _as_calls(searches)
    if asked.time is None:
        searches.append(("search_time", {"at": "now", "order": "last", "limit": 2}))
    elif not about or not within:
        searches.append(("search_time", {"at": asked.time_text}))
    others = (same_words or everyday()).others(about)[:SYNONYMS]
    if others and len(searches) < MOST:
        searches.append(("search_text", {"query": ", ".join(others), **within, "limit": 3}))
    return _as_calls(searches)


def _as_calls(searches: Sequence[tuple[str, dict[str, Any]]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"prefetch{n}", name, arguments) for n, (name, arguments) in enumerate(searches[:MOST]))


def _bounds(asked: Asked) -> dict[str, str]:
    """A range of time as both bounds of a search; a moment is searched for by itself."""
    time = asked.time
    if time is None or time.instants_ns:
        return {}
    bounds = {"after": time.after_ns, "before": time.before_ns}
    return {name: asked.time_text for name, bound in bounds.items() if bound is not None}


def _orders(asked: Asked, question: Question) -> tuple[str, ...]:
    if asked.until_about:  # each caption is shown once: the window in which it began would be left to chance
        return ("first",)
    if asked.order is Order.NEAREST:
        return ("nearest",) if question.pose is not None and asked.landmark == "me" else ()
    if asked.order in (Order.FIRST, Order.LAST):
        return (asked.order.value,)
    if asked.form is Form.HOW_MANY or (asked.form is Form.WHERE and not asked.landmark):
        return ("last",)  # a thing that moves is where it was seen last
    return ("first", "last") if asked.form is Form.HOW_LONG else ("last",) if asked.form is Form.HOW_LONG_SINCE else ()
