"""Sound from files: any rate, channels and type, at the pace of a microphone; what is no sound is refused by name."""

from __future__ import annotations

import time
import wave
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError, UnknownBackend
from remembr_ros.hear.audio import create_source
from remembr_ros.hear.wav import TAIL_S, WavSource

pytestmark = pytest.mark.voice


def write(path: Path, frames: np.ndarray, rate_hz: int, width: int = 2) -> Path:
    """`frames`: (n, channels) in [-1, 1]."""
    whole = np.round(frames * (2 ** (8 * width - 1) - 1)).astype(np.int64)
    raw = whole.astype("<i4").reshape(-1, 1).view(np.uint8)[:, :width] if width > 1 else (whole + 128).astype(np.uint8)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(frames.shape[1])
        file.setsampwidth(width)
        file.setframerate(rate_hz)
        file.writeframes(raw.tobytes())
    return path


def tone(rate_hz: int, channels: int, only: int | None = None) -> np.ndarray:
    sound = 0.5 * np.sin(2 * np.pi * 440 * np.arange(rate_hz) / rate_hz)
    frames = np.zeros((rate_hz, channels))
    frames[:, slice(None) if only is None else only] = sound[:, None] if only is None else sound
    return frames


def read(path: Path, channel: int = -1) -> np.ndarray:
    blocks = list(WavSource(path, channel=channel, paced=False).blocks())
    assert all(abs(after.stamp_ns - before.end_ns) < 200_000 for before, after in pairwise(blocks))
    return np.concatenate([block.samples for block in blocks])


@pytest.mark.parametrize(
    ("rate_hz", "channels", "width"), [(48_000, 2, 2), (16_000, 1, 2), (44_100, 2, 3), (8_000, 1, 1), (22_050, 1, 4)]
)
def test_files_of_any_kind_are_the_same_sound(tmp_path: Path, rate_hz: int, channels: int, width: int) -> None:
    samples = read(write(tmp_path / "tone.wav", tone(rate_hz, channels), rate_hz, width))
    assert abs(len(samples) - 16_000 * (1 + TAIL_S)) < 400
    spectrum = np.abs(np.fft.rfft(samples[:16_000]))
    assert spectrum.argmax() == 440 and np.abs(samples[1000:15_000]).max() == pytest.approx(0.5, abs=0.03)


def test_one_channel_of_six(tmp_path: Path) -> None:
    file = write(tmp_path / "six.wav", tone(48_000, 6, only=4), 48_000)
    assert np.abs(read(file, 4)).max() > 0.45 and np.abs(read(file, 3)).max() < 0.01


def test_it_plays_as_fast_as_it_was_recorded_and_close_ends_it(tmp_path: Path) -> None:
    source = create_source(f"wav:{write(tmp_path / 'tone.wav', tone(16_000, 1), 16_000)}")
    began_s, blocks = time.monotonic(), source.blocks()
    while next(blocks).end_ns < time.time_ns() + 10**12 and time.monotonic() - began_s < 0.5:
        pass
    assert time.monotonic() - began_s >= 0.45
    source.close()
    assert list(blocks) == []


def test_what_is_no_sound_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("hello")
    (tmp_path / "empty.wav").write_bytes(b"")
    for name in ("text.wav", "empty.wav", "absent.wav"):
        with pytest.raises(ConfigurationError, match=name):
            WavSource(tmp_path / name)
    with pytest.raises(ConfigurationError, match=r"channel: 3 .* has 1"):
        WavSource(write(tmp_path / "mono.wav", tone(16_000, 1), 16_000), channel=3)


def test_sources_are_named() -> None:
    with pytest.raises(UnknownBackend, match="radio"):
        create_source("radio:1")
    with pytest.raises(ConfigurationError, match=r"audio\.source"):
        create_source("wav:")
    with pytest.raises(ConfigurationError, match="channel -2"):
        create_source("wav:x", channel=-2)
