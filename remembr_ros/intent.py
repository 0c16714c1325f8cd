"""In: the user's own words. Out: do they ask the robot to go, or to take somebody, to a place?

The rule is the only thing that may turn words into motion without a confirmation, so it errs on the side of "no":
English only, and only a request that stands at the head of a sentence or clause. A language model understands more
ways of asking, but what it understands is a proposal, never a permission (navigate/policy.py).
"""

from __future__ import annotations

import re

_ADDRESS = r"(?:(?:hey|hi|hello|okay|ok)(?:\s+(?!why|how|what|who)\w+)?\s+|robot\s+)?"
_FILLER = r"(?:(?:please|kindly|just|now|then|so|well|yes|yeah|great|alright|thanks|also|and)\s+)*"
_ASK_ANYTHING = r"(?:(?:can|could) you\s+|(?:i want|i need|i'd like|i would like) you to\s+|let's\s+)"
_ASK_FAVOUR = r"(?:(?:will|would) you\s+)"
_DIRECTION = r"(?:(?:back|over|up|down|out|along|straight|right|directly|again|yourself)\s+)*"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_UNIT = r"(?:minutes?|mins?|hours?|days?|weeks?|months?|years?)"
_TIME_WORD = (
    r"(?:moment|time|day|hour|minute|night|evening|morning|afternoon|noon|midnight|week|weekend|month|year"
    r"|childhood)s?\b"
)
_NO_NOUN = (
    r"(?:when|that|which|where|who|you|i|we|they|he|she|it|his|her|its|our|my|your|their|this|these|the|an?|all|both|of"
    r"|before|after|in|at|on|around|about|between|from|since|until|till|with|without|by|just|right|was|were|is|had|gone"
    r"|yesterday|today|tomorrow|last|ago|everybody|everyone|nobody|somebody|someone|no|nothing|everything)"
)
_CALLED_AFTER_A_TIME = (
    rf"(?!\s+(?!{_NO_NOUN}\b|\d)[^\W\d]+"
    r"(?:\W*$|\s*[,;:]|\s+(?:on|in|at|near|by|next|beside|please|now|from)\b))"
)
"""The night entrance, a week planner: one noun more. "The day John fell" goes on."""
_NOT_A_PLACE = (
    rf"(?!when\b|yesterday\b|last\s|earlier\b|(?:noon|midnight|{_WEEKDAY})\b(?!')|{_MONTH}\s+(?:\d|of\b)"
    rf"|(?:the|this|that|these|those|an?|my|your|our|one)\s+(?:\w+\s+){{0,2}}?{_TIME_WORD}{_CALLED_AFTER_A_TIME}"
    rf"|\w+\s+(?:seconds?|{_UNIT})\s+ago\b|\d{{1,2}}(?::\d\d)?\s*(?:am|pm|o'clock)\b|\d{{1,2}}:\d\d"
    r"|speed\b|date\b|sleep\b|(?:bed|work|hell)(?: now| robot)?\W*$|the point\b(?! of sale)|sum\b"
    r"|the (?:\w+ )?(?:question|answer)\W*$|the beginning(?: of the (?:video|film|recording|day))?\W*$)"
)
"""Journeys in time and figures of speech."""
_POLITE_END = r"(?:[\s,]+(?:please|robot|ok|okay|thanks|thank you|will you|for \w+|and .*|or so|from now))*\W*$"
_HOUR = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_CLOCK = (
    r"(?:\d{1,2}(?::\d\d)?(?: ?[ap]m\b| o'?clock)?|noon|midnight"
    rf"|(?:(?:half past|(?:a )?quarter (?:past|to)) )?{_HOUR}(?: ?[ap]m\b| o'?clock)?)"
)
_LATER_TIME = (
    r"(?:(?:tomorrow|tonight)\b(?! \w+ (?:bar|lab|room)\b)(?: morning| noon| afternoon| evening| night)?(?: at .*)?"
    r"|later(?: on| today| this \w+)?|soon"
    rf"|next (?:time|week|month|year|{_WEEKDAY})|(?:on|this) {_WEEKDAY}|on {_MONTH} \d{{1,2}}\w*"
    rf"|in (?:about )?(?:(?:an?|half an|a few|a couple of|\w+) )?{_UNIT}(?: and a half)?|in a (?:bit|while))"
)
_AT_A_TIME = (
    rf"(?:(?:at|around|after|by) {_CLOCK}|(?:at \d+ )?in the (?:morning|afternoon|evening|night)|this evening|at night"
    r"|after (?:lunch|dinner|breakfast|work|the meeting)"
    r"|(?:when|once|as soon as|if|unless) (?:i|it|the|we|they|he|she|my)\b.*)"
)
_LATER = re.compile(rf"\b{_LATER_TIME}{_POLITE_END}")
_THEN = re.compile(rf"\b{_AT_A_TIME}{_POLITE_END}")
_ONLY_A_TIME = re.compile(rf"(?:but )?(?:{_LATER_TIME}|{_AT_A_TIME}|not now)\W*$")
_TELLS_WHERE = re.compile(r"\b(?:where|which|that|who|saw|seen|were|was|left|of the)\b")
"""Then the time is that of something seen: "go to where you saw it at 5 pm"."""

_TO = rf"{_DIRECTION}(?:(?:to|towards?|into)\s+{_NOT_A_PLACE}\w|there\b|where\b|somewhere\b)"
_WITH_ME = (
    rf"(?:(?:take|bring|guide|lead|drive|escort|walk|get)\s+(?:me|us)\s+{_TO}"
    rf"|show\s+(?:me|us)\s+the way\s+(?:{_TO}|$)|lead the way\s+{_TO}"
    r"|meet\s+(?:me|us)\s+(?:at|by|in|near|outside|there)\b)"
)
_ALONE = rf"(?:go|drive|navigate|move|head|travel|return|come|proceed|walk)\s+{_TO}"

_POLITE_REQUEST = re.compile(
    rf"{_ADDRESS}{_FILLER}(?:please\s+(?:{_WITH_ME}|{_ALONE})"
    rf"|{_ASK_ANYTHING}{_FILLER}(?:{_WITH_ME}|{_ALONE})|{_ASK_FAVOUR}{_FILLER}{_WITH_ME}"
    rf"|{_ASK_FAVOUR}please\s+{_ALONE})"
)
_REQUEST = re.compile(rf"{_ADDRESS}{_FILLER}(?:{_WITH_ME}|{_ALONE})")
_GUIDE_REQUEST = re.compile(rf"{_ADDRESS}{_FILLER}{_WITH_ME}")

_NEGATED = re.compile(
    r"\b(?:don't|dont|do not|never|not|stop|without|avoid)\s+(?:you\s+)?(?:ever\s+|just\s+|to\s+)?"
    r"(?:tak|bring|guid|lead|driv|escort|walk|get|show|meet|go|navigat|mov|head|travel|return|com|proceed)\w*\b"
)
_TAKEN_BACK = re.compile(
    r"\b(?:never ?mind|cancel (?:that|it)|forget (?:it|that)|on second thoughts?|no,? wait|stop that"
    r"|(?:just|only) (?:kidding|joking))\b"
    r"|\b(?:don't|do not)\W*$|[.?!,;\u2013\u2014-]\s*no(?:pe)?\W*$"
)
_TELLS_OR_ASKS = re.compile(
    r"\b(?:did|didn't|was|were|had|have|has|do|does|when|whenever|while|if|how|why|after|before|said|says?|told|asked)\b"
)
_ORDER_NOT_TO = re.compile(rf"{_ADDRESS}{_FILLER}(?:you (?:must|should|shall|may|can) )?{_NEGATED.pattern}(?!.*\?\W*$)")
_SENTENCE = re.compile(r"[.?!;\n]+\s*")
_CLAUSE = re.compile(r"\s*,\s*|\s+(?=and\s)|\s+[-\u2013\u2014]\s+")


def asks_to_go(text: str) -> bool:
    """Whether `text` asks, in so many words, to go to a place or to be taken to one. Pure; never raises for a str.

    "Take me to the elevator", "can you go to the lab?", "where is my phone? take me there": yes. Questions about
    earlier trips ("did you go to the lab?", "did you wake up and go to the lab?"), questions for directions ("how do
    I go to ..."), wishes that do not name the robot ("I want to go to ..."), journeys in time ("take me back to this
    morning"), requests for later ("go to the lab at 5 pm"), those that are negated or taken back, and everything that
    is not English: no.
    """
    words = re.sub(r"[ \t]+", " ", text.lower().replace("\u2019", "'")).strip()
    words = re.sub(r"\b([ap])\.m\b\.?", r"\1m", words)
    if _NEGATED.search(words) or _TAKEN_BACK.search(words):
        return False
    sentences = _SENTENCE.split(words)
    return not any(map(_is_only_a_time, sentences)) and any(map(_sentence_asks, sentences))


def asks_not_to_go(text: str) -> bool:
    """Whether `text` is an order to stay away or to stop ("do not go to the lab", "never take me there"), as far as
    that is said in so many words. Questions ("did you not go there?") are none. Pure; never raises for a str."""
    words = " ".join(re.sub(r"[,!.]+", " ", text.lower().replace("\u2019", "'")).split())
    return bool(_ORDER_NOT_TO.match(words)) and not asks_to_go(text)


def _sentence_asks(sentence: str) -> bool:
    """The head of a sentence is trusted; a later clause may continue a tale ("did you turn round, go to the lab")."""
    head, *rest = _CLAUSE.split(sentence.strip()) or [""]
    if any(map(_is_only_a_time, [head, *rest])):
        return False  # "at 5 pm, take me to the lab"
    if _REQUEST.match(head) or _POLITE_REQUEST.match(head):
        return not _is_for_later(head)
    if not _TELLS_OR_ASKS.search(sentence):
        # "ok robot, go to the lab", but not "it would be bad to, go to the lab"
        later = _REQUEST if len(head.split()) <= 3 else _GUIDE_REQUEST
    elif re.match(r"(?:where|which)\b", head):
        later = _GUIDE_REQUEST  # "where did you see my phone, and take me there"
    else:
        later = _POLITE_REQUEST
    asking = (clause for clause in rest if later.match(clause) or _POLITE_REQUEST.match(clause))
    return any(not _is_for_later(clause) for clause in asking)


def _is_for_later(clause: str) -> bool:
    """ "Go to the kitchen tomorrow": who is driven there now is driven unasked."""
    return bool(_LATER.search(clause) or (_THEN.search(clause) and not _TELLS_WHERE.search(clause)))


def _is_only_a_time(clause: str) -> bool:
    """ "But not now", "tomorrow": of the request beside it."""
    return bool(_ONLY_A_TIME.match(clause.strip()))
