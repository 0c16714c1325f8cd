"""Names of the site: which other readings are tried, and that the real Whisper picks them by the sound."""

from __future__ import annotations

import numpy as np
import pytest
import speech

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.transcribers import create_transcriber
from remembr_ros.hear.vocabulary import LONGEST_NAME, MOST_NAMES, names_of_site, readings

pytestmark = pytest.mark.voice
PROMPT = "Hey robot, can you hear me?"


def read(text: str, *names: str, sure: tuple[str, ...] = ()) -> list[str]:
    words = text.split()
    found = readings(words, [word in sure for word in words], names)
    return [" ".join([*words[: one.first], one.name, *words[one.last :]]) for one in found]


def test_names_are_separated_by_commas_and_lines_and_each_counts_once() -> None:
    assert names_of_site(" loading dock,Lobby,\nserver   room,, lobby,") == ("loading dock", "Lobby", "server room")
    assert names_of_site("") == ()


@pytest.mark.parametrize(
    "wrong", ["x" * (LONGEST_NAME + 1), "lobby, ...", ",".join(f"room {n}" for n in range(MOST_NAMES + 1))]
)
def test_a_list_that_cannot_be_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^asr\.vocabulary: "):
        names_of_site(wrong)


def test_a_name_that_calls_the_robot_or_orders_it_is_left_out_and_told() -> None:
    told: list[str] = []
    assert names_of_site("robot dock, halt, lobby", lambda name: "robot" in name, told.append) == ("lobby",)
    assert "'robot dock'" in told[0] and "'halt'" in told[1]


def test_a_name_takes_the_place_of_words_like_it_with_their_punctuation() -> None:
    assert read("where is the wheel care?", "wheelchair")[0] == "where is the wheelchair?"
    assert read("a mending machine in there", "vending machine")[0] == "a vending machine in there"


def test_what_is_certain_or_a_name_or_an_order_stays() -> None:
    assert read("where is the letter", "ladder", sure=("the", "letter", "is", "where")) == []
    assert read("take me to the stop", "shop") == [], "who says stop in a building with a shop must be obeyed"
    assert read("find a printer", "printer", "copier") == [], "no article is swallowed"
    assert read("how many bicycles", "bicycle") == []


@pytest.fixture(scope="module")
def sayings() -> dict[str, tuple[str, str]]:
    """What tiny.en makes of it with names, and what it wrote at first."""
    model = create_transcriber("packaged", prompt=PROMPT, names=("laboratory", "parking garage", "server room"))
    said = {
        "lab": speech.spoken("Hey robot, how long were you in the laboratory?", "en-us+f3", 120),
        "other": speech.spoken("Hey robot, where did you see the elevator?", "en-us", 140),
        "noise": np.clip(0.1 * speech.noise(32_000, "pink"), -1, 1).astype(np.float32),
        "silence": speech.silence(2.0),
    }
    found = {what: model.transcribe(sound) for what, sound in said.items()}
    model.close()
    return {what: (one.text, one.written) for what, one in found.items()}


def test_whisper_itself_picks_the_name_that_was_said(sayings: dict[str, tuple[str, str]]) -> None:
    assert "laboratory" in sayings["lab"][0].lower()
    assert sayings["other"] == ("Hey robot, where did you see the elevator?", "")


def test_noise_is_never_a_list_of_names(sayings: dict[str, tuple[str, str]]) -> None:
    for kind in ("noise", "silence"):
        assert not any(name in sayings[kind][0] for name in ("laboratory", "garage", "server"))
