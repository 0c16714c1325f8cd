"""The pieces of the rules' search: what captions call a thing, a captioner's slips, quoted signs."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from list_memory import ListMemory
from small_building import ns

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.same_words import SameWords
from remembr_ros.recall.searches import Searches
from remembr_ros.recall.signs import quotes_about, written_in
from remembr_ros.recall.slips import without_slips
from remembr_ros.recall.wordings import Wordings, thing_and_place
from remembr_ros.records import Hit, Memory, Pose

WORDS = SameWords(["couch, sofa", "stroller, pram", "choir, singers", "animal: rabbit, horse", "chain saw, chainsaw"])


def window(n: int, caption: str, x: float = 0.0, **more: Any) -> Memory:
    """The n-th window of 3 s."""
    at = 3 * n
    return Memory(
        id=f"w{n:04d}{more.get('camera', '')}",
        start_ns=ns(at),
        end_ns=ns(at + 3),
        episode_start_ns=ns(at),
        caption=caption,
        pose=Pose(ns(at + 1.5), "map", x, 0.0, yaw=0.0),
        localized=True,
        map_id="floor1",
        robot_id="robot",
        **{"camera": "front", **more},
    )


def searches(*memories: Memory) -> Searches:
    return Searches(ListMemory(memories, HashingEmbedder(256)), ns(10**5), None)


def wordings(*captions: str) -> Wordings:
    return Wordings(searches(*(window(n, caption) for n, caption in enumerate(captions))), WORDS, None)


# -- wordings

CAPTIONS = (
    "A red sofa stands in a lobby.",
    "A rabbit sits in a nursery.",
    "Twelve singers stand in a hall.",
    "A coffee machine stands on a table.",
    "A chainsaw lies on a bench.",
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("sofa", ["sofa"]),
        ("red sofa", ["red sofa"]),
        ("couch", ["sofa"]),
        ("red couch", ["red sofa"]),
        ("green couch", []),
        ("animal", ["rabbit"]),  # of the kind, what captions say
        ("chain saw", ["chainsaw"]),
        ("pram", []),
        ("zebra", []),
    ],
)
def test_what_captions_call_it(asked: str, said: list[str]) -> None:
    assert [words for words, likeness in wordings(*CAPTIONS).of(asked) if likeness == 1.0] == said


def test_a_thing_and_its_place() -> None:
    assert wordings(*CAPTIONS).of_both("couch in the lobby") == ([("sofa", 1.0)], [("lobby", 1.0)])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("choir that meets from time to time", ["singers"]),
        ("red couch that never moves an inch", ["red sofa"]),
        ("coffee table", []),  # neither coffee nor any table
        ("couch cushion", []),
        ("zebra that runs from time to time", []),
    ],
)
def test_only_a_sentence_is_looked_through_for_a_thing(asked: str, said: list[str]) -> None:
    ways, places = wordings(*CAPTIONS).of_both(asked)
    assert [words for words, _ in ways] == said and not places


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        ("trampoline in the gym", ("trampoline", "gym")),
        ("tool was in a workshop", ("tool", "workshop")),
        ("man at his post", ("man", "")),
        ("trampoline", ("trampoline", "")),
        ("in the gym", ("in the gym", "")),
        ("", ("", "")),
    ],
)
def test_thing_and_place(about: str, expected: tuple[str, str]) -> None:
    assert thing_and_place(about) == expected


# -- slips

RED, BLUE = "A red chair stands in an office.", "A blue chair stands in an office."


def believed(about: str, *memories: Memory, every: bool = False) -> list[str]:
    """Ids of the windows that say `about` and are believed."""
    words = set(about.split())
    hits = [Hit(memory, 0.9) for memory in memories if words <= set(memory.caption.lower().strip(".").split())]
    return [hit.memory.id for hit in without_slips(searches(*memories), about, [], hits, every=every)]


@pytest.mark.parametrize("every", [False, True])
def test_a_colour_that_the_view_contradicts(every: bool) -> None:
    view = [window(n, RED if n == 3 else BLUE) for n in range(8)]
    assert believed("red chair", *view, every=every) == []
    assert len(believed("blue chair", *view, every=every)) == 7


def test_a_thing_said_once_where_another_sighting_is_surer() -> None:
    view = [window(n, "A violin on a wall." if n == 5 else "A guitar on a wall.") for n in range(12)]
    sure = [window(100 + n, "A violin on a wall.", x=50.0) for n in range(4)]
    assert believed("violin", *view) == ["w0005"]  # nothing is surer
    assert believed("violin", *view, *sure) == [row.id for row in sure]
    assert believed("violin", *view, *sure, every=True) == [row.id for row in sure]


def test_a_single_sighting_without_neighbours_is_kept() -> None:
    alone = window(0, RED)
    sure = [window(500 + n, RED, x=50.0) for n in range(4)]
    assert believed("red chair", alone) == ["w0000"]
    assert "w0000" in believed("red chair", alone, *sure, every=True)


@pytest.mark.parametrize("other", [{"camera": "rear"}, {"x": 9.0}, {"map_id": "floor2"}])
def test_only_the_same_view_contradicts(other: dict[str, Any]) -> None:
    """Another camera, another place or another floor shows something else."""
    seen = window(3, RED)
    beside = [dataclasses.replace(window(n, BLUE, other.get("x", 0.0)), **_without_x(other)) for n in (1, 2, 4, 5)]
    assert believed("red chair", seen, *beside) == ["w0003"]


def _without_x(changes: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if name != "x"}


def test_what_fits_by_meaning_alone_is_not_dropped() -> None:
    rows = [window(n, "A settee in an office.") for n in range(8)]
    hits = [Hit(rows[2], 0.6)]
    assert without_slips(searches(*rows), "couch", [], hits) == hits


def test_no_hits_no_slips() -> None:
    assert without_slips(searches(), "chair", [], []) == []


# -- signs

SIGNS = (
    'A paper in a lobby says "Lost: one brown glove."',
    'A poster in a hall reads "Summer party on Friday".',
    'A note in a lobby says "Wet floor".',
    "A poster hangs in a lobby.",
    "A note with an unfinished \u201cquote hangs in a hall.",
)


def test_quotes_about_a_topic() -> None:
    captions = searches(*(window(n, caption) for n, caption in enumerate(SIGNS)))
    assert quotes_about(captions, "brown glove") == ["Lost: one brown glove."]
    assert quotes_about(captions, "summer party on friday") == ["Summer party on Friday"]
    assert quotes_about(captions, "swimming lessons") == []


def test_what_is_written_in_a_room() -> None:
    rows = [window(n, caption) for n, caption in enumerate(SIGNS)]
    found = searches(*rows)
    words = Wordings(found, WORDS, None)
    lobby = written_in(found, words, "lobby", "glove", on_topic=False)
    assert [hit.memory.id for hit in lobby] == ["w0000", "w0002"]  # about the topic first, unwritten ones never
    assert [hit.memory.id for hit in written_in(found, words, "lobby", "glove", on_topic=True)] == ["w0000"]
    assert written_in(found, words, "kitchen", "glove", on_topic=False) == []
