"""Speakers: the text of an answer said aloud. In: text. Out: sound, and a report of what sounds when.

Backends are picked by a `provider:voice` string. `none` says nothing. Knows no ROS.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from remembr_ros.errors import ConfigurationError, MissingDependency, UnknownBackend

PROVIDERS = ("none", "espeak", "piper", "wav")
OnSound = Callable[[str, float], None]
"""Text that sounds now, and for about how much longer [s]; 0: it has ended."""


class Speaker(Protocol):
    """No method waits for sound, except `start` and `close`. Callable from any thread."""

    name: str
    problem: str
    """Why the last text could not be said; empty: it could."""

    @property
    def speaking(self) -> bool:
        """Something is being said, or waits to be."""
        ...

    def start(self) -> None:
        """Load the voice. Raises ModelFailed, ConfigurationError."""
        ...

    def say(self, text: str) -> None:
        """Instead of whatever is being said or waits."""
        ...

    def add(self, text: str) -> None:
        """After what is being said and waits; dropped when too much waits already."""
        ...

    def interrupt(self) -> None:
        """Silence, at once."""
        ...

    def close(self) -> None:
        """Silence for good. Returns within 1 s."""
        ...


class Silent:
    """`none`."""

    name = "none"
    problem = ""
    speaking = False

    def start(self) -> None: ...

    def say(self, text: str) -> None: ...

    def add(self, text: str) -> None: ...

    def interrupt(self) -> None: ...

    def close(self) -> None: ...


def create_speaker(
    spec: str,
    *,
    device: str = "",
    most_chars: int = 300,
    on_sound: OnSound = lambda text, seconds_left: None,
    on_problem: Callable[[str], None] = lambda text: None,
    parameter: str = "speaker.model",
) -> Speaker:
    """The speaker that `spec` names: `none`, `espeak[:<voice>]`, `piper[:<voice.onnx>]`, or `wav:<file>`, which is
    espeak into a file instead of a loudspeaker, for trying out and for tests.

    `device`: the loudspeaker, by index or part of its name, or `wav:<file>`; empty: the usual one. `on_sound` is called
    when a sentence begins and when a text has ended, `on_problem` when a text cannot be said; both from the speaker's
    thread. Raises UnknownBackend, ConfigurationError, MissingDependency.
    """
    provider, _, voice = spec.partition(":")
    if provider not in PROVIDERS:
        raise UnknownBackend(parameter, spec, PROVIDERS)
    if provider == "none":
        return Silent()
    if provider == "wav":
        if not voice:
            raise ConfigurationError(f"{parameter}: wav:<file> wanted, {spec!r} given")
        provider, voice, device = "espeak", "", f"wav:{voice}"
    english = True
    if provider == "piper":
        from remembr_ros.hear.speakers import piper

        voice = str(piper.voice_file(voice, parameter))
        english = Path(voice).name.startswith("en")
    else:
        from remembr_ros.hear.speakers import espeak

        if not espeak.available():
            raise MissingDependency("espeak-ng", espeak.INSTALL, needed_for=f"{parameter} {spec}")
        english = voice.startswith("en") or not voice
    if device.startswith("wav:"):
        folder = Path(device.removeprefix("wav:")).expanduser().absolute().parent
        if not folder.is_dir():
            raise ConfigurationError(f"{parameter}: {device}: no folder {folder}")
    from remembr_ros.hear.speakers.speech_process import SpeechProcess, program

    return SpeechProcess(
        f"{provider}:{Path(voice).stem}" if voice else provider,
        program(provider, voice, device),
        most_chars=most_chars,
        english=english,
        on_sound=on_sound,
        on_problem=on_problem,
    )
