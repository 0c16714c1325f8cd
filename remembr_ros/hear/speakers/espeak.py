"""eSpeak NG: in, one sentence; out, 16 bit mono PCM. Runs inside the speech process (program.py) only.

The program `espeak-ng` where it is installed, else the library of the wheel espeakng-loader.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import threading
from importlib.util import find_spec
from typing import Any

from remembr_ros.errors import MissingDependency, ModelFailed

INSTALL = "sudo apt install espeak-ng"
WORDS_PER_MINUTE = 160
DEFAULT_VOICE = "en"
SYNTHESIS_S = 10.0
LIBRARY = "espeakng_loader"

# Constants of espeak-ng's public header speak_lib.h.
_AUDIO_OUTPUT_SYNCHRONOUS, _CHARS_UTF8, _POS_CHARACTER, _RATE = 2, 1, 1, 1
_BUFFER_MS = 200


def available() -> bool:
    return shutil.which("espeak-ng") is not None or find_spec(LIBRARY) is not None


def create(voice: str = "") -> EspeakProgram | EspeakLibrary:
    """Raises MissingDependency."""
    program = shutil.which("espeak-ng")
    if program is not None:
        return EspeakProgram(program, voice or DEFAULT_VOICE)
    if find_spec(LIBRARY) is not None:
        return EspeakLibrary(voice or DEFAULT_VOICE)
    raise MissingDependency("espeak-ng", INSTALL, needed_for="speaker espeak")


class EspeakProgram:
    """One run of `espeak-ng` a sentence. The text goes in by stdin: it can be no option, and no shell sees it."""

    def __init__(self, program: str, voice: str) -> None:
        self._voice = voice
        self._command = [program, "--stdout", "--stdin", "-b", "1", "-s", str(WORDS_PER_MINUTE), f"-v{voice}"]

    def synthesize(self, sentence: str) -> tuple[bytes, int]:
        """PCM and its rate [Hz]. Raises ModelFailed."""
        try:
            done = subprocess.run(
                self._command, input=sentence.encode(), capture_output=True, timeout=SYNTHESIS_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise ModelFailed(f"espeak-ng took more than {SYNTHESIS_S:g} s for one sentence") from None
        if done.returncode != 0 or not done.stdout.startswith(b"RIFF"):
            said = done.stderr.decode(errors="replace").strip().splitlines()
            why = said[-1] if said else f"exit code {done.returncode}"
            raise ModelFailed(f"espeak-ng (voice {self._voice!r}): {why}")
        # It cannot know the length when it writes the header, so the header of 44 bytes is read by hand.
        return done.stdout[44:], int.from_bytes(done.stdout[24:28], "little")


class EspeakLibrary:
    """The shared library, through its C interface."""

    def __init__(self, voice: str) -> None:
        import espeakng_loader

        self._lock = threading.Lock()
        self._parts: list[bytes] = []
        self._library = ctypes.CDLL(str(espeakng_loader.get_library_path()))
        data = str(espeakng_loader.get_data_path()).encode()
        rate = self._library.espeak_Initialize(_AUDIO_OUTPUT_SYNCHRONOUS, _BUFFER_MS, data, 0)
        if rate <= 0:
            raise ModelFailed(f"espeak-ng: its data cannot be loaded from {data.decode()}")
        self._rate_hz = int(rate)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        self._callback = kind(self._on_samples)  # kept: the library does not
        self._library.espeak_SetSynthCallback(self._callback)
        if self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ModelFailed(f"espeak-ng has no voice {voice!r}")
        self._library.espeak_SetParameter(_RATE, WORDS_PER_MINUTE, 0)

    def synthesize(self, sentence: str) -> tuple[bytes, int]:
        """PCM and its rate [Hz]. Raises ModelFailed."""
        with self._lock:
            self._parts = []
            text = sentence.encode() + b"\0"
            failed = self._library.espeak_Synth(
                text, ctypes.c_size_t(len(text)), 0, _POS_CHARACTER, 0, _CHARS_UTF8, None, None
            )
            if failed:
                raise ModelFailed(f"espeak-ng: error {failed} for {sentence[:40]!r}")
            self._library.espeak_Synchronize()
            return b"".join(self._parts), self._rate_hz

    def _on_samples(self, samples: Any, count: int, _: Any) -> int:
        if samples and count > 0:
            self._parts.append(ctypes.string_at(samples, 2 * count))
        return 0
