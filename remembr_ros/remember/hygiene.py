"""Captions fit to be remembered. In: whatever a model wrote. Out: one clean line of text, or a reason why not.

Small vision models loop ("a chair, a chair, a chair ..."), leak their special tokens, or return nothing. What can be
repaired is; the rest raises: an empty or senseless row is worse than none, since it comes up in searches for ever.
"""

from __future__ import annotations

import re
import unicodedata

from remembr_ros.errors import ModelFailed

MAX_CAPTION_CHARS = 2000
"""About three times what VILA writes with 256 new tokens."""
MIN_LETTER_SHARE = 0.5
REPEATS = 3
"""A phrase said so often in a row is a loop; twice may be meant ("very, very")."""
MAX_LOOP_WORDS = 12

_SPECIAL_TOKEN = re.compile(
    r"<\|[^<>|]{0,40}\|>|</?(?:s|pad|unk|bos|eos|image|video|im_start|im_end|im_patch|end_of_utterance)>|"
    r"\[/?(?:INST|SYS)\]",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*\s*")


def clean_caption(text: str) -> str:
    """The caption in one line without special tokens and loops, at most MAX_CAPTION_CHARS long.

    Raises ModelFailed, which says why, for what is empty, gibberish, or nothing but a loop.
    """
    if not isinstance(text, str):
        raise ModelFailed(f"the caption is no text but {type(text).__name__}")
    line = _SPECIAL_TOKEN.sub(" ", text[: 4 * MAX_CAPTION_CHARS])
    # Lone surrogates cannot be stored (UTF-8), control characters break logs.
    unwanted = ("Cc", "Cs", "Zl", "Zp")
    line = "".join(" " if unicodedata.category(char) in unwanted else char for char in line)
    line = " ".join(line.split())
    if not line:
        raise ModelFailed("the caption is empty")
    unlooped = _without_repeated_sentences(_without_loops(line))
    if unlooped != line and len(set(re.findall(r"\w+", unlooped.lower()))) < 2:
        raise ModelFailed(f"the caption is nothing but a repetition: {line[:60]!r}")
    letters = sum(char.isalpha() for char in unlooped)
    if letters < MIN_LETTER_SHARE * len(unlooped.replace(" ", "")) or re.search(r"([^\W\d_])\1{7}", unlooped):
        raise ModelFailed(f"the caption is not a text: {line[:60]!r}")
    return _shortened(unlooped)


def _without_loops(line: str) -> str:
    """ "A desk, a chair, a chair, a chair, a" is "A desk, a chair": loops end anywhere, where the tokens ran out."""
    words = line.split()
    keys = [word.strip(".,;:!?\"'").lower() or word for word in words]
    kept: list[str] = []
    at = 0
    while at < len(words):
        for size in range(1, min(MAX_LOOP_WORDS, (len(words) - at) // REPEATS) + 1):
            phrase, end = keys[at : at + size], at + size
            while keys[end : end + size] == phrase:
                end += size
            if end - at >= REPEATS * size:
                kept += words[end - size : end]
                at = len(words) if keys[end:] == phrase[: len(keys) - end] else end
                break
        else:
            kept.append(words[at])
            at += 1
    return " ".join(kept).rstrip(",;")


def _without_repeated_sentences(line: str) -> str:
    seen: set[str] = set()
    kept = []
    for sentence in _SENTENCE.findall(line) or [line]:
        key = sentence.strip().lower()
        if key not in seen:
            kept.append(sentence)
        seen.add(key)
    return "".join(kept).strip()


def _shortened(line: str) -> str:
    if len(line) <= MAX_CAPTION_CHARS:
        return line
    cut = line[:MAX_CAPTION_CHARS]
    end = max(cut.rfind(mark) for mark in ".!?")
    return cut[: end + 1] if end > MAX_CAPTION_CHARS // 2 else cut[: cut.rfind(" ")]
