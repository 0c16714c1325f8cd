"""What `remembr doctor` says about microphone, speech model and speaker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from remembr_ros.cli import doctor_voice
from remembr_ros.cli.doctor_voice import check_voice
from remembr_ros.cli.finding import Level
from remembr_ros.hear import microphone
from remembr_ros.ros.parameter_tables import WHISPER

DEFAULTS: dict[str, Any] = {parameter.name: parameter.default for parameter in WHISPER}


def sounddevice(*names: str) -> Any:
    devices = [{"name": name, "max_input_channels": 6, "default_samplerate": 16000.0} for name in names]
    return SimpleNamespace(query_devices=lambda: devices, default=SimpleNamespace(device=(0, 0)))


def findings(library: Any = None, **changed: Any) -> dict[str, Any]:
    values = DEFAULTS | {name.replace("__", "."): value for name, value in changed.items()}
    return {finding.about: finding for finding in check_voice(values, library)}


@pytest.fixture(autouse=True)
def some_portaudio(monkeypatch):
    """The source is only made, never opened: any library will do."""
    monkeypatch.setattr(microphone, "_sounddevice", lambda: sounddevice())


def test_a_microphone_is_named():
    found = findings(sounddevice("HDA", "ReSpeaker 4 Mic"), audio__source="microphone:respeaker")["microphone"]
    assert found.level is Level.OK and "ReSpeaker 4 Mic (6 channels)" in found.what


@pytest.mark.parametrize(
    ("names", "source", "words"),
    [
        ((), "microphone", "no input device"),
        (("HDA",), "microphone:respeaker", "0: HDA"),
        (("HDA",), "wav:/no/such/file.wav", "/no/such/file.wav"),
        (("HDA",), "gramophone", "audio.source"),
    ],
)
def test_a_source_that_is_missing_is_to_be_fixed(names, source, words):
    found = findings(sounddevice(*names), audio__source=source)["microphone"]
    assert found.level is Level.FAIL and words in found.what and found.fix


def test_sound_from_a_topic_needs_no_microphone():
    assert findings(audio__source="topic")["microphone"].level is Level.OK


@pytest.mark.parametrize(
    ("model", "level", "words"),
    [
        ("scripted:hello", Level.WARN, "scripted"),
        ("faster_whisper:/no/such/folder", Level.FAIL, "/no/such/folder"),
        ("packaged", Level.OK, "packaged"),
    ],
)
def test_the_speech_model(monkeypatch, model, level, words):
    monkeypatch.setattr(doctor_voice, "find_spec", lambda name: object())
    found = findings(audio__source="topic", asr__model=model)["speech model"]
    assert found.level is level and words in found.what


def test_without_faster_whisper_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(doctor_voice, "find_spec", lambda name: None)
    found = findings(audio__source="topic")["speech model"]
    assert found.level is Level.FAIL and "requirements-voice.txt" in found.fix


@pytest.mark.parametrize(("model", "level"), [("none", Level.OK), ("parrot", Level.FAIL)])
def test_the_speaker(model, level):
    assert findings(audio__source="topic", speaker__model=model)["speaker"].level is level
