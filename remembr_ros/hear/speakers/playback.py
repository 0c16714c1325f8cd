"""Where speech sounds: a loudspeaker, or a WAV file that takes it at the pace of one. In: 16 bit mono PCM.

Runs inside the speech process (program.py). Both stop within a block when they are asked to.
"""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remembr_ros.errors import MissingDependency, ModelFailed

BLOCK_S = 0.05
HEADER_BYTES = 44
INSTALL = "pip install 'sounddevice>=0.5,<0.6' (and on Linux: sudo apt install libportaudio2)"


class WavFile:
    """Appends to `path`, which holds everything said so far and is valid at any time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def play(self, pcm: bytes, rate_hz: int, stop: threading.Event) -> None:
        """Returns when it was "heard", or soon after `stop`. Raises ModelFailed."""
        try:
            with self._path.open("r+b" if self._continues(rate_hz) else "wb") as file:
                for block in _blocks(pcm, rate_hz):
                    # The sound first, then the header that counts it: who reads meanwhile finds a whole file.
                    end = max(file.seek(0, os.SEEK_END), HEADER_BYTES)
                    file.seek(end)
                    file.write(block)
                    file.seek(0)
                    file.write(_header(end - HEADER_BYTES + len(block), rate_hz))
                    file.flush()
                    if stop.wait(len(block) / 2 / rate_hz):
                        return
        except OSError as error:
            raise ModelFailed(f"{self._path}: {error}") from error

    def _continues(self, rate_hz: int) -> bool:
        """There is a file of ours, of this rate."""
        if not self._path.exists():
            return False
        with self._path.open("rb") as file:
            head = file.read(HEADER_BYTES)
        return len(head) == HEADER_BYTES and head[8:40] == _header(0, rate_hz)[8:40]


class Loudspeaker:
    """An output of PortAudio, by index or part of its name; empty: the computer's usual one."""

    def __init__(self, name: str, sounddevice: Any = None) -> None:
        self._name = name
        self._sounddevice = sounddevice

    def play(self, pcm: bytes, rate_hz: int, stop: threading.Event) -> None:
        """Returns when it was heard, or soon after `stop`. Raises MissingDependency, ModelFailed."""
        sounddevice = self._sounddevice or _sounddevice()
        try:
            device = choose_output(sounddevice.query_devices(), self._name)
            pcm, rate_hz = _at_a_rate_it_takes(sounddevice, device, pcm, rate_hz)
            with sounddevice.RawOutputStream(samplerate=rate_hz, channels=1, dtype="int16", device=device) as stream:
                for block in _blocks(pcm, rate_hz):
                    if stop.is_set():
                        stream.abort()  # what is in the buffer is not heard any more
                        return
                    stream.write(block)
                stream.stop()  # waits for the buffer
        except sounddevice.PortAudioError as error:
            raise ModelFailed(f"speaker.device {self._name or 'default'}: {error}") from error


def _header(data_bytes: int, rate_hz: int) -> bytes:
    """Of a WAV file of 16 bit mono."""
    form = struct.pack("<IHHIIHH", 16, 1, 1, rate_hz, 2 * rate_hz, 2, 16)
    length = struct.pack("<I", HEADER_BYTES - 8 + data_bytes)
    return b"RIFF" + length + b"WAVEfmt " + form + b"data" + struct.pack("<I", data_bytes)


def choose_output(devices: Sequence[Mapping[str, Any]], wanted: str) -> int | None:
    """Index of the output that `wanted`, an index or a part of one name, means; None: the usual one.

    Raises ModelFailed with what outputs there are.
    """
    outputs = {index: str(device["name"]) for index, device in enumerate(devices) if device["max_output_channels"] > 0}
    listed = "; ".join(f"{index}: {name}" for index, name in outputs.items()) or "none at all"
    if not outputs:
        raise ModelFailed("speaker.device: this computer has no sound output")
    if not wanted:
        return None
    if wanted.isdigit():
        found = [int(wanted)] if int(wanted) in outputs else []
    else:
        found = [index for index, name in outputs.items() if wanted.lower() in name.lower()]
        found = [index for index in found if outputs[index].lower() == wanted.lower()] or found
    if len(found) != 1:
        raise ModelFailed(f"speaker.device: {wanted!r} names {len(found)} outputs of these: {listed}")
    return found[0]


def create_output(spec: str) -> WavFile | Loudspeaker:
    """`wav:<file>`, or what a loudspeaker is named by."""
    provider, _, path = spec.partition(":")
    return WavFile(Path(path).expanduser()) if provider == "wav" else Loudspeaker(spec)


def _sounddevice() -> Any:
    try:
        import sounddevice
    except (ImportError, OSError) as error:  # OSError: without the PortAudio library
        raise MissingDependency("sounddevice", INSTALL, needed_for="a loudspeaker") from error
    return sounddevice


def _at_a_rate_it_takes(sounddevice: Any, device: int | None, pcm: bytes, rate_hz: int) -> tuple[bytes, int]:
    """Many a USB device plays 48 kHz only; PortAudio does not resample for it."""
    try:
        sounddevice.check_output_settings(device=device, samplerate=rate_hz, channels=1, dtype="int16")
        return pcm, rate_hz
    except sounddevice.PortAudioError:
        import numpy as np
        import soxr

        own_hz = int(sounddevice.query_devices(device, "output")["default_samplerate"])
        return soxr.resample(np.frombuffer(pcm, np.int16), rate_hz, own_hz).astype("<i2").tobytes(), own_hz


def _blocks(pcm: bytes, rate_hz: int) -> list[bytes]:
    size = 2 * round(rate_hz * BLOCK_S)
    return [pcm[at : at + size] for at in range(0, len(pcm), size)]
