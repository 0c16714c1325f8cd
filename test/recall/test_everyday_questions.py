"""Everyday words, kinds, rooms, signs and names, asked of a memory whose captions say it otherwise, and what must not
be taken for something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from list_memory import ListMemory
from small_building import ns, window

from remembr_ros.records import Answer, AnswerError, AnswerKind, Memory

pytestmark = pytest.mark.models
Ask = Callable[..., Answer]
Stay = tuple[float, float, float, float, str]
"""From, to [s after the day's start], x, y [m], caption; one memory per 3 s."""


def noted(*stays: Stay) -> list[Memory]:
    times = [
        (start + 3 * n, stay) for stay in stays for start in [stay[0]] for n in range(round((stay[1] - start) / 3))
    ]
    return [window(at, caption, x, y) for at, (_, _, x, y, caption) in sorted(times)]


FLOOR: Sequence[Stay] = (
    (-8 * 86400, -8 * 86400 + 12, 25.0, 0.0, "A rabbit sits in a cage in a nursery."),
    (0, 12, 0.0, 0.0, "A trombone lies on a wooden bench in a music room."),
    (60, 72, 10.0, 0.0, "A guard in a dark cap stands at a barrier."),
    (120, 132, 20.0, 0.0, "A rabbit sits in a cage in a nursery."),
    (180, 192, 30.0, 0.0, "There is a vaulting horse and there are ropes in a gym."),
    (240, 252, 40.0, 0.0, "A choir of twelve people sings in a hall."),
    (360, 372, 60.0, 0.0, "A workshop with a row of vices."),
    (375, 387, 62.0, 1.0, "A stepladder leans against the wall."),
    (420, 432, 90.0, 0.0, "A stepladder lies on the floor of a garage."),
    (480, 492, 110.0, 0.0, 'A paper on the board in a lobby says "Lost: one brown glove. Ask at the desk."'),
    (540, 552, 120.0, 0.0, 'A poster in a laboratory reads "Summer party on Friday at six".'),
    (600, 612, 130.0, 0.0, 'A door with the sign "Dr. Novak, room 31".'),
    (660, 672, 140.0, 0.0, "A stroller stands in a corridor."),
    (720, 732, 5.0, 9.0, "A printer on a low shelf."),
    (780, 792, 150.0, 0.0, "A printer beside a window."),
    (840, 852, 160.0, 0.0, "I see an espresso."),
    (900, 912, 170.0, 0.0, "In the mail room a stamp machine stands on a steel table."),
)


class Floor(ListMemory):
    """With its embedder, by which the rules find other words."""

    def __init__(self, stays: Sequence[Stay], embedder: Any) -> None:
        super().__init__(noted(*stays), embedder)
        self.embedder = embedder


@pytest.fixture(scope="module")
def floor(sentence_embedder: Any) -> ListMemory:
    return Floor(FLOOR, sentence_embedder)


PLACES = {  # text: x [m] of the place; the robot is at (12, 1)
    "Where is the pram?": 140,
    "Take me to the coffee.": 160,  # no group of words tells of an espresso
    "Where is the trombonne?": 0,
    "Where is the step ladder in the workshop?": 62,  # no caption names both
    "Where is the stepladder in the garage?": 90,
    "Where does the choir that meets from time to time sing?": 40,
    "Where is the note about the lost glove?": 110,
    "I need to see Dr. Novak. Where is her office?": 130,
    "Which printer is closest?": 5,
    "Which printer is the nearest to this room?": 5,
    "Where is the next printer from here?": 5,
    "Is there a printer on this floor? Where is the nearest one?": 5,
    "I lost my trombone yesterday. Have you seen it?": 0,
    "Where is the stroller right now?": 140,
    "Where are printers these days?": 150,
}


@pytest.mark.parametrize("text", PLACES)
def test_a_place(floor: ListMemory, ask: Ask, text: str) -> None:
    answer = ask(floor, text)
    assert answer.kind is AnswerKind.POSITION and answer.pose is not None, answer.text
    assert answer.pose.x == pytest.approx(PLACES[text]), answer.text


@pytest.mark.parametrize(
    "text",
    [
        "Where is the saxophone?",  # another instrument is none
        "Where is the soldier?",  # nor is a guard one
        "Where is the kangaroo?",
        "Where is the cash machine?",  # nor is every machine
        "Where is the trampoline in the gym?",  # the gym is not what was asked for
        "Where is the stepladder in the gym?",  # it was seen elsewhere
        "Where is the note about the broken window?",
        "I need to see Dr. Miller. Where is his office?",
    ],
)
def test_what_was_not_seen_is_not_replaced(floor: ListMemory, ask: Ask, text: str) -> None:
    assert ask(floor, text).error is AnswerError.NOT_FOUND


YES_OR_NO = {
    "Did you see a pram?": True,
    "Was the rabbit here?": True,  # in the building
    "Is there a printer here?": False,  # near the robot
    "Is there a guard here?": True,
    "Did you see a saxophone?": False,
    "Did you see a soldier?": False,
    "Did you see a kangaroo?": False,
    "Did you see a trampoline in the gym?": False,
}


@pytest.mark.parametrize("text", YES_OR_NO)
def test_yes_or_no(floor: ListMemory, ask: Ask, text: str) -> None:
    answer = ask(floor, text)
    assert answer.yes_no is YES_OR_NO[text], answer.text


WORDS = {
    "What animal was in the nursery?": "rabbit",
    "What does the note about the lost glove say?": "one brown glove",
    "There is a poster in the lab, what is it about?": "Summer party",
    "What does the poster in the laboratory say?": "Summer party",
}


@pytest.mark.parametrize("text", WORDS)
def test_in_words(floor: ListMemory, ask: Ask, text: str) -> None:
    assert WORDS[text] in ask(floor, text).text


LENGTHS = {  # text: s
    "How long was it between the first and the last time you saw a printer?": 60,
    "What is the time between the rabbit and the choir?": 120,
    "How long after the rabbit did you see the choir?": 120,
    "How long was it from your first sighting of a rabbit to the last?": 8 * 86400 + 120,
}


@pytest.mark.parametrize("text", LENGTHS)
def test_between_sightings(floor: ListMemory, ask: Ask, text: str) -> None:
    answer = ask(floor, text)
    assert answer.kind is AnswerKind.DURATION and answer.duration_s == pytest.approx(LENGTHS[text])


COUNTS = {  # the memory begins on Sunday 2026-11-22: its second week ends on Sunday 2026-11-29
    "How often did you see the rabbit?": 2,
    "How often did you see the rabbit in the first week?": 1,
    "How often did you see the rabbit in your second week?": 0,
    "How often did you see the rabbit in the third week?": 1,
    "How often did you see the rabbit in the fifth week?": 0,
    "How often did you see the rabbit from November 20 to 25?": 1,
    "How often did you see the rabbit this week, not last week?": 1,
    "You drove around on November 22. How often did you see a rabbit that day?": 1,
}


@pytest.mark.parametrize("text", COUNTS)
def test_counted(floor: ListMemory, ask: Ask, text: str) -> None:
    answer = ask(floor, text)
    assert answer.kind is AnswerKind.COUNT and answer.count == COUNTS[text], answer.text


def test_a_week_of_an_empty_memory(sentence_embedder: Any, ask: Ask) -> None:
    assert ask(ListMemory([], sentence_embedder), "How often did you see a cat in the first week?").count == 0


# -- slips of the captioner: one window of a view says something else

BLUE = "A blue armchair stands in a lobby."
SLIPPED: Sequence[Stay] = (
    (0, 15, 50.0, 0.0, "A red armchair stands in an office."),
    (600, 612, 0.0, 0.0, BLUE),
    (612, 615, 0.0, 0.0, "A red armchair stands in a lobby."),  # of the wrong colour
    (615, 627, 0.0, 0.0, BLUE),
    (1200, 1212, 20.0, 0.0, "A violin hangs on the wall of a shop."),
    (1800, 1812, 80.0, 0.0, "A guitar leans against a counter."),
    (1812, 1815, 80.0, 0.0, "A violin leans against a counter."),  # the wrong thing
    (1815, 1830, 80.0, 0.0, "A guitar leans against a counter."),
    (2400, 2403, 120.0, 0.0, "A telescope points at the sky."),  # a single window, and nothing beside it
)


@pytest.fixture(scope="module")
def slipped(sentence_embedder: Any) -> ListMemory:
    return Floor(SLIPPED, sentence_embedder)


def test_a_wrong_colour_is_no_sighting(slipped: ListMemory, ask: Ask) -> None:
    where = ask(slipped, "Where is the red armchair?")
    assert where.pose is not None and where.pose.x == 50.0
    last = ask(slipped, "When did you last see the red armchair?")
    assert last.time_ns == ns(12)
    assert ask(slipped, "How often did you see the red armchair?").count == 1
    assert ask(slipped, "How often did you see the blue armchair?").count == 1


def test_a_wrong_thing_is_no_sighting_where_others_are_surer(slipped: ListMemory, ask: Ask) -> None:
    where = ask(slipped, "Where did you last see the violin?")
    assert where.pose is not None and where.pose.x == 20.0
    assert ask(slipped, "How often did you see a violin?").count == 1


def test_a_single_window_without_neighbours_is_believed(slipped: ListMemory, ask: Ask) -> None:
    where = ask(slipped, "Where is the telescope?")
    assert where.pose is not None and where.pose.x == 120.0
    assert ask(slipped, "How often did you see a telescope?").count == 1
