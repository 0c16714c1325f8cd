"""A captioner without a model: for tests, demonstrations of the plumbing, and measuring everything but the model.

`scripted`                      the colour that most of the pictures has: "I see mostly red."
`scripted:a red chair`          always this text
`scripted:script.yaml`          a YAML or JSON file: {captions: [...], delay_s: 0.0}; one caption a window, from the
                                start again after the last; a caption of null raises ModelFailed
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from remembr_ros.errors import ConfigurationError, ModelFailed
from remembr_ros.records import Frame

COLOURS = {
    "black": (0, 0, 0), "white": (255, 255, 255), "grey": (128, 128, 128), "red": (255, 0, 0), "green": (0, 200, 0),
    "blue": (0, 0, 255), "yellow": (255, 255, 0), "orange": (255, 140, 0), "purple": (140, 0, 160),
    "brown": (120, 70, 20), "pink": (255, 150, 190), "cyan": (0, 220, 220),
}  # fmt: skip


class ScriptedCaptioner:
    """See the module. `delay_s` is how long the pretended model thinks. Raises ConfigurationError for a bad script."""

    def __init__(self, script: str = "", *, delay_s: float = 0.0) -> None:
        self.name = f"scripted:{script}" if script else "scripted"
        self._delay_s = delay_s
        self._captions: list[str | None] = [script] if script else []
        self._next = 0
        if script.endswith((".yaml", ".yml", ".json")):
            self._captions, self._delay_s = _read_script(Path(script).expanduser(), delay_s)

    def caption(self, frames: Sequence[Frame]) -> str:
        """The script's next caption, or the pictures' colour. Raises ModelFailed where the script says so."""
        if self._delay_s:
            time.sleep(self._delay_s)
        if not self._captions:
            return f"I see mostly {dominant_colour(frames)}."
        caption = self._captions[self._next % len(self._captions)]
        self._next += 1
        if caption is None:
            raise ModelFailed("the script says: fail")
        return caption

    def warm_up(self) -> None:
        """Nothing to warm: the script is not touched."""

    def close(self) -> None:
        """Nothing to free."""


def dominant_colour(frames: Sequence[Frame]) -> str:
    """The name in COLOURS that is nearest to most pixels (a sample of them)."""
    pixels = np.concatenate([frame.image[::8, ::8].reshape(-1, 3) for frame in frames]).astype(np.int32)
    palette = np.array(list(COLOURS.values()), dtype=np.int32)
    nearest = ((pixels[:, None, :] - palette) ** 2).sum(axis=2).argmin(axis=1)
    return list(COLOURS)[int(np.bincount(nearest, minlength=len(COLOURS)).argmax())]


def _read_script(path: Path, delay_s: float) -> tuple[list[str | None], float]:
    import yaml

    try:
        script = yaml.safe_load(path.read_text(encoding="utf-8"))
        captions = script["captions"]
        delay_s = float(script.get("delay_s", delay_s))
    except (OSError, yaml.YAMLError, TypeError, KeyError, AttributeError, ValueError) as error:
        raise ConfigurationError(
            f"captioner: script {path} cannot be used, wanted {{captions: [...], delay_s: 0.0}}: {error!r}"
        ) from error
    usable = isinstance(captions, list) and all(item is None or isinstance(item, str) for item in captions)
    if not usable or not captions:
        raise ConfigurationError(f"captioner: script {path}: captions is not a list of texts")
    return captions, delay_s
