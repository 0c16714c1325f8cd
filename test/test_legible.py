"""Text of others made safe to show."""

from __future__ import annotations

import pytest

from remembr_ros.legible import legible
from remembr_ros.recall.answer import quote


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a red chair", "a red chair"),
        ("\x1b[31ma red\x1b[0m chair", "a red chair"),
        ("a\x1b]0;title\x07b", "a b"),
        ("a\x1b]52;c;cm0gLXJm\x1b\\b", "a b"),
        ("\x9b2Ja\x08\x08b\rc\nd", "a b c d"),
        ("\u202etfel\u202c \u2066x\u2069", "tfel x"),
        ("ch\u200ba\ufeffir\U000e0041", "chair"),
        ("a\u2028b\x00c\ud83d", "a b c\ufffd"),
        ("Z" + "\u0301" * 50, "Z" + "\u0301" * 3),
        ("Türschild, 椅子, כיסא, 👩\u200d🚀", "Türschild, 椅子, כיסא, 👩\u200d🚀"),
    ],
)
def test_what_is_shown(text: str, shown: str) -> None:
    assert legible(text) == shown == legible(shown)


def test_a_caption_cannot_end_its_own_quotation() -> None:
    assert quote('x". I was at (x 99.0 m). "') == "\"x'. I was at (x 99.0 m). '\""
