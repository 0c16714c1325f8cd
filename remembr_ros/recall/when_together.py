"""Words for a day and words for hours that stand apart in a question, put together. In: English text; out: one time.

"On October 9, how long were you in the lab before 8 am" is a day and hours of it. Local days and clock times; `when`
reads what comes out.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from remembr_ros.recall.when import CLOCK, DATE, MONTH, WEEKDAY, with_half

_HOUR = rf"(?:{CLOCK}|\d{{1,2}}(?![\d:./-]|(?:st|nd|rd|th)\b| (?:times|minutes?|hours?|days?|weeks?|of)\b))"
_ABOUT = r"(?:(?:about|around|roughly|shortly before|shortly after) )?"
_DAYS = re.compile(
    rf"(?<![\w:])(?:on |of )?(?:(?:the )?(?:last |this |first |second |third |fourth )?{WEEKDAY}(?: the|,)? {DATE}"
    rf"|{DATE}"
    rf"|the day before yesterday|yesterday|today|(?:last |this )?{WEEKDAY})(?![\w:])"
)
_PARTS = {
    "early morning": (5, 9), "morning": (5, 12), "noon": (11, 13), "lunchtime": (11, 14), "midday": (11, 13),
    "late morning": (10, 12), "early afternoon": (12, 15), "afternoon": (12, 18), "late afternoon": (15, 18),
    "evening": (17, 23), "night": (20, 24),
}  # fmt: skip
_PART = "|".join(sorted(_PARTS, key=len, reverse=True))
_HOURS = re.compile(
    rf"(?<![\w:])(?:between {_ABOUT}(?P<a>{_HOUR}) and {_ABOUT}(?P<b>{_HOUR})"
    rf"|from {_ABOUT}(?P<c>{_HOUR}) (?:to|until|till) {_ABOUT}(?P<d>{_HOUR})(?: on)?"
    rf"|(?:before|until|till|by) (?P<until>{_HOUR}|lunch)|(?:after|from|since) (?P<since>{_HOUR}|lunch)"
    rf"|(?:at |around |about ){{1,3}}(?P<at>{_HOUR})|(?P<part>(?:in |on |during |at |of |over "
    rf"|this )?(?:the )?(?:{_PART})))(?![\w:])"
)
_NTH = re.compile(
    r"\b(?:on )?the (?P<day>\d{1,2})(?:st|nd|rd|th)\b(?=\W*$|[,.?!;:]| (?:at|around|about|before|after|by|between"
    r"|from|to|until|till|since|and|or|in the|during|did|do|was|were|have|is|are|how|what|who|where|when|which|you|i|we"
    r"|there|early|late|noon|midday)\b)"
)
"""A day of the month without the month; "the 2nd shelf" is none."""
_NTH_TO_DATE = re.compile(
    rf"\b(the \d{{1,2}}(?:st|nd|rd|th)) (and|to|until|till) ((?:the )?\d{{1,2}}(?:st|nd|rd|th)? of ({MONTH}))\b"
)
"""Two days whose month is said once."""
_DAY_TO_DAY = re.compile(
    rf"\b(?:(?:from|between) )?({MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)? ?(?:to|until|till|and|-|\u2013) ?"
    r"(\d{1,2})(?:st|nd|rd|th)?(?![\w:.]| ?[ap]\.?m\b| o'?clock)"
)
_SIDE = re.compile(r"\b(since|after|before|until|till|by) $")
_ORDINALS = ("first", "second", "third", "fourth")
_NTH_WEEK = re.compile(rf"\b(?:in |during |on )?the (?P<nth>{'|'.join(_ORDINALS)}) week (?:of|in) (?P<month>{MONTH})\b")
_NTH_WEEKDAY = re.compile(
    rf"\b(?:on )?the (?P<nth>{'|'.join(_ORDINALS)}) (?P<day>{WEEKDAY})(?: (?:of"
    rf"|in) (?P<month>{MONTH}))?(?!,? (?:the )?{DATE})"
)
_FIGURES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIGURE = "|".join(_FIGURES)
_LUNCH = {"lunch": "13:00"}


def day_with_hours(text: str, today: date) -> tuple[str, str] | None:
    """(a time that `when` reads, the rest of `text`), where a day and hours of it stand apart; else None."""
    said = text
    text = _NTH_TO_DATE.sub(r"\1 of \4 \2 \3", _in_figures(text))
    text = _DAY_TO_DAY.sub(r"from \1 \2 to \1 \3", text)
    text = _NTH.sub(lambda nth: _last_nth(nth, today), text)
    text = _NTH_WEEKDAY.sub(lambda nth: _nth_weekday(nth, today), text)
    week = _NTH_WEEK.search(text)
    if week:
        first = date(_year(_month(week["month"]), today), _month(week["month"]), 1)
        first += timedelta(
            days=-first.weekday() % 7 + 7 * _ORDINALS.index(week["nth"])
        )  # weeks from Monday, whole ones
        rest = " ".join(f"{text[: week.start()]} {text[week.end() :]}".split())
        return f"between {first:%Y-%m-%d} 00:00 and {first + timedelta(days=6):%Y-%m-%d} 23:59", rest
    weekday = rf"(?:on )?(?:{WEEKDAY},? )?"
    span = re.search(rf"\b(?:between|from) {weekday}({DATE}) (?:and|to|until|till) {weekday}({DATE})(?![\w:])", text)
    if span and text != said:
        rest = " ".join(f"{text[: span.start()]} {text[span.end() :]}".split())
        return f"between {span[1]} 00:00 and {span[2]} 23:59", rest
    days = list(_DAYS.finditer(text))
    if not days:
        return None
    dated = [day for day in days if re.search(DATE, day[0])]
    # Two days of one kind are a span of days, which `when` reads.
    if len(dated) > 1 or (not dated and len(days) > 1):
        return None
    chosen = (dated or days)[0]
    spans = [day.span() for day in days]
    hours = next((h for h in _HOURS.finditer(text) if not any(a < h.end() and h.start() < b for a, b in spans)), None)
    day = re.sub(rf"^(?:on |of )?(?:(?:the )?(?:\w+ )?{WEEKDAY}(?: the|,)? )?(?={DATE})", "", chosen[0])
    day = re.sub(r"^(?:on |of )", "", day)
    side = _SIDE.search(text[: chosen.start()])
    if side:
        spans.append((side.start(), chosen.start()))
    if hours is not None:
        spans.append(hours.span())
    rest = text
    for start, end in sorted(spans, reverse=True):
        rest = f"{rest[:start]} {rest[end:]}"
    rest = " ".join(re.sub(r"\bthe (?:first|second|third|fourth)\b\s*(?=,|$)", " ", rest).split())
    if side:
        beside = {"by": "before"}.get(side[1], side[1])
        clock = _edge(beside, hours) if hours else ""
        return (f"{beside} {day} {clock}".strip(), rest) if hours or text != said else None
    if hours is None:
        return (day, rest) if text != said or len(days) > 1 or chosen[0].removeprefix("on ") != day else None
    return _together(day, hours), rest


def _together(day: str, hours: re.Match[str]) -> str:
    if hours["at"]:
        return f"{day} at {_clock(hours['at'])}"
    if hours["part"]:
        first, last = _part(hours)
        return f"between {day} {first} and {day} {last}"
    start = hours["a"] or hours["c"] or hours["since"]
    end = hours["b"] or hours["d"] or hours["until"]
    start = with_half(start, end) if start and end else start
    return f"between {day} {_clock(start or '00:00')} and {day} {_clock(end or '23:59')}"


def _part(hours: re.Match[str]) -> tuple[str, str]:
    """First and last clock time of a part of the day."""
    first, last = _PARTS[re.sub(r"^(?:in |on |during |at |of |over |this )?(?:the )?", "", hours["part"])]
    return f"{first:02d}:00", f"{last:02d}:00" if last < 24 else "23:59"


def _edge(side: str, hours: re.Match[str]) -> str:
    """The clock time of `hours` that "since" or "before" a day goes by."""
    if hours["part"]:
        return _part(hours)[side == "after"]
    edges = (hours["at"], hours["a"], hours["c"], hours["since"], hours["until"])
    return _clock(next(edge for edge in edges if edge))


def _last_nth(nth: re.Match[str], today: date) -> str:
    """The latest day of that number; the words, where there is none."""
    found = (today - timedelta(days=back) for back in range(62))
    return next((f"{day:%Y-%m-%d}" for day in found if day.day == int(nth["day"])), nth[0])


def _nth_weekday(nth: re.Match[str], today: date) -> str:
    """ "the second tuesday": of that month, else of the latest month that has had it."""
    number = _ORDINALS.index(nth["nth"])
    months = [_month(nth["month"])] if nth["month"] else [today.month, (today.month - 2) % 12 + 1]
    for month in months:
        first = date(_year(month, today), month, 1)
        ahead = (_WEEKDAYS.index(nth["day"][:3]) - first.weekday()) % 7
        day = first + timedelta(days=ahead + 7 * number)
        if day <= today:
            return f"on {day:%Y-%m-%d}"
    return nth[0]


def _month(name: str) -> int:
    return _MONTHS.index(name[:3]) + 1


def _year(month: int, today: date) -> int:
    """Of the latest such month that has begun."""
    return today.year if month <= today.month else today.year - 1


def _in_figures(text: str) -> str:
    """ "half past three in the afternoon" is 3:30 pm."""
    text = re.sub(
        rf"\b(half past|quarter past|quarter to) ({_FIGURE}|\d{{1,2}})\b"
        r"(?P<part> ?[ap]\.?m\b| in the (?:morning|afternoon|evening)| at night)?",
        _past,
        text,
    )
    text = re.sub(
        rf"\b(at|around|about|before|after|by|till|until|to|between|from|and) ({_FIGURE})\b"
        r"(?= (?:o'?clock|on$|on\W|[ap]\.?m|in the|at night|and|to|on|yesterday|today)\b|[ ,.]*$)",
        lambda found: f"{found[1]} {_FIGURES.index(found[2]) + 1}",
        text,
    )
    for part, half in (("in the morning", "am"), ("(?:in the (?:afternoon|evening)|at night)", "pm")):
        text = re.sub(
            rf"\b(at|around|about|before|after|by|till|until|to|and) (\d{{1,2}}(?::\d{{2}})?) {part}\b",
            rf"\1 \2 {half}",
            text,
        )
    return text


def _past(found: re.Match[str]) -> str:
    hour = _FIGURES.index(found[2]) + 1 if found[2] in _FIGURES else int(found[2])
    if found[1] == "quarter to":
        hour = {0: 23, 1: 12}.get(hour, hour - 1)
    minute = {"half past": 30, "quarter past": 15, "quarter to": 45}[found[1]]
    if found["part"] and hour <= 12:  # read with its "am" or "in the morning"
        return f"{hour}:{minute}{found['part']}"
    return f"{hour + 12 if 1 <= hour <= 6 else hour}:{minute}"


def _clock(words: str) -> str:
    words = _LUNCH.get(words, words)
    if words.isdigit() and 1 <= int(words) <= 6:  # said without am or pm, of a robot's day
        return f"{int(words)} pm"
    return f"{int(words)}:00" if re.fullmatch(r"\d{1,2}", words) else words
