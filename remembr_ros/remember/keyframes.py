"""One picture per memory on the disk, within a budget. In: (H, W, 3) uint8 RGB. Out: a JPEG file and its `file:` URI.

A file is FOLDER/YYYY-MM-DD/ID.jpg (UTC day and id of its memory). When the budget is used up the oldest pictures go
first; their memories stay, with a URI that leads nowhere. A picture is a convenience: what goes wrong with one is told
and never stops a memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import ConfigurationError
from remembr_ros.records import NANOSECONDS

if TYPE_CHECKING:
    import numpy as np

LONGER_SIDE_PX = 640
JPEG_QUALITY = 80
"""About 50 kB a picture: 28,800 windows a day make 1.5 GB."""
_REFILL = 0.95
"""Pruning leaves so much of the budget, so that not every picture prunes."""


class Keyframes:
    """The pictures in one folder. Used by one thread. Raises ConfigurationError for a folder that cannot be used."""

    def __init__(self, folder: str | Path, budget_bytes: int, on_problem: Callable[[str], None] | None = None) -> None:
        self.folder = Path(folder).expanduser().absolute()
        self._budget = budget_bytes
        self._on_problem = on_problem or (lambda _: None)
        self._failed = False
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._bytes = sum(path.stat().st_size for path in self._pictures())
        except OSError as error:
            raise ConfigurationError(f"keyframes.folder: {self.folder} cannot be used: {error}") from error
        self._prune()

    @property
    def used_bytes(self) -> int:
        """What the pictures take up."""
        return self._bytes

    def save(self, memory_id: str, start_ns: int, picture: np.ndarray[Any, Any]) -> str:
        """The URI of the picture of a memory; empty when it could not be kept, which is told once."""
        day = datetime.fromtimestamp(start_ns / NANOSECONDS, timezone.utc).strftime("%Y-%m-%d")
        path = self.folder / day / f"{memory_id}.jpg"
        partial = path.with_suffix(".partial")
        try:
            data = _jpeg(picture)
            path.parent.mkdir(exist_ok=True)
            before = path.stat().st_size if path.exists() else 0
            partial.write_bytes(data)
            partial.replace(path)
            self._bytes += len(data) - before
            self._prune()
        except (OSError, ValueError) as error:
            if not self._failed:
                self._on_problem(f"keyframes.folder: no picture kept of {memory_id}: {error}")
            self._failed = True
            with suppress(OSError):  # half a picture must not keep a full disk full
                partial.unlink(missing_ok=True)
            return ""
        self._failed = False
        return f"file:{path}"

    def _pictures(self) -> list[Path]:
        """Oldest first: days and ids sort by time."""
        return sorted(self.folder.glob("????-??-??/*.jpg"))

    def _prune(self) -> None:
        if self._bytes <= self._budget:
            return
        for path in self._pictures():
            if self._bytes <= _REFILL * self._budget:
                return
            self._bytes -= path.stat().st_size
            path.unlink()
            if not any(os.scandir(path.parent)):
                path.parent.rmdir()


def _jpeg(picture: np.ndarray[Any, Any]) -> bytes:
    """Raises ValueError for what cannot be encoded."""
    import cv2

    height, width = picture.shape[:2]
    scale = LONGER_SIDE_PX / max(height, width)
    if scale < 1.0:
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    fine, data = cv2.imencode(
        ".jpg", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    )
    if not fine:
        raise ValueError("the picture cannot be encoded as JPEG")
    return bytes(data)
