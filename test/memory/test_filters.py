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
