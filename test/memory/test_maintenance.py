"""Long work beside other work on the same memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from remembr_ros.memory import maintenance
from remembr_ros.memory.query import Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory


@pytest.mark.parametrize("gone", [30, 40])
def test_two_prunes_at_once_keep_what_each_was_told_to_keep(
    store: MemoryStore, remember: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch, gone: int
) -> None:
    """Between counting and choosing, somebody else deletes the oldest."""
    store.write([remember(i) for i in range(50)])
    count = store.count

    def count_then_lose_some(*, after_ns: int | None = None) -> int:
        found = count(after_ns=after_ns)
        if after_ns is None:
            store.delete([remember(i).id for i in range(gone)])
        return found

    monkeypatch.setattr(store, "count", count_then_lose_some)
    assert maintenance.to_prune(store, before_ns=None, keep=20) == []
    assert len(store.select(Query())) == 50 - gone


def test_pruning_takes_the_oldest_by_number_or_by_age_whichever_is_more(
    store: MemoryStore, remember: Callable[..., Memory]
) -> None:
    store.write([remember(i) for i in range(10)])
    ids = [remember(i).id for i in range(10)]
    assert maintenance.to_prune(store, before_ns=None, keep=4) == ids[:6]
    assert maintenance.to_prune(store, before_ns=remember(8).start_ns, keep=4) == ids[:8]
    assert maintenance.to_prune(store, before_ns=remember(2).start_ns, keep=4) == ids[:6]
    assert maintenance.to_prune(store, before_ns=None, keep=10) == []
