"""Sound as it flows through hear: blocks of 16 kHz mono. In: a source named by `provider:what`. Out: `AudioBlock`s.

Times are int nanoseconds of the caller's clock (`now_ns`, ROS time in the node); samples are float32 in [-1, 1].
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from remembr_ros.errors import ConfigurationError, InvalidInput, UnknownBackend
from remembr_ros.records import NANOSECONDS

RATE_HZ = 16_000
"""What Whisper and Silero are trained on."""
PROVIDERS = ("microphone", "wav")
MIX = -1
"""Channel that stands for the mean of all of them."""

Samples = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class AudioBlock:
    """Sound that follows the block before it. `samples`: (n,) float32, mono; `stamp_ns`: when
    the first was recorded.
    """

    stamp_ns: int
    samples: Samples
    rate_hz: int = RATE_HZ

    def __post_init__(self) -> None:
        if self.samples.ndim != 1 or self.samples.dtype != np.float32:
            raise InvalidInput(f"audio block: (n,) float32 wanted, {self.samples.dtype} {self.samples.shape} given")

    @property
    def end_ns(self) -> int:
        return self.stamp_ns + len(self.samples) * NANOSECONDS // self.rate_hz


class AudioSource(Protocol):
    """Where sound comes from. `blocks` is iterated by one thread; `close` may be called from any."""

    name: str

    def blocks(self) -> Iterator[AudioBlock]:
        """Blocks for ever; ends after close() or at the end of a file. Never raises for a
        device that comes and goes.
        """
        ...

    def close(self) -> None:
        """End the iteration within a second and free the device."""
        ...


def create_source(
    spec: str,
    *,
    channel: int = MIX,
    rate_hz: int = 0,
    now_ns: Callable[[], int] = time.time_ns,
    on_problem: Callable[[str], None] = lambda text: None,
    parameter: str = "audio.source",
) -> AudioSource:
    """The source that `spec` names: `microphone`, `microphone:<part of its name, or index>` or `wav:<file>`.

    `channel` counts from 0; MIX is the mean of all. `rate_hz` 0 opens a microphone at its own rate. A WAV file plays at
    the pace of a microphone and ends. A microphone that is missing is reported to `on_problem` and tried again. Raises
    UnknownBackend, ConfigurationError, MissingDependency.
    """
    provider, _, what = spec.partition(":")
    if channel < MIX:
        raise ConfigurationError(f"{parameter}: channel {channel} given; {MIX} (mix) or a number from 0 wanted")
    if provider == "microphone":
        from remembr_ros.hear.microphone import MicrophoneSource

        return MicrophoneSource(what, channel=channel, rate_hz=rate_hz, now_ns=now_ns, on_problem=on_problem)
    if provider == "wav":
        from remembr_ros.hear.wav import WavSource

        if not what:
            raise ConfigurationError(f"{parameter}: wav:<file> wanted, {spec!r} given")
        return WavSource(Path(what).expanduser(), channel=channel, now_ns=now_ns)
    raise UnknownBackend(parameter, spec, PROVIDERS)
