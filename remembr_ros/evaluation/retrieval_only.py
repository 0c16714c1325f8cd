"""Retrieval and nobody who reads what was found: the five memories of one search, the first is the answer.

In: a Question; out: an Answer with these as evidence, the place and time of the first, no yes or no. It measures
searching alone. `time_aware`: times and "first" or "last" in the question become criteria of the search.
"""

from __future__ import annotations

import asyncio
import dataclasses
from zoneinfo import ZoneInfo

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.answer import Composer
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.understand import understand
from remembr_ros.records import Answer, AnswerKind, Question

FOUND = 5
"""What the agent is shown of one search by default."""


class RetrievalOnly:
    """Answers one question at a time."""

    def __init__(self, memory: SearchableMemory, zone: ZoneInfo, *, time_aware: bool) -> None:
        self._memory = memory
        self._zone = zone
        self._time_aware = time_aware

    async def ask(self, question: Question) -> Answer:
        """Raises MemoryUnavailable."""
        compose = Composer(question, self._zone, "retrieval")
        query = self._query(question)
        hits = await asyncio.to_thread(self._memory.search, query, visible_before_ns=question.now_ns)
        if not hits:
            return compose.not_found(AnswerKind.TEXT)
        answer = compose.compose(AnswerKind.TEXT, hits, text="Found.")
        return dataclasses.replace(answer, text=hits[0].memory.caption, time_ns=hits[0].memory.start_ns)

    async def close(self) -> None:
        """Nothing to release."""

    def _query(self, question: Question) -> Query:
        query = Query(text=question.text, limit=FOUND)
        if not self._time_aware:
            return query
        asked = understand(question, self._zone)
        if asked.order in (Order.FIRST, Order.LAST):
            query = dataclasses.replace(query, text=asked.about or question.text, order=asked.order)
        time = asked.time
        if time is None:
            return query
        after_ns, before_ns = time.after_ns, time.before_ns
        if after_ns is not None and before_ns is not None and after_ns >= before_ns:
            return query
        return dataclasses.replace(query, after_ns=after_ns, before_ns=before_ns)
