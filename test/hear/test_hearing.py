"""Real speech through real Silero and real Whisper: a question arrives whole, noise does not."""

from __future__ import annotations

import numpy as np
import pytest
import speech

from remembr_ros.hear.audio import AudioBlock
from remembr_ros.hear.expectation import expected_speech, is_echo
from remembr_ros.hear.gate import Gate, Verdict, VerdictKind
from remembr_ros.hear.segmenter import Segmenter, Utterance
from remembr_ros.hear.transcribers import Transcriber, create_transcriber
from remembr_ros.hear.vad import SileroVad

pytestmark = pytest.mark.voice


@pytest.fixture(scope="module")
def whisper() -> Transcriber:
    transcriber = create_transcriber("packaged", device="cpu", prompt=expected_speech("robot", "en"))
    transcriber.warm_up()
    return transcriber


def utterances(sound: np.ndarray, block: int = 320) -> list[Utterance]:
    segmenter, found = Segmenter(SileroVad()), []
    for start in range(0, len(sound), block):
        found += segmenter.add(AudioBlock(start * 62_500, sound[start : start + block]))
    return found + segmenter.flush()


def judged(whisper: Transcriber, sound: np.ndarray) -> list[Verdict]:
    gate = Gate()
    return [gate.judge(whisper.transcribe(one.samples), one, one.end_ns) for one in utterances(sound)]


@pytest.mark.parametrize("noise_db", [None, 20.0])
def test_a_spoken_question_arrives_with_its_first_word(whisper: Transcriber, noise_db: float | None) -> None:
    sound = speech.in_a_room(speech.spoken("Hey robot, where is the kitchen?", "en-us", 140))
    if noise_db is not None:
        sound = speech.with_noise(sound, noise_db, seed=3, kind="pink")
    (verdict,) = judged(whisper, sound)
    assert verdict.kind is VerdictKind.QUESTION and verdict.question_text.startswith("Where is")
    assert "kitchen" in verdict.question_text


def test_speech_without_the_wake_phrase_is_no_question(whisper: Transcriber) -> None:
    sound = speech.in_a_room(speech.spoken("Where did you put the car keys?", "en", 140))
    assert [verdict.kind for verdict in judged(whisper, sound)] == [VerdictKind.REJECTED]


@pytest.mark.parametrize("kind", ["white", "pink"])
def test_noise_and_silence_are_nobody(kind: str) -> None:
    assert utterances((0.1 * speech.noise(160_000, kind)).astype(np.float32)) == []
    assert utterances(speech.silence(10.0)) == []


def test_silero_frame_by_frame_is_silero_at_once() -> None:
    from faster_whisper.vad import get_vad_model

    sound = speech.in_a_room(speech.spoken("Hey robot, where is the kitchen?"))
    sound = sound[: len(sound) // 512 * 512]
    vad = SileroVad()
    streamed = [vad(sound[start : start + 512]) for start in range(0, len(sound), 512)]
    assert np.allclose(streamed, get_vad_model()(sound).reshape(-1), atol=1e-4)
    vad.reset()
    assert vad(sound[:512]) == pytest.approx(streamed[0], abs=1e-6)


@pytest.mark.parametrize("voice", speech.VOICES)
def test_the_voices_of_the_tests_differ_and_are_heard(voice: str) -> None:
    slow, fast = (speech.spoken("Hey robot, where are you?", voice, words) for words in (120, 160))
    assert len(slow) > 1.15 * len(fast) and len(utterances(speech.in_a_room(slow))) == 1


def test_what_the_model_expects_is_no_question() -> None:
    assert expected_speech("robot", "en") == "Hey robot, can you hear me?"
    assert expected_speech("Hey Carter", "en") == "Hey Carter, can you hear me?"
    assert expected_speech("", "en") == expected_speech("robot", "") == expected_speech("robot", "ja") == ""
    assert is_echo("Can you hear me?") and is_echo("kannst du mich hören") and not is_echo("Can you see me?")
