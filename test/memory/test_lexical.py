"""Names and signs: which questions name something, and which captions have it."""

from __future__ import annotations

import time

import pytest

from remembr_ros.memory.lexical import names_something, telling_shares


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("where is room 204?", True),
        ("where is the AED?", True),
        ("take me to Okonkwo", True),
        ("where is the UPS", True),
        ("go to B7", True),
        ("Where is the elevator?", False),
        ("when did I leave the building?", False),
        ("", False),
    ],
)
def test_a_name_is_a_number_an_abbreviation_or_a_capital_within(question: str, named: bool) -> None:
    assert names_something(question) == named


def test_only_words_that_few_captions_have_count() -> None:
    captions = [f"a door with the plate room {number}" for number in range(200, 240)]
    shares = telling_shares("where is the door of room 204?", captions)
    assert shares[4] == 1.0 and sum(shares) == 1.0
    assert telling_shares("where is the elevator?", captions) == [0.0] * 40
    assert telling_shares("where is room 204?", []) == []


def test_a_word_as_long_as_a_book_takes_no_time() -> None:
    began = time.monotonic()
    for word in ("a" * 100_000, "A" + "a" * 100_000, "a1" * 50_000, "\u00c9a" * 50_000):
        names_something(word)
    assert time.monotonic() - began < 1.0  # 5 minutes when each letter began a word of its own
