"""What questions ask for, told by rules: times and names of another sentence, signs, pairs, weeks, the nearest."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_building import ZONE, question

from remembr_ros.memory.query import Order
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.understand import Asked, understand
from remembr_ros.recall.when import from_local


def asked(text: str) -> Asked:
    """Asked on Monday 2026-11-30, at 15:00."""
    return understand(question(text), ZONE)


def days(first: str, last: str) -> tuple[int, int]:
    """[start of the first day, end of the last], as "11-29"."""
    start, end = (datetime.fromisoformat(f"2026-{day}") for day in (first, last))
    return from_local(start, ZONE)[0][0], from_local(end + timedelta(days=1), ZONE)[0][0]


# -- times

OF_ANOTHER_SENTENCE = {
    "We had visitors yesterday. Who did you see that day?": ("11-29", "11-29"),
    "You drove around on November 25. Did you see a cat that day?": ("11-25", "11-25"),
    "There was a party yesterday. How many people did you see at that time?": ("11-29", "11-29"),
    "I was in the lab yesterday. Was the drill there?": ("11-29", "11-29"),
}


@pytest.mark.parametrize("text", OF_ANOTHER_SENTENCE)
def test_a_time_told_in_another_sentence(text: str) -> None:
    found = asked(text)
    assert found.time is not None and (found.time.after_ns, found.time.before_ns) == days(*OF_ANOTHER_SENTENCE[text])
    assert "day" not in found.about and "time" not in found.about


@pytest.mark.parametrize(
    "text",
    [
        "I lost my keys yesterday. Have you seen them?",
        "I dropped my keys on Saturday, did you see them?",
        "My keys are missing since yesterday. Where are they?",
        "I left my keys there this morning. Any idea where they are?",
        "I have a meeting at 3 pm. Where is the lab?",
        "I am new here since yesterday. Where is the lab?",
    ],
)
def test_the_time_of_a_loss_or_of_the_askers_day_is_not_that_of_a_sighting(text: str) -> None:
    found = asked(text)
    assert found.form is Form.WHERE and found.time is None and found.about in ("keys", "lab", "keys there")


def test_what_was_lost_may_be_named_with_a_time() -> None:
    assert asked("I lost my keys yesterday in the lobby. Where are they?").about == "keys in the lobby"


@pytest.mark.parametrize("words", ["not last week", "and not last month", "not the last week"])
def test_a_time_that_is_not_meant(words: str) -> None:
    found = asked(f"Did you see the cat this week, {words}?")
    assert found.about == "cat" and found.time_text == "this week"


@pytest.mark.parametrize("words", ["right now", "these days", "at the moment", "nowadays", "currently", "just now"])
def test_now_asks_for_the_latest_place(words: str) -> None:
    found = asked(f"Where is the forklift {words}?")
    assert (found.about, found.order, found.now) == ("forklift", Order.LAST, True)


def test_now_is_not_part_of_every_thing() -> None:
    assert not asked("Where is the forklift?").now and asked("Where is the forklift?").order is Order.RELEVANCE


WEEKS = {
    "How often did you see the cat in the first week?": 1,
    "How often did you see the cat during your second week?": 2,
    "What did you see in our fifth week?": 5,
    "How often did you see the cat?": 0,
    "How often did you see the cat in the sixth week?": 0,
    "How often did you see the cat in the first week of November?": 0,
    "How often did you see the cat yesterday in the first week?": 0,
}


@pytest.mark.parametrize("text", WEEKS)
def test_a_week_of_the_robots_time(text: str) -> None:
    found = asked(text)
    assert found.week == WEEKS[text]
    assert found.week == 0 or "week" not in found.about


SPANS = {
    "Did you see a cat from November 5 to 11?": ("11-05", "11-11"),
    "Did you see a cat between November 5 and 11?": ("11-05", "11-11"),
    "Did you see a cat from Monday the 16th to Sunday the 22nd?": ("11-16", "11-22"),
    "Did you see a cat in the second week of November?": ("11-09", "11-15"),
}


@pytest.mark.parametrize("text", SPANS)
def test_from_a_day_to_a_day(text: str) -> None:
    found = asked(text)
    start, end = days(*SPANS[text])
    assert found.about == "cat" and found.time is not None and found.time.after_ns == start
    assert found.time.before_ns is not None and 0 <= end - found.time.before_ns <= 60 * 10**9


def test_a_stay_days_ago_may_be_at_any_time_of_that_day() -> None:
    found = asked("How long were you in the lab five days ago?")
    assert found.time is not None and (found.time.after_ns, found.time.before_ns) == days("11-25", "11-25")


# -- names, here, the nearest


@pytest.mark.parametrize("title", ["Dr.", "Doctor", "Dr"])
def test_somebody_named_in_another_sentence(title: str) -> None:
    assert asked(f"I need to see {title} Novak. Where is her office?").about == "dr novak"
    assert asked("I have an appointment with Ms Novak. Which room is hers?").about in ("novak", "hers")


def test_a_name_does_not_replace_a_thing() -> None:
    assert asked("I need to see Dr. Novak. Where is the kitchen?").about == "kitchen"
    assert asked("Where is the office of Dr. Novak?").about == "office of dr novak"


def test_was_here_asks_about_the_building_and_is_there_here_about_this_place() -> None:
    assert (asked("Was the gardener here?").about, asked("Was the gardener here?").landmark) == ("gardener", "")
    assert (asked("Is there a cup here?").about, asked("Is there a cup here?").landmark) == ("cup", "me")


NEAREST = {  # text: (about, landmark)
    "Which chair is closest?": ("chair", "me"),
    "Which printer is the nearest to this room?": ("printer", "me"),
    "Which staircase is closest to me?": ("staircase", "me"),
    "Where is the next toilet from here?": ("toilet", "me"),
    "Where is the chair that is nearest to the lift?": ("chair", "lift"),
    "Which is the nearest chair to the lift?": ("chair", "lift"),
    "Is there a piano on this floor? Take me to the nearest one please": ("piano", "me"),
}


@pytest.mark.parametrize("text", NEAREST)
def test_the_nearest(text: str) -> None:
    found = asked(text)
    assert (found.form, found.order) == (Form.WHERE, Order.NEAREST)
    assert (found.about, found.landmark) == NEAREST[text]


# -- signs


def test_a_sign_by_what_it_says() -> None:
    found = asked("Where is the note about the lost glove?")
    assert found.sign and not found.written and (found.form, found.about) == (Form.WHERE, "lost glove")
    assert asked("When did the note about the lost glove first hang there?").sign


@pytest.mark.parametrize(
    "text", ["What does the note about the lost glove say?", "Tell me what the note about the lost glove says"]
)
def test_what_a_sign_says_by_its_topic(text: str) -> None:
    found = asked(text)
    assert found.written and found.sign and found.topic in ("lost glove", "lost glove says") and found.about == ""


def test_a_sign_by_its_room() -> None:
    for text in ("What is the poster in the lab about?", "There is a poster in the lab, what is it about?"):
        found = asked(text)
        assert found.written and not found.sign and found.about == "lab"


@pytest.mark.parametrize(
    "text", ["What colour is the sign in the lab?", "Take me to the sign in the lab", "Did you see a sign in the lab?"]
)
def test_no_words_of_a_sign_are_asked_for(text: str) -> None:
    assert not asked(text).written


# -- two sightings

FIRST_TO_LAST = [
    "How long was it between the first and the last time you saw the cat?",
    "How much time passed from the first to the last sighting of the cat?",
    "The cat: how long was it from the first time you saw it until the last?",
    "How long was it between your first sighting of the cat and the most recent one?",
    "How many days are between the earliest and the latest sighting of the cat?",
]


@pytest.mark.parametrize("text", FIRST_TO_LAST)
def test_from_first_to_last(text: str) -> None:
    found = asked(text)
    assert (found.form, found.about, found.until_about) == (Form.HOW_LONG_BETWEEN, "cat", "cat")
    assert (found.order, found.until_order) == (Order.FIRST, Order.LAST)


PAIRS = {
    "What is the time between the cat and the dog?": ("cat", "dog"),
    "How long after the cat did you see the dog?": ("cat", "dog"),
    "How long before the dog was the cat there?": ("dog", "cat"),
    "How long was it between the black cat and the white one?": ("black cat", "white cat"),
}


@pytest.mark.parametrize("text", PAIRS)
def test_between_two_things(text: str) -> None:
    found = asked(text)
    assert found.form is Form.HOW_LONG_BETWEEN and (found.about, found.until_about) == PAIRS[text]
    assert found.until_order is Order.RELEVANCE


# -- hostile text

PIECES = (
    "a ", "the ", "in the ", "sign in a ", "sign about ", "between ", "from ", "nearest ", "nearest a to ", "first ",
    "the first ", "last ", "about ", "'", '"', "\u201c", "a, ", ". ", " - ", "\x00", "\x1b[0m", "(a+)+", "[", "\\1 ",
    "1 ", "1:", "october 5 ", "the 5th ", "monday ", "week ", "that day ", "Dr. A ", "how long ", "after a did ",
    "\u0130", "\U0001f692", "chain saw ", "from here ", "any colour ", "i need ", "to where ", "near ", "say ",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_20000_characters_take_less_than_a_second(piece: str) -> None:
    started_s = time.process_time()
    asked((piece * 20_000)[:19_990] + " is it?")
    assert time.process_time() - started_s < 1.0


@pytest.mark.parametrize("first", ["what does the sign ", "how long was it between ", "i need dr. ", "where is the "])
def test_as_many_characters_as_are_answered_take_a_moment(first: str) -> None:
    asked("When was the cat there on october 5?")  # dateparser reads its languages at the first date
    for piece in PIECES:
        started_s = time.process_time()
        asked((first + piece * 2000)[:1990] + " is it?")
        assert time.process_time() - started_s < 0.2, piece


@settings(deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=30).map("".join))
def test_any_text_is_understood_somehow(said: str) -> None:
    found: Any = asked(said)
    assert isinstance(found, Asked) and found.about == found.about.strip() and found.week in range(6)


@pytest.mark.parametrize(
    ("text", "about", "words"),
    [
        ("Did you see the cat after 10?", "cat", "after 10 o'clock"),
        ("Was the courier there before 9", "courier", "before 9 o'clock"),
        ("Have you seen a dog since 14?", "dog", "since 14:00"),
        ("Have you seen a dog since 99?", "dog since 99", ""),
    ],
)
def test_a_bare_hour_at_the_end_is_a_time(text: str, about: str, words: str) -> None:
    reading = asked(text)
    assert (reading.about, reading.time_text) == (about, words)
