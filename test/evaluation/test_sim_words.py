"""Captions and questions of a simulation use different words: else it would measure counting words."""

from __future__ import annotations

from itertools import combinations

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


@pytest.mark.parametrize(("one", "other"), list(combinations("abc", 2)))
def test_the_halves_share_no_thing(one: str, other: str) -> None:
    a, b = (stems(tuple(p for kind in things.HALVES[half] for p in kind.noted)) for half in (one, other))
    assert not {kind.name for kind in things.HALVES[one]} & {kind.name for kind in things.HALVES[other]}
    assert len(a & b) <= 6, a & b  # a "white" coat, a "machine"
    for told in (things.NAMES, things.ABSENT_NAMES, things.NOTICES, things.ABSENT):
        assert not set(told[one]) & set(told[other])
    asked = [{phrase for kind in things.HALVES[half] for phrase in kind.asked} for half in (one, other)]
    assert not asked[0] & asked[1]


@pytest.mark.parametrize("half", "abc")
def test_what_never_is_there_is_in_no_list(half: str) -> None:
    known = {phrase for kind in things.HALVES[half] for phrase in (*kind.noted, *kind.asked)}
    assert not known & set(things.ABSENT[half])
    assert not set(things.NAMES[half]) & set(things.ABSENT_NAMES[half])


def test_what_is_never_there_in_the_last_half_is_in_no_half() -> None:
    known = stems(tuple(phrase for kind in things.KINDS for phrase in (*kind.noted, *kind.asked)))
    assert not [noun for noun in things.ABSENT["c"] if stems((noun,)) <= known]


def test_the_halves_are_of_one_size() -> None:
    for role in things.Role:
        assert len({sum(kind.role is role for kind in things.HALVES[half]) for half in "abc"}) == 1
    for told in (things.NAMES, things.ABSENT_NAMES, things.NOTICES, things.ABSENT):
        assert len({len(told[half]) for half in "abc"}) == 1


@pytest.mark.parametrize(("seed", "half"), [(1, "a"), (99, "a"), (100, "b"), (199, "b"), (200, "c"), (1000, "c")])
def test_the_half_of_a_seed(seed: int, half: str) -> None:
    assert things.half_of(seed) == half
