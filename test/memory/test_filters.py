"""Filters are made of numbers and quoted literals: no text can break one, or widen it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remembr_ros.memory import filters
from remembr_ros.memory.query import Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory

HOSTILE = [
    "O'Brien",
    '12" shelf',
    "back\\",
    "line1\nline2",
    'x" or start_ns > 0 or caption == "',
    "\\n",
    "a\tb",
    "\x00",
    "%",
    "{x}",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_fault_31_hostile_names_match_themselves_only(
    store: MemoryStore, remember: Callable[..., Memory], name: str
) -> None:
    store.write([remember(0, camera=name), remember(1, camera="front"), remember(2, camera="x")])
    hits = store.search(Query(camera=name))
    assert [hit.memory.camera for hit in hits] == [filters.clean_name(name)]


def test_fault_31_no_text_widens_a_filter(store: MemoryStore, remember: Callable[..., Memory]) -> None:
    store.write([remember(i, robot_id=name, map_id=name) for i, name in enumerate([*HOSTILE, "front", "x", ""])])
    everyone = {hit.memory.id: hit.memory for hit in store.search(Query(limit=1000))}

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.one_of(st.sampled_from(HOSTILE), st.text(min_size=1), st.text(alphabet="\"'\\ \nor=<>1x()", min_size=1)))
    def matches_exactly(text: str) -> None:
        found = {hit.memory.id for hit in store.search(Query(robot_id=text, limit=1000))}
        assert found == {id_ for id_, memory in everyone.items() if memory.robot_id == filters.clean_name(text)}
        found = {hit.memory.id for hit in store.search(Query(map_id=text, limit=1000))}
        assert found == {id_ for id_, memory in everyone.items() if memory.map_id == filters.clean_name(text)}
        assert store.get([text]) == []

    matches_exactly()


@given(st.text(), st.integers(0, 40))
def test_cutting_keeps_whole_characters_within_the_bytes(text: str, max_bytes: int) -> None:
    clean = filters.clean_text(text)
    cut = filters.cut_bytes(clean, max_bytes)
    assert clean.startswith(cut)
    assert len(cut.encode()) <= max_bytes
    assert cut == clean or len(clean[: len(cut) + 1].encode()) > max_bytes


def test_fault_e3_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert filters.clean_text("a sign \ud83d") == "a sign \ufffd"
    assert filters.clean_text("a \ud83d\ude00 sign \ude00!") == "a \U0001f600 sign \ufffd!"


HOSTILE_IDS = [
    "a\\",
    "x'] or id not in ['",
    "' or id != '",
    'x"] or id not in ["',
    'it\'s "both"',
    "\\'",
    "') or 1=1 --",
    "x' or 'a'='a",
    "a\nb\0",
]


def test_fault_31_the_id_of_one_memory_deletes_no_other(store: MemoryStore, remember: Callable[..., Memory]) -> None:
    """Ids of an imported file may be anything; pymilvus and the SQL of Milvus Lite quote them as they are."""
    others = [remember(100 + number) for number in range(3)]
    store.write([*others, *(remember(number, id=id_) for number, id_ in enumerate(HOSTILE_IDS))])
    assert store.count() == 3 + len(HOSTILE_IDS)
    for id_ in HOSTILE_IDS:
        (stored,) = store.get([id_])
        assert store.delete([stored.id]) == 1 and store.get([id_]) == []
    if store._connection.embedded:
        store._connection.restart_server()  # what it shows is not yet what it has written
    assert store.get([other.id for other in others]) == others
    assert store.count() == 3


def test_a_box_holds_what_is_on_its_rim_and_has_no_infinite_side() -> None:
    assert not any("inf" in term for term in filters.box(1.7e308, -1.7e308, 1.7e308))
    (low, high, *_) = (float(term.split()[-1]) for term in filters.box(0.0, 0.0, 1 / 3))
    assert low <= -1 / 3 and high >= 1 / 3
