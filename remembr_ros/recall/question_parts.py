"""The parts of a question, taken out of it one by one. In: lower-case English text; out: a part and the rest.

What is left at the end is the thing to look for, which no rule knows.
"""

from __future__ import annotations

import re
from itertools import pairwise
from zoneinfo import ZoneInfo

from remembr_ros.errors import InvalidInput
from remembr_ros.memory.query import Order
from remembr_ros.recall import question_forms as forms
from remembr_ros.recall.matching import content_words, words_of
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.same_words import everyday
from remembr_ros.recall.when import MONTH, WEEKDAY, TimeExpression, find_times, parse_time, to_local
from remembr_ros.recall.when_together import day_with_hours


def form_of(text: str) -> Form:
    """What kind of thing would answer it; WHAT, where no form is known."""
    return next((form for form, pattern in forms.FORMS if pattern.search(text)), Form.WHAT)


def without_form(form: Form, text: str) -> str:
    """`text` without the words that give it its form."""
    pattern = next((p for known, p in forms.FORMS if known is form and p.search(text)), None)
    return text if pattern is None else pattern.sub(" ", text, count=1)


_JOINT = "\u02cd"
"""A letter to regular expressions; of a question's own none is left."""
_TOKEN = re.compile(r"\w+(?:'\w+)*")
_PART_OF_THE_DAY = r"(?:morning|noon|midday|afternoon|evening|night|midnight)"
_THE = r"(?:the|an?|any|my|your|our|his|her|their)"
_NO_NOUN = "|".join(sorted(forms.HEADS | forms.BESIDE_A_TIME))
_BESIDE = ("in", "on", "during", "through", "over", "by", "from", "since", "until", "till", "before", "after", "and")
_OF_THE_DAY = re.compile(
    "".join(rf"(?<!\b{word} )" for word in _BESIDE)
    + rf"\b{_THE} {_PART_OF_THE_DAY}( )(?!(?:{_NO_NOUN})\b|{WEEKDAY}\b|{MONTH}\b)[a-z]{{3}}"
    rf"|\b{_PART_OF_THE_DAY}( )(?:meeting|club|bus|train|class|course|dress|gown|coat|party|safe|market|school|news"
    r"|newspaper|paper|service|session|briefing|nurse|guard|watchman)s?\b"
)
"""A thing that is called after a part of the day: the night watchman, an evening dress, in the morning meeting."""
_DO = re.compile(r"\b(?:do|does|did|will|can|could) (?!you\b|i\b|we\b|they\b)(?:\w+ ){0,2}$")
_VERBS = frozenset(["stop", "park", "stand"])
"""At the end of a term: "when did the bus stop" is about a bus."""
_END = re.compile(
    r"\W*$| (?:here|there|in|on|at|near|by|beside|next|behind|yesterday|today|last|this|since|until|for)\b"
)
_UNREADABLE = frozenset(["ironing", "cutting", "chopping", "toilet", "loo", "skate", "plastic"])
"""At the beginning of a term that ends like a sign: an ironing board."""


def terms_as_words(text: str) -> str:
    """`text` with each term of several words that people share as one word: then the night of a night stand is no time,
    the paper of a paper shredder nothing written, and a bus stop does not stop. So is a thing with the part of the day
    that it is called after. Not for what can be read: a notice board is a board to the rules. `apart` undoes it."""
    text = text.replace(_JOINT, " ")
    joined, tokens = list(text), list(_TOKEN.finditer(text))
    for start, end in everyday().terms_in([token[0].removesuffix("'s") for token in tokens]):
        gaps = [(left.end(), right.start()) for left, right in pairwise(tokens[start:end])]
        one = all(text[left:right] in (" ", "-") for left, right in gaps)
        if one and _is_thing(text, tokens[start], tokens[end - 1]):
            for left, right in gaps:
                joined[left:right] = _JOINT
    for named in _OF_THE_DAY.finditer("".join(joined)):
        joined[named.start(1) if named[1] else named.start(2)] = _JOINT
    return "".join(joined)


def _is_thing(text: str, first: re.Match[str], last: re.Match[str]) -> bool:
    """Whether the term from `first` to `last` is nothing to read, no thing with what it does, and no way."""
    if first[0] == "way" or (forms.SIGNS.fullmatch(last[0]) and first[0] not in _UNREADABLE):
        return False
    does = last[0] in _VERBS and _DO.search(text[max(0, first.start() - 40) : first.start()])
    return not (does and _END.match(text, last.end()))


def apart(text: str) -> str:
    """`text` with the words of terms apart again."""
    return text.replace(_JOINT, " ")


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
