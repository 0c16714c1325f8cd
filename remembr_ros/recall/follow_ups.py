"""What "there", "that" and "it" stand for, by rules. In: a question understood, the turns before it; out: the same
question with what it refers to filled in, and the memories it points at."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from zoneinfo import ZoneInfo

from remembr_ros.memory.query import Order
from remembr_ros.recall.conversations import Turn
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.understand import Asked, understand
from remembr_ros.records import Hit

_SEARCHES_ANEW = (Form.HOW_LONG, Form.HOW_LONG_SINCE, Form.HOW_MANY, Form.YES_NO)


def follow_up(asked: Asked, earlier: Sequence[Turn], zone: ZoneInfo) -> tuple[Asked, tuple[Hit, ...]]:
    """`asked` filled in from the conversation, and the memories that "that" points at (those of the last answer).

    "When was that?" keeps pointing; "how often did you see it?" becomes a search for what was asked about before;
    "and the blue one?" gets the form of the question before.
    """
    if not earlier or not (asked.back or asked.continues):
        return asked, ()
    named = named_before(earlier, zone)
    if asked.continues:
        if named is not None and named.form is not Form.HOW_LONG_BETWEEN:
            asked = dataclasses.replace(asked, form=named.form, order=named.order, continues=False)
        return asked, ()
    hits = earlier[-1].shown
    if asked.about or asked.relative or asked.landmark == "that" or named is None:
        return asked, hits
    if asked.form in _SEARCHES_ANEW or asked.order in (Order.FIRST, Order.LAST, Order.NEAREST):
        asked = dataclasses.replace(asked, about=named.about, landmark=asked.landmark or named.landmark, back=False)
    return asked, hits


def named_before(earlier: Sequence[Turn], zone: ZoneInfo) -> Asked | None:
    """The latest earlier question that named a thing, with the form that it had in its conversation."""
    for index in range(len(earlier) - 1, -1, -1):
        asked = understand(earlier[index].question, zone)
        if asked.about:
            return follow_up(asked, earlier[:index], zone)[0] if asked.continues else asked
    return None
