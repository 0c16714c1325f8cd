"""VILA on a Jetson through NanoLLM (MLC, 4 bit). In: RGB frames, in order, then the prompt. Out: the model's text.

Not run on a Jetson yet: every call is checked against names and signatures recorded from NanoLLM's public source
(test/fixtures/nano_llm_signatures.json names the commit). NanoLLM comes as a container of jetson-containers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed
from remembr_ros.records import Frame
from remembr_ros.remember.captioners.frames import scaled, spread
from remembr_ros.remember.captioners.options import CaptionerOptions

INSTALL = "jetson-containers run $(autotag nano_llm)  (the node runs inside; see docs/captioner.md)"
QUANTIZATION = "q4f16_ft"
"""4-bit weights, 16-bit activations, FasterTransformer kernels: NanoLLM's default for MLC."""


class NanoLLMCaptioner:
    """Loads, the first time also quantizes, the model on construction: minutes.

    Raises MissingDependency, ConfigurationError, ModelFailed.
    """

    def __init__(self, model: str, options: CaptionerOptions, *, parameter: str = "captioner.model") -> None:
        if not model:
            raise ConfigurationError(f"{parameter}: nano_llm: names no model, such as Efficient-Large-Model/VILA1.5-3b")
        try:
            import nano_llm
            import PIL.Image
        except ImportError as error:
            raise MissingDependency(str(error.name), INSTALL, needed_for=f"{parameter} nano_llm") from error
        self.name = f"nano_llm:{model}"
        self._options = options
        self._nano_llm: Any = nano_llm
        self._to_picture = PIL.Image.fromarray
        try:
            self._model: Any = nano_llm.NanoLLM.from_pretrained(
                model, api="mlc", quantization=options.quantization or QUANTIZATION
            )
            sees = bool(self._model.has_vision)
            self._chat: Any = nano_llm.ChatHistory(self._model)
        except Exception as error:
            raise ModelFailed(f"captioner {self.name} cannot be loaded: {error}") from error
        if not sees:
            raise ConfigurationError(f"{parameter}: {model} is not a vision-language model")

    def caption(self, frames: Sequence[Frame]) -> str:
        """What the model writes until `timeout_s` is over. Raises ModelFailed."""
        options, chat = self._options, self._chat
        until_s = time.monotonic() + options.timeout_s
        try:
            chat.reset()  # each window is a conversation of its own
            for frame in spread(frames, options.max_images):
                picture = np.ascontiguousarray(scaled(frame.image, options.image_px))
                chat.append("user", image=self._to_picture(picture))
            chat.append("user", text=options.words)
            embedding, _ = chat.embed_chat()
            reply = self._model.generate(
                embedding, streaming=True, kv_cache=chat.kv_cache, max_new_tokens=options.max_tokens,
                stop_tokens=chat.template.stop,
            )  # fmt: skip
            parts = []
            for part in reply:
                parts.append(part)
                if time.monotonic() > until_s:
                    reply.stop()
                    break
            text: str = self._nano_llm.remove_special_tokens("".join(parts))
        except Exception as error:  # CUDA, TVM and transformers each raise their own
            raise ModelFailed(f"captioner {self.name}: {type(error).__name__}: {error}") from error
        return text

    def warm_up(self) -> None:
        """The first caption builds CUDA graphs and TensorRT engines. Raises ModelFailed."""
        grey = np.full((64, 64, 3), 128, np.uint8)
        self.caption([Frame(1 + number, grey) for number in range(self._options.max_images)])

    def close(self) -> None:
        """Free the model."""
        self._chat = self._model = None
