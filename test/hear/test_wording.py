"""How an answer is said."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembr_ros.hear.speakers.wording import sentences


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "I was at (x 7.7 m, y -1.5 m in map) on Mon 2026-11-30 23:20:18 UTC+01:00, "
            'when I noted "A sign "Floor 3".".',
            ["I was at x 7.7, y minus 1.5 on Monday, November 30, at 23:20, when I noted A sign Floor 3."],
        ),
        ("It was on Sun 2026-03-01 09:05:00 UTC-05:00. Once.", ["It was on Sunday, March 1, at 09:05.", "Once."]),
        ("It is 1 m wide, 2.5 m long, 3.14159 km away.", ["It is 1 metre wide, 2.5 metres long, 3.1 kilometres away."]),
        ("A 5 GHz antenna, 10 Mbps, room 2.5b, M 5.", ["A 5 GHz antenna, 10 Mbps, room 2.5b, M 5."]),
        ("<speak>Hello<break time='9s'/> <b>you</b></speak>", ["Hello you"]),
        ("See https://example.org/x?y=1 for **more** `code`.", ["See for more code."]),
        ("\x1b[31mRed\x1b[0m\x00 alert\u200b!", ["Red alert!"]),
        ("[[h@l'oU]] there", ["h l'oU there"]),
        ("\u4f60\u597d\u3002\u518d\u89c1\uff01", ["\u4f60\u597d\u3002", "\u518d\u89c1\uff01"]),
    ],
)
def test_what_is_written_is_said_like_this(text, said):
    assert sentences(text, 300) == said


def test_other_languages_keep_their_words():
    text = "Ich war dort (x 7.7 m, y 1.5 m, map, 2026-11-30 23:20:18 UTC+01:00), 3 m weiter."
    assert sentences(text, 300, english=False)[0].startswith("Ich war dort x 7.7, y 1.5, 2026-11-30 23:20:18")


def test_an_impossible_date_is_left_alone():
    assert sentences("On 2026-13-45 99:99:99 it was.", 300) == ["On 2026-13-45 99:99:99 it was."]


def test_long_answers_end_at_a_sentence_else_at_a_pause_else_at_a_word():
    assert sentences("One two. Three four. Five six.", 20) == ["One two.", "Three four."]
    assert sentences("It was the red door, the blue door and others.", 30) == ["It was the red door"]
    assert sentences("alpha beta gamma delta", 12) == ["alpha beta"]
    assert sentences("a" * 100, 12) == ["a" * 12]


@pytest.mark.parametrize(
    "text", ["<" * 10**6, "(x " * 10**5, "1." * 10**5, "2026-11-30 " * 10**5, ". " * 10**6, "a" * 10**6]
)
def test_a_hostile_text_takes_no_time(text):
    began = time.process_time()
    assert sum(map(len, sentences(text, 300))) <= 300
    assert time.process_time() - began < 0.5


@given(st.text(max_size=400), st.integers(20, 200))
def test_whatever_it_is_it_is_short_and_can_be_encoded(text, most):
    said = sentences(text, most)
    assert sum(map(len, said)) <= most and all(sentence == " ".join(sentence.split()) for sentence in said)
    for sentence in said:
        assert not {"<", ">", "[", "]", "\n", "\x1b"} & set(sentence) and any(c.isalnum() for c in sentence)
        sentence.encode()
