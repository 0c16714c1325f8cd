"""Microphone, speech model and speaker, as `remembr doctor` sees them where the whisper node runs. In: its parameters.

Nothing is loaded and no device is opened: the node has both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from remembr_ros.cli.finding import Finding, fail, ok, warn
from remembr_ros.errors import RemembrError
from remembr_ros.hear.audio import create_source
from remembr_ros.hear.speakers import create_speaker

WHISPER_PACKAGE = "faster_whisper"


def check_voice(parameters: Mapping[str, Any], sounddevice: Any = None) -> Iterator[Finding]:
    """`sounddevice`: a test brings its own."""
    yield _check_source(parameters, sounddevice)
    yield _check_speech_model(parameters["asr.model"])
    model, device = parameters["speaker.model"], parameters["speaker.device"]
    try:
        create_speaker(model, device=device)
    except RemembrError as error:
        yield fail("speaker", str(error))
    else:
        yield ok("speaker", f"{model}{f' on {device}' if device else ''}")


def _check_source(parameters: Mapping[str, Any], sounddevice: Any) -> Finding:
    source = parameters["audio.source"]
    if source == "topic":
        return ok("microphone", "sound comes by the topic audio")
    try:
        create_source(source, parameter="audio.source").close()
        if not source.startswith("microphone"):
            return ok("microphone", f"sound comes from {source}")
        from remembr_ros.hear import microphone

        sounddevice = sounddevice or microphone._sounddevice()
        devices, default = sounddevice.query_devices(), sounddevice.default.device
        device = microphone.choose(devices, source.partition(":")[2], int(default[0]))
    except RemembrError as error:
        return fail("microphone", str(error), "plug it in, or set audio.source to microphone:<part of its name>")
    return ok("microphone", f"{device['name']} ({device['max_input_channels']} channels)")


def _check_speech_model(spec: str) -> Finding:
    provider, _, model = spec.partition(":")
    if provider == "scripted":
        return warn("speech model", "asr.model is scripted: it understands what its script says", "set asr.model")
    if find_spec(WHISPER_PACKAGE) is None:
        return fail("speech model", f"{spec} needs faster-whisper", "pip install -r requirements-voice.txt")
    if os.sep in model and not Path(model).expanduser().is_dir():
        return fail(
            "speech model", f"asr.model: no folder {model}", "name a folder with a CTranslate2 model, or a size"
        )
    return ok("speech model", f"{spec} (not tried: the node has it)")
