"""Sound that others bring, such as messages of a topic. In: raw PCM, any rate and sample type. Out: `AudioBlock`s."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from remembr_ros.hear.audio import MIX, AudioBlock
from remembr_ros.hear.pcm import ToMono

QUEUE_BLOCKS = 200


class PushSource:
    """Filled by `push` from any thread, emptied by `blocks`. What is not fetched in time is dropped and reported.

    A block whose rate, type or channel number differs from the one before starts a new stream.
    """

    name = "topic"

    def __init__(
        self,
        *,
        channel: int = MIX,
        queue_blocks: int = QUEUE_BLOCKS,
        on_problem: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._channel = channel
        self._queue: queue.Queue[AudioBlock | None] = queue.Queue(queue_blocks)
        self._on_problem = on_problem
        self._lock = threading.Lock()
        self._mono: ToMono | None = None
        self._closed = threading.Event()
        self.dropped = 0

    def push(
        self, pcm: bytes | np.ndarray[Any, Any], *, rate_hz: int, channels: int, sample_type: str, stamp_ns: int
    ) -> None:
        """Append interleaved samples; `stamp_ns` is when the first was recorded. Never blocks.

        `sample_type`: int8, uint8, int16, int24, int32, float32 or float64, little-endian. Raises InvalidInput naming
        the field.
        """
        with self._lock:
            if self._mono is None or self._mono.form != (rate_hz, channels, sample_type):
                self._mono = ToMono(rate_hz, channels, sample_type, channel=self._channel)
            block = self._mono.convert(pcm, stamp_ns)
        if block is None or self._closed.is_set():
            return
        try:
            self._queue.put_nowait(block)
        except queue.Full:
            self.dropped += 1
            self._on_problem(f"audio: {self.dropped} blocks were dropped, the listener does not keep up")

    def blocks(self) -> Iterator[AudioBlock]:
        while not self._closed.is_set():
            try:
                block = self._queue.get(timeout=0.2)
            except queue.Empty:
                continue
            if block is not None:
                yield block

    def close(self) -> None:
        self._closed.set()
