"""A vision endpoint imitated over real HTTP: what is sent, and what is made of every reply."""

from __future__ import annotations

import base64
import sys
import time

import numpy as np
import pytest
from scripted_llm import ScriptedLLM, message, says

from remembr_ros.errors import ConfigurationError, LanguageModelUnavailable, MissingDependency, ModelFailed
from remembr_ros.records import Frame
from remembr_ros.remember.captioners import create_captioner
from remembr_ros.remember.captioners.options import PROMPT, CaptionerOptions

pytest.importorskip("openai", reason="openai is missing: pip install -r requirements.txt")


def window(count: int = 6, height: int = 480, width: int = 640) -> list[Frame]:
    red = np.zeros((height, width, 3), np.uint8)
    red[:, :, 0] = 255
    return [Frame(1 + number, red) for number in range(count)]


def captioner(server: ScriptedLLM, **options):
    return create_captioner("openai:vila", CaptionerOptions(base_url=server.base_url, **options))


def pictures(request: dict) -> list[np.ndarray]:
    """Decoded from the data URLs, RGB."""
    import cv2

    decoded = []
    for part in request["messages"][0]["content"]:
        if part["type"] == "image_url":
            head, _, body = part["image_url"]["url"].partition(",")
            assert head == "data:image/jpeg;base64"
            data = np.frombuffer(base64.b64decode(body, validate=True), np.uint8)
            decoded.append(cv2.imdecode(data, cv2.IMREAD_COLOR)[:, :, ::-1])
    return decoded


def test_the_request_holds_the_frames_in_order_and_the_prompt():
    with ScriptedLLM([says("A red wall.")]) as server:
        assert captioner(server, image_px=320, max_tokens=77).caption(window()) == "A red wall."
    (request,) = server.requests
    assert request["model"] == "vila" and request["max_tokens"] == 77 and len(request["messages"]) == 1
    content = request["messages"][0]["content"]
    assert [part["type"] for part in content] == ["image_url"] * 6 + ["text"] and content[-1]["text"] == PROMPT
    for picture in pictures(request):
        assert picture.shape == (240, 320, 3)
        assert np.abs(picture.astype(int) - (255, 0, 0)).max() < 12, "red stays red"
    assert not server.problems


def test_few_pictures_are_spread_and_none_is_enlarged():
    shades = [Frame(1 + n, np.full((60, 80, 3), 40 * n, np.uint8)) for n in range(6)]
    with ScriptedLLM([says("grey")]) as server:
        captioner(server, max_images=3, prompt="What is there?").caption(shades)
    shown = pictures(server.requests[0])
    assert [round(picture.mean() / 40) for picture in shown] == [0, 2, 5] and shown[0].shape == (60, 80, 3)
    assert server.requests[0]["messages"][0]["content"][-1]["text"] == "What is there?"


def test_jpeg_quality_decides_the_size():
    noise = [Frame(1, np.random.default_rng(1).integers(0, 255, (240, 320, 3), dtype=np.uint8))]
    with ScriptedLLM([says("noise")]) as server:
        for quality in (20, 95):
            captioner(server, jpeg_quality=quality).caption(noise)
    small, large = (len(request["messages"][0]["content"][0]["image_url"]["url"]) for request in server.requests)
    assert small < large / 2


def test_the_key_comes_from_the_variable_that_is_named(monkeypatch):
    monkeypatch.setenv("VISION_KEY", "sk-secret")
    with ScriptedLLM([says("text"), (401, {"error": {"message": "no"}})]) as server:
        asked = captioner(server, api_key_env="VISION_KEY")
        asked.caption(window(1))
        assert server.headers[0]["authorization"] == "Bearer sk-secret"
        with pytest.raises(ConfigurationError, match=r"401.*VISION_KEY") as failure:
            asked.caption(window(1))
        assert "sk-secret" not in str(failure.value) and len(server.requests) == 2, "a wrong key is not tried again"


def test_without_a_key_only_a_server_of_ones_own_is_asked(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match=r"OPENAI_API_KEY.*captioner.base_url"):
        create_captioner("openai:gpt-4o-mini")
    with pytest.raises(ConfigurationError, match="MISSING_KEY"):
        create_captioner("openai:m", CaptionerOptions(base_url="http://127.0.0.1:9/v1", api_key_env="MISSING_KEY"))
    with pytest.raises(ConfigurationError, match="names no model"):
        create_captioner("openai:")


def test_a_busy_server_is_asked_again_when_it_says():
    busy = (429, {"error": {"message": "slow down"}}, {"Retry-After": "0.2"})
    with ScriptedLLM([busy, (503, {"error": {"message": "loading"}}, {"Retry-After": "0"}), says("A door.")]) as server:
        began_s = time.monotonic()
        assert captioner(server).caption(window(1)) == "A door."
        assert time.monotonic() - began_s >= 0.2 and len(server.requests) == 3


@pytest.mark.parametrize("retry_after", ["60", "Wed, 21 Oct 2037 07:28:00 GMT"])
def test_a_server_that_wants_a_long_pause_costs_the_window(retry_after):
    with ScriptedLLM([(429, {"error": {"message": "quota"}}, {"Retry-After": retry_after})]) as server:
        began_s = time.monotonic()
        with pytest.raises(LanguageModelUnavailable, match=r"429.*quota"):
            captioner(server, timeout_s=5.0).caption(window(1))
        assert time.monotonic() - began_s < 2.0 and len(server.requests) == 1


def test_attempts_are_few():
    with ScriptedLLM([(500, {"error": {"message": "broken"}}, {"Retry-After": "0"})]) as server:
        with pytest.raises(LanguageModelUnavailable, match="500"):
            captioner(server).caption(window(1))
        assert len(server.requests) == 3


def test_a_slow_server_costs_the_window_and_no_more():
    with ScriptedLLM([says("late")], delay_s=5.0) as server:
        began_s = time.monotonic()
        with pytest.raises(LanguageModelUnavailable, match=r"no caption within 0.3 s"):
            captioner(server, timeout_s=0.3).caption(window(1))
        assert time.monotonic() - began_s < 2.0


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (message(None, refusal="I cannot help with that."), "refuses to describe.*I cannot help"),
        (message("", finish="content_filter"), "content filter"),
        ((400, {"error": {"message": "at most 1 image may be provided"}}), "at most 1 image"),
        ((404, {"error": {"message": "model 'vila' not found"}}), "404.*not found"),
        ({"choices": []}, "no chat completion"),
        ("<html>gateway</html>", "reply|no chat completion"),
    ],
)
def test_refusals_and_nonsense_are_failures_of_one_window(reply, why):
    with ScriptedLLM([reply]) as server, pytest.raises(ModelFailed, match=why):
        captioner(server).caption(window(1))
    assert len(server.requests) == 1


def test_newer_models_call_the_limit_something_else():
    def strict(request):
        if "max_tokens" in request:
            return 400, {"error": {"message": "Unsupported parameter: use 'max_completion_tokens' instead."}}
        return says("A hall.")

    with ScriptedLLM(strict) as server:
        asked = captioner(server, max_tokens=50)
        assert asked.caption(window(1)) == asked.caption(window(1)) == "A hall."
    assert [request.get("max_completion_tokens") for request in server.requests] == [None, 50, 50]


def test_thoughts_are_not_remembered():
    with ScriptedLLM([says("<think>a wall? a door?</think>A door.")]) as server:
        assert captioner(server).caption(window(1)) == "A door."


def test_a_server_that_is_not_there_is_unavailable():
    with ScriptedLLM([]) as server:
        address = server.base_url
    asked = create_captioner("openai:vila", CaptionerOptions(base_url=address, timeout_s=0.4))
    with pytest.raises(LanguageModelUnavailable, match="cannot be reached"):
        asked.warm_up()


def test_without_openai_the_message_is_the_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingDependency, match="pip install 'openai"):
        create_captioner("openai:vila", CaptionerOptions(base_url="http://127.0.0.1:9/v1"))


@pytest.mark.parametrize("wrong", [{"max_images": 0}, {"image_px": 1}, {"timeout_s": 0.0}, {"jpeg_quality": 101}])
def test_options_out_of_bounds_name_the_parameter(wrong):
    (name,) = wrong
    with pytest.raises(ConfigurationError, match=f"captioner.{name}"):
        CaptionerOptions(**wrong)
