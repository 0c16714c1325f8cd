"""A captioner run in this process by transformers: any image-text-to-text model that takes several pictures.

In: RGB frames and the prompt, through the model's own chat template. Out: its text, decoded greedily. `quantization`:
empty (the precision of the checkpoint), `8bit` or `4bit` (bitsandbytes). `model` is a folder or a name on the hub.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed
from remembr_ros.records import Frame
from remembr_ros.remember.captioners.frames import scaled, spread
from remembr_ros.remember.captioners.options import CaptionerOptions

INSTALL = "pip install torch 'transformers>=4.57' pillow"
INSTALL_QUANTIZED = "pip install bitsandbytes accelerate"
QUANTIZATIONS = ("", "8bit", "4bit")


class TransformersCaptioner:
    """Loads the model on construction. Raises ConfigurationError, MissingDependency, ModelFailed."""

    def __init__(self, model: str, options: CaptionerOptions, *, parameter: str = "captioner.model") -> None:
        if not model:
            raise ConfigurationError(f"{parameter}: transformers: names no model; wanted transformers:<folder or name>")
        if options.quantization not in QUANTIZATIONS:
            raise ConfigurationError(
                f"captioner.quantization: {options.quantization!r} is unknown; wanted 8bit, 4bit or empty"
            )
        try:
            import PIL.Image
            import torch
            import transformers
        except ImportError as error:
            raise MissingDependency(str(error.name), INSTALL, needed_for=f"{parameter} transformers") from error
        self.name = f"transformers:{model}"
        self._options = options
        self._torch = torch
        self._to_picture = PIL.Image.fromarray
        device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
        how: dict[str, Any] = {"dtype": "auto"}
        if options.quantization:
            # bitsandbytes places the layers while it loads them; they cannot be moved afterwards.
            how |= {"quantization_config": _quantization(options.quantization, torch), "device_map": {"": device}}
        hub: Any = transformers
        try:
            self._processor: Any = hub.AutoProcessor.from_pretrained(model)
            self._model: Any = hub.AutoModelForImageTextToText.from_pretrained(model, **how)
            if not options.quantization:
                self._model.to(device)
            self._model.eval()
        except ImportError as error:  # what this very model needs, named by transformers
            raise ModelFailed(f"captioner {self.name}: {error}") from error
        except Exception as error:
            raise ModelFailed(f"captioner {self.name} cannot be loaded on {device!r}: {error}") from error
        self._device = device

    def caption(self, frames: Sequence[Frame]) -> str:
        """What the model writes. Raises ModelFailed."""
        options = self._options
        pictures = [
            {"type": "image", "image": self._to_picture(np.ascontiguousarray(scaled(frame.image, options.image_px)))}
            for frame in spread(frames, options.max_images)
        ]
        content = [*pictures, {"type": "text", "text": options.words}]
        try:
            inputs = self._processor.apply_chat_template(
                [{"role": "user", "content": content}],
                add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt",
            ).to(self._model.device)  # fmt: skip
            for name, value in inputs.items():
                if value.is_floating_point():  # the pictures, in the precision of the weights
                    inputs[name] = value.to(self._model.dtype)
            with self._torch.inference_mode():
                tokens = self._model.generate(
                    **inputs, max_new_tokens=options.max_tokens, max_time=options.timeout_s, do_sample=False
                )
            new = tokens[:, inputs["input_ids"].shape[1] :]
            text: str = self._processor.batch_decode(new, skip_special_tokens=True)[0]
        except Exception as error:  # out of memory, a model without a chat template, one that takes one picture only
            raise ModelFailed(f"captioner {self.name}: {type(error).__name__}: {error}") from error
        return text

    def warm_up(self) -> None:
        """The first caption allocates and compiles: not that of the first window. Raises ModelFailed."""
        grey = np.full((64, 64, 3), 128, np.uint8)
        self.caption([Frame(1 + number, grey) for number in range(self._options.max_images)])

    def close(self) -> None:
        """Free the model, on the GPU too."""
        self._model = self._processor = None
        if self._torch.cuda.is_available():
            self._torch.cuda.empty_cache()


def _quantization(bits: str, torch: Any) -> Any:
    import importlib.util

    for package in ("bitsandbytes", "accelerate"):
        if importlib.util.find_spec(package) is None:
            raise MissingDependency(package, INSTALL_QUANTIZED, needed_for=f"captioner.quantization {bits}")
    import transformers

    configure: Any = transformers.BitsAndBytesConfig
    if bits == "8bit":
        return configure(load_in_8bit=True)
    return configure(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.float16)
