"""Cuts the stream of sound into utterances. In: `AudioBlock`s and a probability of speech a frame. Out: `Utterance`s.

A state machine over probabilities: the same frames give the same utterances, however they were cut into blocks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.audio import RATE_HZ, AudioBlock, Samples
from remembr_ros.records import NANOSECONDS

FRAME = 512
"""Samples a frame, 32 ms: what Silero takes."""
FRAME_NS = FRAME * NANOSECONDS // RATE_HZ
MAX_GAP_NS = NANOSECONDS // 4
"""Stamps of a microphone jitter by less; more is a gap (or a clock set back): what was said before it has ended."""
LEAST_THRESHOLD = 0.01
CUT_SHARE = 0.25
"""A too long utterance is cut at the least likely speech in its last quarter."""


class SpeechProbability(Protocol):
    """A detector of speech with a state, such as vad.SileroVad."""

    def __call__(self, frame: Samples) -> float:
        """Probability in [0, 1] that (FRAME,) samples are speech; called once a frame, in order."""
        ...

    def reset(self) -> None:
        """Another stream begins."""
        ...


@dataclass(frozen=True, slots=True)
class Utterance:
    """What somebody said, between two pauses. `samples`: (n,) float32 mono at RATE_HZ, from `start_ns` to `end_ns`.

    The sound begins before and ends after the speech itself (`speech_start_ns`, `speech_end_ns`). `truncated`: it went
    on; the rest comes as the next utterance, which begins with the very next sample.
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
    """When speech begins and ends. Raises ConfigurationError for what cannot be."""

    threshold: float = 0.5
    """Probability from which a frame is speech."""
    hysteresis: float = 0.15
    """While speaking, a frame counts as speech down to threshold - hysteresis (LEAST_THRESHOLD at least)."""
    pre_roll_s: float = 0.4
    """Sound kept before the first speech frame: the detector is late for soft first sounds."""
    max_pause_s: float = 0.6
    """A shorter pause is part of the utterance; a longer one ends it."""
    trailing_pad_s: float = 0.3
    """Sound kept after the last speech frame."""
    min_speech_s: float = 0.15
    """Less speech than this is a click."""
    max_length_s: float = 20.0
    """A longer utterance is handed on in pieces. Whisper hears at most 30 s at once."""

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold < 1.0:
            raise ConfigurationError(f"vad.threshold: {self.threshold} given; more than 0, less than 1 wanted")
        if not self.pre_roll_s + self.max_pause_s < self.max_length_s <= 30.0:
            raise ConfigurationError(
                f"vad.max_length_s: {self.max_length_s} given; at most 30, and more than pre-roll and pause wanted"
            )


class Segmenter:
    """`probability` is asked once a frame; `on_speech_start(stamp_ns)` is told when it is
    certain that somebody speaks.
    """

    def __init__(
        self,
        probability: SpeechProbability,
        settings: SegmenterSettings | None = None,
        *,
        on_speech_start: Callable[[int], None] = lambda stamp_ns: None,
    ) -> None:
        self._probability = probability
        self._settings = settings or SegmenterSettings()
        self._on_speech_start = on_speech_start
        self._low = max(self._settings.threshold - self._settings.hysteresis, LEAST_THRESHOLD)
        self._rest = np.zeros(0, np.float32)
        """Samples that are no whole frame yet; the first was recorded at _rest_ns."""
        self._rest_ns: int | None = None
        self._before: deque[Samples] = deque(maxlen=_frames(self._settings.pre_roll_s))
        self._frames: list[Samples] = []
        self._is_speech: list[bool] = []
        self._likelihood: list[float] = []
        self._start_ns = 0
        self._announced = False
        self._pause: Utterance | None = None

    @property
    def pause(self) -> Utterance | None:
        """In a pause: the very utterance that will be handed on if nobody goes on speaking; else None."""
        return self._pause

    @property
    def speaking(self) -> bool:
        """Somebody is in the middle of an utterance."""
        return bool(self._frames)

    def add(self, block: AudioBlock) -> list[Utterance]:
        """The utterances that this block ends. A gap in the stamps ends one, too."""
        ended: list[Utterance] = []
        expected_ns = None if self._rest_ns is None else self._rest_ns + len(self._rest) * NANOSECONDS // RATE_HZ
        if expected_ns is None or abs(block.stamp_ns - expected_ns) > MAX_GAP_NS:
            ended += self.flush()
            self._rest_ns = block.stamp_ns
        elif not self.speaking:
            # The sound card's clock is not the computer's: follow the stamps where nothing is being measured.
            self._rest_ns = block.stamp_ns - len(self._rest) * NANOSECONDS // RATE_HZ
        self._rest = np.concatenate((self._rest, block.samples))
        while len(self._rest) >= FRAME:
            frame, self._rest = self._rest[:FRAME], self._rest[FRAME:]
            assert self._rest_ns is not None
            ended += self._step(frame, self._rest_ns)
            self._rest_ns += FRAME_NS
        return ended

    def flush(self) -> list[Utterance]:
        """The utterance that was going on, if any, with all of its samples; the stream has ended."""
        ended: list[Utterance] = []
        if self._frames:
            self._frames.append(self._rest)
            ended = self._cut(len(self._frames))
        self._rest, self._rest_ns = np.zeros(0, np.float32), None
        self._clear()
        self._before.clear()
        self._probability.reset()
        return ended

    def _step(self, frame: Samples, stamp_ns: int) -> list[Utterance]:
        likelihood = self._probability(frame)
        if not self._frames:
            if likelihood < self._settings.threshold:
                self._before.append(frame)
                return []
            self._start_ns = stamp_ns - len(self._before) * FRAME_NS
            self._frames = [*self._before]
            self._is_speech = [False] * len(self._frames)
            self._likelihood = [0.0] * len(self._frames)
            self._before.clear()
        self._frames.append(frame)
        self._is_speech.append(likelihood >= self._low)
        self._likelihood.append(likelihood)
        if not self._announced and self._long_enough():
            self._announced = True
            self._on_speech_start(self._start_ns + self._is_speech.index(True) * FRAME_NS)
        return self._ended()

    def _ended(self) -> list[Utterance]:
        silent = self._is_speech[::-1].index(True) if True in self._is_speech else len(self._is_speech)
        if silent == 0:
            self._pause = None
        elif silent == _frames(self._settings.trailing_pad_s):
            self._pause = next(iter(self._cut(len(self._frames))), None)
        if silent * FRAME_NS >= self._settings.max_pause_s * NANOSECONDS:
            frames = self._frames
            ended = self._cut(len(frames) - silent + min(silent, _frames(self._settings.trailing_pad_s)))
            self._clear()
            self._before.extend(frames[len(frames) - silent :])
            return ended
        if len(self._frames) * FRAME_NS < self._settings.max_length_s * NANOSECONDS:
            return []
        last = len(self._frames) - 1
        first = int((1.0 - CUT_SHARE) * last)
        at = min(range(first, last), key=lambda index: (self._likelihood[index], -index)) + 1
        ended = self._cut(at, truncated=True)
        self._start_ns += at * FRAME_NS
        self._frames, self._is_speech, self._likelihood = self._frames[at:], self._is_speech[at:], self._likelihood[at:]
        self._pause = None
        return ended

    def _cut(self, count: int, *, truncated: bool = False) -> list[Utterance]:
        """The first `count` frames as an utterance, if there was enough speech in them."""
        speech = self._is_speech[:count]
        if True not in speech or not (truncated or self._long_enough()):
            return []
        samples = np.concatenate(self._frames[:count])
        return [
            Utterance(
                start_ns=self._start_ns,
                end_ns=self._start_ns + len(samples) * NANOSECONDS // RATE_HZ,
                samples=samples,
                speech_start_ns=self._start_ns + speech.index(True) * FRAME_NS,
                speech_end_ns=self._start_ns + (len(speech) - speech[::-1].index(True)) * FRAME_NS,
                truncated=truncated,
            )
        ]

    def _long_enough(self) -> bool:
        return sum(self._is_speech) * FRAME_NS >= self._settings.min_speech_s * NANOSECONDS

    def _clear(self) -> None:
        self._frames, self._is_speech, self._likelihood = [], [], []
        self._announced = False
        self._pause = None


def _frames(seconds: float) -> int:
    """At least as long as `seconds`."""
    return -(-int(seconds * NANOSECONDS) // FRAME_NS)
