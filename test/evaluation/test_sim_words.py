"""Captions and questions of a simulation use different words: else it would measure counting words."""

from __future__ import annotations

import pytest

from remembr_ros.evaluation.sim import places, things
from remembr_ros.recall.matching import content_words


def stems(phrases: tuple[str, ...]) -> set[str]:
    return {word for phrase in phrases for word in content_words(phrase)}


@pytest.mark.parametrize("kind", things.KINDS, ids=lambda kind: str(kind.name))
def test_no_content_word_of_a_thing_is_in_captions_and_questions(kind: things.Kind) -> None:
    assert kind.noted and kind.asked
    assert not stems(kind.noted) & stems(kind.asked)


@pytest.mark.parametrize("kind", places.PLACES, ids=lambda kind: str(kind.name))
def test_nor_of_a_room(kind: places.PlaceKind) -> None:
    assert not stems(kind.noted) & stems(kind.asked)


@pytest.mark.parametrize("kind", places.PLACES, ids=lambda kind: str(kind.name))
def test_scenery_names_nothing_that_is_asked_for_in_one_word(kind: places.PlaceKind) -> None:
    scenery = stems((*kind.scenes, *places.FILLERS, *places.DOCK_DAY, *places.DOCK_NIGHT))
    for thing in things.KINDS:
        for phrase in (*thing.noted, *thing.asked):
            assert not set(content_words(phrase)) <= scenery, phrase


def test_the_halves_share_no_thing() -> None:
    a, b = (stems(tuple(p for kind in things.HALVES[half] for p in kind.noted)) for half in "ab")
    assert not {kind.name for kind in things.HALVES["a"]} & {kind.name for kind in things.HALVES["b"]}
    assert len(a & b) <= 6, a & b  # a "white" coat, a "machine"
    assert not set(things.NAMES["a"]) & set(things.NAMES["b"])


@pytest.mark.parametrize("half", "ab")
def test_what_never_is_there_is_in_no_list(half: str) -> None:
    known = {phrase for kind in things.HALVES[half] for phrase in (*kind.noted, *kind.asked)}
    assert not known & set(things.ABSENT[half])
