"""Other words for a thing, from captions: phrases, what one phrase says, and what the packaged embedder takes for the
same."""

from __future__ import annotations

from typing import Any

import pytest

from remembr_ros.recall.other_words import OtherWords, phrases_of, says

CAPTIONS = (
    "The image shows a red sofa in a wide lobby. Sunlight throws long shadows.",
    "There is an elevator with steel doors close to the wall.",
    "A man in a blue jacket walks a dog on a leash past a photocopier.",
    "The robot looks at a green refrigerator in a kitchen.",
)


def test_phrases_stand_between_function_words() -> None:
    assert phrases_of("There is a red armchair near the wide window.") == ("armchair", "wide window")


def test_a_colour_belongs_to_its_phrase() -> None:
    assert says("red sofa", CAPTIONS[0]) and not says("green sofa", CAPTIONS[0])
    assert not says("red chair", "A red lamp stands beside a blue chair.")


@pytest.mark.models
@pytest.mark.parametrize(
    ("asked", "phrase"),
    [
        ("couch", "sofa"),
        ("lift", "elevator"),
        ("black couch", "sofa"),
        ("canine", "dog"),
        ("fridge", "refrigerator"),
    ],
)
def test_captions_call_it_otherwise(sentence_embedder: Any, asked: str, phrase: str) -> None:
    found = OtherWords(sentence_embedder).of(asked, [(caption, 0.4) for caption in CAPTIONS])
    assert found and found[0][0] == phrase


@pytest.mark.models
@pytest.mark.parametrize("asked", ["accordion", "swimming pool", "giraffe", "red", ""])
def test_what_is_not_there_has_no_other_words(sentence_embedder: Any, asked: str) -> None:
    assert OtherWords(sentence_embedder).of(asked, [(caption, 0.2) for caption in CAPTIONS]) == []
