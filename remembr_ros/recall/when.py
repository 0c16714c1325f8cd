"""Times in words to instants and ranges, and back. In: English text, "now" and a time zone; out: int ns, UTC epoch.

Clock times are local to the zone. Days run from local midnight to local midnight, so they last 23 or 25 hours when
the clocks change. A clock time that happens twice gives both instants; one that does not happen gives the first
valid instant after the gap, and says so. Nothing here reads the machine's clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from remembr_ros.errors import ConfigurationError, InvalidInput, MissingDependency
from remembr_ros.records import NANOSECONDS

_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "a couple of": 2, "a few": 3, "half an": 0.5,
    "half a": 0.5,
}  # fmt: skip
_UNIT_S = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "day": 86400, "week": 7 * 86400}
_PARTS = {"morning": (5, 12), "noon": (11, 13), "afternoon": (12, 18), "evening": (17, 23), "night": (20, 29)}

_NAMES = r"(?:morning|afternoon|evening|night)"
"""Parts of the day that a time may be called by."""
_LIKE_OTHERS = {"last night": "yesterday night", "tonight": "today night"} | dict.fromkeys(
    ("night", "late at night", "all night", "the whole night", "the previous night", "overnight"), "the night"
)

_COUNT = r"(?:\d+(?:\.\d+)?|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?)"
_AGO = rf"(?:{_COUNT} {_UNIT}(?: and a half)?(?: and {_COUNT} {_UNIT})? ago)"
CLOCK = (
    r"(?:\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?(?:[ap]\.?m\b\.?|o'?clock)"
    r"|noon|midday|midnight)"
)
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
DATE = (
    rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|{MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,? \d{{4}}\b(?!:))?"
    rf"|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH}(?:,? \d{{4}}\b(?!:))?)"
)
_DAY = rf"(?:the day before yesterday|yesterday|today|tonight|(?:last |this |on )?{WEEKDAY}|{DATE})"
_PART = r"(?:(?:in the )?(?:early |late )?(?:morning|afternoon|evening)|(?:at )?night)"
_ISO = r"(?:\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:z\b|(?:utc)?[+-]\d{2}:?\d{2}))?)"
_MOMENT = (
    rf"(?:{_ISO}|{_DAY},?(?: at| around| about)? {CLOCK}|{CLOCK},?(?: on)? (?:on )?{_DAY}"
    rf"|{CLOCK} (?:this|in the|yesterday) (?:morning|afternoon|evening)|{_AGO}|{CLOCK})"
)
_SPAN = (
    rf"(?:(?:in |on |during )?the (?:early |late )?{_NAMES} of {_DAY}"
    rf"|(?:this|last|yesterday|the) (?:{_NAMES}|week|month)(?! before last)"
    rf"|the {_NAMES} before last|(?:late )?at night|(?:all|the whole|the previous) night"
    rf"|overnight|{_DAY} {_PART}|{_DAY}"
    rf"|(?:in |within |during |over |for )?the (?:last|past) (?:{_COUNT} )?{_UNIT}|(?:this|last) {_UNIT})"
)
_EDGE = rf"(?:now|{_MOMENT}|{_DAY}|\d{{1,2}})"
_ANY = (
    rf"(?:between {_EDGE} and {_EDGE}(?:,? (?:on )?{_DAY})?"
    rf"|from {_EDGE} (?:to|until|till) {_EDGE}(?:,? (?:on )?{_DAY})?"
    rf"|(?:since|after|before|until|till) (?:{_MOMENT}|{_SPAN})"
    rf"|(?:at |around |about |on |by )?(?:at |around |about )?{_MOMENT}|{_SPAN}|on {_SPAN})"
)
_FIND = re.compile(rf"(?<![\w:]){_ANY}(?![\w:])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time text understood: the half-open range [after_ns, before_ns) it allows (None = open on that side).

    `instants_ns` is set when the text names a moment rather than a range: one instant, or two when that clock time
    happened twice. The range then is the moment with the slack its wording has ("3pm" 15 min, "15:04" 1 min). `note` is
    a sentence for the asker about a repeated or missing hour, else empty.
    """

    after_ns: int | None
    before_ns: int | None
    instants_ns: tuple[int, ...] = ()
    note: str = ""


def load_zone(name: str, *, parameter: str = "timezone") -> ZoneInfo:
    """The IANA zone called `name`; empty = the computer's. Raises ConfigurationError naming the parameter."""
    if not name:
        from tzlocal import get_localzone_name

        name = get_localzone_name() or "UTC"
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ConfigurationError(
            f"{parameter}: {name!r} is not a time zone known here; give an IANA name such as Europe/Berlin"
        ) from error


def to_local(instant_ns: int, zone: ZoneInfo) -> datetime:
    """The local wall time, to the microsecond."""
    # replace(), not addition: a sum forgets which of two equal clock times it is.
    return datetime.fromtimestamp(instant_ns // NANOSECONDS, zone).replace(microsecond=instant_ns % NANOSECONDS // 1000)


def from_local(wall: datetime, zone: ZoneInfo) -> tuple[tuple[int, ...], str]:
    """Every instant at which a clock in `zone` shows the naive time `wall`, earliest first, and a note when that is
    not exactly one. A time inside a spring gap gives the first valid instant after the gap."""
    instants = sorted({_epoch_ns(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1)})
    shown = [i for i in instants if to_local(i, zone).replace(tzinfo=None) == wall]
    if len(shown) == 1:
        return (shown[0],), ""
    if len(shown) == 2:
        return tuple(shown), f"{wall:%H:%M} happened twice on {wall:%Y-%m-%d}, when the clocks went back."
    # Both readings of a skipped time lie an hour apart around the gap; the gap's end is between them.
    low, high = instants[0], instants[-1]
    before = to_local(low, zone).utcoffset()
    while high - low > NANOSECONDS:
        middle = (low + high) // 2
        low, high = (middle, high) if to_local(middle, zone).utcoffset() == before else (low, middle)
    edge = high // NANOSECONDS * NANOSECONDS
    return (edge,), f"{wall:%H:%M} did not exist on {wall:%Y-%m-%d}, when the clocks went forward."


def day_range(day: date, zone: ZoneInfo) -> tuple[int, int]:
    """[local midnight, next local midnight) of `day`, in ns."""
    start, _ = from_local(datetime.combine(day, time()), zone)
    end, _ = from_local(datetime.combine(day + timedelta(days=1), time()), zone)
    return start[0], end[0]


def find_times(text: str) -> list[tuple[int, int]]:
    """(start, end) of each phrase in `text` that speaks of a time, the longest first."""
    return sorted((m.span() for m in _FIND.finditer(text)), key=lambda span: span[0] - span[1])


def parse_time(text: str, now_ns: int, zone: ZoneInfo) -> TimeExpression:
    """Understand a time text. Days and clock times without a date are the latest that are not in the future.

    Raises InvalidInput, with examples of what is understood.
    """
    words = re.sub(r"\s+", " ", text.strip().strip(".,;?!").lower())
    if len(words) > 200:
        raise InvalidInput("a time text has at most 200 characters")
    try:
        found = _parse(words, now_ns, zone)
    except (OverflowError, ValueError, OSError) as error:
        raise InvalidInput(f"not a time: {text!r} ({error})") from error
    if found is None:
        raise InvalidInput(
            f"not understood as a time: {text!r}; say for example '10 minutes ago', 'yesterday at 3pm', "
            "'this morning', '15:04:05', 'between 2pm and 3pm' or '2026-11-30T15:04:05+01:00'"
        )
    return found


def _parse(words: str, now_ns: int, zone: ZoneInfo) -> TimeExpression | None:
    pair = re.fullmatch(rf"(?:between|from) ({_EDGE}) (?:and|to|until|till) ({_EDGE})(?:,? (?:on )?({_DAY}))?", words)
    if pair:
        return _between(pair[1], pair[2], pair[3], now_ns, zone)
    side = re.fullmatch(r"(since|after|before|until|till) (.+)", words)
    if side:
        inner = _parse(side[2], now_ns, zone)
        if inner is None:
            return None
        moments = inner.instants_ns
        if side[1] == "since":
            return TimeExpression(moments[0] if moments else inner.after_ns, None, note=inner.note)
        if side[1] == "after":
            return TimeExpression(moments[0] if moments else inner.before_ns, None, note=inner.note)
        return TimeExpression(None, moments[-1] if moments else inner.after_ns, note=inner.note)
    words = re.sub(r"^(?:at|around|about|on|by|exactly)\b ?(?:at|around|about)? ?", "", words)
    if words in ("now", "right now", "just now"):
        return TimeExpression(now_ns - 15 * NANOSECONDS, None, (now_ns,))
    return _span(words, now_ns, zone) or _moment(words, now_ns, zone)


def _between(first: str, second: str, day: str | None, now_ns: int, zone: ZoneInfo) -> TimeExpression | None:
    first = with_half(first, second)
    first, second = (f"{edge}:00" if re.fullmatch(r"\d{1,2}", edge) else edge for edge in (first, second))
    if day:
        first, second = f"{day} {first}", f"{day} {second}"
    elif re.match(rf"{_DAY}\b", first) and re.fullmatch(CLOCK, second):
        second = re.match(rf"{_DAY}", first)[0] + " " + second  # type: ignore[index]
    start, end = _parse(first, now_ns, zone), _parse(second, now_ns, zone)
    if start is None or end is None:
        return None
    after = start.instants_ns[0] if start.instants_ns else start.after_ns
    before = end.instants_ns[-1] if end.instants_ns else end.before_ns
    if after is None or before is None:
        return None
    if after >= before and not day and re.fullmatch(CLOCK, first):
        # The end passed today, the start would be later today: the range began a day before its end.
        after = from_local(to_local(after, zone).replace(tzinfo=None) - timedelta(days=1), zone)[0][0]
    if after >= before:
        raise InvalidInput(f"{first!r} is not earlier than {second!r}")
    return TimeExpression(after, before, note=start.note or end.note)


def with_half(first: str, second: str) -> str:
    """`first` with the half of the day of `second`: of "2 and 3 pm" both are pm, of "11 and 1 pm" only the one."""
    half = re.search(r"(\d{1,2})(?::\d{2})* ?([ap]\.?m)", second)
    if half is None or not re.fullmatch(r"\d{1,2}(:\d{2})?", first):
        return first
    return first if int(re.split(":", first)[0]) % 12 > int(half[1]) % 12 else f"{first} {half[2]}"


def _span(words: str, now_ns: int, zone: ZoneInfo) -> TimeExpression | None:
    today = to_local(now_ns, zone).date()
    recent = re.fullmatch(rf"(?:in |within |during |over |for )?the (?:last|past) (?:({_COUNT}) )?({_UNIT})", words)
    if recent:
        return TimeExpression(_back(now_ns, recent[1] or "a", recent[2], zone), None)
    unit = re.fullmatch(r"(this|last) (second|minute|hour|week|month)", words)
    if unit:
        if unit[2] in ("second", "minute", "hour"):
            return TimeExpression(_back(now_ns, "a", unit[2], zone), None)
        first = today - timedelta(days=today.weekday()) if unit[2] == "week" else today.replace(day=1)
        if unit[1] == "this":
            return TimeExpression(day_range(first, zone)[0], None)
        earlier = first - timedelta(days=7) if unit[2] == "week" else (first - timedelta(days=1)).replace(day=1)
        return TimeExpression(day_range(earlier, zone)[0], day_range(first, zone)[0])
    words = re.sub(r"^(?:in|during|over|through) the ", "the ", words)
    words = _LIKE_OTHERS.get(words, words)
    words = re.sub(rf"^the ({_NAMES}) before last$", r"the day before yesterday \1", words)
    words = re.sub(rf"^(?:(?:in|on|during) )?the (?:early |late )?({_NAMES}) of (.+)$", r"\2 \1", words)
    part = re.fullmatch(rf"(this|the|last|{_DAY})(?:,? in the| at)? (?:early |late )?({_NAMES})", words)
    if part:
        if part[1] == "last":
            day: date | None = today - timedelta(days=1)
        else:
            day = today if part[1] in ("this", "the") else _day(part[1], now_ns, zone)
        if day is None:
            return None
        found = _part_of(day, part[2], zone)
        if part[1] == "the" and found.after_ns is not None and found.after_ns > now_ns:  # who asks means the latest
            found = _part_of(day - timedelta(days=1), part[2], zone)
        return found
    if re.fullmatch(_DAY, words):
        day = _day(words, now_ns, zone)
        return TimeExpression(*day_range(day, zone)) if day else None
    return None


def _part_of(day: date, part: str, zone: ZoneInfo) -> TimeExpression:
    """The morning, afternoon, evening or night that begins on `day`."""
    midnight, (first_hour, last_hour) = datetime.combine(day, time()), _PARTS[part]
    return TimeExpression(
        from_local(midnight + timedelta(hours=first_hour), zone)[0][0],
        from_local(midnight + timedelta(hours=last_hour), zone)[0][-1],
    )


def _moment(words: str, now_ns: int, zone: ZoneInfo) -> TimeExpression | None:
    ago = re.fullmatch(rf"({_COUNT}) ({_UNIT})( and a half)?(?: and ({_COUNT}) ({_UNIT}))? ago", words)
    if ago:
        instant = _back(now_ns, ago[1], ago[2], zone)
        if ago[3]:
            instant -= round(0.5 * _UNIT_S[ago[2].rstrip("s")] * NANOSECONDS)
        if ago[4]:
            instant = _back(instant, ago[4], ago[5], zone)
        if ago[2].startswith("day") and not ago[3] and not ago[4]:  # that day, at whatever hour
            return TimeExpression(*day_range(to_local(instant, zone).date(), zone), (instant,))
        slack = max(5 * NANOSECONDS, (now_ns - instant) // 10)
        return TimeExpression(instant - slack, instant + slack, (instant,))
    if re.fullmatch(_ISO, words) or re.match(r"\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}", words):
        words = re.sub(r"\.(\d+)", lambda match: "." + match[1][:6].ljust(6, "0"), words)  # what Python 3.10 reads
        stamp = datetime.fromisoformat(
            re.sub(r" ?(?:utc)?([+-]\d{2}):?(\d{2})$", r"\1:\2", words.replace("z", "+00:00"))
        )
        if stamp.tzinfo is not None:
            return _at((_epoch_ns(stamp),), "", 1.0)
        return _at(*from_local(stamp, zone), 1.0)
    clock = re.search(rf"(?<![\w:]){CLOCK}(?![\w:])", words)
    if clock:
        day_words = (words[: clock.start()] + " " + words[clock.end() :]).strip(" ,")
        day_words = re.sub(r"\b(?:at|on|around|about)\b", "", day_words).strip(" ,")
        return _clock_on(clock[0], re.sub(r" +", " ", day_words), now_ns, zone)
    return _by_dateparser(words, now_ns, zone)


def _clock_on(clock: str, day_words: str, now_ns: int, zone: ZoneInfo) -> TimeExpression | None:
    times, slack_s = _clock(clock)
    part = re.fullmatch(rf"(?:(this|in the|yesterday|today) )?({_NAMES})", day_words)
    if part:
        if part[2] != "morning":
            times = [t for t in times if t.hour >= 12] or [t.replace(hour=t.hour + 12) for t in times]
        day_words = {"in the": "", None: ""}.get(part[1], "today" if part[1] == "this" else part[1])
    if day_words:
        day = _day(day_words, now_ns, zone)
        if day is None:
            return None
        return _at(*from_local(datetime.combine(day, times[-1]), zone), slack_s)
    today = to_local(now_ns, zone).date()
    candidates = [from_local(datetime.combine(today - timedelta(days=back), t), zone) for back in (0, 1) for t in times]
    past = [c for c in candidates if c[0][0] <= now_ns]
    return _at(*max(past, key=lambda c: c[0][0]), slack_s) if past else None


def _clock(words: str) -> tuple[list[time], float]:
    """The times of day that `words` can mean (an "o'clock" has two), and the slack of the wording [s]."""
    if words in ("noon", "midday"):
        return [time(12)], 900.0
    if words == "midnight":
        return [time(0)], 900.0
    match = re.fullmatch(r"(\d{1,2})(?::(\d{2}))?(?::(\d{2})(\.\d+)?)? ?(?:([ap])\.?m\.?|(o'?clock))?", words)
    if match is None:
        raise InvalidInput(f"not a time of day: {words!r}")
    hour, minute, second = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    microsecond = round(float(match[4] or 0) * 1e6)
    if match[5]:
        if not 1 <= hour <= 12:
            raise InvalidInput(f"not a time of day: {words!r}")
        hour = hour % 12 + (12 if match[5] == "p" else 0)
    slack_s = 1.0 if match[3] else 60.0 if match[2] else 900.0
    times = [time(hour, minute, second, min(microsecond, 999_999))]
    if match[6] and 1 <= hour <= 12:
        times = [time(hour % 12), time(hour % 12 + 12)]
    return times, slack_s


def _day(words: str, now_ns: int, zone: ZoneInfo) -> date | None:
    today = to_local(now_ns, zone).date()
    words = words.removeprefix("on ")
    fixed = {"today": 0, "tonight": 0, "yesterday": 1, "the day before yesterday": 2}
    if words in fixed:
        return today - timedelta(days=fixed[words])
    weekday = re.fullmatch(rf"(last |this )?({WEEKDAY})", words)
    if weekday:
        names = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
        back = (today.weekday() - names.index(weekday[2])) % 7
        return today - timedelta(days=back or (7 if weekday[1] == "last " else 0))
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", words):
        return date.fromisoformat(words)
    parsed = _dateparser(words, now_ns, zone)
    return parsed.date() if parsed else None


def _at(instants: tuple[int, ...], note: str, slack_s: float) -> TimeExpression:
    slack = round(slack_s * NANOSECONDS)
    return TimeExpression(instants[0] - slack, instants[-1] + slack, instants, note)


def _back(now_ns: int, count: str, unit: str, zone: ZoneInfo) -> int:
    number = _NUMBERS.get(count) or float(count)
    unit = unit.rstrip("s")
    if unit in ("day", "week") and number == int(number):
        # A day ago is the same clock time, whatever the clocks did in between.
        wall = to_local(now_ns, zone).replace(tzinfo=None) - timedelta(days=int(number) * (7 if unit == "week" else 1))
        return from_local(wall, zone)[0][0]
    return now_ns - round(number * _UNIT_S[unit] * NANOSECONDS)


def _by_dateparser(words: str, now_ns: int, zone: ZoneInfo) -> TimeExpression | None:
    parsed = _dateparser(words, now_ns, zone)
    if parsed is None:
        return None
    if parsed.tzinfo is not None:
        return _at((_epoch_ns(parsed),), "", 60.0)
    return _at(*from_local(parsed, zone), 60.0)


def _dateparser(words: str, now_ns: int, zone: ZoneInfo) -> datetime | None:
    try:
        import dateparser
    except ImportError as error:
        raise MissingDependency("dateparser", "pip install 'dateparser>=1.2'", needed_for="times in words") from error
    settings: Any = {
        "RELATIVE_BASE": to_local(now_ns, zone).replace(tzinfo=None),
        "PREFER_DATES_FROM": "past",
        "REQUIRE_PARTS": ["day"],
    }
    parsed: datetime | None = dateparser.parse(words, languages=["en"], settings=settings)
    return parsed


def _epoch_ns(stamp: datetime) -> int:
    elapsed = stamp - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return ((elapsed.days * 86400 + elapsed.seconds) * 1_000_000 + elapsed.microseconds) * 1000


def format_instant(instant_ns: int, zone: ZoneInfo) -> str:
    """ "Mon 2026-11-30 15:04:05 UTC-05:00": weekday, full date, local time, offset (none where it is zero). Never
    ambiguous."""
    local = to_local(instant_ns, zone)
    offset = f"{local:%z}"
    shift = "" if offset == "+0000" else f"{offset[:3]}:{offset[3:5]}"
    return f"{local:%a %Y-%m-%d %H:%M:%S} UTC{shift}"


def format_duration(seconds: float) -> str:
    """ "2 hours 5 minutes": the two largest units that matter, rounded; "0 seconds" for nothing."""
    rest = max(0, round(seconds))
    parts = []
    for name, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        value, rest = divmod(rest, size)
        if value:
            parts.append(f"{value} {name}{'s' if value != 1 else ''}")
        elif parts:
            break
        if len(parts) == 2:
            break
    return " ".join(parts) or "0 seconds"


def format_age(seconds: float) -> str:
    """ "12 minutes ago", or "just now" below 5 s."""
    return "just now" if seconds < 5.0 else f"{format_duration(seconds)} ago"
