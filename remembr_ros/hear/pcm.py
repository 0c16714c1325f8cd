"""Raw samples of any kind to 16 kHz mono. In: interleaved PCM of one stream, block by block. Out: `AudioBlock`s."""

from __future__ import annotations

from typing import Any

import numpy as np

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.hear.audio import MIX, RATE_HZ, AudioBlock, Samples
from remembr_ros.records import NANOSECONDS

INSTALL = "pip install 'soxr>=0.5,<2'"
MIN_RATE_HZ, MAX_RATE_HZ = 4_000, 384_000
MAX_CHANNELS = 64
WIDTHS = {"int8": 1, "uint8": 1, "int16": 2, "int24": 3, "int32": 4, "float32": 4, "float64": 8}
"""Sample type: bytes a sample."""
FULL_SCALE = {"int8": 2.0**7, "uint8": 2.0**7, "int16": 2.0**15, "int24": 2.0**23, "int32": 2.0**31}


class ToMono:
    """One stream's converter: keeps the resampler's state, so that no click is made where two blocks meet.

    Raises InvalidInput for a rate, channel number, sample type or channel that cannot be; MissingDependency.
    """

    def __init__(self, rate_hz: int, channels: int, sample_type: str, *, channel: int = MIX) -> None:
        if not MIN_RATE_HZ <= rate_hz <= MAX_RATE_HZ:
            raise InvalidInput(f"audio rate: {rate_hz} Hz given, {MIN_RATE_HZ} to {MAX_RATE_HZ} wanted")
        if not 1 <= channels <= MAX_CHANNELS:
            raise InvalidInput(f"audio channels: {channels} given, 1 to {MAX_CHANNELS} wanted")
        if sample_type not in WIDTHS:
            raise InvalidInput(f"audio sample type: {sample_type!r} given, one of {', '.join(WIDTHS)} wanted")
        if channel >= channels:
            raise InvalidInput(f"audio channel: {channel} wanted (they count from 0), the sound has {channels}")
        self.form = (rate_hz, channels, sample_type)
        self._channel = channel
        self._taken = 0
        self._given = 0
        self._resampler: Any = None
        if rate_hz != RATE_HZ:
            try:
                import soxr
            except ImportError as error:
                raise MissingDependency("soxr", INSTALL, needed_for=f"sound of {rate_hz} Hz") from error
            self._resampler = soxr.ResampleStream(rate_hz, RATE_HZ, 1, dtype="float32", quality="HQ")

    def convert(self, pcm: bytes | np.ndarray[Any, Any], stamp_ns: int) -> AudioBlock | None:
        """The block that these samples complete; None while the resampler holds them back (some 10 ms).

        `pcm`: bytes, or an array of the stream's type of (n, channels) or interleaved (n * channels,). Raises
        InvalidInput.
        """
        _, channels, sample_type = self.form
        samples = decoded(pcm, sample_type)
        if len(samples) % channels:
            raise InvalidInput(f"audio: {len(samples)} samples are no whole number of frames of {channels} channels")
        frames = samples.reshape(-1, channels)
        mono = frames.mean(axis=1) if self._channel == MIX else frames[:, self._channel]
        return self._resampled(np.ascontiguousarray(mono, np.float32), stamp_ns, last=False)

    def finish(self, stamp_ns: int) -> AudioBlock | None:
        """What the resampler still holds at the end of the stream; `stamp_ns` is that end."""
        return self._resampled(np.zeros(0, np.float32), stamp_ns, last=True) if self._resampler is not None else None

    def _resampled(self, mono: Samples, stamp_ns: int, *, last: bool) -> AudioBlock | None:
        held_ns = (self._taken * NANOSECONDS) // self.form[0] - (self._given * NANOSECONDS) // RATE_HZ
        self._taken += len(mono)
        if self._resampler is not None:
            # A filter rings over full scale where the input touches it.
            mono = np.clip(self._resampler.resample_chunk(mono, last=last), -1.0, 1.0)
        self._given += len(mono)
        return AudioBlock(stamp_ns - held_ns, mono) if len(mono) else None


def decoded(pcm: bytes | np.ndarray[Any, Any], sample_type: str) -> Samples:
    """Samples of `sample_type`, little-endian, as flat float32 in [-1, 1]; not-a-number is silence.

    Raises InvalidInput.
    """
    if isinstance(pcm, np.ndarray):
        if pcm.dtype.name != sample_type:
            raise InvalidInput(f"audio: array of {pcm.dtype.name} given where {sample_type} was announced")
        raw = pcm.reshape(-1)
    else:
        if len(pcm) % WIDTHS[sample_type]:
            raise InvalidInput(f"audio: {len(pcm)} bytes are no whole number of {sample_type} samples")
        if sample_type == "int24":
            raw = np.zeros((len(pcm) // 3, 4), np.uint8)
            raw[:, 1:] = np.frombuffer(pcm, np.uint8).reshape(-1, 3)
            raw, sample_type = raw.view("<i4").reshape(-1), "int32"
        else:
            raw = np.frombuffer(pcm, np.dtype(sample_type).newbyteorder("<"))
    if sample_type.startswith("float"):
        return np.clip(np.nan_to_num(raw.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0), -1.0, 1.0)
    zero = FULL_SCALE[sample_type] if sample_type == "uint8" else 0.0
    return ((raw.astype(np.float64) - zero) / FULL_SCALE[sample_type]).astype(np.float32)
