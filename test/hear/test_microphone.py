"""Field fault 57: microphones that change their number, come and go. PortAudio is played by a scripted library."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.microphone import MicrophoneSource, choose

pytestmark = pytest.mark.voice


def device(name: str, inputs: int = 1, rate_hz: float = 16_000.0) -> dict[str, Any]:
    return {"name": name, "max_input_channels": inputs, "default_samplerate": rate_hz}


HDMI, WEBCAM, ARRAY = (
    device("HDA NVidia: HDMI 0", 0),
    device("Webcam C270: USB Audio"),
    device("ReSpeaker 4 Mic Array", 6),
)
BOOT_1, BOOT_2 = [HDMI, HDMI, WEBCAM, HDMI, ARRAY], [HDMI, WEBCAM, ARRAY]


class Library:
    """Device lists of one start after another (the last one stays), and streams that deliver
    `blocks` blocks, then die.
    """

    class PortAudioError(Exception):
        pass

    def __init__(self, *lists: list[dict[str, Any]], blocks: int = 3, raises: bool = False) -> None:
        self.lists, self.blocks, self.raises = list(lists), blocks, raises
        self.opened: list[dict[str, Any]] = []
        self.default = type("Default", (), {"device": (1, 0)})()
        library = self

        class InputStream:
            active = True

            def __init__(self, **settings: Any) -> None:
                if library.raises:
                    raise library.PortAudioError("Invalid sample rate [PaErrorCode -9997]")
                library.opened.append(settings | {"name": library.lists[0][settings["device"]]["name"]})
                self.settings = settings

            def __enter__(self) -> Any:
                sound = np.ones((self.settings["blocksize"], self.settings["channels"]), np.float32)
                for _ in range(library.blocks):
                    self.settings["callback"](sound, len(sound), None, None)
                self.active = False
                return self

            def __exit__(self, *error: object) -> None:
                return

        self.InputStream = InputStream

    def query_devices(self) -> list[dict[str, Any]]:
        return self.lists[0]

    def _terminate(self) -> None:
        if len(self.lists) > 1:
            self.lists.pop(0)

    def _initialize(self) -> None:
        return


def collect(source: MicrophoneSource, count: int) -> list[np.ndarray]:
    found = []
    closing = threading.Timer(10.0, source.close)
    closing.start()
    for block in source.blocks():
        found.append(block.samples)
        if len(found) == count:
            source.close()
    closing.cancel()
    return found


def test_a_name_means_the_same_microphone_after_both_boots() -> None:
    assert choose(BOOT_1, "respeaker", 2)["index"] == 4
    assert choose(BOOT_2, "ReSpeaker", 1)["index"] == 2
    assert choose(BOOT_2, "", 1)["name"] == WEBCAM["name"]
    assert choose(BOOT_1, "4", 2)["name"] == ARRAY["name"]


def test_an_index_follows_its_microphone_when_the_list_changes() -> None:
    assert choose(BOOT_2, "4", 1, last_name=ARRAY["name"])["index"] == 2


def test_the_error_lists_the_devices() -> None:
    with pytest.raises(ConfigurationError, match=r"no input device 'Yeti'.*2: Webcam C270.*4: ReSpeaker"):
        choose(BOOT_1, "Yeti", 2)
    with pytest.raises(ConfigurationError, match=r"'0'.*2: Webcam"):
        choose(BOOT_1, "0", 2)
    with pytest.raises(ConfigurationError, match="several devices"):
        choose([device("USB mic A"), device("USB mic B")], "usb mic", 0)
    with pytest.raises(ConfigurationError, match="no input device"):
        choose([HDMI], "", 0)
    with pytest.raises(ConfigurationError, match="no default input device"):
        choose(BOOT_1, "", -1)


def test_an_exact_name_wins_over_a_part_and_one_microphone_under_several_drivers_is_one() -> None:
    assert choose([device("mic"), device("mic two")], "mic", 0)["index"] == 0
    assert choose([device("mic"), device("mic")], "mic", 0)["index"] == 0


def test_it_is_opened_again_after_a_replug_under_another_number() -> None:
    library = Library(BOOT_1, [HDMI], [HDMI], BOOT_2)
    problems: list[str] = []
    source = MicrophoneSource("ReSpeaker", channel=2, on_problem=problems.append, library=library, retry_s=0.01)
    assert len(collect(source, 5)) == 5
    assert [stream["device"] for stream in library.opened] == [4, 2] and source.opened == 2
    assert len(problems) == 2, f"each reason once: {problems}"
    assert "stopped delivering" in problems[0] and "no input device" in problems[1]


def test_it_waits_for_a_microphone_that_is_not_there_yet() -> None:
    problems: list[str] = []
    library = Library([HDMI], [HDMI], [HDMI, WEBCAM])
    source = MicrophoneSource("webcam", on_problem=problems.append, library=library, retry_s=0.01)
    assert len(collect(source, 2)) == 2 and len(problems) == 1


def test_a_stream_that_falls_silent_without_a_word_is_opened_again() -> None:
    library = Library(BOOT_2, blocks=2)

    class Frozen(library.InputStream):  # type: ignore[name-defined, misc]
        def __enter__(self) -> Any:
            super().__enter__()
            self.active = True
            return self

    library.InputStream = Frozen
    source = MicrophoneSource("webcam", library=library, retry_s=0.01, silent_s=0.2)
    assert len(collect(source, 4)) == 4 and source.opened == 2


def test_a_device_that_cannot_be_opened_is_reported_and_close_ends_the_search() -> None:
    problems: list[str] = []
    reported = threading.Event()

    def report(problem: str) -> None:
        problems.append(problem)
        reported.set()

    source = MicrophoneSource("webcam", on_problem=report, library=Library(BOOT_2, raises=True), retry_s=5.0)
    thread = threading.Thread(target=lambda: list(source.blocks()))
    thread.start()
    assert reported.wait(5.0)
    source.close()
    thread.join(2.0)
    assert not thread.is_alive() and "-9997" in problems[0]


def test_a_channel_that_the_microphone_does_not_have_is_named() -> None:
    problems: list[str] = []
    source = MicrophoneSource("webcam", channel=3, on_problem=problems.append, library=Library(BOOT_2), retry_s=0.01)
    threading.Timer(0.2, source.close).start()
    assert list(source.blocks()) == [] and "channel 3" in problems[0] and "has 1" in problems[0]


def test_an_array_at_48_khz_gives_the_chosen_channel_at_16_khz() -> None:
    library = Library([device("array", 6, 48_000.0)], blocks=10)
    source = MicrophoneSource("array", channel=5, library=library, retry_s=0.01)
    samples = np.concatenate(collect(source, 8))
    assert library.opened[0]["channels"] == 6 and library.opened[0]["samplerate"] == 48_000
    assert samples[400:].mean() == pytest.approx(1.0, abs=0.02)
