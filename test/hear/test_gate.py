"""What the robot takes for its own: questions, yes, no and stop; not the radio, silence or its own voice."""

from __future__ import annotations

import pytest
from utterances import transcript, utterance

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.gate import Gate, GateSettings, Verdict, VerdictKind
from remembr_ros.records import NANOSECONDS

pytestmark = pytest.mark.voice
QUESTION, CONFIRM, DECLINE, STOP, REJECTED = (
    VerdictKind.QUESTION,
    VerdictKind.CONFIRM,
    VerdictKind.DECLINE,
    VerdictKind.STOP,
    VerdictKind.REJECTED,
)
ANSWER = "The coffee machine is near the window, I am going there now"


def judge(gate: Gate, text: str, start_s: float = 100.0, length_s: float = 2.0, **doubts: float | str) -> Verdict:
    end_ns = int((start_s + length_s) * NANOSECONDS)
    return gate.judge(transcript(text, **doubts), utterance(start_s, length_s), end_ns)


def situation(gate: Gate, at_s: float, *, pending: bool = False, driving: bool = False) -> None:
    gate.set_situation(pending=pending, driving=driving, now_ns=int(at_s * NANOSECONDS))


@pytest.mark.parametrize(
    ("heard", "asked"),
    [
        ("Hey robot, where did you see the elevator?", "Where did you see the elevator?"),
        ("Robot where did you see my phone", "Where did you see my phone"),
        ("Okay, Robo, take me to the lab.", "Take me to the lab."),
        ("hey row bot, when did you leave?", "When did you leave?"),
        ("Where did you see the elevator, robot?", "Where did you see the elevator?"),
        ("Robot. ¿Dónde está el ascensor?", "Dónde está el ascensor?"),
        ("Hey Robot, what is that robot doing?", "What is that robot doing?"),
    ],
)
def test_a_question_to_the_robot_is_accepted_without_the_wake_phrase(heard: str, asked: str) -> None:
    verdict = judge(Gate(), heard)
    assert (verdict.kind, verdict.question_text) == (QUESTION, asked)


@pytest.mark.parametrize(
    "heard",
    [
        "Where did you put the car keys?",
        "I think we should buy a robot for the warehouse, the old one is broken.",
        "Robots are taking over the factories.",
        "What is that robot doing over there?",
        "The root is rotten.",
        "Robot vacuum cleaners are cheap.",
        "Robot start taking over the factories, says a report.",
        "",
        "...",
    ],
)
def test_speech_that_is_not_to_the_robot_is_rejected(heard: str) -> None:
    assert judge(Gate(), heard).kind is REJECTED


@pytest.mark.parametrize(
    ("phrase", "heard", "kind"),
    [
        ("hey carter", "Hey Carter, where are you?", QUESTION),
        ("hey carter", "Hey Harter, where are you?", QUESTION),
        ("nova carter", "Novacarter, where are you?", QUESTION),
        ("hey carter", "President Carter was there.", REJECTED),
        ("", "Where did you see the elevator?", QUESTION),
        ("  ", "Where did you see the elevator?", QUESTION),
        ("Roboter", "Hallo Roboter, wo ist der Aufzug?", QUESTION),
    ],
)
def test_the_wake_phrase_is_a_parameter(phrase: str, heard: str, kind: VerdictKind) -> None:
    assert judge(Gate(GateSettings(wake_phrase=phrase)), heard).kind is kind


def test_a_wake_phrase_without_a_word_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"gate\.wake_phrase"):
        GateSettings(wake_phrase="!?")


def test_the_wake_phrase_alone_opens_a_short_time_of_listening() -> None:
    gate = Gate()
    assert judge(gate, "Hey robot.", 100.0, 1.0).listening
    assert judge(gate, "Where is the elevator?", 104.0).kind is QUESTION
    assert judge(gate, "Where is the kitchen?", 107.0).kind is REJECTED, "one question, then it is closed"
    assert judge(gate, "Robot!", 200.0, 1.0).listening
    assert judge(gate, "Where is the elevator?", 210.0).kind is REJECTED


@pytest.mark.parametrize(
    "doubts",
    [
        {"no_speech_prob": 0.9},
        {"avg_logprob": -1.4},
        {"compression_ratio": 3.0},
        {"language": "ko", "language_probability": 0.3},
    ],
)
def test_what_the_model_doubts_is_rejected(doubts: dict[str, float | str]) -> None:
    gate = Gate(GateSettings(wake_phrase=""))
    assert judge(gate, "Where did you see the elevator?", **doubts).kind is REJECTED
    assert judge(gate, "Where did you see the elevator?").kind is QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "Thank you.",
        "you",
        "Thanks for watching!",
        "Bye-bye.",
        "Untertitel der Amara.org-Community",
        "the the the the the the the the",
        "I don't know, I don't know, I don't know, I don't know, I don't know",
    ],
)
def test_what_whisper_writes_for_silence_is_rejected_even_without_a_wake_phrase(text: str) -> None:
    assert judge(Gate(GateSettings(wake_phrase="")), text).kind is REJECTED


def test_field_fault_35_the_robot_does_not_answer_itself() -> None:
    gate = Gate(GateSettings(wake_phrase=""))
    gate.answer_spoken(ANSWER, int(100 * NANOSECONDS), int(104 * NANOSECONDS))
    echo = judge(gate, "the coffee machine is near the window i am going there now", 100.5, 4.0)
    assert echo.kind is REJECTED and "own voice" in echo.reason
    assert judge(gate, "Where did you see the printer?", 107.0).kind is QUESTION


@pytest.mark.parametrize(
    ("text", "start_s"),
    [
        ("coffee machine is near the", 100.2),
        ("the window I am going there now", 102.0),
        ("I'm going there now.", 103.0),
        ("the coffee machine is near the window i am going there now", 105.2),
        ("The coffee mushroom is near the windows, I am going there now.", 100.5),
        ("the coffee machine is near the window i am going there now", 109.0),
    ],
)
def test_pieces_misheard_and_late_echoes_are_its_own_voice(text: str, start_s: float) -> None:
    gate = Gate(GateSettings(wake_phrase=""))
    gate.answer_spoken(ANSWER, int(100 * NANOSECONDS), int(104 * NANOSECONDS))
    assert "own voice" in judge(gate, text, start_s).reason


def test_a_person_may_interrupt_and_ask_about_the_same_thing() -> None:
    gate = Gate(GateSettings(wake_phrase=""))
    gate.answer_spoken(ANSWER, int(100 * NANOSECONDS), int(104 * NANOSECONDS))
    assert judge(gate, "Where is the elevator?", 101.0).kind is QUESTION
    assert judge(gate, "When was the coffee machine last cleaned?", 106.5).kind is QUESTION
    assert judge(gate, "The coffee machine is near the window, I am going there now.", 130.0).kind is QUESTION, (
        "long over"
    )
    called = Gate()
    called.answer_spoken(ANSWER, int(100 * NANOSECONDS), int(104 * NANOSECONDS))
    assert judge(called, "Robot, is the coffee machine near the window?", 102.0).kind is QUESTION


def test_the_robots_own_yes_confirms_nothing() -> None:
    gate = Gate()
    situation(gate, 100.0, pending=True)
    gate.answer_spoken("Shall I go there? Say yes or no.", int(101 * NANOSECONDS), int(104 * NANOSECONDS))
    assert judge(gate, "yes", 103.0, 0.5).kind is REJECTED
    assert judge(gate, "yes", 107.0, 0.5).kind is CONFIRM


@pytest.mark.parametrize(
    ("text", "language", "kind"),
    [
        ("Yes.", "en", CONFIRM),
        ("Yes, please go there!", "en", CONFIRM),
        ("Go ahead.", "en", CONFIRM),
        ("Robot, yes.", "en", CONFIRM),
        ("No.", "en", DECLINE),
        ("No, don't go there.", "en", DECLINE),
        ("Cancel that", "en", DECLINE),
        ("Stop!", "en", DECLINE),
        ("Yes, no, stop.", "en", DECLINE),
        ("Ja, bitte.", "de", CONFIRM),
        ("Nein danke", "de", DECLINE),
        ("Abbrechen!", "de", DECLINE),
        ("Oui, vas-y.", "fr", CONFIRM),
        ("Non merci.", "fr", DECLINE),
        ("Sí, adelante.", "es", CONFIRM),
        ("No, gracias", "es", DECLINE),
        ("Yes", "ja", CONFIRM),
        ("Yes I was in the kitchen yesterday", "en", REJECTED),
        ("Maybe.", "en", REJECTED),
        ("Do you want to go?", "en", REJECTED),
        ("there", "en", REJECTED),
    ],
)
def test_yes_and_no_act_only_while_a_goal_waits(text: str, language: str, kind: VerdictKind) -> None:
    gate = Gate()
    assert judge(gate, text, 50.0, 1.0, language=language).kind is REJECTED
    situation(gate, 99.0, pending=True)
    assert judge(gate, text, 100.0, 1.0, language=language).kind is kind
    situation(gate, 110.0)
    assert judge(gate, text, 120.0, 1.0, language=language).kind is REJECTED


def test_a_yes_that_began_before_the_goal_was_proposed_does_not_count() -> None:
    gate = Gate()
    situation(gate, 100.5, pending=True)
    assert judge(gate, "Yes.", 100.0, 1.0).kind is REJECTED
    assert judge(gate, "Yes.", 102.0, 1.0).kind is CONFIRM


def test_a_doubtful_yes_confirms_nothing() -> None:
    gate = Gate()
    situation(gate, 99.0, pending=True)
    assert judge(gate, "Yes.", avg_logprob=-1.5).kind is REJECTED
    assert judge(gate, "Yes.", no_speech_prob=0.8).kind is REJECTED


@pytest.mark.parametrize(
    "text", ["Stop!", "Stop, stop, stop, stop, stop, stop, stop, stop.", "Please stop now", "No!", "Cancel.", "Halt!"]
)
def test_while_driving_a_bare_stop_stops(text: str) -> None:
    gate = Gate()
    assert judge(gate, text, 50.0).kind is REJECTED
    situation(gate, 99.0, driving=True)
    assert judge(gate, text).kind is STOP


@pytest.mark.parametrize("driving", [True, False])
def test_stop_to_the_robot_always_works_whatever_the_model_doubts(driving: bool) -> None:
    gate = Gate(GateSettings(max_questions_per_minute=1))
    assert judge(gate, "Robot, where are you?").kind is QUESTION
    situation(gate, 101.0, driving=driving)
    gate.answer_spoken("I stop.", int(100 * NANOSECONDS), int(104 * NANOSECONDS))
    for start_s in (102.0, 102.5, 103.0):
        assert judge(gate, "Robot, stop!", start_s, 0.5, avg_logprob=-2.0, no_speech_prob=0.9).kind is STOP


def test_a_bus_stop_is_no_stop() -> None:
    gate = Gate()
    situation(gate, 99.0, driving=True)
    assert judge(gate, "Robot, where is the bus stop?").kind is QUESTION
    assert judge(gate, "Stop talking about the weather all the time.", 110.0).kind is REJECTED


def test_the_same_question_at_once_is_asked_once() -> None:
    gate = Gate()
    assert judge(gate, "Robot, where is the lab?", 100.0).kind is QUESTION
    assert judge(gate, "robot where is the lab", 102.5).kind is REJECTED
    assert judge(gate, "Robot, where is the lab?", 110.0).kind is QUESTION


def test_questions_a_minute_are_limited_also_after_a_clock_set_back() -> None:
    gate = Gate(GateSettings(max_questions_per_minute=3))
    kinds = [judge(gate, f"Robot, where is room {number}?", 100.0 + 5 * number).kind for number in range(5)]
    assert kinds == [QUESTION] * 3 + [REJECTED] * 2
    assert judge(gate, "Robot, where is room nine?", 170.0).kind is QUESTION
    assert judge(gate, "Robot, where is room ten?", 10.0).kind is QUESTION


def test_an_answer_that_names_the_robot_is_still_its_own_voice() -> None:
    gate = Gate()
    gate.answer_spoken("Robot, where did you see the elevator? I do not know.", 100 * NANOSECONDS, 104 * NANOSECONDS)
    assert judge(gate, "Robot, where did you see the elevator?", 100.5).kind is REJECTED
    assert judge(gate, "Robot, where is the kitchen?", 103.0).kind is QUESTION


@pytest.mark.parametrize(
    "heard",
    [
        "Watch out! Stop!", "Oh my god, stop!", "Wait, wait, stop!", "Stop, stop, there is a child in front of you",
        "I said stop", "Emergency stop!", "Robot, you have to stop now.", "Hey robot, can you please stop?",
        "Robot, wait!", "Robot, hold on.", "Robot, don't move!", "Achtung, stopp!", "Robot, arrête!",
    ],
)  # fmt: skip
def test_a_stop_within_a_sentence_stops_a_robot_that_drives(heard: str) -> None:
    gate = Gate()
    situation(gate, 90.0, driving=True)
    language = "de" if "stopp" in heard else "fr" if "arr" in heard else "en"
    assert judge(gate, heard, language=language).kind is STOP


@pytest.mark.parametrize(
    "heard", ["Where is the bus stop?", "We should stop for lunch.", "The last stop was at the lobby, I think."]
)
def test_who_talks_about_a_stop_stops_nobody(heard: str) -> None:
    gate = Gate()
    situation(gate, 90.0, driving=True)
    assert judge(gate, heard).kind is REJECTED
    assert judge(gate, f"Robot, {heard.lower()}").kind is not STOP


def test_the_lobby_where_the_robot_shall_wait_is_asked_for() -> None:
    assert judge(Gate(), "Robot, wait at the entrance").kind is QUESTION
    assert judge(Gate(), "Robot, wait, where did you see my phone?").kind is QUESTION


def test_a_yes_that_was_meant_for_the_proposal_before_confirms_nothing() -> None:
    gate = Gate()
    gate.set_situation(pending="to the lab", driving=False, now_ns=99 * NANOSECONDS)
    gate.set_situation(pending="to the roof", driving=False, now_ns=101 * NANOSECONDS)  # while it is being said
    assert judge(gate, "yes", 100.0).kind is REJECTED
    verdict = judge(gate, "yes", 101.5)
    assert (verdict.kind, verdict.pending) == (CONFIRM, "to the roof")


def test_what_the_model_writes_for_silence_is_none_of_the_sites_names() -> None:
    gate = Gate(GateSettings(wake_phrase=""))
    assert judge(gate, "Tank you.", written="Thank you.").kind is REJECTED
