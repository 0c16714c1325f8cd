"""VILA through NanoLLM, without a Jetson: every call is bound against the signatures recorded from its source."""

from __future__ import annotations

import json
import sys
import types
from inspect import Parameter, Signature
from pathlib import Path

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed
from remembr_ros.records import Frame
from remembr_ros.remember.captioners import create_captioner
from remembr_ros.remember.captioners.options import PROMPT, CaptionerOptions

RECORDED = json.loads((Path(__file__).parents[1] / "fixtures" / "nano_llm_signatures.json").read_text())
MODEL = "nano_llm:Efficient-Large-Model/VILA1.5-3b"


def signature(name: str) -> Signature:
    parameters = []
    for entry in RECORDED["calls"][name]["parameters"]:
        if entry == "**":
            parameters.append(Parameter("more", Parameter.VAR_KEYWORD))
        else:
            default = None if entry.endswith("=") else Parameter.empty
            parameters.append(Parameter(entry.rstrip("="), Parameter.POSITIONAL_OR_KEYWORD, default=default))
    return Signature(parameters)


class Recorder:
    """Binds what is called; `replies` are the parts of each reply, an exception is raised."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict]] = []
        self.reply: list[str] | Exception = ["<s>A red ", "door", "</s>"]
        self.has_vision = True
        self.stopped = False

    def call(self, name: str, *args, **kwargs) -> dict:
        bound = signature(name).bind(*args, **kwargs).arguments
        unknown = set(bound.get("more", {})) - set(RECORDED["calls"][name]["keywords"])
        assert not unknown, f"{name} does not know {unknown}"
        self.calls.append((name, bound))
        return bound


@pytest.fixture
def nano_llm(monkeypatch) -> Recorder:
    recorder = Recorder()

    class Reply:
        def __iter__(self):
            if isinstance(recorder.reply, Exception):
                raise recorder.reply
            return iter(recorder.reply)

        def stop(self):
            recorder.call("StreamingResponse.stop")
            recorder.stopped = True

    class Model:
        has_vision = property(lambda self: recorder.has_vision)

        def generate(self, *args, **kwargs):
            recorder.call("NanoLLM.generate", *args, **kwargs)
            return Reply()

    class NanoLLM:
        @staticmethod
        def from_pretrained(*args, **kwargs):
            recorder.call("NanoLLM.from_pretrained", *args, **kwargs)
            return Model()

    class ChatHistory:
        template = types.SimpleNamespace(stop=[2])
        kv_cache = None

        def __init__(self, *args, **kwargs):
            recorder.call("ChatHistory", *args, **kwargs)

        def append(self, *args, **kwargs):
            recorder.call("ChatHistory.append", *args, **kwargs)

        def embed_chat(self, *args, **kwargs):
            recorder.call("ChatHistory.embed_chat", *args, **kwargs)
            return np.zeros((1, 4, 8)), 0

        def reset(self, *args, **kwargs):
            recorder.call("ChatHistory.reset", *args, **kwargs)

    def remove_special_tokens(*args):
        text: str = recorder.call("remove_special_tokens", *args)["text"]
        return text.replace("<s>", "").replace("</s>", "")

    module = types.ModuleType("nano_llm")
    for part in (NanoLLM, ChatHistory, remove_special_tokens):
        assert part.__name__ in RECORDED["package"]
        setattr(module, part.__name__, part)
    monkeypatch.setitem(sys.modules, "nano_llm", module)
    return recorder


def frames(count: int) -> list[Frame]:
    red = np.zeros((480, 640, 3), np.uint8)
    red[:, :, 0] = 255
    return [Frame(1 + number, red) for number in range(count)]


def test_a_window_is_one_conversation_of_pictures_and_prompt(nano_llm):
    pytest.importorskip("PIL.Image")
    captioner = create_captioner(MODEL, CaptionerOptions(image_px=320, max_tokens=40))
    assert captioner.name == MODEL
    assert nano_llm.calls[0][1] == {
        "model": "Efficient-Large-Model/VILA1.5-3b", "api": "mlc", "more": {"quantization": "q4f16_ft"},
    }  # fmt: skip
    for _ in range(2):
        nano_llm.calls.clear()
        assert captioner.caption(frames(9)) == "A red door"
        names = [name for name, _ in nano_llm.calls]
        assert names[0] == "ChatHistory.reset" and names.count("ChatHistory.append") == 7
        appended = [bound["more"] for name, bound in nano_llm.calls if name == "ChatHistory.append"]
        assert all(more["image"].size == (320, 240) for more in appended[:6]) and appended[6] == {"text": PROMPT}
        assert appended[0]["image"].getpixel((0, 0)) == (255, 0, 0), "red is first"
    generate = dict(nano_llm.calls)["NanoLLM.generate"]
    assert generate["streaming"] is True and generate["more"]["max_new_tokens"] == 40


def test_a_reply_that_takes_too_long_is_stopped(nano_llm):
    captioner = create_captioner(MODEL, CaptionerOptions(timeout_s=1e-9))
    assert captioner.caption(frames(1)) == "A red " and nano_llm.stopped


def test_failures_are_typed(nano_llm):
    captioner = create_captioner(MODEL)
    nano_llm.reply = RuntimeError("CUDA out of memory")
    with pytest.raises(ModelFailed, match="CUDA out of memory"):
        captioner.caption(frames(1))
    nano_llm.has_vision = False
    with pytest.raises(ConfigurationError, match=r"captioner.model.*vision"):
        create_captioner(MODEL)
    with pytest.raises(ConfigurationError, match=r"VILA1\.5-3b"):
        create_captioner("nano_llm:")


def test_without_nanollm_the_message_is_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "nano_llm", None)
    with pytest.raises(MissingDependency, match="jetson-containers run"):
        create_captioner(MODEL)
