"""Sound from a microphone through PortAudio (sounddevice). In: a device by part of its name, or index.

Out: `AudioBlock`s.

A number is another microphone after a reboot, a name is not. A microphone that is missing, is unplugged or falls silent
is looked for again, ever less often, and each new reason is reported once. PortAudio keeps the device list it started
with, so it is started anew for each search: other streams of this process end with that.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from remembr_ros.errors import ConfigurationError, InvalidInput, MissingDependency
from remembr_ros.hear.audio import MIX, AudioBlock
from remembr_ros.hear.pcm import ToMono
from remembr_ros.records import NANOSECONDS

INSTALL = "pip install 'sounddevice>=0.5,<1'"
INSTALL_PORTAUDIO = "sudo apt install libportaudio2"
BLOCK_S = 0.032
QUEUE_BLOCKS = 200
SILENT_S = 3.0
"""A stream that delivers nothing for so long is dead: PortAudio does not always say so."""
FIRST_RETRY_S, LONGEST_RETRY_S = 0.5, 10.0
MOST_CHANNELS = 8
"""Sound servers announce 32 or more channels for any device; microphone arrays have up to 8."""


class MicrophoneSource:
    """`wanted`: index, part of the name (any case), or empty for the default. Raises MissingDependency.

    `library` is sounddevice; a test brings its own.
    """

    def __init__(
        self,
        wanted: str,
        *,
        channel: int = MIX,
        rate_hz: int = 0,
        now_ns: Callable[[], int] = time.time_ns,
        on_problem: Callable[[str], None] = lambda text: None,
        library: Any = None,
        retry_s: float = FIRST_RETRY_S,
        silent_s: float = SILENT_S,
    ) -> None:
        self.name = f"microphone:{wanted}" if wanted else "microphone"
        self._wanted = wanted
        self._channel = channel
        self._rate_hz = rate_hz
        self._now_ns = now_ns
        self._on_problem = on_problem
        self._retry_s = retry_s
        self._silent_s = silent_s
        self._sounddevice = library or _sounddevice()
        self._closed = threading.Event()
        self._problem = ""
        self.opened = 0
        """Times that a device was opened."""
        self.device_name = ""
        """The device in use, or used last."""

    def blocks(self) -> Iterator[AudioBlock]:
        wait_s = self._retry_s
        while not self._closed.is_set():
            try:
                for block in self._stream():
                    if block is None:
                        continue
                    wait_s, self._problem = self._retry_s, ""
                    yield block
            except (ConfigurationError, InvalidInput, OSError, self._sounddevice.PortAudioError) as error:
                self._report(f"{self.name}: {error}. Trying again")
            if self._closed.wait(wait_s):
                return
            wait_s = min(2.0 * wait_s, LONGEST_RETRY_S)
            self._refresh()

    def close(self) -> None:
        self._closed.set()

    def _stream(self) -> Iterator[AudioBlock | None]:
        """Open the device and yield until it fails, which raises, or close() is called."""
        device = choose(self._sounddevice.query_devices(), self._wanted, self._default(), self.device_name)
        self.device_name = str(device["name"])
        rate_hz = self._rate_hz or round(device["default_samplerate"])
        channels = self._channels(int(device["max_input_channels"]))
        mono = ToMono(rate_hz, channels, "float32", channel=self._channel)
        filled: queue.Queue[tuple[int, np.ndarray[Any, Any]]] = queue.Queue(QUEUE_BLOCKS)
        lost: list[str] = []

        def keep(sound: np.ndarray[Any, Any], frames: int, times: Any, status: Any) -> None:
            stamp_ns = self._now_ns() - frames * NANOSECONDS // rate_hz
            try:
                filled.put_nowait((stamp_ns, sound.copy()))
            except queue.Full:
                lost.append("the listener does not keep up, sound was lost")
            if status:
                lost.append(f"the driver reports: {status}")

        with self._sounddevice.InputStream(
            device=device["index"], channels=channels, samplerate=rate_hz, dtype="float32",
            blocksize=int(BLOCK_S * rate_hz), callback=keep,
        ) as stream:  # fmt: skip
            self.opened += 1
            heard_s = time.monotonic()
            while not self._closed.is_set():
                try:
                    stamp_ns, sound = filled.get(timeout=0.1)
                except queue.Empty:
                    if not stream.active or time.monotonic() - heard_s > self._silent_s:
                        raise ConfigurationError(f"{self.device_name!r} has stopped delivering sound") from None
                    continue
                heard_s = time.monotonic()
                if lost:
                    self._report(f"{self.name}: {lost.pop()}")
                    lost.clear()
                yield mono.convert(sound, stamp_ns)

    def _channels(self, available: int) -> int:
        if self._channel >= available:
            raise ConfigurationError(
                f"channel {self._channel} wanted (they count from 0), {self.device_name!r} has {available}"
            )
        return available if available <= MOST_CHANNELS else max(1, self._channel + 1)

    def _default(self) -> int:
        """Index of the default input device, -1: none."""
        return int(self._sounddevice.default.device[0])

    def _refresh(self) -> None:
        """Make PortAudio look for devices again; it has no public call for that."""
        with suppress(self._sounddevice.PortAudioError):
            self._sounddevice._terminate()
        try:
            self._sounddevice._initialize()
        except self._sounddevice.PortAudioError as error:
            self._report(f"{self.name}: {error}. Trying again")

    def _report(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self._on_problem(problem)


def choose(devices: Any, wanted: str, default: int, last_name: str = "") -> dict[str, Any]:
    """The input device that `wanted` means; `last_name` is the one an index meant before.

    Raises ConfigurationError with the list.
    """
    inputs = [dict(device) | {"index": index} for index, device in enumerate(devices) if device["max_input_channels"]]
    listed = "; ".join(
        f"{device['index']}: {device['name']} ({device['max_input_channels']} channels)" for device in inputs
    )
    if not inputs:
        raise ConfigurationError("there is no input device")
    if wanted.isdecimal() or not wanted:
        index = int(wanted) if wanted else default
        same = [device for device in inputs if device["name"] == last_name] if wanted else []
        found = same or [device for device in inputs if device["index"] == index]
        if not found and not wanted:
            raise ConfigurationError(f"there is no default input device; there is: {listed}")
    else:
        found = [device for device in inputs if wanted.lower() in str(device["name"]).lower()]
        exact = [device for device in found if str(device["name"]).lower() == wanted.lower()]
        found = exact or found
    if not found:
        raise ConfigurationError(f"no input device {wanted!r}; there is: {listed}")
    if len({device["name"] for device in found}) > 1:
        several = ", ".join(f"{device['index']}: {device['name']}" for device in found)
        raise ConfigurationError(f"{wanted!r} means several devices ({several}); name one of: {listed}")
    return found[0]


def _sounddevice() -> Any:
    try:
        import sounddevice
    except ImportError as error:
        raise MissingDependency("sounddevice", INSTALL, needed_for="audio microphone") from error
    except OSError as error:  # the wheel for Linux brings no PortAudio
        raise MissingDependency("PortAudio", INSTALL_PORTAUDIO, needed_for="audio microphone") from error
    return sounddevice
