"""A memory of a few dozen rows in a list, searched exactly: for the loop and the rules, not for Milvus."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from remembr_ros.memory.query import Order, Query
from remembr_ros.records import Hit, Memory


class ListMemory:
    """Searches like MemoryStore does: same criteria, orders and episodes. `embedder` as in remembr_ros.memory.embedders."""

    def __init__(self, memories: Sequence[Memory], embedder: Any) -> None:
        self.memories = list(memories)
        self.queries: list[Query] = []
        self._embedder = embedder
        self._vectors = embedder.embed_documents([m.caption for m in memories]) if memories else None

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        self.queries.append(query)
        scores: Any = [math.nan] * len(self.memories)
        if query.text and self.memories:
            scores = [float(s) for s in self._vectors @ self._embedder.embed_queries([query.text])[0]]
        hits = [
            Hit(memory, score)
            for memory, score in zip(self.memories, scores)
            if (visible_before_ns is None or memory.start_ns < visible_before_ns)
            and (query.after_ns is None or memory.end_ns > query.after_ns)
            and (query.before_ns is None or memory.start_ns < query.before_ns)
            and (query.near is None or (memory.pose is not None and memory.map_id == query.map_id))
            and (not query.map_id or memory.map_id == query.map_id)
            and (
                query.within_m is None
                or (memory.pose is not None and memory.pose.distance_to(*query.near) <= query.within_m)
            )
        ]
        if query.text and query.order is not Order.RELEVANCE:
            hits = [hit for hit in hits if hit.score >= 0.35]

        def key(hit: Hit) -> float:
            if query.order is Order.FIRST:
                return hit.memory.start_ns
            if query.order is Order.LAST or (query.order is Order.RELEVANCE and not query.text):
                return -hit.memory.start_ns
            if query.order is Order.RELEVANCE:
                return -hit.score
            if query.near is not None:
                return hit.memory.pose.distance_to(*query.near)
            return abs((hit.memory.start_ns + hit.memory.end_ns) // 2 - query.at_ns)

        hits.sort(key=key)
        if query.collapse:
            seen: dict[tuple[str, int], Hit] = {}
            for hit in hits:
                seen.setdefault((hit.memory.camera, hit.memory.episode_start_ns), hit)
            hits = list(seen.values())
        return hits[: query.limit]

    def get(self, ids: Sequence[str]) -> list[Memory]:
        known = {memory.id: memory for memory in self.memories}
        return [known[i] for i in ids if i in known]

    def neighbours(self, memory_id: str, before: int, after: int) -> list[Memory]:
        ordered = sorted(self.memories, key=lambda m: m.start_ns)
        at = next(i for i, m in enumerate(ordered) if m.id == memory_id)
        return ordered[max(0, at - before) : at + after + 1]

    def between(self, after_ns: int, before_ns: int, limit: int) -> list[Memory]:
        inside = [m for m in self.memories if m.end_ns > after_ns and m.start_ns < before_ns]
        return sorted(inside, key=lambda m: m.start_ns)[:limit]

    def bounds(self) -> tuple[int, int] | None:
        if not self.memories:
            return None
        return min(m.start_ns for m in self.memories), max(m.end_ns for m in self.memories)
