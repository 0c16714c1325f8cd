"""From evidence to typed answers: the numbers are the evidence's, also where the composer's words say otherwise."""

from __future__ import annotations

import dataclasses

import pytest
from small_building import ZONE, memories, ns, question

from remembr_ros.recall.answer import Composer, quote
from remembr_ros.records import AnswerError, AnswerKind, Hit

COMPOSE = Composer(question("Where is the cup of 3 o'clock?"), ZONE, "test")
CUP = [Hit(m, 0.5) for m in memories() if "espresso" in m.caption]
SIGN = [Hit(m, 0.5) for m in memories() if "ROOM 204" in m.caption]
NOWHERE = Hit(dataclasses.replace(CUP[0].memory, id="n", pose=None, localized=False), 0.9)


def test_position_is_the_first_cited_memory_that_has_a_place() -> None:
    answer = COMPOSE.compose(AnswerKind.POSITION, [NOWHERE, CUP[1], CUP[2]])
    assert answer.pose == CUP[1].memory.pose and answer.evidence[0] == NOWHERE
    lost = COMPOSE.compose(AnswerKind.POSITION, [NOWHERE])
    assert lost.error is AnswerError.NOT_FOUND and lost.pose is None and lost.evidence == (NOWHERE,)


def test_count_is_of_distinct_episodes() -> None:
    parked = [Hit(dataclasses.replace(h.memory, episode_start_ns=CUP[0].memory.start_ns), 0.5) for h in CUP[:5]]
    assert COMPOSE.compose(AnswerKind.COUNT, parked).count == 1
    assert COMPOSE.compose(AnswerKind.COUNT, CUP[:3]).count == 3
    assert COMPOSE.compose(AnswerKind.COUNT, []).count == 0


def test_a_duration_is_never_negative_and_needs_both_ends() -> None:
    assert COMPOSE.compose(AnswerKind.DURATION, CUP, start_ns=ns(9), end_ns=ns(3)).duration_s == 0.0
    assert COMPOSE.compose(AnswerKind.DURATION, CUP, start_ns=ns(9)).error is AnswerError.NOT_FOUND


@pytest.mark.parametrize("kind", [AnswerKind.POSITION, AnswerKind.TIME, AnswerKind.COUNT])
@pytest.mark.parametrize(
    "lie",
    ["It is at (99.0, 99.0).", "It was 5 minutes ago.", "I saw it twice.", "At noon.", "Seven of them.", "½ 3 m away."],
)
def test_a_numeric_answer_drops_every_number_of_the_composer(kind: AnswerKind, lie: str) -> None:
    text = COMPOSE.compose(kind, CUP[:1], text=f"On the table. {lie}").text
    assert text.startswith("On the table. ") and lie not in text


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("The sign reads ROOM 204.", True),
        ("The sign reads ROOM 205.", False),
        ("It was there at 3 o'clock.", True),  # the asker's own number
        ("It is at 12.5, 7.25.", False),
        ("A sign next to the elevator.", True),
    ],
)
def test_a_text_answer_keeps_only_numbers_that_its_evidence_shows(said: str, kept: bool) -> None:
    text = COMPOSE.compose(AnswerKind.TEXT, SIGN[:1], text=said).text
    assert (said in text) is kept and text


def test_a_text_answer_without_words_of_its_own_quotes_the_evidence() -> None:
    text = COMPOSE.compose(AnswerKind.TEXT, SIGN[:1]).text
    assert "ROOM 204" in text and "2026-11-30 14:10:00 UTC-05:00" in text and "50 minutes ago" in text


def test_a_caption_is_quoted_shortened_and_on_one_line() -> None:
    assert quote("a\nsign   " + "x" * 500).count("\n") == 0 and len(quote("x" * 500)) <= 242


def test_a_failure_has_words_for_the_asker_and_a_message_for_the_log() -> None:
    answer = COMPOSE.failed(AnswerError.TIMEOUT, "no answer within 3 s", "That took too long.")
    assert (answer.text, answer.error_msg, answer.error) == (
        "That took too long.",
        "no answer within 3 s",
        AnswerError.TIMEOUT,
    )
