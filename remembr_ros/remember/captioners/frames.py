"""What of a window's frames a model is shown. In: `Frame`s. Out: fewer of them, and smaller pictures, RGB uint8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from remembr_ros.records import Frame


def spread(frames: Sequence[Frame], limit: int) -> list[Frame]:
    """At most `limit` of them, evenly over the window, the first and the last among them."""
    if len(frames) <= limit:
        return list(frames)
    return [frames[round(index)] for index in np.linspace(0, len(frames) - 1, limit)]


def scaled(image: np.ndarray[Any, Any], longest_px: int) -> np.ndarray[Any, Any]:
    """The picture with its longer side at most `longest_px`, (H, W, 3) uint8; never enlarged."""
    height, width = image.shape[:2]
    share = longest_px / max(height, width)
    if share >= 1.0:
        return image
    import cv2

    size = (max(1, round(width * share)), max(1, round(height * share)))
    smaller: np.ndarray[Any, Any] = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return smaller
