"""Forms of questions and the typed answers that rules alone must give, over one small, known day
(small_building.py)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from small_building import ns, question

from remembr_ros.records import Answer, AnswerError, AnswerKind, Navigate

pytestmark = pytest.mark.models


@dataclass(frozen=True)
class Expect:
    """`at`: (x, y) within 1 m. `time`/`span`: s after the day's start, within 3 s. `says`: words of the answer's
    text."""

    kind: AnswerKind
    at: tuple[float, float] | None = None
    time: float | None = None
    span: float | None = None
    count: int | None = None
    yes: bool | None = None
    says: str = ""
    go: bool = False
    found: bool = True


def where(x: float, y: float, **more: Any) -> Expect:
    return Expect(AnswerKind.POSITION, at=(x, y), **more)


def when(seconds: float) -> Expect:
    return Expect(AnswerKind.TIME, time=seconds)


def lasted(seconds: float) -> Expect:
    return Expect(AnswerKind.DURATION, span=seconds)


def counted(number: int) -> Expect:
    return Expect(AnswerKind.COUNT, count=number)


def yes(says: str = "") -> Expect:
    return Expect(AnswerKind.BINARY, yes=True, says=says)


NO = Expect(AnswerKind.BINARY, yes=False)


def what(says: str) -> Expect:
    return Expect(AnswerKind.TEXT, says=says)


def not_found(kind: AnswerKind) -> Expect:
    return Expect(kind, found=False)


CHAIR, CUP, LIFT, LAB = (15.0, 3.0), (10.6, 0.5), (25.1, 5.0), (50.3, 10.0)

FORMS = {
    # where
    "Where did you see the red chair?": where(*CHAIR),
    "where is the blue chair": where(16.0, 9.0),
    "Where did you last see the cup?": where(*CUP),
    "Where did you first see an espresso?": where(10.0, 0.0),
    "Where can I get some coffee?": where(*CUP),
    "Where is the nearest chair?": where(*CHAIR),
    "Where is the closest elevator to me?": where(*LIFT),
    "Where is the chair near the window?": where(*CHAIR),
    "Where is the cup closest to the red chair?": where(10.6, 0.5),
    "Where can I find the fire extinguisher?": where(42.0, 12.0),
    "In which place did you see a cat?": where(30.0, 0.0),
    "Can you tell me where room 204 is?": where(*LIFT),
    "where is the laptop on the table": where(16.0, 9.0),
    "Where did you see somebody?": where(40.0, 2.0),
    "Where did you see a person wearing a yellow jacket?": where(40.0, 2.0),
    "Where are the desks and monitors?": where(*LAB),
    "Where were you 10 minutes ago?": where(25.5, 5.0),
    "Where were you at 2:40 pm?": where(*LAB),
    "Where are you right now?": where(12.0, 1.0),
    "Where is room 205?": not_found(AnswerKind.POSITION),
    "Where did you see a bicycle?": not_found(AnswerKind.POSITION),
    "Where did you see my wallet?": not_found(AnswerKind.POSITION),
    "Where is the coffee table?": not_found(AnswerKind.POSITION),
    # go there
    "Take me to the elevator": where(25.3, 5.0, go=True),
    "Could you bring me to the lab, please?": where(*LAB, go=True),
    "Hey robot, drive to the nearest chair": where(*CHAIR, go=True),
    "Where is the cat? Take me there.": where(30.0, 0.0, go=True),
    "Take me to the swimming pool": not_found(AnswerKind.POSITION),
    "Did you go to the lab?": yes(),
    # when
    "When did you see the cat?": when(900),
    "When did you first see the elevator?": when(600),
    "When did you last see the elevator?": when(3003),
    "When did you see the elevator?": when(3000),
    "when did you see a cup for the first time": when(120),
    "When did you enter the building?": when(60),
    "What time was it when you saw the red chair?": when(300),
    "At what time did you see the red chair?": when(300),
    "How long ago did you see the cat?": when(900),
    "When did you see someone in the hallway?": when(1500),
    "When did you see an elevator before 2:30pm?": when(600),
    "When did you see a dog?": not_found(AnswerKind.TIME),
    # how long
    "How long did you see the red chair?": lasted(12),
    "How long were you in the computer lab?": lasted(60),
    "How long were you in the lab for?": lasted(60),
    "how long did you look at the cup the first time?": lasted(15),
    "How long did you look at the cup the last time?": lasted(30),
    "How long did you stay at the elevator after 2:40 pm?": lasted(6),
    "How long between the cat and the lab?": lasted(1500),
    "How long did it take you to get from the red chair to the elevator?": lasted(300),
    "How long have you been driving around?": lasted(90000),
    "How long did you see a bicycle?": not_found(AnswerKind.DURATION),
    "How long have you been outside?": not_found(AnswerKind.DURATION),
    # how many times
    "How many times did you see the cup?": counted(2),
    "How often did you see an elevator?": counted(2),
    "How many times did you see a dog?": counted(0),
    "How many times have you seen a cup in the last 45 minutes?": counted(1),
    # yes or no
    "Did you see a cat?": yes("Egyptian cat"),
    "Is there an elevator?": yes(),
    "Have you seen a laptop?": yes(),
    "Was there a plant?": yes(),
    "Did you see a kitty?": yes("Egyptian cat"),
    "Did you see people this afternoon?": yes(),
    "Did you see anyone in a yellow jacket?": yes(),
    "Did you see an accordion yesterday?": yes(),
    "Is there a cup near here?": yes(),
    "Did you see an accordion today?": NO,
    "Did you see a cat in the last ten minutes?": NO,
    "Is there a cat near here?": NO,
    "Did you see a dog?": NO,
    "Did you see a green chair?": NO,
    "Did you see a black cat?": NO,
    "Is there a bike rack?": NO,
    "Did you see a microwave?": NO,
    "Do you know if there is a kitchen?": NO,
    # what
    "What did you see at 2:15 pm?": what("Egyptian cat"),
    "What did you see 1 minute ago?": what("potted plant"),
    "What did you see last?": what("potted plant"),
    "What was the first thing you saw?": what("accordion"),
    "What did you see near me?": what("espresso"),
    "What is near the elevator?": what("ROOM 204"),
    "What did you see between 2:04pm and 2:06pm?": what("red chair"),
    "What did you see yesterday?": what("accordion"),
    "What did you see in the last 5 minutes?": what("potted plant"),
    "What does the sign next to the elevator say?": what("ROOM 204"),
    "What color is the chair near the window?": what("red chair"),
    "What did you see right after the cat?": what("espresso"),
    "What did you see just before the cat?": what("elevator"),
    "What happened after you saw the people?": what("extinguisher"),
    "What did you see after the unicorn?": not_found(AnswerKind.TEXT),
    "What did you see at 2:08:20 pm?": not_found(AnswerKind.TEXT),
    "What did you see at 3 am?": not_found(AnswerKind.TEXT),
}


def check(answer: Answer, expect: Expect) -> None:
    shown = f"{answer.kind.name}: {answer.text}"
    assert answer.kind is expect.kind, shown
    if not expect.found:
        assert answer.error is AnswerError.NOT_FOUND, shown
        assert answer.pose is None and answer.time_ns is None and answer.duration_s is None and not answer.wants_goal, (
            shown
        )
        return
    assert answer.error is None, shown
    assert answer.wants_goal is expect.go, shown
    assert answer.yes_no is expect.yes, shown
    assert answer.count == expect.count, shown
    assert expect.says in answer.text, shown
    if expect.at is not None:
        assert answer.pose is not None and answer.pose.distance_to(*expect.at) < 1.0, shown
    if expect.time is not None:
        assert answer.time_ns == pytest.approx(ns(expect.time), abs=0), shown
    if expect.span is not None:
        assert answer.duration_s == pytest.approx(expect.span, abs=0.01), shown
    if answer.evidence:
        assert all(hit.memory.start_ns < question("").now_ns for hit in answer.evidence)


@pytest.mark.parametrize("text", FORMS)
def test_form(building: Any, ask: Callable[..., Answer], text: str) -> None:
    check(ask(building, text), FORMS[text])


@pytest.mark.parametrize("text", list(FORMS)[::3])
def test_form_on_milvus(milvus_building: Any, ask: Callable[..., Answer], text: str) -> None:
    check(ask(milvus_building, text), FORMS[text])


def test_what_was_not_yet_seen_is_not_known(building: Any, ask: Callable[..., Answer]) -> None:
    answer = ask(building, "Where did you see the elevator?", now_ns=ns(500))
    assert answer.error is AnswerError.NOT_FOUND


def test_a_parked_stay_counts_once_and_lasts_to_its_end(sentence_embedder: Any, ask: Callable[..., Answer]) -> None:
    import dataclasses

    from list_memory import ListMemory
    from small_building import memories

    parked = [m for m in memories() if "computer lab" in m.caption]
    parked = [dataclasses.replace(m, episode_start_ns=parked[0].start_ns) for m in parked]
    memory = ListMemory(parked, sentence_embedder)
    assert ask(memory, "How many times did you see a computer lab?").count == 1
    assert ask(memory, "How long were you in the computer lab?").duration_s == pytest.approx(60.0)
    assert ask(memory, "When did you last see the computer lab?").time_ns == parked[-1].start_ns
    assert ask(memory, "When did you see the computer lab?").time_ns == parked[0].start_ns


def test_a_wanted_goal_makes_a_bare_phrase_a_place(building: Any, ask: Callable[..., Answer]) -> None:
    answer = ask(building, "the red chair", navigate=Navigate.ALWAYS)
    assert answer.kind is AnswerKind.POSITION and answer.pose is not None and answer.pose.distance_to(*CHAIR) < 1.0


def test_nothing_recognised_is_never_evidence(building: Any, ask: Callable[..., Answer]) -> None:
    for text in ("Did you see something that you recognise?", "Did you see nothing?", "What did you see at 2:08:21pm?"):
        assert all("recognise" not in hit.memory.caption for hit in ask(building, text).evidence), text


@pytest.mark.parametrize("text", ["", "   ", "x" * 2001])
def test_an_unusable_question_is_refused_by_name(building: Any, ask: Callable[..., Answer], text: str) -> None:
    answer = ask(building, text)
    assert answer.error is AnswerError.INVALID_QUESTION and "question" in answer.error_msg


@pytest.mark.parametrize(
    "text", ["\U0001f600", "take me to", "where", "when is the", "между 2 и 3", "from to", "at 99:99"]
)
def test_odd_questions_end_in_an_answer(building: Any, ask: Callable[..., Answer], text: str) -> None:
    assert ask(building, text).error in (None, AnswerError.NOT_FOUND)


@pytest.mark.parametrize("text", ["?", "...", "?!"])
def test_a_question_without_words_is_refused(building: Any, ask: Callable[..., Answer], text: str) -> None:
    answer = ask(building, text)
    assert answer.error is AnswerError.INVALID_QUESTION and "words" in answer.error_msg
