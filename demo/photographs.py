"""Photographs that come inside Python packages, and the words people use for them.

In: photographs.yaml. Out: pictures, (H, W, 3) uint8 RGB, and words.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

WIDTH_PX, HEIGHT_PX = 640, 480


@dataclass(frozen=True, slots=True)
class Photograph:
    """`words` name what it shows, the plainest first; empty: nobody is asked about it. `labels` are further
    names for it that an answer may give. `crop`: shares of the picture."""

    name: str
    package: str
    file: str
    crop: tuple[float, float, float, float]
    words: tuple[str, ...]
    labels: tuple[str, ...] = ()


@cache
def _vocabulary() -> dict[str, Any]:
    return dict(yaml.safe_load(Path(__file__).with_name("photographs.yaml").read_text(encoding="utf-8")))


@cache
def all_photographs() -> tuple[Photograph, ...]:
    return tuple(
        Photograph(
            name,
            entry["package"],
            entry["file"],
            tuple(entry["crop"]),
            tuple(entry["words"]),
            tuple(entry.get("labels", ())),
        )
        for name, entry in _vocabulary()["photographs"].items()
    )


def absent_things() -> tuple[str, ...]:
    """Things that no photograph shows."""
    return tuple(_vocabulary()["absent"])


@cache
def picture(photograph: Photograph) -> np.ndarray[Any, Any]:
    """The printed part, (480, 640, 3) uint8 RGB. Raises FileNotFoundError naming the package."""
    import cv2

    # find_spec, not import: scikit-learn alone takes seconds to import.
    spec = importlib.util.find_spec(photograph.package)
    path = Path(spec.origin).parent / photograph.file if spec and spec.origin else None
    image = cv2.imread(str(path), cv2.IMREAD_COLOR) if path and path.is_file() else None
    if image is None:
        raise FileNotFoundError(
            f"photograph {photograph.name}: no {photograph.file} in the package {photograph.package}"
        )
    height, width = image.shape[:2]
    left, top, right, bottom = photograph.crop
    printed = image[int(top * height) : int(bottom * height), int(left * width) : int(right * width)]
    return cv2.cvtColor(cv2.resize(printed, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
