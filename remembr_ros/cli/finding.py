"""What `remembr doctor` finds: one sentence, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """OK: as it should be. WARN: works, but not as well as it could. FAIL: something will not work."""

    OK = "ok"
    WARN = "warn"
    FAIL = "FIX"


@dataclass(frozen=True, slots=True)
class Finding:
    """`about`: the part that was looked at; `fix`: what to do, empty when nothing is to be done."""

    level: Level
    about: str
    what: str
    fix: str = ""


def ok(about: str, what: str) -> Finding:
    return Finding(Level.OK, about, what)


def warn(about: str, what: str, fix: str = "") -> Finding:
    return Finding(Level.WARN, about, what, fix)


def fail(about: str, what: str, fix: str = "") -> Finding:
    return Finding(Level.FAIL, about, what, fix)
