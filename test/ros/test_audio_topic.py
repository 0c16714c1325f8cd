"""Messages of every shape to one stream of sound. Field fault of the kind: a message that is not what it says."""

from __future__ import annotations

import array
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from std_msgs.msg import (
    Float32MultiArray,
    Int16MultiArray,
    MultiArrayDimension,
    MultiArrayLayout,
    UInt8MultiArray,
)

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.hear.push import PushSource
from remembr_ros.records import NANOSECONDS
from remembr_ros.ros.audio_topic import AudioTopic, interleaved, message_type

pytestmark = pytest.mark.ros


def layout(*dimensions: tuple[str, int], offset: int = 0) -> MultiArrayLayout:
    return MultiArrayLayout(
        dim=[MultiArrayDimension(label=label, size=size, stride=0) for label, size in dimensions], data_offset=offset
    )


def int16(samples, **fields) -> Int16MultiArray:
    return Int16MultiArray(data=array.array("h", samples), **fields)


@pytest.mark.parametrize(
    ("message", "channels", "expected"),
    [
        (int16([1, 2, 3, 4]), 1, ([1, 2, 3, 4], 1)),
        (int16([1, 2, 3, 4]), 2, ([1, 2, 3, 4], 2)),
        (int16([1, 2, 3, 4], layout=layout(("samples", 4))), 1, ([1, 2, 3, 4], 1)),
        (int16([1, 2, 3, 4, 5, 6], layout=layout(("samples", 3), ("channels", 2))), 1, ([1, 2, 3, 4, 5, 6], 2)),
        (int16([1, 3, 5, 2, 4, 6], layout=layout(("channels", 2), ("samples", 3))), 1, ([1, 2, 3, 4, 5, 6], 2)),
        (int16([9, 9, 1, 2], layout=layout(("samples", 1), ("channels", 2), offset=2)), 1, ([1, 2], 2)),
        (Float32MultiArray(data=array.array("f", [0.5, -0.5])), 1, ([0.5, -0.5], 1)),
    ],
)
def test_samples_come_frame_after_frame(message, channels, expected):
    samples, count = interleaved(message, channels, "int16")
    assert (list(samples), count) == expected


@pytest.mark.parametrize(
    ("message", "channels", "field"),
    [
        (int16([1, 2, 3]), 2, "data: 3 samples"),
        (int16([1, 2, 3], layout=layout(("samples", 2), ("channels", 2))), 1, "layout.dim: 2 x 2"),
        (int16([1] * 8, layout=layout(("a", 2), ("b", 2), ("c", 2))), 1, "layout.dim: 2 x 2 x 2"),
        (int16([1], layout=layout(offset=5)), 1, "layout.data_offset: 5"),
        (UInt8MultiArray(data=[1, 2, 3]), 1, "data: 3 bytes"),
        (UInt8MultiArray(data=[1, 2]), 2, "data: 2 bytes"),
    ],
)
def test_what_does_not_fit_names_the_field(message, channels, field):
    with pytest.raises(InvalidInput, match=field):
        interleaved(message, channels, "int16")


class Stream:
    """A topic of 16 kHz with a clock of its own, and what came out of it."""

    def __init__(self, **options) -> None:
        self.now_ns = 1_000 * NANOSECONDS
        self.source = PushSource()
        self.topic = AudioTopic(self.source, lambda: self.now_ns, **options)

    def blocks(self):
        got = []
        while not self.source._queue.empty():
            got.append(self.source._queue.get_nowait())
        return got


def test_messages_that_come_unevenly_are_one_stream_without_gaps():
    stream = Stream()
    for late_ms in (0, 80, -60, 150, 0):
        stream.now_ns += (100 + late_ms) * 1_000_000
        stream.topic.receive(int16([0] * 1600))
    blocks = stream.blocks()
    assert [second.stamp_ns - first.end_ns for first, second in pairwise(blocks)] == [0] * 4
    stream.now_ns += 5 * NANOSECONDS
    stream.topic.receive(int16([0] * 1600))
    assert stream.blocks()[0].stamp_ns == stream.now_ns - 100_000_000


def test_silence_follows_once_when_the_publisher_stops():
    """Push to talk: nobody sends the pause that ends what was said."""
    stream = Stream(message="std_msgs/UInt8MultiArray", sample_type="uint8", channels=2)
    stream.topic.receive(UInt8MultiArray(data=[200] * 3200))
    stream.topic.tick()
    assert len(stream.blocks()) == 1
    for _ in range(20):
        stream.now_ns += 100_000_000
        stream.topic.tick()
    (quiet,) = stream.blocks()
    assert len(quiet.samples) == 24_000 and not quiet.samples.any()


def test_a_file_that_is_published_at_once_is_not_torn():
    stream = Stream()
    for _ in range(40):
        stream.now_ns += 1_000_000
        stream.topic.receive(int16([0] * 1600))
    blocks = stream.blocks()
    assert all(second.stamp_ns == first.end_ns for first, second in pairwise(blocks))
    stream.now_ns += NANOSECONDS
    stream.topic.tick()
    stream.topic.receive(int16([0] * 1600))
    assert stream.blocks()[-1].end_ns == stream.now_ns, "what comes later is of then"


@pytest.mark.parametrize(("real_hz", "pace"), [(48_000, "3.00"), (44_100, "2.76"), (8_000, "0.50")])
def test_a_wrong_rate_is_noticed_by_its_pace(real_hz, pace):
    stream = Stream(rate_hz=16_000)
    for _ in range(70):
        stream.now_ns += 100_000_000
        stream.topic.receive(int16([0] * (real_hz // 10)))
    assert f"{pace} s of sound come in a second" in stream.topic.problem and "audio.rate_hz" in stream.topic.problem


def test_a_right_rate_is_no_problem_however_messages_are_late():
    stream = Stream(rate_hz=16_000)
    for number in range(120):
        stream.now_ns += 100_000_000 + (150_000_000 if number % 7 == 0 else -25_000_000)
        stream.topic.receive(int16([0] * 1600))
    assert not stream.topic.problem


def test_an_empty_message_and_an_endless_one():
    stream = Stream()
    stream.topic.receive(int16([]))
    assert stream.topic.messages == 0
    with pytest.raises(InvalidInput, match="40 s of sound"):
        stream.topic.receive(int16(np.zeros(16_000 * 40, np.int16)))


def test_types_are_found_or_named_with_their_package():
    assert message_type("std_msgs/Int16MultiArray") is Int16MultiArray
    with pytest.raises(MissingDependency, match=r"no-such-msgs"):
        message_type("no_such_msgs/AudioData")
