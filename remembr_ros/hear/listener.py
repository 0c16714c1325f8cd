"""Runs hearing: source to segmenter in one thread, transcriber and gate in another. Out: `Heard`, one an utterance."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from remembr_ros.hear.audio import AudioSource
from remembr_ros.hear.gate import Gate, Verdict
from remembr_ros.hear.segmenter import Segmenter, Utterance
from remembr_ros.hear.transcribers import Transcriber, Transcript


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance, what was understood, and what it is to the robot. `latency_s`: from the end of speech to this record."""

    utterance: Utterance
    transcript: Transcript
    verdict: Verdict
    latency_s: float


@dataclass(frozen=True, slots=True)
class ListenerStats:
    """Counters since start, for diagnostics."""

    utterances: int = 0
    transcribed: int = 0
    failed: int = 0
    skipped: int = 0
    """Utterances that the transcriber was too slow for."""
    waiting: int = 0
    last_block_ns: int = 0
    """End of the latest sound; 0: none yet."""
    ended: bool = False
    """The source has ended (a file) and everything was transcribed."""


class Listener:
    """Capturing never waits for the transcriber: at most `queue_utterances` wait, beyond that the oldest is skipped and counted.

    `on_heard`, `on_problem` are called on the worker's threads, one call at a time each.
    """

    def __init__(
        self,
        source: AudioSource,
        segmenter: Segmenter,
        transcriber: Transcriber,
        gate: Gate,
        on_heard: Callable[[Heard], None],
        on_problem: Callable[[str], None],
        *,
        queue_utterances: int = 4,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        raise NotImplementedError

    def start(self) -> None:
        raise NotImplementedError

    def stats(self) -> ListenerStats:
        raise NotImplementedError

    def close(self, timeout_s: float = 5.0) -> None:
        """End both threads and close the source; what waits is not transcribed any more. The transcriber stays the caller's."""
        raise NotImplementedError
