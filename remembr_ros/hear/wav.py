"""Sound from a file, at the pace of a microphone. In: WAV (or what FFmpeg reads), any rate, type, channels.

Out: `AudioBlock`s.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from remembr_ros.errors import ConfigurationError, InvalidInput, MissingDependency
from remembr_ros.hear.audio import MIX, AudioBlock
from remembr_ros.hear.pcm import ToMono
from remembr_ros.records import NANOSECONDS

INSTALL = "pip install 'av>=11'"
TAIL_S = 1.5
"""Silence after the end, as a room would have it: what was said last is finished like everything before it."""


class WavSource:
    """`paced`: as fast as it was recorded, as a microphone would; else at once, with stamps as if paced.

    Raises ConfigurationError for a file that is missing, is not sound, or has no such channel.
    """

    def __init__(
        self, path: Path, *, channel: int = MIX, now_ns: Callable[[], int] = time.time_ns, paced: bool = True
    ) -> None:
        self.name = f"wav:{path}"
        self._path = path
        self._channel = channel
        self._now_ns = now_ns
        self._paced = paced
        self._closed = threading.Event()
        if not path.is_file():
            raise ConfigurationError(f"{self.name}: there is no such file")
        next(iter(self._frames()), None)  # a file that is no sound is refused here, not in the thread that plays it

    def blocks(self) -> Iterator[AudioBlock]:
        start_ns, began_s = self._now_ns(), time.monotonic()
        for block in self._frames():
            if self._paced:
                wait_s = block.end_ns / NANOSECONDS - (time.monotonic() - began_s)
                if wait_s > 0:
                    self._closed.wait(wait_s)
            if self._closed.is_set():
                return
            yield AudioBlock(start_ns + block.stamp_ns, block.samples)

    def close(self) -> None:
        self._closed.set()

    def _frames(self) -> Iterator[AudioBlock]:
        """Blocks stamped from 0, then TAIL_S of silence."""
        try:
            import av
        except ImportError as error:
            raise MissingDependency("av", INSTALL, needed_for="sound from a file") from error
        mono: ToMono | None = None
        taken, end_ns = 0, 0
        try:
            with av.open(str(self._path)) as container:
                for frame in container.decode(audio=0):
                    channels = len(frame.layout.channels)
                    samples = frame.to_ndarray()
                    interleaved = samples.T if frame.format.is_planar else samples.reshape(-1, channels)
                    if mono is None:
                        mono = ToMono(frame.sample_rate, channels, interleaved.dtype.name, channel=self._channel)
                    block = mono.convert(np.ascontiguousarray(interleaved), taken * NANOSECONDS // frame.sample_rate)
                    taken += len(interleaved)
                    if block is not None:
                        end_ns = block.end_ns
                        yield block
        except InvalidInput as error:
            raise ConfigurationError(f"{self.name}: {error}") from error
        except (OSError, ValueError, IndexError) as error:
            raise ConfigurationError(f"{self.name}: no sound can be read from it: {error}") from error
        if mono is None:
            raise ConfigurationError(f"{self.name}: it holds no sound")
        rest = mono.finish(end_ns)
        if rest is not None:
            yield AudioBlock(end_ns, rest.samples)
            end_ns += rest.end_ns - rest.stamp_ns
        for number in range(int(TAIL_S * 50)):
            yield AudioBlock(end_ns + number * NANOSECONDS // 50, np.zeros(320, np.float32))
