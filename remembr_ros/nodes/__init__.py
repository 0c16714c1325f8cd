"""The managed nodes: convert, call, convert, publish."""

from __future__ import annotations

import sys
from types import TracebackType

_before = sys.excepthook


def _without_interrupts(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        _before(kind, error, trace)


# What a node imports takes a second or two; Ctrl-C meanwhile ends it, and is no fault to be shown line by line.
sys.excepthook = _without_interrupts
