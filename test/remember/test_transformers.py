"""Real transformers classes, tiny and randomly initialised: what it says is nonsense, how it is said is not."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed
from remembr_ros.records import Frame
from remembr_ros.remember.captioners import create_captioner
from remembr_ros.remember.captioners.options import CaptionerOptions

pytest.importorskip("transformers", reason="transformers is missing: pip install -r requirements-models.txt")
pytestmark = pytest.mark.models

WORDS = ["<pad>", "<s>", "</s>", "<unk>", "<image>", "user", "assistant", ":", *(f"word{n}" for n in range(120))]
TEMPLATE = (
    "{% for message in messages %}{{ message.role }} : {% for part in message.content %}"
    "{% if part.type == 'image' %}<image> {% else %}{{ part.text }} {% endif %}{% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}assistant : {% endif %}"
)


@pytest.fixture(scope="module")
def llava(tmp_path_factory) -> str:
    """The folder of a Llava: a CLIP tower of two layers, a Llama of two."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(models.WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        additional_special_tokens=["<image>"],
    )  # fmt: skip
    pictures = transformers.CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    processor = transformers.LlavaProcessor(
        image_processor=pictures, tokenizer=tokenizer, patch_size=14, vision_feature_select_strategy="default",
        image_token="<image>", num_additional_image_tokens=1, chat_template=TEMPLATE,
    )  # fmt: skip
    vision = transformers.CLIPVisionConfig(
        hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=28, patch_size=14
    )
    language = transformers.LlamaConfig(
        vocab_size=len(WORDS), hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, pad_token_id=0, bos_token_id=1, eos_token_id=2,
    )  # fmt: skip
    config = transformers.LlavaConfig(
        vision_config=vision, text_config=language, image_token_index=4, image_seq_length=4
    )
    transformers.set_seed(0)
    folder = str(tmp_path_factory.mktemp("llava"))
    transformers.LlavaForConditionalGeneration(config).save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder


def window(level: int = 200) -> list[Frame]:
    return [Frame(1 + number, np.full((48, 64, 3), level, np.uint8)) for number in range(6)]


def test_six_pictures_and_the_prompt_become_a_text(llava, monkeypatch):
    captioner = create_captioner(f"transformers:{llava}", CaptionerOptions(prompt="word1 word2", max_tokens=5))
    captioner.warm_up()
    seen = {}
    generate = captioner._model.generate

    def watched(**inputs):
        seen.update(inputs)
        return generate(**inputs)

    monkeypatch.setattr(captioner._model, "generate", watched)
    text = captioner.caption(window())
    assert 1 <= len(text.split()) <= 5 and set(text.split()) <= set(WORDS) - {"<image>", "user"}
    assert seen["pixel_values"].shape[0] == 6, "each picture once"
    assert int((seen["input_ids"] == 4).sum()) == 6 * 4 and seen["max_new_tokens"] == 5
    assert captioner.caption(window()) == text, "greedy"
    captioner.close()


def test_red_is_first(llava, monkeypatch):
    captioner = create_captioner(f"transformers:{llava}", CaptionerOptions(max_images=1, max_tokens=1))
    seen = {}
    generate = captioner._model.generate
    monkeypatch.setattr(captioner._model, "generate", lambda **inputs: seen.update(inputs) or generate(**inputs))
    red = np.zeros((28, 28, 3), np.uint8)
    red[:, :, 0] = 255
    captioner.caption([Frame(1, red)])
    red_mean, green_mean, blue_mean = seen["pixel_values"][0].mean(dim=(1, 2)).tolist()
    assert red_mean > 1.0 > -1.0 > green_mean and blue_mean < -1.0


@pytest.mark.parametrize(("bits", "layer"), [("8bit", "Linear8bitLt"), ("4bit", "Linear4bit")])
def test_quantized_layers_are_quantized(llava, bits, layer):
    for package in ("bitsandbytes", "accelerate"):
        pytest.importorskip(package, reason=f"{package} is missing: pip install bitsandbytes accelerate")
    captioner = create_captioner(
        f"transformers:{llava}", CaptionerOptions(device="cpu", quantization=bits, max_tokens=3)
    )
    kinds = {type(module).__name__ for module in captioner._model.modules()}
    assert layer in kinds
    assert captioner.caption(window())


def test_what_cannot_be_loaded_is_named(llava, tmp_path, monkeypatch):
    with pytest.raises(ModelFailed, match=str(tmp_path)):
        create_captioner(f"transformers:{tmp_path}")
    with pytest.raises(ConfigurationError, match="names no model"):
        create_captioner("transformers:")
    with pytest.raises(ConfigurationError, match=r"captioner.quantization.*'3bit'"):
        create_captioner(f"transformers:{llava}", CaptionerOptions(quantization="3bit"))
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "bitsandbytes" else found(name))
    with pytest.raises(MissingDependency, match="pip install bitsandbytes accelerate"):
        create_captioner(f"transformers:{llava}", CaptionerOptions(quantization="8bit"))
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingDependency, match="pip install torch 'transformers"):
        create_captioner(f"transformers:{llava}")


def test_a_failure_of_the_model_costs_one_caption(llava, monkeypatch):
    captioner = create_captioner(f"transformers:{llava}", CaptionerOptions(max_tokens=2))
    monkeypatch.setattr(captioner._model, "generate", lambda **_: (_ for _ in ()).throw(RuntimeError("out of memory")))
    with pytest.raises(ModelFailed, match="out of memory"):
        captioner.caption(window())
