"""Sound that arrives as messages. In: arrays of samples or bytes (std_msgs, audio_common_msgs). Out: PCM, pushed.

The messages carry no time: one that came is taken to have been recorded just before, and messages that follow each
other closely to be one stream. Times are int nanoseconds of a clock that never jumps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from remembr_ros.errors import InvalidInput, MissingDependency
from remembr_ros.hear.pcm import WIDTHS
from remembr_ros.hear.push import PushSource
from remembr_ros.records import NANOSECONDS

DEFAULT_RATE_HZ = 16_000
LONGEST_MESSAGE_S = 30.0
GAP_NS = NANOSECONDS // 2
"""Messages come with some delay, now more, now less; a larger one is a pause of the stream."""
MOST_AHEAD_NS = 30 * NANOSECONDS
"""A file that is published all at once is ahead of the time by its length."""
PACE_WINDOW_S, PACE_ERROR = 5.0, 0.25
"""How the rate is checked: over so long a time, so much more or less sound than time."""
STOPPED_NS = 400_000_000
"""Without a message for so long the publisher has stopped (push to talk, say): silence follows, to end the speech."""
SILENCE_S = 1.5
SAMPLE_TYPES = {"std_msgs/Int16MultiArray": "int16", "std_msgs/Float32MultiArray": "float32"}
"""The others are bytes."""


def message_type(name: str) -> Any:
    """The class of `package/Message`. Raises MissingDependency."""
    package, _, kind = name.partition("/")
    try:
        return getattr(import_module(f"{package}.msg"), kind)
    except ImportError as error:
        apt = f"sudo apt install ros-$ROS_DISTRO-{package.replace('_', '-')}"
        raise MissingDependency(package, apt, needed_for=f"audio.message {name}") from error


def interleaved(message: Any, channels: int, sample_type: str) -> tuple[np.ndarray[Any, Any] | bytes, int]:
    """The samples of a message, frame after frame, and their number of channels. Raises InvalidInput.

    A layout of two dimensions is (samples, channels), or (channels, samples) where the first is labelled "channel...";
    `data_offset` counts from the first element. One of fewer says nothing: `channels` is what there is.
    """
    data: np.ndarray[Any, Any] = np.asarray(message.data)
    layout = getattr(message, "layout", None)
    offset = int(layout.data_offset) if layout is not None else 0
    if offset > len(data):
        raise InvalidInput(f"layout.data_offset: {offset}, and {len(data)} elements of data")
    data = data[offset:]
    if data.dtype == np.uint8:
        width = WIDTHS[sample_type]
        if len(data) % (width * channels):
            raise InvalidInput(f"data: {len(data)} bytes are no whole frames of {channels} x {width} bytes")
        return data.tobytes(), channels
    dimensions = list(layout.dim) if layout is not None else []
    shape = [int(dimension.size) for dimension in dimensions]
    if len(shape) < 2:
        if len(data) % channels:
            raise InvalidInput(f"data: {len(data)} samples are no whole frames of {channels} channels")
        return data, channels
    if len(shape) > 2 or shape[0] * shape[1] != len(data):
        raise InvalidInput(f"layout.dim: {' x '.join(map(str, shape))}, and {len(data)} elements of data")
    frames = data.reshape(shape[0], shape[1])
    if dimensions[0].label.lower().startswith("channel"):
        frames = np.ascontiguousarray(frames.T)
    return frames.reshape(-1), frames.shape[1]


class AudioTopic:
    """Fills `source`. `receive` is called with each message, `tick` a few times a second."""

    def __init__(
        self,
        source: PushSource,
        now_ns: Callable[[], int],
        *,
        rate_hz: int = 0,
        channels: int = 1,
        message: str = "std_msgs/Int16MultiArray",
        sample_type: str = "int16",
    ) -> None:
        self._source = source
        self._now_ns = now_ns
        self._rate_hz = rate_hz or DEFAULT_RATE_HZ
        self._channels = channels
        self._sample_type = SAMPLE_TYPES.get(message, sample_type)
        self._lock = threading.Lock()
        self._end_ns = 0
        self._arrived_ns = 0
        self._form = channels
        self._pace_since_ns = 0
        self._pace_sound_ns = 0
        self.messages = 0
        self.problem = ""
        """What is wrong with the stream as a whole; empty: nothing that can be told."""

    def receive(self, message: Any) -> None:
        """Raises InvalidInput naming the field."""
        pcm, channels = interleaved(message, self._channels, self._sample_type)
        count = len(pcm) // (WIDTHS[self._sample_type] if isinstance(pcm, bytes) else 1) // channels
        if count == 0:
            return
        if count > LONGEST_MESSAGE_S * self._rate_hz:
            raise InvalidInput(f"data: {count / self._rate_hz:.0f} s of sound, at most {LONGEST_MESSAGE_S:g} s wanted")
        with self._lock:
            now_ns, length_ns = self._now_ns(), count * NANOSECONDS // self._rate_hz
            start_ns = now_ns - length_ns
            if self._arrived_ns:
                self._check_pace(now_ns, length_ns)
                if start_ns - GAP_NS < self._end_ns < start_ns + MOST_AHEAD_NS:
                    start_ns = self._end_ns
            else:
                self._pace_since_ns, self._pace_sound_ns = now_ns, 0
            self._arrived_ns = now_ns
            self._push(pcm, channels, start_ns)
            self._end_ns, self._form = start_ns + length_ns, channels
            self.messages += 1

    def tick(self) -> None:
        """Let silence follow a stream that stopped."""
        with self._lock:
            if self._arrived_ns and self._now_ns() - self._arrived_ns > STOPPED_NS:
                self._arrived_ns = 0
                width = WIDTHS[self._sample_type]
                quiet = bytes([128] if self._sample_type == "uint8" else [0]) * width
                self._push(quiet * (round(SILENCE_S * self._rate_hz) * self._form), self._form, self._end_ns)
                self._end_ns += round(SILENCE_S * NANOSECONDS)

    def _check_pace(self, now_ns: int, length_ns: int) -> None:
        """A wrong rate cannot be heard by anyone here, but it takes another time than it should."""
        self._pace_sound_ns += length_ns
        passed_ns = now_ns - self._pace_since_ns
        if passed_ns < PACE_WINDOW_S * NANOSECONDS:
            return
        pace = self._pace_sound_ns / passed_ns
        self.problem = ""
        if abs(pace - 1.0) > PACE_ERROR:
            self.problem = (
                f"audio: {pace:.2f} s of sound come in a second: are audio.rate_hz ({self._rate_hz}), audio.channels "
                f"({self._channels}) and audio.sample_type ({self._sample_type}) right?"
            )
        self._pace_since_ns, self._pace_sound_ns = now_ns, 0

    def _push(self, pcm: np.ndarray[Any, Any] | bytes, channels: int, stamp_ns: int) -> None:
        self._source.push(
            pcm, rate_hz=self._rate_hz, channels=channels, sample_type=self._sample_type, stamp_ns=stamp_ns
        )
