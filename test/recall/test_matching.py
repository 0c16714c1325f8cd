"""Is a caption about the words asked for? Words, negations, colours, numbers; the pairs behind the cosines."""

from __future__ import annotations

from typing import Any

import pytest

from remembr_ros.recall.matching import content_words, match, overlap, says_nothing, stem

YES = [  # the same thing in other words: (asked, caption)
    ("coffee", "I see an espresso, a cup."),
    ("kitty", "I see an Egyptian cat."),
    ("motorcycle", "I see a motor scooter, a crash helmet."),
    ("flower", "I see a greenhouse, a pot, a daisy."),
    ("soldier", "I see a military uniform."),
    ("bikes", "Several bicycles are parked in a metal rack beside the path."),
    ("bike rack", "Several bicycles are parked in a metal rack beside the path."),
    ("coffee cup", "I see an espresso, a cup."),
    ("couch in the lounge", "There is a gray sofa and a television in the lounge."),
    ("soda machine", "The robot turns left towards a vending machine with drinks and snacks."),
    ("person opening the door", "A man in a blue puffer jacket opens the door for the robot."),
    ("exit sign", "A white fire extinguisher cabinet hangs on the wall below an exit sign."),
]
NO = [  # related, near in meaning, or sharing words, but not it
    ("bicycle", "I see a motor scooter, a crash helmet."),
    ("dog", "I see an Egyptian cat."),
    ("coffee table", "I see an espresso, a cup."),
    ("red car", "A red chair stands next to a wide window in a corridor."),
    ("green chair", "A blue chair beside a wooden table with a laptop on it."),
    ("police car", "The robot is outdoors on a brick sidewalk lined with trees, cars parked along the road."),
    ("room 205", "An elevator with steel doors; a sign next to it reads ROOM 204."),
    ("conference room", "An elevator with steel doors; a sign next to it reads ROOM 204."),
    ("computer mouse", "The robot stands in a computer lab with rows of desks and monitors."),
    ("fire alarm", "A white fire extinguisher cabinet hangs on the wall below an exit sign."),
    ("stop sign", "A white fire extinguisher cabinet hangs on the wall below an exit sign."),
    ("cup of tea", "I see an espresso, a cup."),
    ("furniture", "Two people talk in an empty hallway with no furniture."),
    ("chair", "There are no tables or chairs in the room."),
    ("anything", "I see nothing that I recognise."),
    ("microwave", "I see an espresso, a cup."),
    ("fire hydrant", "A white fire extinguisher cabinet hangs on the wall below an exit sign."),
]


@pytest.mark.models
@pytest.mark.parametrize(("asked", "caption"), YES)
def test_the_same_thing_matches(sentence_embedder: Any, asked: str, caption: str) -> None:
    assert match(asked, caption, cosine(sentence_embedder, asked, caption)).score > 0.0


@pytest.mark.models
@pytest.mark.parametrize(("asked", "caption"), NO)
def test_another_thing_does_not(sentence_embedder: Any, asked: str, caption: str) -> None:
    assert match(asked, caption, cosine(sentence_embedder, asked, caption)).score == 0.0


def cosine(embedder: Any, asked: str, caption: str) -> float:
    return float(embedder.embed_queries([asked])[0] @ embedder.embed_documents([caption])[0])


@pytest.mark.parametrize(
    "caption",
    [
        "I see nothing that I recognise.",
        "Nothing.",
        "I am not sure.",
        "I see nothing I recognize.",
        "Not sure what this is.",
    ],
)
def test_a_caption_that_recognises_nothing_never_matches(caption: str) -> None:
    assert says_nothing(caption) and match("nothing", caption, 0.99).score == 0.0


def test_captions_that_say_something_do(sentence_embedder: Any) -> None:
    assert not says_nothing("I see a cup, and nothing else.") and not says_nothing("I see an espresso.")


@pytest.mark.parametrize(
    ("word", "same"),
    [
        ("chairs", "chair"),
        ("benches", "bench"),
        ("parked", "park"),
        ("entered", "enter"),
        ("entering", "enters"),
        ("stairs", "stair"),
        ("people", "person"),
        ("cones", "cone"),
        ("glasses", "glass"),
        ("stopped", "stop"),
        ("lobbies", "lobby"),
        ("driving", "drive"),
        ("gray", "grey"),
    ],
)
def test_forms_of_a_word_meet(word: str, same: str) -> None:
    assert stem(word) == stem(same)


@pytest.mark.parametrize("pair", [("bus", "bu"), ("glass", "glas"), ("red", "r"), ("bed", "b"), ("left", "leave")])
def test_stems_do_not_meet_by_accident(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) != stem(pair[1])


def test_trash_cans_keep_their_meaning() -> None:
    assert content_words("the trash can near the camera") == ("trash", "camera")
    assert overlap("trash can", "A green trash can by the road.") == 1.0
