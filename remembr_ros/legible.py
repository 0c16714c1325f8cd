"""Text of others made safe to show. In: captions, questions, error texts, whatever they hold; out: one plain line.

Terminal escapes, control characters, invisible and direction-changing characters can make a terminal, a log or a reader
see something else than what was said (Unicode TR 36, section 3). What people write with stays: accents, emoji, scripts.
"""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor, erasing
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS: titles, clipboard
    r"|\x1b[ -/]*[0-~]?"
)
_JOINERS = "\u200c\u200d"
"""Parts of words in Persian and Hindi, and of emoji."""
_SPACE = ("Cc", "Zl", "Zp")
_MARKS_IN_A_ROW = re.compile(r"([\u0300-\u036f\u0489]{3})[\u0300-\u036f\u0489]+")


def legible(text: str) -> str:
    """`text` in one line without escapes, controls, invisible or direction-changing characters. Never raises."""
    if text.isascii() and text.isprintable():
        return text
    kept = []
    for character in _ESCAPE.sub(" ", text):
        category = unicodedata.category(character)
        if category in _SPACE:
            kept.append(" ")
        elif category == "Cs":
            kept.append("\ufffd")
        elif category not in ("Cf", "Cn") or character in _JOINERS:
            kept.append(character)
    return _MARKS_IN_A_ROW.sub(r"\1", " ".join("".join(kept).split()))
