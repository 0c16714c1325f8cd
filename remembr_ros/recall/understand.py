"""What a question asks for, by rules. In: English words and the time they were said. Out: `Asked`, typed.

The rules know forms of questions, words for time and words for place. They know nothing about what a robot may
have seen: whatever is left of the question is what to look for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from zoneinfo import ZoneInfo

from remembr_ros.errors import InvalidInput
from remembr_ros.intent import asks_to_go
from remembr_ros.memory.query import Order
from remembr_ros.recall.matching import STOP_WORDS, words_of
from remembr_ros.recall.when import TimeExpression, find_time, parse_time
from remembr_ros.records import Navigate, Question


class Form(Enum):
    """What kind of thing would answer the question."""

    WHERE = "where"
    WHEN = "when"
    HOW_LONG = "how long"
    HOW_LONG_SINCE = "since when until now"
    HOW_LONG_BETWEEN = "how long between two things"
    HOW_MANY = "how many times"
    YES_NO = "yes or no"
    WHAT = "what"


@dataclass(frozen=True, slots=True)
class Asked:
    """`about` is what to look for ("red chair"; empty = anything), `until_about` the second thing of a "between".

    `order` FIRST or LAST when the question says which sighting, NEAREST when it asks for the closest place, else
    RELEVANCE. `landmark` is what the place should be near: empty = not asked, "me" = the robot, else words to look for.
    `now` is set for questions about this moment. `go` says that the user's own words ask the robot to go there.
    """

    form: Form
    about: str
    until_about: str = ""
    order: Order = Order.RELEVANCE
    landmark: str = ""
    time: TimeExpression | None = None
    now: bool = False
    go: bool = False


_LEAD = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|please|so|and|well|robot|carter)\b[,!. ]*)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|say|remind|explain to)\b(?: me| us)? ?|(?:please )?(?:tell|remind|let) (?:me|us)(?: know)? "
    r"|do you (?:know|remember|recall) (?=wh|how|if|at)|i(?:'d| would)? (?:want|like|need) to know |i wonder )?(?:if |whether )?"
)
_TAKE = re.compile(
    r"\b(?:take|bring|guide|lead|drive|escort|walk|get|show) (?:me|us) (?:the way |back |over )?(?:to|towards?|into|there|where)\b"
    r"|\blead the way\b|\b(?:go|drive|navigate|move|head|travel|return|come|proceed|walk) (?:back |over )?(?:to|towards?|into|there|where)\b"
)
_NEAR = r"(?:near(?:est)?(?: to)?|next to|clos(?:e|est)(?: by)?(?: to)?|beside|in front of|not far from)"
_NEAR_ME = re.compile(
    rf"\b(?:{_NEAR} (?:me|you|us|here)|(?:close|near)[ -]?by|around (?:here|me|you|us)|over here|right here|from here)\b"
)
_NEAR_THING = re.compile(rf"\b{_NEAR} (?:the |an? |that |those |this )?(?P<thing>\w[\w' -]*)")
_NEAREST = re.compile(r"\b(?:nearest|closest)\b(?! to\b)")
_SOMEBODY = re.compile(r"\b(?:some|any)(?:one|body)\b")
_NOW = re.compile(r"\b(?:right now|at the moment|at this moment|just now|currently|now)\b")
_FIRST = re.compile(
    r"\b(?:for |the )*(?:very )?first (?:time|thing)\b|\b(?<=you )first\b|\b(?<=i )first\b|\bfirst(?= (?:see|saw|seen|notice|spot|enter|come|pass|arrive|visit))"
    r"|\bearliest\b|\bfirst$"
)
_LAST = re.compile(
    r"\b(?:for |the )*(?:very )?last (?:time|thing)\b|\b(?<=you )last\b|\b(?<=i )last\b|\blast(?= (?:see|saw|seen|notice|spot|enter|pass|visit))"
    r"|\b(?:most recent(?:ly)?|latest)\b|\blast$"
)
_AUX = r"(?:did|have|has|had|is|are|was|were|do|does|can|could|will|would|isn't|aren't|didn't|haven't|any)"
_BETWEEN = re.compile(
    r"(?:between|from) (?P<first>.+?) (?:and|to|until|till) (?P<second>.+)|(?:after|since) (?P<after>.+?) (?:until|before|to) (?P<before>.+)"
)
_FORMS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    (Form.WHEN, re.compile(r"^how long ago|^how long (?:is|was|has) it (?:been )?since")),
    (Form.HOW_LONG_BETWEEN, re.compile(r"^(?:how long|how much time|what time)\b.*\b(?:between .+ and|from .+ (?:to|until|till)) ")),
    (Form.HOW_LONG_SINCE, re.compile(r"^(?:for )?(?:how long|how much time) (?:have|has) (?:you|i|we|it)\b")),
    (Form.HOW_LONG, re.compile(r"^(?:for )?(?:how long|how much time|what (?:was|is) the duration)\b")),
    (Form.HOW_MANY, re.compile(r"^(?:on )?how (?:many|often)\b")),
    (Form.WHEN, re.compile(r"^(?:since |until )?when\b|^(?:at |around |about |on )?(?:what|which) (?:time|day|date|hour)\b")),
    (Form.WHERE, re.compile(r"^(?:from |to )?where(?:'s|abouts)?\b|^(?:in |at |on )?(?:what|which) (?:place|room|location|spot|position|floor)\b"
                            r"|^(?:what (?:is|was) )?the (?:location|position|place) of|^(?:can|could) (?:you|i) (?:please )?find\b|^(?:please )?(?:find|locate)\b|^how (?:do|can|could) (?:i|we) get to\b")),
    (Form.YES_NO, re.compile(rf"^{_AUX}\b|^there (?:is|are|was|were)\b|^(?:you|i|we) (?:saw|have seen|passed)\b")),
)  # fmt: skip
_ATTRIBUTE = re.compile(
    r"^(?:what|which)(?:'s| is| was| are| were)? (?:the )?(?:colou?rs?|kind|type|sort|material|name|shape|size|brand)(?: of)?\b"
)
_TAILS = frozenset(
    "a an the for in of at to is was were are there on from did do does you i we me us it by with about around and or be been before after "
    "please robot see saw seen look found find located here that this any".split()
)


def understand(question: Question, zone: ZoneInfo) -> Asked:
    """Parse one question. Always gives something: a bare phrase asks WHAT."""
    text = re.sub(r"[\u2018\u2019]", "'", question.text)
    text = " ".join(re.sub(r'["\u201c\u201d?!\uff1f]+', " ", text).lower().split()).rstrip(" .")
    go = asks_to_go(question.text)
    time, text = _take_time(text, question.now_ns, zone)
    text = _LEAD.sub("", text, count=1)
    asks_now = bool(_NOW.search(text))
    text = _SOMEBODY.sub("a person", _NOW.sub(" ", text))
    order, text = _take_order(text)
    text = " ".join(text.split())
    form = next((form for form, pattern in _FORMS if pattern.search(text)), Form.WHAT)
    if go or (question.navigate is Navigate.ALWAYS and form is Form.WHAT):
        form = Form.WHERE
        text = _place_of_request(text)
    if form is Form.HOW_LONG_BETWEEN:
        pair = _BETWEEN.search(text)
        if pair:
            first, second = pair["first"] or pair["after"], pair["second"] or pair["before"]
            return Asked(form, _strip(first), _strip(second), order, time=time, now=asks_now, go=go)
    if form in (Form.WHEN, Form.HOW_LONG, Form.HOW_LONG_SINCE):
        text = next(pattern for known, pattern in _FORMS if known is form and pattern.search(text)).sub(" ", text)
    text = _ATTRIBUTE.sub("", text)
    landmark, nearest, text = _take_landmark(text, form)
    if nearest and order is Order.RELEVANCE:
        order = Order.NEAREST
    return Asked(form, _strip(text), order=order, landmark=landmark, time=time, now=asks_now, go=go)


def _take_time(text: str, now_ns: int, zone: ZoneInfo) -> tuple[TimeExpression | None, str]:
    span = find_time(text)
    if span is None:
        return None, text
    try:
        time = parse_time(text[span[0] : span[1]], now_ns, zone)
    except InvalidInput:
        return None, text
    return time, f"{text[: span[0]]} {text[span[1] :]}"


def _take_order(text: str) -> tuple[Order, str]:
    for order, pattern in ((Order.FIRST, _FIRST), (Order.LAST, _LAST)):
        if pattern.search(text):
            return order, pattern.sub(" ", text)
    return Order.RELEVANCE, text


def _take_landmark(text: str, form: Form) -> tuple[str, bool, str]:
    """(landmark, wants the nearest, the rest): "chair near the red door" gives ("red door", True, "chair")."""
    if _NEAR_ME.search(text):
        return "me", True, _NEAR_ME.sub(" ", text)
    nearest = _NEAREST.search(text)
    if nearest:
        text = _NEAREST.sub(" ", text)
    thing = _NEAR_THING.search(text)
    if thing and _strip(thing["thing"]) and (form in (Form.WHAT, Form.YES_NO) or _strip(text[: thing.start()])):
        return _strip(thing["thing"]), True, text[: thing.start()]
    return ("me", True, text) if nearest else ("", False, text)


def _place_of_request(text: str) -> str:
    match = _TAKE.search(text)
    if match is None:
        return text
    before, after = text[: match.start()], text[match.end() :]
    # "where is the lift, take me there": the place was named before the request.
    return after if _strip(after) else re.sub(r"^.*?\b(?:where|find)\b", "", before)


def _strip(text: str) -> str:
    """The phrase without the function words around it, punctuation gone: "did you see the red chair" -> "red chair"."""
    words = words_of(text)
    while words and words[0] in STOP_WORDS:
        words.pop(0)
    while words and words[-1] in _TAILS:
        words.pop()
    return " ".join(words)
