"""A question that no memory can answer is refused by name, before Milvus sees it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from remembr_ros.errors import InvalidInput
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.query import Order, Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("limit", value) for value in (0, -1, 1001, 16384, 10**6, 2.5, True, "5")),
        *(
            (field, value)
            for field in ("after_ns", "before_ns", "at_ns")
            for value in (1.5, math.nan, math.inf, "1", True)
        ),
        *(("near", value) for value in ((1.0, 2.0, 3.0), (1.0,), ("a", "b"), (math.inf, 0.0), (True, 0.0))),
    ],
)
def test_a_criterion_of_another_kind_is_named(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=field):
        Query(**{field: value})


@pytest.mark.parametrize("value", [0.0, -1.0, math.inf, math.nan, "1", True])
def test_a_radius_is_a_positive_distance(value: Any) -> None:
    with pytest.raises(InvalidInput, match="within_m"):
        Query(near=(0.0, 0.0), within_m=value)


@pytest.mark.parametrize("order", Order)
@pytest.mark.parametrize("near", [(1e15, -1e15), (1.7e308, 1.7e308)])
def test_places_that_no_robot_reaches_find_nothing_near(
    store: MemoryStore, remember: Callable[..., Memory], near: tuple[float, float], order: Order
) -> None:
    store.write([remember(0, "a door", at=(1.0, 2.0))])
    for text in ("", "door"):
        for within_m in (1e-300, 1.0, 1e14, 1.7e308):
            query = Query(text=text, near=near, within_m=within_m, map_id="floor", order=order)
            assert all(query.matches(hit.memory) for hit in store.search(query))


def test_names_with_control_characters_match_as_they_are_stored(remember: Callable[..., Memory]) -> None:
    waiting = remember(0, robot_id="a\nb", camera="c\0d")
    assert Query(robot_id="a\nb", camera="c\0d").matches(waiting)
    assert Query(robot_id="a\u240ab").matches(waiting)


def test_the_words_of_a_question_are_embedded_once(lite_uri: str, collection: str) -> None:
    asked: list[str] = []

    class Counting(HashingEmbedder):
        def embed_queries(self, texts: Sequence[str]) -> Any:
            asked.extend(texts)
            return super().embed_queries(texts)

    with MemoryStore.open(lite_uri, Counting(64), collection=collection) as store:
        for order in (Order.RELEVANCE, Order.FIRST, Order.LAST):
            store.search(Query(text="a red door", order=order))
    assert asked.count("a red door") == 1
