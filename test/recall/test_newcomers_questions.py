"""What a newcomer asks of a short drive on which little was recognised: first and last, before and after, what else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from list_memory import ListMemory
from small_building import ZONE, ns, question, window

from remembr_ros.memory.query import Query
from remembr_ros.recall.understand import understand
from remembr_ros.records import Answer, AnswerError, Hit, Memory

pytestmark = pytest.mark.models
Ask = Callable[..., Answer]

NOTHING = "I see nothing that I recognize."
DRIVE = (
    (0, 30, NOTHING),
    (30, 48, "I see a palace."),
    (48, 72, NOTHING),
    (72, 87, "I see a cat."),
    (87, 102, NOTHING),
    (102, 120, "I see an espresso."),
    (120, 144, NOTHING),
    (144, 160, "I see a tripod, a reflex camera."),
    (160, 400, NOTHING),
)
"""From, to [s after the day's start], caption; a stay each, a memory per 3 s."""


def memories() -> list[Memory]:
    return [
        window(at, caption, at / 10, 0.0, id=f"w{at}", episode_start_ns=ns(start), map_id="")
        for start, end, caption in DRIVE
        for at in range(start, end, 3)
    ]


@pytest.fixture(scope="module")
def drive(sentence_embedder: Any) -> ListMemory:
    return ListMemory(memories(), sentence_embedder)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What did you see last?", "tripod"),
        ("What was the last thing you saw?", "tripod"),
        ("what did you see most recently", "tripod"),
        ("What have you seen?", "tripod"),
        ("What did you see first?", "palace"),
        ("What is the first thing you saw?", "palace"),
        ("What did you see after the cat?", "espresso"),
        ("What did you see before the cat?", "palace"),
        ("What did you see near the espresso?", "cat"),
        ("What did you see today?", "palace"),
        ("What did you see last today?", "tripod"),
        ("What was the last thing you saw before 14:02?", "espresso"),
    ],
)
def test_what_was_not_recognised_is_no_answer(drive: ListMemory, ask: Ask, text: str, said: str) -> None:
    answer = ask(drive, text)
    assert answer.error is None, answer.text
    assert said in answer.evidence[0].memory.caption


def test_a_minute_in_which_little_was_recognised(drive: ListMemory, ask: Ask) -> None:
    answer = ask(drive, "What did you see at 14:01?")
    assert answer.error is None and "I see a cat." in [hit.memory.caption for hit in answer.evidence]


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("Did you see the cat before the espresso?", True),
        ("Did you see the espresso before the cat?", False),
        ("Did you see the espresso after the cat?", True),
        ("Did you see the cat after you saw the espresso?", False),
        ("Did you see the cat shortly before the espresso?", True),
        ("Did you see the tripod ten seconds after the cat?", True),
        ("Did you see the palace before you left the cat?", True),
        ("Did you see the espresso before the last cat?", False),
        ("Did you see the tripod before the reflex camera?", False),
        ("Did you see an elephant before the cat?", False),
    ],
)
def test_the_order_of_two_things(drive: ListMemory, ask: Ask, text: str, yes: bool) -> None:
    answer = ask(drive, text)
    assert answer.error is None and answer.yes_no is yes, answer.text
    if "cat" in text and "espresso" in text:
        assert {hit.memory.caption for hit in answer.evidence} == {"I see a cat.", "I see an espresso."}
    ids = [hit.memory.id for hit in answer.evidence]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "text",
    [
        "Was the chair before the door?",
        "Did the dog run after the cat?",
        "Did you see the cat after you were switched on?",
        'Have you seen the sign "look before you leap"?',
    ],
)
def test_no_order_of_two_sightings(text: str) -> None:
    assert not understand(question(text), ZONE).until_about


@pytest.mark.parametrize(
    ("text", "to_come"),
    [
        ("How many cats will come in the night?", True),
        ("Is the big cat going to come in the night?", True),
        ("Do you think the cat will come in the night?", True),
        ("In the night, will the cat come?", True),
        ("Will you show me the cat you saw in the morning?", False),
        ("Are people going to the canteen in the morning?", False),
        ("Did Will come in the morning?", False),
    ],
)
def test_what_is_to_come(text: str, to_come: bool) -> None:
    assert bool(understand(question(text), ZONE).no_time) is to_come


def test_now_is_not_an_hour_ago(drive: ListMemory, ask: Ask) -> None:
    assert ask(drive, "What do you see right now?").error is AnswerError.NOT_FOUND


def test_the_order_of_a_thing_and_one_that_never_was_is_not_known(drive: ListMemory, ask: Ask) -> None:
    answer = ask(drive, "Did you see the cat before the elephant?")
    assert answer.error is AnswerError.NOT_FOUND and "elephant" in answer.text


@pytest.mark.parametrize("text", ["When did you stop seeing the cat?", "When did you last see the cat?"])
def test_the_end_of_seeing_is_the_last_window(drive: ListMemory, ask: Ask, text: str) -> None:
    assert ask(drive, text).evidence[0].memory.id == "w84"


def test_who_shouts_is_understood_with_slips(drive: ListMemory, ask: Ask) -> None:
    assert "espresso" in ask(drive, "WHERE DID YOU SEE THE ESPRESO?").evidence[0].memory.caption


@pytest.mark.parametrize("text", ["How many things did you see?", "How many things did you see today?"])
def test_nothing_named_is_not_counted(drive: ListMemory, ask: Ask, text: str) -> None:
    answer = ask(drive, text)
    assert answer.error is AnswerError.NOT_FOUND and "name" in answer.text


class _LatestOfStay(ListMemory):
    """Gives the last row of a stay, as a search by meaning may: all its rows say the same."""

    def search(self, query: Query, *, visible_before_ns: int | None = None) -> list[Hit]:
        hits = super().search(query, visible_before_ns=visible_before_ns)
        if not query.collapse:
            return hits
        last = {memory.episode_start_ns: memory for memory in self.memories}
        return [Hit(last[hit.memory.episode_start_ns], hit.score) for hit in hits]


def test_a_beginning_is_cited_by_its_own_window(sentence_embedder: Any, ask: Ask) -> None:
    answer = ask(_LatestOfStay(memories(), sentence_embedder), "When did you first see the palace?")
    assert answer.time_ns == ns(30)
    assert answer.evidence[0].memory.start_ns == ns(30)
