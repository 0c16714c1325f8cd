"""Times in words: forms, both clock changes, and the way back to text. Field faults 65 and (the question's side of)
5."""

from __future__ import annotations

from datetime import date, datetime, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembr_ros.errors import ConfigurationError, InvalidInput
from remembr_ros.recall.when import (
    day_range,
    find_times,
    format_age,
    format_duration,
    format_instant,
    from_local,
    load_zone,
    parse_time,
)
from remembr_ros.records import NANOSECONDS

NEW_YORK = ZoneInfo("America/New_York")
HOUR_NS = 3600 * NANOSECONDS


def local(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> int:
    return from_local(datetime(year, month, day, hour, minute, second), NEW_YORK)[0][0]


NOW = local(2026, 11, 30, 18)  # a Monday

MOMENTS = {
    "yesterday at 3pm": local(2026, 11, 29, 15),
    "3pm yesterday": local(2026, 11, 29, 15),
    "today at 5:15 pm": local(2026, 11, 30, 17, 15),
    "3pm": local(2026, 11, 30, 15),
    "at 19:00": local(2026, 11, 29, 19),  # not yet today
    "15:04:05": local(2026, 11, 30, 15, 4, 5),
    "noon": local(2026, 11, 30, 12),
    "at 3 o'clock": local(2026, 11, 30, 15),
    "8:15 this morning": local(2026, 11, 30, 8, 15),
    "10 minutes ago": NOW - 600 * NANOSECONDS,
    "half an hour ago": NOW - 1800 * NANOSECONDS,
    "an hour and a half ago": NOW - 5400 * NANOSECONDS,
    "1 hour and 5 minutes ago": NOW - 3900 * NANOSECONDS,
    "two days ago": local(2026, 11, 28, 18),
    "tuesday at 5pm": local(2026, 11, 24, 17),
    "november 29 at 14:00": local(2026, 11, 29, 14),
    "30 november 2026 at 5 pm": local(2026, 11, 30, 17),
    "2026-11-30T12:00:00-05:00": local(2026, 11, 30, 12),
    "2026-11-30T17:00:00Z": local(2026, 11, 30, 12),
    "2026-11-30 12:00": local(2026, 11, 30, 12),
    "Mon 2026-11-30 15:04:05 UTC-05:00": local(2026, 11, 30, 15, 4, 5),
    "now": NOW,
}
RANGES = {
    "yesterday": (local(2026, 11, 29), local(2026, 11, 30)),
    "this morning": (local(2026, 11, 30, 5), local(2026, 11, 30, 12)),
    "yesterday afternoon": (local(2026, 11, 29, 12), local(2026, 11, 29, 18)),
    "at night": (local(2026, 11, 29, 20), local(2026, 11, 30, 5)),
    "during the night": (local(2026, 11, 29, 20), local(2026, 11, 30, 5)),
    "in the evening": (local(2026, 11, 30, 17), local(2026, 11, 30, 23)),
    "in the morning": (local(2026, 11, 30, 5), local(2026, 11, 30, 12)),
    "last night": (local(2026, 11, 29, 20), local(2026, 11, 30, 5)),
    "on saturday": (local(2026, 11, 28), local(2026, 11, 29)),
    "last week": (local(2026, 11, 23), local(2026, 11, 30)),
    "between 2 and 3 pm": (local(2026, 11, 30, 14), local(2026, 11, 30, 15)),
    "between 11 and 1 pm": (local(2026, 11, 30, 11), local(2026, 11, 30, 13)),
    "from 8:30 to 5 p.m.": (local(2026, 11, 30, 8, 30), local(2026, 11, 30, 17)),
    "between 2pm and 3pm yesterday": (local(2026, 11, 29, 14), local(2026, 11, 29, 15)),
    "from 10:00 to 11:30": (local(2026, 11, 30, 10), local(2026, 11, 30, 11, 30)),
    "between yesterday at 3pm and now": (local(2026, 11, 29, 15), NOW),
    "since noon": (local(2026, 11, 30, 12), None),
    "before 3pm": (None, local(2026, 11, 30, 15)),
    "in the last 10 minutes": (NOW - 600 * NANOSECONDS, None),
    "the 5th of november": (local(2026, 11, 5), local(2026, 11, 6)),
    "November 5, 2026": (local(2026, 11, 5), local(2026, 11, 6)),
}


@pytest.mark.parametrize("text", MOMENTS)
def test_moment(text: str) -> None:
    assert parse_time(text, NOW, NEW_YORK).instants_ns == (MOMENTS[text],)


@pytest.mark.parametrize("text", RANGES)
def test_range(text: str) -> None:
    time = parse_time(text, NOW, NEW_YORK)
    assert (time.after_ns, time.before_ns) == RANGES[text]
    assert not time.instants_ns


@pytest.mark.parametrize(
    "text", ["", "gibberish", "at 99:99", "25:61", "13 pm", "chair", "between 4pm and 3pm yesterday", "x" * 300]
)
def test_what_is_no_time_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"time|earlier"):
        parse_time(text, NOW, NEW_YORK)


@settings(deadline=None)  # a loaded machine is no fault of the text
@given(st.text(max_size=60))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    try:
        time = parse_time(text, NOW, NEW_YORK)
    except InvalidInput:
        return
    assert time.after_ns is not None or time.before_ns is not None


class TestFault65DaylightSaving:
    def test_the_repeated_hour_is_both_instants(self) -> None:
        time = parse_time("01:30 on Nov 1", local(2026, 11, 2, 12), NEW_YORK)
        assert time.instants_ns == (1793511000 * NANOSECONDS, 1793514600 * NANOSECONDS)
        assert "twice" in time.note
        assert time.after_ns <= 1793511000 * NANOSECONDS and time.before_ns > 1793514600 * NANOSECONDS

    def test_both_are_shown_with_their_offset(self) -> None:
        assert format_instant(1793511000 * NANOSECONDS, NEW_YORK) == "Sun 2026-11-01 01:30:00 UTC-04:00"
        assert format_instant(1793514600 * NANOSECONDS, NEW_YORK) == "Sun 2026-11-01 01:30:00 UTC-05:00"

    def test_the_missing_hour_is_the_next_valid_instant_and_said(self) -> None:
        time = parse_time("02:30 on Mar 8 2026", NOW, NEW_YORK)
        assert time.instants_ns == (local(2026, 3, 8, 3),)
        assert "did not exist" in time.note

    def test_yesterday_after_the_change_lasts_25_hours(self) -> None:
        time = parse_time("yesterday", local(2026, 11, 2, 10), NEW_YORK)
        assert time.before_ns - time.after_ns == 25 * HOUR_NS

    def test_the_short_day_lasts_23_hours(self) -> None:
        first, last = day_range(date(2026, 3, 8), NEW_YORK)
        assert last - first == 23 * HOUR_NS

    def test_hours_ago_are_hours_and_days_ago_are_the_same_clock_time(self) -> None:
        noon = local(2026, 11, 1, 12)
        assert parse_time("12 hours ago", noon, NEW_YORK).instants_ns == (noon - 12 * HOUR_NS,)
        assert parse_time("1 day ago", noon, NEW_YORK).instants_ns == (noon - 25 * HOUR_NS,)

    def test_a_range_over_the_repeated_hour_holds_all_of_it(self) -> None:
        time = parse_time("between 1am and 2am on Nov 1", local(2026, 11, 2), NEW_YORK)
        assert time.before_ns - time.after_ns == 2 * HOUR_NS

    def test_a_zone_with_a_half_hour_change(self) -> None:
        lord_howe = ZoneInfo("Australia/Lord_Howe")
        instants, note = from_local(datetime(2026, 4, 5, 1, 45), lord_howe)
        assert instants[1] - instants[0] == HOUR_NS // 2 and note

    def test_a_calendar_day_that_never_was(self) -> None:
        samoa = ZoneInfo("Pacific/Apia")
        first, last = day_range(date(2011, 12, 30), samoa)
        assert first == last


def test_fault_5_stored_times_come_back_to_the_millisecond() -> None:
    stamp = 1_796_061_600_250_000_000
    assert f"{datetime.fromtimestamp(stamp / 1e9, timezone.utc):%S}" == "00"
    assert parse_time("2026-11-30T18:00:00.250+00:00", NOW, NEW_YORK).instants_ns == (stamp,)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("what did you see at 3pm", "at 3pm"),
        ("did you see a chair in the last 10 minutes", "in the last 10 minutes"),
        ("where were you 10 minutes ago", "10 minutes ago"),
        ("what did you see between 2 and 3 pm yesterday", "between 2 and 3 pm yesterday"),
        ("did you see anyone after 15:00", "after 15:00"),
        ("how many cars did you see today", "today"),
        ("where did you see room 204", None),
        ("did you see the 2 chairs", None),
        ("when did you see may flowers", None),
    ],
)
def test_the_words_of_time_in_a_question(question: str, words: str | None) -> None:
    found = [question[start:end] for start, end in find_times(question)]
    assert found == ([words] if words else [])


def test_durations_and_ages_in_words() -> None:
    assert [format_duration(s) for s in (0, 1, 59.6, 61, 3600, 7384, 90000)] == [
        "0 seconds", "1 second", "1 minute", "1 minute 1 second", "1 hour", "2 hours 3 minutes", "1 day 1 hour",
    ]  # fmt: skip
    assert format_age(2) == "just now" and format_age(720) == "12 minutes ago"


def test_an_unknown_zone_is_refused_by_parameter_name() -> None:
    with pytest.raises(ConfigurationError, match="timezone"):
        load_zone("Mars/Olympus")
