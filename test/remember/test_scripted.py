"""The captioner without a model."""

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError, ModelFailed, UnknownBackend
from remembr_ros.records import Frame
from remembr_ros.remember.captioners import create_captioner


def frames(*colour: int) -> list[Frame]:
    return [Frame(1, np.full((48, 64, 3), colour, np.uint8))] * 6


@pytest.mark.parametrize(
    ("colour", "name"),
    [((250, 10, 10), "red"), ((10, 10, 250), "blue"), ((250, 250, 250), "white"), ((3, 3, 3), "black")],
)
def test_the_colour_of_the_pictures(colour, name):
    captioner = create_captioner("scripted")
    assert captioner.caption(frames(*colour)) == f"I see mostly {name}."
    assert captioner.name == "scripted"


def test_a_constant_text():
    assert create_captioner("scripted:a red chair: empty").caption(frames(0, 0, 0)) == "a red chair: empty"


def test_a_script_is_played_round_and_round_and_may_fail(tmp_path):
    script = tmp_path / "script.yaml"
    script.write_text("captions: [a door, null, a lift]\ndelay_s: 0.001\n")
    captioner = create_captioner(f"scripted:{script}")
    assert captioner.caption(frames(0, 0, 0)) == "a door"
    with pytest.raises(ModelFailed):
        captioner.caption(frames(0, 0, 0))
    assert [captioner.caption(frames(0, 0, 0)) for _ in range(2)] == ["a lift", "a door"]


@pytest.mark.parametrize(
    "text", ["captions: []", "captions: [1, 2]", "- a", "captions: {", "captions: [a]\ndelay_s: soon"]
)
def test_a_bad_script_is_named(tmp_path, text):
    script = tmp_path / "script.yaml"
    script.write_text(text)
    with pytest.raises(ConfigurationError, match=r"script\.yaml"):
        create_captioner(f"scripted:{script}")


def test_a_script_that_is_missing_and_a_provider_that_is_unknown():
    with pytest.raises(ConfigurationError, match=r"missing\.json"):
        create_captioner("scripted:/nowhere/missing.json")
    with pytest.raises(UnknownBackend, match=r"captioner.*'vila'.*tagger"):
        create_captioner("vila")
