"""What a model writes is repaired or refused before it is remembered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembr_ros.errors import ModelFailed
from remembr_ros.remember.hygiene import MAX_CAPTION_CHARS, clean_caption


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  I see\n an   espresso.\t", "I see an espresso."),
        ("<s> A corridor with two people.</s><|im_end|>", "A corridor with two people."),
        ("[INST] A red door. [/INST]", "A red door."),
        ("A desk, a chair, a chair, a chair, a chair, a chair, a", "A desk, a chair"),
        ("The robot is in a lab. The robot is in a lab. A door is open.", "The robot is in a lab. A door is open."),
        ("a sign \ud83d saying exit", "a sign saying exit"),
        ("A very, very long corridor.", "A very, very long corridor."),
        ("Ein Schild: „Ausgang“, 15 m.", "Ein Schild: „Ausgang“, 15 m."),
        ("一扇红色的门", "一扇红色的门"),
        ("Room 3.14 is on the left.", "Room 3.14 is on the left."),
        ("A person in a <b>red</b> shirt", "A person in a <b>red</b> shirt"),
    ],
)
def test_repaired_or_left_alone(raw, clean):
    assert clean_caption(raw) == clean


@pytest.mark.parametrize(
    "raw",
    [
        *("", "   \n", "</s>", "<|endoftext|>", "the the the the the the"),
        *("!!!!!!!!!!!!", "0 0 1 1 7 ; ; ; 8", "aaaaaaaaaaaaaaaaaaa", "\x00\x01"),
    ],
)
def test_refused(raw):
    with pytest.raises(ModelFailed, match="caption"):
        clean_caption(raw)


def test_long_ones_end_with_a_sentence():
    long = " ".join(f"There is chair number {number} here." for number in range(500))
    short = clean_caption(long)
    assert len(short) <= MAX_CAPTION_CHARS and short.endswith("here.")
    assert len(clean_caption(" ".join(f"chair{number}" for number in range(5000)))) <= MAX_CAPTION_CHARS


def test_a_loop_of_many_thousand_words_is_handled_at_once():
    assert clean_caption("I see a man and " + "a dog and a cat and " * 3000).startswith("I see a man and a dog")


@given(st.text(max_size=300))
def test_any_text_is_cleaned_or_refused_and_cleaning_is_stable(raw):
    try:
        once = clean_caption(raw)
    except ModelFailed:
        return
    once.encode("utf-8")
    assert once.strip() and "\n" not in once
    assert clean_caption(once).split()[0] == once.split()[0]
