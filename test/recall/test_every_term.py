"""Whatever people call a thing is what their question is about, in every form: a night stand is at no time of the day,
and what a paper shredder says is not asked."""

from __future__ import annotations

from importlib import resources

import pytest
from small_building import ZONE, question

from remembr_ros.intent import asks_to_go
from remembr_ros.memory.query import Order
from remembr_ros.recall.matching import content_words
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.understand import Asked, understand

FORMS = {
    "Where is the {}?": Form.WHERE,
    "Where did you see a {} yesterday?": Form.WHERE,
    "Take me to the {}, please.": Form.WHERE,
    "Where can I find the closest {}?": Form.WHERE,
    "Which {} is the nearest one from here?": Form.WHERE,
    "I am looking for the {}. Where should I go?": Form.WHERE,
    "When did you first see the {}?": Form.WHEN,
    "When was the {} last seen?": Form.WHEN,
    "At what time did you pass the {} in the morning of October 8?": Form.WHEN,
    "How many times did you see the {}?": Form.HOW_MANY,
    "How long did you see the {}?": Form.HOW_LONG,
    "Did you see the {}?": Form.YES_NO,
    "Was there a {} yesterday?": Form.YES_NO,
    "Is there a {} near the lift?": Form.YES_NO,
    "What colour was the {}?": Form.WHAT,
}
NO_THING = {"way in", "way out", "something to eat", "somebody", "someone"}


def asked(text: str) -> Asked:
    return understand(question(text), ZONE)


def terms() -> list[str]:
    text = (resources.files("remembr_ros.recall") / "everyday_words.txt").read_text(encoding="utf-8")
    lines = [line.partition("#")[0].replace(":", ",") for line in text.split("\n")]
    return [term for term in dict.fromkeys(part.strip() for line in lines for part in line.split(",")) if term]


@pytest.mark.parametrize("form", FORMS)
def test_a_question_about_a_known_thing_is_about_it(form: str) -> None:
    known = [term for term in terms() if term not in NO_THING]
    assert len(known) > 1000
    wrong = {}
    for term in known:
        found = asked(form.format(term))
        same_thing = set(content_words(found.about)) == set(content_words(term))
        if not same_thing or found.form is not FORMS[form] or found.no_time:
            wrong[term] = (found.about, found.form, found.no_time)
    assert not wrong


ATTRIBUTES = {
    "Where is the night watchman?": "night watchman",
    "How often did you come across the night bird?": "night bird",
    "Did you see the evening dress in the lobby?": "evening dress in the lobby",
    "Where is the morning newspaper?": "morning newspaper",
    "Is there a noon bell?": "noon bell",
    "Where was the midnight snack?": "midnight snack",
    "Where is the blue present?": "blue present",
    "Which colour did the present in the lobby have?": "present in the lobby",
    "Where is the music stand?": "music stand",
    "Did anyone move the music stand?": "person move the music stand",
    "Where did the coat stand go?": "coat stand go",
    "Where is my birthday present?": "birthday present",
    "Did you see a birthday present?": "birthday present",
    "Was the box a present?": "box a present",
    "Who was in the morning meeting?": "morning meeting",
    "Were you in the night club?": "night club",
    "When did the night shift start?": "night shift start",
    "Where is the night  stand?": "night stand",
    "Where is the bus\u02cdstop?": "bus stop",
    "Have you seen a stand for umbrellas?": "stand for umbrellas",
}


@pytest.mark.parametrize("text", ATTRIBUTES)
def test_a_word_of_a_thing_is_no_time_and_no_filler(text: str) -> None:
    found = asked(text)
    assert set(content_words(found.about)) | {"start"} == set(content_words(ATTRIBUTES[text])) | {"start"}
    assert found.time is None and not found.no_time


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Was a guard present?", "guard"),
        ("Was a guard present in the lobby?", "guard in the lobby"),
        ("Where does the lamp stand?", "lamp"),
        ("Where did the red lamp stand yesterday?", "red lamp"),
        ("When did the bus stop?", "bus"),
        ("Where did the yellow bus stop?", "yellow bus"),
        ("Did any bus stop here?", "bus"),
        ("Will the bus stop at the gate?", "bus"),
        ("Where did the forklift park last night?", "forklift"),
        ("How many people were present in the lobby?", "people in the lobby"),
        ("When was the guard present?", "guard"),
    ],
)
def test_the_same_words_as_verbs_are_not_looked_for(text: str, about: str) -> None:
    found = asked(text)
    assert set(content_words(about)) <= set(content_words(found.about))
    assert not {"stand", "present", "stop", "park"} & set(content_words(found.about))


@pytest.mark.parametrize(
    ("text", "about", "landmark"),
    [
        ("Where is the closest place to hang up my jacket?", "place to hang up my jacket", "me"),
        ("Where can I find the closest tool to drive nails?", "tool to drive nails", "me"),
        ("Where is the nearest something to put out flames?", "put out flames", "me"),
        ("Take me to the nearest device to listen to a heartbeat.", "device to listen to a heartbeat", "me"),
        ("Where is the nearest chair to the lift?", "chair", "lift"),
        ("Where is the closest printer to my office?", "printer", "office"),
        ("Where is the closest printer to room 12?", "printer", "room 12"),
        ("Where is the closest printer to Dr. Novak?", "printer", "dr novak"),
        ("Where is the closest chair to me?", "chair", "me"),
        ("Where is the nearest printer to Anna?", "printer", "anna"),
        ("Where is the nearest toilet to HR?", "toilet", "hr"),
        ("Where is the nearest toilet to building C?", "toilet", "building c"),
        ("Where is the nearest room to seat 20 people?", "room to seat 20 people", "me"),
    ],
)
def test_the_nearest_to_do_something_and_the_nearest_to_a_thing(text: str, about: str, landmark: str) -> None:
    found = asked(text)
    assert set(content_words(found.about)) == set(content_words(about))
    assert found.landmark == landmark and found.order is Order.NEAREST


@pytest.mark.parametrize("text", ["Which poster is the nearest one?", "Which notice board is the closest?"])
def test_the_nearest_sign_is_a_place(text: str) -> None:
    found = asked(text)
    assert found.form is Form.WHERE and not found.written and found.about


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Have you seen the fox since the morning anywhere?", "fox"),
        ("How often did you see the dog since the morning exactly?", "dog exactly"),
        ("Was the box gone by the morning already?", "box gone"),
        ("Did the robot stay until the evening inside the lobby?", "inside the lobby"),
        ("Where was the fox the evening November 29?", "fox"),
        ("Where was the dog the evening Monday?", "dog"),
        ("What happened the night before last?", ""),
        ("What did you see at night?", ""),
        ("Who came overnight?", ""),
    ],
)
def test_a_part_of_the_day_that_is_a_time(text: str, about: str) -> None:
    found = asked(text)
    assert found.time is not None
    assert set(content_words(found.about)) <= set(content_words(about)) and found.order is not Order.LAST


@pytest.mark.parametrize("text", ["Will the fox come in the night?", "Where will the fox be in the morning?"])
def test_what_will_be_was_not_last_night(text: str) -> None:
    assert asked(text).no_time


@pytest.mark.parametrize(
    "text",
    [
        "What does the paper shredder look like?",
        "What does the board room look like?",
        "Who used the ironing board?",
        "Who took the toilet paper?",
    ],
)
def test_nothing_is_written_on_a_shredder(text: str) -> None:
    assert not asked(text).written and asked(text).about


@pytest.mark.parametrize("text", ["What is the way out?", "Which is the way out?", "What is the quickest way out?"])
def test_the_way_out_is_a_place(text: str) -> None:
    assert asked(text).form is Form.WHERE


def test_a_day_care_is_a_place_and_the_day_is_none() -> None:
    assert asks_to_go("Take me to the day care, please.") and asks_to_go("Bring me to the day room.")
    assert asks_to_go("Take me to the hour glass.")
    assert not asks_to_go("Take me back to the day we met.")
