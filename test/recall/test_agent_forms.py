"""What people ask, as a language model would work it out: question, tool calls, citation, and the typed answer.

Each row is one form of question over the small building (small_building.py). The scripted model makes the calls of the
row round by round and cites what was shown; every number of the answer is computed by code and compared with the day.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, shown_ids
from small_building import memories, ns

from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError, AnswerKind, Pose

Ask = Callable[..., Answer]
SETTINGS = RecallSettings(prefetch=False, time_limit_s=10.0, llm_timeout_s=5.0)


@dataclass(frozen=True)
class Shown:
    """The id of a shown memory whose line holds `words`: the first one, or the one at `index`."""

    words: str
    index: int = 0

    def resolve(self, request: Request) -> str:
        ids = shown_ids(request, self.words)
        assert ids, f"nothing shown holds {self.words!r}"
        return ids[self.index]


def text(query: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "search_text", {"query": query, **more}


def place(near: Any, **more: Any) -> tuple[str, dict[str, Any]]:
    return "search_position", {"near": near, **more}


def time(at: Any, **more: Any) -> tuple[str, dict[str, Any]]:
    return "search_time", {"at": at, **more}


def motion(after: Any, before: Any) -> tuple[str, dict[str, Any]]:
    return "motion", {"after": after, "before": before}


@dataclass(frozen=True)
class Row:
    """`rounds`: the calls of each turn. `answer`: the arguments of `answer`. The rest is what must come out: place
    (x, y) [m] within 1 m, time and span [s after the day's start, s]."""

    rounds: tuple[tuple[tuple[str, dict[str, Any]], ...], ...]
    answer: dict[str, Any]
    at: tuple[float, float] | None = None
    time: float | None = None
    span: float | None = None
    count: int | None = None
    yes: bool | None = None
    says: str = ""
    go: bool = False
    found: bool = True
    memory: Callable[[], list[Any]] = field(default=memories)


def row(*rounds: Any, **expected: Any) -> Row:
    """Rounds, the last argument being the answer's; a round of one call needs no tuple of calls."""
    *searches, answer = rounds
    turns = tuple(turn if isinstance(turn[0], tuple) else (turn,) for turn in searches)
    return Row(turns, answer, **expected)


def cite(kind: str, *words: str | Shown, said: str = "There.", **more: Any) -> dict[str, Any]:
    evidence = [Shown(w) if isinstance(w, str) else w for w in words]
    return {"kind": kind, "text": said, "evidence": evidence, **more}


def drive() -> list[Any]:
    """East along a corridor, a left turn, north, a stop of 12 s, a right turn, east again."""
    path = [(x, 0.0, 0.0) for x in (0, 2, 4, 6)] + [(7, 0.5, 0.8), (7, 2, math.pi / 2)]
    path += [(7, 4, math.pi / 2)] * 4 + [(7, 6, math.pi / 2), (7.5, 7, 0.7), (9, 7, 0.0), (11, 7, 0.0)]
    base = memories()[0]
    seen = ["a corridor with an elevator", *["a corridor"] * 6, *["a printer"] * 3, *["a glass door"] * 5]
    return [
        dataclasses.replace(
            base,
            id=f"d{n}",
            start_ns=ns(3000 + 3 * n),
            end_ns=ns(3003 + 3 * n),
            episode_start_ns=ns(3000 + 3 * n),
            caption=seen[n],
            pose=Pose(ns(3001 + 3 * n), "map", x, y, yaw=yaw),
        )
        for n, (x, y, yaw) in enumerate(path)
    ]


CHAIR, BLUE, CUP, LIFT, LAB, CAT = (15.0, 3.0), (16.0, 9.0), (10.5, 0.5), (25.0, 5.0), (50.3, 10.0), (30.0, 0.0)
CUP_WORDS, LIFT_WORDS, LAB_WORDS = "espresso cup", "elevator with steel doors", "computer lab with desks and monitors"

FORMS: dict[str, Row] = {
    # where
    "Where did you see the red chair?": row(text("red chair"), cite("position", "red chair"), at=CHAIR),
    "Where did you last see the cup?": row(text(CUP_WORDS, order="last"), cite("position", "espresso"), at=(10.8, 0.5)),
    "Where did you first see the cup?": row(
        text(CUP_WORDS, order="first"), cite("position", "espresso"), at=(10.0, 0.0)
    ),
    "Where is the elevator closest to me?": row(
        text(LIFT_WORDS, near="me", order="nearest"), cite("position", "elevator"), at=LIFT
    ),
    "Where is the chair nearest to the elevator?": row(
        text(LIFT_WORDS),
        text("chair", near=Shown("elevator"), order="nearest", limit=1),
        cite("position", "chair"),
        at=BLUE,
    ),
    "What is near the elevator?": row(
        text(LIFT_WORDS, limit=1),
        place(Shown("elevator"), within_m=3),
        cite("text", "ROOM 204", said="A sign that reads ROOM 204."),
        says="ROOM 204",
    ),
    "Where is the nearest place to sit?": row(
        (text("red chair", near="me"), text("blue chair", near="me")), cite("position", "red chair"), at=CHAIR
    ),
    "What is at 16, 9?": row(place("16, 9", within_m=2), cite("text", "blue chair", said="A blue chair."), says="blue"),
    "Where did you see people after the cat?": row(
        text("Egyptian cat"), text("people talk", after=Shown("cat")), cite("position", "people"), at=(40.0, 2.0)
    ),
    "Where were you 10 minutes ago?": row(time("10 minutes ago"), cite("position", "elevator"), at=(25.5, 5.0)),
    "Where were you at 2:40 pm?": row(time("2:40 pm"), cite("position", "computer lab"), at=LAB),
    "Where were you yesterday afternoon?": row(
        time("yesterday afternoon"), cite("position", "accordion"), at=(2.0, 2.0)
    ),
    "Where is the unicorn?": row(text("unicorn"), {"kind": "not_found", "text": "I never saw one."}, found=False),
    "What did you see right here before?": row(
        place("me", within_m=3), cite("text", "espresso", said="A cup."), says="A cup."
    ),
    # go
    "Take me to the elevator": row(text(LIFT_WORDS), cite("position", "elevator", go=True), at=LIFT, go=True),
    "Go to the nearest cup": row(
        text(CUP_WORDS, near="me", order="nearest"), cite("position", "espresso", go=True), at=(10.8, 0.5), go=True
    ),
    "Bring me to where you saw the cat after lunch": row(
        text("Egyptian cat", after="noon"), cite("position", "cat", go=True), at=CAT, go=True
    ),
    "How do I get to the lab?": row(text(LAB_WORDS), cite("position", "computer lab", go=True), at=LAB),
    # when
    "When did you see the cat?": row(text("Egyptian cat"), cite("time", "cat"), time=900),
    "When did you first see the elevator?": row(text(LIFT_WORDS, order="first"), cite("time", "elevator"), time=600),
    "When did you last see the elevator?": row(text(LIFT_WORDS, order="last"), cite("time", "elevator"), time=3003),
    "When did you enter the building?": row(
        text("enters a building lobby", order="first"), cite("time", "lobby"), time=60
    ),
    "When did you leave the lab?": row(text(LAB_WORDS, order="last"), cite("time", "computer lab"), time=2457),
    "When did you see the elevator before 2:30 pm?": row(
        text(LIFT_WORDS, before="2:30 pm", order="last"), cite("time", "elevator"), time=618
    ),
    "How long ago did you see the plant?": row(
        text("potted plant brick wall", order="last"), cite("time", "plant", said="Just before."), time=3546, says="ago"
    ),
    "When were you last near the red chair?": row(
        text("red chair"), place(Shown("red chair"), within_m=3, order="last"), cite("time", "14:05:09"), time=309
    ),
    "What time was it when you saw people?": row(text("two people talk"), cite("time", "people"), time=1500),
    # how long
    "How long were you in the lab?": row(
        (text(LAB_WORDS, order="first", limit=1), text(LAB_WORDS, order="last", limit=1)),
        cite("duration", "computer lab", Shown("computer lab", -1)),
        span=60,
    ),
    "How long between the cat and the lab?": row(
        (text("Egyptian cat", order="first", limit=1), text(LAB_WORDS, order="first", limit=1)),
        {"kind": "duration", "text": "A while.", "evidence": [], "from": Shown("cat"), "until": Shown("computer lab")},
        span=1503,
    ),
    "How long did it take from the red chair to the elevator?": row(
        text("red chair", order="last", limit=1),
        text(LIFT_WORDS, order="first", after=Shown("red chair"), limit=1),
        cite("duration", "red chair", "elevator", **{"from": Shown("red chair"), "until": Shown("elevator")}),
        span=294,
    ),
    "How long have you been on?": row(
        {"kind": "duration", "text": "Since yesterday.", "from": "start", "until": "now"}, span=90_000
    ),
    "How long is it since you saw the cat, until now?": row(
        text("Egyptian cat", order="last", limit=1),
        {"kind": "duration", "text": "Some time.", "from": Shown("cat"), "until": "now", "evidence": [Shown("cat")]},
        span=2697,
    ),
    "How long did you look at the cup the second time?": row(
        text(CUP_WORDS, after="2:15 pm", order="first", limit=20),
        cite("duration", "espresso", Shown("of its")),
        span=30,
    ),
    # how many times
    "How many different chairs did you see?": row(
        (text("red chair", limit=1), text("blue chair", limit=1)),
        cite("count", "red chair", "blue chair", said="A red and a blue one."),
        count=2,
    ),
    "How many times did you see a dog?": row(
        text("dog"), {"kind": "count", "text": "I saw none.", "count": 0}, count=0
    ),
    "How often did you come by the elevator?": row(
        (text(LIFT_WORDS, before="2:30 pm", limit=1), text(LIFT_WORDS, after="2:30 pm", limit=1)),
        cite("count", "elevator", Shown("elevator", -1), count=2),
        count=2,
    ),
    # yes and no
    "Did you see a cat?": row(text("Egyptian cat"), cite("yes_no", "cat", said="Yes.", yes_no=True), yes=True),
    "Did you see a dog?": row(
        (text("dog"), text("puppy", order="last")), {"kind": "yes_no", "text": "No.", "yes_no": False}, yes=False
    ),
    "Was there an accordion yesterday?": row(
        text("accordion", after="yesterday", before="yesterday"),
        cite("yes_no", "accordion", said="Yes.", yes_no=True),
        yes=True,
    ),
    "Is the elevator in front of the cup?": row(
        (text(LIFT_WORDS), text(CUP_WORDS)), cite("yes_no", "elevator", "espresso", said="No.", yes_no=False), yes=False
    ),
    "Did you see people before the cat?": row(
        text("Egyptian cat"),
        text("people talk", before=Shown("cat"), order="last"),
        {"kind": "yes_no", "text": "No, only later.", "yes_no": False},
        yes=False,
    ),
    # what
    "What did you see right now?": row(
        time("now", limit=1), cite("text", "plant", said="A potted plant."), says="plant"
    ),
    "What did you see at 2:15 pm?": row(time("2:15 pm", limit=2), cite("text", "cat", said="A cat."), says="A cat."),
    "What did the sign next to the elevator say?": row(
        text("sign next to an elevator"), cite("text", "ROOM 204", said="ROOM 204."), says="ROOM 204."
    ),
    "What did you see just before the cat?": row(
        text("Egyptian cat", limit=1),
        time(Shown("cat"), before=Shown("cat"), order="last", limit=1),
        cite("text", "elevator", said="An elevator."),
        says="An elevator.",
    ),
    "What did the corridor look like?": row(
        text("corridor"), cite("text", "corridor", said="It has a wide window."), says="wide window"
    ),
    "What did you see between 2:04 and 2:06 pm?": row(
        time("between 2:04 pm and 2:06 pm"), cite("text", "red chair", said="A red chair."), says="red chair"
    ),
    "What did you do today?": row(
        (time("today", order="first"), time("today", order="last")),
        cite("text", "outdoors", Shown("plant", -1), said="I came in from outdoors and ended at a plant."),
        says="outdoors",
    ),
    # how it moved
    "Which way did you turn after the elevator?": row(
        text("elevator", order="first", limit=1),
        motion(Shown("elevator"), "now"),
        cite("text", "turned left", said="I turned left."),
        says="left",
        memory=drive,
    ),
    "Where did you stop?": row(
        motion("10 minutes ago", "now"), cite("position", "stopped for"), at=(7.0, 4.0), memory=drive
    ),
    "When did you turn right?": row(motion("start", "now"), cite("time", "turned right"), time=3030, memory=drive),
    "Did you stop in front of the printer?": row(
        (motion("start", "now"), text("printer")),
        cite("yes_no", "printer", said="Yes.", yes_no=True),
        yes=True,
        memory=drive,
    ),
}


def resolved(value: Any, request: Request) -> Any:
    if isinstance(value, Shown):
        if value.words.startswith(("turned", "stopped")):  # a line of motion: "turned left ... at m3 | ..."
            lines = "\n".join(m["content"] for m in request["messages"] if m["role"] == "tool").split("\n")
            return next(line for line in lines if line.startswith(value.words)).split(" | ")[0].rsplit(" ", 1)[1]
        return value.resolve(request)
    if isinstance(value, dict):
        return {key: resolved(item, request) for key, item in value.items()}
    return [resolved(item, request) for item in value] if isinstance(value, list) else value


def model(row: Row) -> Callable[[Request], Any]:
    def reply(request: Request) -> Any:
        turn = sum(1 for m in request["messages"] if m["role"] == "assistant")
        if turn < len(row.rounds):
            return calls(*(call(name, resolved(arguments, request)) for name, arguments in row.rounds[turn]))
        return answers(**resolved(row.answer, request))

    return reply


def test_there_are_forms_of_every_kind() -> None:
    assert len(FORMS) >= 40
    assert {row.answer["kind"] for row in FORMS.values()} >= {"text", "yes_no", "position", "time", "duration", "count"}


@pytest.mark.parametrize("asked", FORMS)
def test_form(ask: Ask, asked: str) -> None:
    expect = FORMS[asked]
    with ScriptedLLM(model(expect)) as llm:
        answer = ask(ListMemory(expect.memory(), HashingEmbedder(256)), asked, llm, SETTINGS)
    results = [m["content"] for r in llm.requests for m in r["messages"] if m["role"] == "tool"]
    assert not [r for r in results if r.startswith("Error")] and not llm.problems
    assert (answer.rounds, answer.llm_calls) == (len(expect.rounds), len(expect.rounds) + 1)
    assert answer.source == "llm:test" and answer.text
    if not expect.found:
        assert answer.error is AnswerError.NOT_FOUND and answer.pose is None
        return
    assert answer.error is None, answer.error_msg
    kind = {"yes_no": AnswerKind.BINARY}.get(expect.answer["kind"]) or AnswerKind(expect.answer["kind"])
    assert answer.kind is kind and answer.wants_goal is expect.go
    assert (answer.yes_no, answer.count) == (expect.yes, expect.count)
    assert expect.says in answer.text
    if expect.at is not None:
        assert answer.pose is not None and answer.pose.distance_to(*expect.at) < 1.0, answer.text
    assert answer.time_ns == (None if expect.time is None else ns(expect.time)), answer.text
    assert answer.duration_s == (None if expect.span is None else pytest.approx(expect.span)), answer.text
