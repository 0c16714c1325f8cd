"""Written answers as they are said: in, the text of an answer; out, the sentences to speak, within a length. Pure.

Positions lose their brackets and frame, instants their seconds, year and zone; what a synthesizer would spell out, read
as markup or stumble over is dropped. Nothing is added that the answer does not say.
"""

from __future__ import annotations

import re
import unicodedata

MOST_READ = 20_000
"""Characters looked at: whatever an answer holds, preparing it stays short."""

CHARS_PER_S = 14.0
"""Of speech at a usual pace."""

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,300}>")
_LINK = re.compile(r"\b\w{2,10}://\S+")
_PLACE = re.compile(
    r"\(x (-?\d+(?:\.\d+)?) m, y (-?\d+(?:\.\d+)?) m(?: in [^,()]{1,60}|, [^,()]{1,60})?(, [^()]{1,60})?\)"
)
_INSTANT = re.compile(
    r"(?:\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\b(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)"
    r"(?::\d\d(?:\.\d+)?)?(?: UTC(?:[+-]\d\d:\d\d)?)?"
)
_LONG_DECIMAL = re.compile(r"(\d\.\d)\d{2,}")
_MINUS = re.compile(r"(?<![\w.-])[-\u2212](?=\d)")
_UNIT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?) ?(km|cm|mm|m|s|min|h)\b(?![/\u00b0'-])")
_UNITS = {
    "km": "kilometre", "cm": "centimetre", "mm": "millimetre", "m": "metre", "s": "second", "min": "minute",
    "h": "hour",
}  # fmt: skip
_DAYS = {
    "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday", "Sat": "Saturday",
    "Sun": "Sunday",
}  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SAID = "'\u2019.,;:!?%&+-/()\u00b0\u20ac$\u00a3\u3002\uff0c\u3001\uff01\uff1f"
"""What may stand between letters and digits. Anything else is a pause or nothing to a listener."""
_REPEATED = re.compile(r"([.,;:!?\u3002\uff0c\u3001\uff01\uff1f])(?:\s*[.,;:])+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])\s*")


def sentences(text: str, most_chars: int, *, english: bool = True) -> list[str]:
    """What to say of `text`: whole sentences, together at most `most_chars` characters; the first is cut at a word
    where it alone is longer. Empty when there is nothing to say. `english`: spell out English months and units.
    """
    plain = _plain(text[:MOST_READ], english)
    said: list[str] = []
    left = most_chars
    for sentence in _SENTENCE_END.split(plain):
        sentence = sentence.strip(" ,;:-")
        if not any(character.isalnum() for character in sentence):
            continue
        if len(sentence) > left:
            if not said:
                said.append(_cut(sentence, most_chars))
            break
        said.append(sentence)
        left -= len(sentence) + 1
    return said


def seconds_to_say(text: str) -> float:
    """About how long it takes."""
    return len(text) / CHARS_PER_S


def _plain(text: str, english: bool) -> str:
    text = _ESCAPE.sub(" ", text)
    text = unicodedata.normalize("NFC", "".join(c if _printable(c) else " " for c in text))
    text = _LINK.sub(" ", _TAG.sub(" ", text))
    text = _PLACE.sub(lambda match: f"x {match[1]}, y {match[2]}{match[3] or ''}", text)
    text = _LONG_DECIMAL.sub(r"\1", text)
    if english:
        text = _INSTANT.sub(_instant, text)
        text = _UNIT.sub(_unit, text)
        text = _MINUS.sub("minus ", text)
    text = "".join(c if c.isalnum() or c in _SAID or unicodedata.category(c) == "Mn" else " " for c in text)
    text = re.sub(r"\s+([.,;:!?])", r"\1", " ".join(text.split()))
    return _REPEATED.sub(r"\1", text)


def _printable(character: str) -> bool:
    return unicodedata.category(character)[0] != "C"


def _instant(match: re.Match[str]) -> str:
    day, _, month, of_month, hour, minute = match.groups()
    if not 1 <= int(month) <= 12:
        return match[0]
    weekday = f"{_DAYS[day]}, " if day else ""
    return f"{weekday}{_MONTHS[int(month) - 1]} {int(of_month)}, at {hour}:{minute}"


def _unit(match: re.Match[str]) -> str:
    number, unit = match[1], _UNITS[match[2]]
    return f"{number} {unit}{'' if number == '1' else 's'}"


def _cut(sentence: str, most_chars: int) -> str:
    """At the last pause or word that fits."""
    head = sentence[:most_chars]
    at = max(head.rfind(", "), head.rfind("; "))
    if at < most_chars // 2:
        at = head.rfind(" ")
    return head[:at].rstrip(" ,;:-") if at > 0 else head
