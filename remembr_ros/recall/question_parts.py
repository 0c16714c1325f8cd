"""The parts of a question, taken out of it one by one. In: lower-case English text; out: a part and the rest.

What is left at the end is the thing to look for, which no rule knows.
"""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

from remembr_ros.errors import InvalidInput
from remembr_ros.memory.query import Order
from remembr_ros.recall import question_forms as forms
from remembr_ros.recall.matching import content_words, words_of
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.when import TimeExpression, find_times, parse_time, to_local
from remembr_ros.recall.when_together import day_with_hours


def form_of(text: str) -> Form:
    """What kind of thing would answer it; WHAT, where no form is known."""
    return next((form for form, pattern in forms.FORMS if pattern.search(text)), Form.WHAT)


def without_form(form: Form, text: str) -> str:
    """`text` without the words that give it its form."""
    pattern = next((p for known, p in forms.FORMS if known is form and p.search(text)), None)
    return text if pattern is None else pattern.sub(" ", text, count=1)


_BARE_HOUR = re.compile(r"\b(since|after|before|until|till) (\d{1,2})(?=\W*$)")
"""An hour of the day at the end of a question: "did you see the cat after 10"."""


def take_time(text: str, now_ns: int, zone: ZoneInfo) -> tuple[TimeExpression | None, str, str]:
    """(time, its words, the rest)."""
    apart = day_with_hours(text, to_local(now_ns, zone).date())
    if apart is not None:
        try:
            return parse_time(apart[0], now_ns, zone), apart[0], apart[1]
        except InvalidInput:
            pass
    text = _BARE_HOUR.sub(_on_the_hour, text)
    for start, end in find_times(text):
        try:
            time = parse_time(text[start:end], now_ns, zone)
        except InvalidInput:
            continue
        return time, text[start:end], f"{text[:start]} {text[end:]}"
    return None, "", text


def _on_the_hour(found: re.Match[str]) -> str:
    """ "after 10" is after the latest ten o'clock; what is no hour stays."""
    hour = int(found[2])
    clock = f"{hour} o'clock" if 1 <= hour <= 12 else f"{hour}:00" if hour < 24 else found[2]
    return f"{found[1]} {clock}"


def take_order(text: str, form: Form) -> tuple[Order, str]:
    """(FIRST, LAST or, where it does not matter which sighting, RELEVANCE; the rest)."""
    loose = form in (Form.WHEN, Form.WHERE)
    for order, pattern, verbs in (
        (Order.FIRST, forms.FIRST, forms.FIRST_LOOSE),
        (Order.LAST, forms.LAST, forms.LAST_LOOSE),
    ):
        if pattern.search(text):
            return order, pattern.sub(" ", text)
        if loose and verbs.search(text):
            return order, verbs.sub(" ", text)
    if form is Form.WHEN and forms.LEFT.search(text):
        return Order.LAST, forms.LEFT.sub(" ", text)
    if form is Form.WHEN and forms.ARRIVED.search(text):
        return Order.FIRST, forms.ARRIVED.sub(" ", text)
    return Order.RELEVANCE, text


def take_landmark(text: str, form: Form) -> tuple[str, bool, str]:
    """(landmark, wants the nearest, the rest): "chair near the red door" gives ("red door", True, "chair")."""
    if re.search(r"\b(?:nearest|closest)\b", text):
        text = forms.TO_HERE.sub(" ", text)
    text = forms.FROM_HERE.sub(" ", text)
    if forms.NEAR_ME.search(text):
        return "me", True, forms.NEAREST.sub(" ", forms.NEAR_ME.sub(" ", text))
    if forms.NEAR_THAT.search(text):
        return "that", True, forms.NEAR_THAT.sub(" ", text)
    if form is not Form.WHERE and forms.HERE.search(text):
        return "me", True, forms.LAST_HERE.sub(" ", text)
    pair = forms.NEAREST_TO.search(text)
    if pair:
        return strip(pair["thing"]), True, f"{text[: pair.start()]} {pair['what']}"
    nearest = forms.NEAREST.search(text)
    if nearest:
        text = forms.NEAREST.sub(" ", text)
    thing = forms.NEAR_THING.search(text)
    if thing and strip(thing["thing"]) and (form in (Form.WHAT, Form.YES_NO) or strip(text[: thing.start()])):
        return strip(thing["thing"]), True, text[: thing.start()]
    return ("me", True, text) if nearest else ("", False, text)


def place_of_request(text: str) -> str:
    """Where to, of a request to go."""
    match = forms.TAKE.search(text)
    if match is None:
        return text
    before, after = text[: match.start()], text[match.end() :]
    if strip(after):
        return after
    # "where is the lift, take me there": the place was named before the request.
    before = re.sub(r"^.*?\b(?:where|find)\b", "", before)
    nearest = forms.NEAREST.search(after)
    return f"{nearest[0]} {before}" if nearest else before


def same_thing(second: str, first: str) -> str:
    """The second of two with the noun of the first: "the black cat" and "the white one" is a white cat."""
    noun = first.split()[-1] if first else ""
    return re.sub(r"\bones?$", noun, second) if noun else second


def thing_of_pair(words: str, form: Form) -> str:
    """What `words` name, of which a first and a last sighting are asked for; "" for nothing, or "it"."""
    words = re.sub(r"\b(?:it|them|him|her)\b", " ", without_form(Form.HOW_LONG, words.strip(" ,")))
    about = without_fillers(strip(words), form)
    return about if content_words(about) else ""


def without_fillers(about: str, form: Form) -> str:
    """`about` without words that only say that something is somewhere; as it is, where nothing else is left."""
    bare = forms.PURPOSE.sub("", forms.PUT_BY.sub("", forms.YOU_SAW.sub(" ", about)))
    bare = forms.LOOSE_END.sub("", forms.FILLERS.sub(" ", bare))
    if form in (Form.HOW_LONG, Form.HOW_LONG_SINCE):
        bare = forms.STAYING.sub(" ", bare)
    bare = strip(bare)
    return bare if content_words(bare) else about


def strip(text: str) -> str:
    """The phrase without the function words around it, punctuation gone: "did you see the red chair" -> "red chair"."""
    words = words_of(text)
    while words and (words[0] in forms.HEADS or words[0].endswith("n't")):
        words.pop(0)
    while words and words[-1] in forms.TAILS:
        words.pop()
    return " ".join(words)
