"""Cuts the stream of sound into utterances. In: `AudioBlock`s and a probability of speech a frame. Out: `Utterance`s.

A pure state machine over probabilities: the same frames give the same utterances, however they were cut into blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from remembr_ros.hear.audio import RATE_HZ, AudioBlock, Samples

FRAME = 512
"""Samples a frame, 32 ms: what Silero takes."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said, between two pauses. `samples`: (n,) float32 mono at RATE_HZ, from `start_ns` to `end_ns`.

    The sound begins before and ends after the speech itself (`speech_start_ns`, `speech_end_ns`). `truncated`: it went on; the rest
    comes as the next utterance, which begins with the very next sample.
    """

    start_ns: int
    end_ns: int
    samples: Samples
    speech_start_ns: int
    speech_end_ns: int
    truncated: bool = False

    @property
    def duration_s(self) -> float:
        return len(self.samples) / RATE_HZ


@dataclass(frozen=True, slots=True)
class SegmenterSettings:
    """When speech begins and ends."""

    threshold: float = 0.5
    """Probability from which a frame is speech."""
    hysteresis: float = 0.15
    """While speaking, a frame counts as speech down to threshold - hysteresis."""
    pre_roll_s: float = 0.4
    """Sound kept before the first speech frame: the detector is late for soft first sounds."""
    max_pause_s: float = 0.6
    """A shorter pause is part of the utterance; a longer one ends it."""
    trailing_pad_s: float = 0.3
    """Sound kept after the last speech frame."""
    min_speech_s: float = 0.15
    """Less speech than this is a click."""
    max_length_s: float = 20.0
    """A longer utterance is handed on in pieces."""


class Segmenter:
    """`probability`: frame of FRAME samples -> [0, 1], called once a frame in order (vad.SileroVad)."""

    def __init__(
        self,
        probability: Callable[[Samples], float],
        settings: SegmenterSettings | None = None,
        *,
        on_speech_start: Callable[[int], None] = lambda stamp_ns: None,
    ) -> None:
        raise NotImplementedError

    def add(self, block: AudioBlock) -> list[Utterance]:
        """The utterances that this block ends. A gap in the stamps ends one, too."""
        raise NotImplementedError

    def flush(self) -> list[Utterance]:
        """The utterance that was going on, if any, at the end of the stream."""
        raise NotImplementedError
