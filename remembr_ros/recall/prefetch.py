"""The searches worth making before a language model is asked for the first time. In: a question understood; out: calls
of the model's own tools, whose results stand in the first prompt: most questions then need no second one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from remembr_ros.memory.query import Order
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.replies import ToolCall
from remembr_ros.recall.understand import Asked
from remembr_ros.records import Question

MAX_WORDS = 500
"""Characters of a question that are searched for."""
MOST = 4


def first_searches(asked: Asked, question: Question) -> tuple[ToolCall, ...]:
    """At most four calls: the thing by meaning, the same in the order asked for, the second thing or landmark, and the
    time asked about or else the latest memories."""
    about = asked.about or ("" if asked.time is not None else question.text)
    within = _bounds(asked)
    searches: list[tuple[str, dict[str, Any]]] = []
    if about:
        searches.append(("search_text", {"query": about[:MAX_WORDS], **within}))
        for order in _orders(asked, question):
            place = {"near": "me"} if order == "nearest" else {}
            searches.append(
                ("search_text", {"query": about[:MAX_WORDS], **within, **place, "order": order, "limit": 2})
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
    return _as_calls(searches)


def _as_calls(searches: Sequence[tuple[str, dict[str, Any]]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"prefetch{n}", name, arguments) for n, (name, arguments) in enumerate(searches[-MOST:]))


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
    return ("first", "last") if asked.form is Form.HOW_LONG else ("last",) if asked.form is Form.HOW_LONG_SINCE else ()
