"""Raw samples of any rate, type and channel number come out as 16 kHz mono, without clicks where blocks meet."""

from __future__ import annotations

import numpy as np
import pytest

from remembr_ros.errors import InvalidInput
from remembr_ros.hear.audio import MIX
from remembr_ros.hear.pcm import FULL_SCALE, ToMono, decoded
from remembr_ros.hear.push import PushSource
from remembr_ros.records import NANOSECONDS

pytestmark = pytest.mark.voice


def tone(rate_hz: int, seconds: float = 1.0, hz: float = 440.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(int(rate_hz * seconds)) / rate_hz)).astype(np.float32)


def encoded(sound: np.ndarray, sample_type: str) -> bytes:
    if sample_type.startswith("float"):
        return sound.astype({"float32": "<f4", "float64": "<f8"}[sample_type]).tobytes()
    whole = np.round(sound * (FULL_SCALE[sample_type] - 1)).astype(np.int64)
    if sample_type == "uint8":
        return (whole + 128).astype(np.uint8).tobytes()
    if sample_type == "int24":
        return whole.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    return whole.astype({"int8": "<i1", "int16": "<i2", "int32": "<i4"}[sample_type]).tobytes()


@pytest.mark.parametrize("sample_type", ["int8", "uint8", "int16", "int24", "int32", "float32", "float64"])
def test_every_sample_type_is_the_same_sound(sample_type: str) -> None:
    sound = tone(16_000)
    assert np.abs(decoded(encoded(sound, sample_type), sample_type) - sound).max() < 0.02


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 22_050, 44_100, 48_000, 96_000])
def test_a_tone_cut_into_uneven_blocks_stays_one_tone(rate_hz: int) -> None:
    sound, mono, at, blocks = tone(rate_hz), ToMono(rate_hz, 1, "float32"), 0, []
    for length in np.random.default_rng(1).integers(1, rate_hz // 20, 200):
        piece = sound[at : at + length]
        if len(piece) and (block := mono.convert(piece, at * NANOSECONDS // rate_hz)):
            blocks.append(block)
        at += length
    if rest := mono.finish(NANOSECONDS):
        blocks.append(rest)
    samples = np.concatenate([block.samples for block in blocks])
    assert abs(len(samples) - 16_000) <= 2
    wanted = tone(16_000)[: len(samples)]
    inner = slice(400, -400)  # the filter swings in and out at the ends of the recording
    assert np.abs(samples - wanted)[inner].max() < 0.01
    assert all(
        abs(block.stamp_ns - 62_500 * start) < 200_000 for block, start in zip(blocks, _starts(blocks), strict=True)
    )


def _starts(blocks: list) -> list[int]:
    return [sum(len(block.samples) for block in blocks[:number]) for number in range(len(blocks))]


def test_channels_are_chosen_or_mixed() -> None:
    six = np.zeros((1600, 6), np.float32)
    six[:, 2] = 0.5
    assert ToMono(16_000, 6, "float32", channel=2).convert(six, 0).samples.mean() == pytest.approx(0.5)
    assert ToMono(16_000, 6, "float32", channel=0).convert(six, 0).samples.mean() == 0.0
    assert ToMono(16_000, 6, "float32", channel=MIX).convert(six, 0).samples.mean() == pytest.approx(0.5 / 6)


def test_not_a_number_is_silence_and_too_loud_is_full_scale() -> None:
    samples = decoded(np.array([np.nan, np.inf, -np.inf, 7.0, -7.0], np.float32), "float32")
    assert samples.tolist() == [0.0, 0.0, 0.0, 1.0, -1.0]


@pytest.mark.parametrize(
    ("form", "named"),
    [((0, 1, "int16"), "rate"), ((16_000, 0, "int16"), "channels"), ((16_000, 1, "int12"), "sample type")],
)
def test_what_cannot_be_sound_is_named(form: tuple[int, int, str], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        ToMono(*form)


def test_a_channel_that_is_not_there_and_cut_samples_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"channel: 2 .* has 2"):
        ToMono(16_000, 2, "int16", channel=2)
    with pytest.raises(InvalidInput, match="3 bytes"):
        ToMono(16_000, 1, "int16").convert(b"abc", 0)
    with pytest.raises(InvalidInput, match="2 channels"):
        ToMono(16_000, 2, "int16").convert(b"abcdef", 0)
    with pytest.raises(InvalidInput, match="announced"):
        ToMono(16_000, 1, "int16").convert(np.zeros(4, np.float32), 0)


def test_pushed_sound_comes_out_and_what_nobody_fetches_is_counted() -> None:
    problems: list[str] = []
    source = PushSource(queue_blocks=3, on_problem=problems.append)
    for number in range(5):
        source.push(
            np.full(160, number * 1000, np.int16),
            rate_hz=16_000,
            channels=1,
            sample_type="int16",
            stamp_ns=number * 10**7,
        )
    assert source.dropped == 2 and "dropped" in problems[0]
    blocks = source.blocks()
    assert [next(blocks).stamp_ns for _ in range(3)] == [0, 10**7, 2 * 10**7]
    source.close()
    assert list(blocks) == []


def test_a_stream_may_change_its_form() -> None:
    source = PushSource()
    source.push(np.zeros((4800, 2), np.int16), rate_hz=48_000, channels=2, sample_type="int16", stamp_ns=0)
    source.push(np.ones(1600, np.float32), rate_hz=16_000, channels=1, sample_type="float32", stamp_ns=10**8)
    blocks = source.blocks()
    next(blocks)
    assert next(blocks).samples.tolist() == [1.0] * 1600
    source.close()
