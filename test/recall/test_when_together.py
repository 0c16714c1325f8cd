"""A day and hours of it that stand apart: what is made of each form, read by `when` too, and hostile text."""

from __future__ import annotations

import time
from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembr_ros.recall.when import from_local, parse_time, to_local
from remembr_ros.recall.when_together import day_with_hours

ZONE = ZoneInfo("Europe/Berlin")
TODAY = date(2026, 11, 30)  # a Monday
NOW_NS = from_local(datetime(2026, 11, 30, 18), ZONE)[0][0]

APART = {  # text: (first, last, what is left)
    "on november 9, who came between 2 and 4": ("11-09 14:00", "11-09 16:00", ", who came"),
    "who came before 8 am on november 9": ("11-09 00:00", "11-09 08:00", "who came"),
    "yesterday, who came after lunch": ("11-29 13:00", "11-29 23:59", ", who came"),
    "on friday who came from 10 to 11:30": ("11-27 10:00", "11-27 11:30", "who came"),
    "on wednesday who came from nine to five": ("11-25 09:00", "11-25 17:00", "who came"),
    "who came from 8 to 5 pm yesterday": ("11-29 08:00", "11-29 17:00", "who came"),
    "yesterday who came between 11 and 1 pm": ("11-29 11:00", "11-29 13:00", "who came"),
    "who came yesterday between 2 and 3 pm": ("11-29 14:00", "11-29 15:00", "who came"),
    "who came in the late afternoon yesterday": ("11-29 15:00", "11-29 18:00", "who came"),
    "in the night who came on november 9": ("11-09 20:00", "11-09 23:59", "who came"),
}  # fmt: skip
DAYS = {
    "did a parcel come on the 12th": ("11-12 00:00", "11-13 00:00", "did a parcel come"),
    "on the 31st, did a parcel come": ("10-31 00:00", "11-01 00:00", ", did a parcel come"),
    "between the 3rd and the 5th who came": ("11-03 00:00", "11-05 23:59", "who came"),
    "who came from the 5th to the 11th of october": ("10-05 00:00", "10-11 23:59", "who came"),
    "who came in the first week of november": ("11-02 00:00", "11-08 23:59", "who came"),
    "who came on the second tuesday": ("11-10 00:00", "11-11 00:00", "who came"),
    "who came on the first friday of march": ("03-06 00:00", "03-07 00:00", "who came"),
    "who came on friday the 13th of november": ("11-13 00:00", "11-14 00:00", "who came"),
}  # fmt: skip
MOMENTS = {
    "on the 12th who came at half past three in the afternoon": ("11-12 15:29", "11-12 15:31", "who came"),
    "who came at quarter past eight in the evening on friday": ("11-27 20:14", "11-27 20:16", "who came"),
    "who came at quarter to one on thursday": ("11-26 12:44", "11-26 12:46", "who came"),
    "yesterday who came at nine in the morning": ("11-29 08:45", "11-29 09:15", "who came"),
    "yesterday who came at half past two": ("11-29 14:29", "11-29 14:31", "who came"),
}  # fmt: skip
SIDES = {
    "who came since the 12th": ("11-12 00:00", None, "who came"),
    "who came before november 9 at 8 am": (None, "11-09 08:00", "who came"),
    "who came since yesterday at 5": ("11-29 17:00", None, "who came"),
    "who came after friday noon": ("11-27 13:00", None, "who came"),
    "who came by friday at 10 am": (None, "11-27 10:00", "who came"),
}  # fmt: skip
READ = APART | DAYS | MOMENTS | SIDES


@pytest.mark.parametrize("text", READ)
def test_one_time_and_the_rest(text: str) -> None:
    found = day_with_hours(text, TODAY)
    assert found is not None
    times = parse_time(found[0], NOW_NS, ZONE)
    shown = [ns if ns is None else f"{to_local(ns, ZONE):%m-%d %H:%M}" for ns in (times.after_ns, times.before_ns)]
    assert (*shown, found[1]) == READ[text]


@pytest.mark.parametrize(
    "text",
    [
        "", "who came", "who came today", "was anyone there on the 3rd floor", "what is in the 2nd box",
        "what was on the 1st shelf", "did a parcel come on the 45th", "did a parcel come on the 0th",
        "yesterday did you see 2 cats", "did you see 12 cats after 3 days today", "who came from monday to friday",
        "who came after november 9", "who came between november 3 and november 5",
    ],
)  # fmt: skip
def test_what_stands_together_or_is_no_time_is_left_alone(text: str) -> None:
    assert day_with_hours(text, TODAY) is None


@pytest.mark.parametrize("day", [date(2026, 1, 1), date(2026, 3, 1), date(2028, 2, 29), date(2026, 12, 31)])
@pytest.mark.parametrize("words", ["the 31st", "the fourth monday", "the second sunday of february"])
def test_a_day_without_its_month_or_year_is_not_to_come(day: date, words: str) -> None:
    found = day_with_hours(f"who came on {words}", day)
    assert found is not None and date.fromisoformat(found[0]) <= day


PIECES = (
    "at ", "at around ", "on ", "the ", "1 ", "12:", "between 1 and ", "from 1 to ", "the 1st ", "the 1st to ",
    "the first ", "first week of ", "monday ", "on monday ", "november 1 ", "2026-11-01 ", "before ", "since monday ",
    "at one ", "half past ", "quarter to 0 ", "in the morning ", "at 1 in the morning ", "lunch ", "99 ", "٣ ", "²",
    ", ", "椅", "é", "'", '"', "\x00",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("first", ["", "on monday ", "the 1st "])
def test_2000_characters_take_less_than_a_tenth_of_a_second(piece: str, first: str) -> None:
    text = (first + piece * 2000)[:1999] + "!"
    started_s = time.process_time()
    day_with_hours(text, TODAY)
    assert time.process_time() - started_s < 0.1


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=20).map("".join))
def test_any_text_is_taken_apart_or_left_alone(text: str) -> None:
    found = day_with_hours(text, TODAY)
    assert found is None or found[0].strip()
