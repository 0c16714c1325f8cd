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
_NOT_A_PLACE = (
    r"(?!when\b|yesterday\b|last\s|earlier\b|this (?:morning|afternoon|evening)\b"
    r"|the (?:moment|time|day|hour)s?"
    r"(?:\s+(?:when|that|you|i|we|they|he|she|it|of|before|after|in|at|on|my|the)\b|\W*$)"
    r"|\d{1,2}(?::\d\d)?\s*(?:am|pm|o'clock)\b|\d{1,2}:\d\d|speed\b|date\b|sleep\b|the point\b|sum\b)"
)
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
    morning"), requests that are negated or taken back, and everything that is not English: no.
    """
    words = re.sub(r"[ \t]+", " ", text.lower().replace("\u2019", "'")).strip()
    if _NEGATED.search(words) or _TAKEN_BACK.search(words):
        return False
    return any(_sentence_asks(sentence) for sentence in _SENTENCE.split(words))


def asks_not_to_go(text: str) -> bool:
    """Whether `text` is an order to stay away or to stop ("do not go to the lab", "never take me there"), as far as
    that is said in so many words. Questions ("did you not go there?") are none. Pure; never raises for a str."""
    words = " ".join(re.sub(r"[,!.]+", " ", text.lower().replace("\u2019", "'")).split())
    return bool(_ORDER_NOT_TO.match(words)) and not asks_to_go(text)


def _sentence_asks(sentence: str) -> bool:
    """The head of a sentence is trusted; a later clause may continue a tale ("did you turn round, go to the lab")."""
    head, *rest = _CLAUSE.split(sentence.strip()) or [""]
    if _REQUEST.match(head) or _POLITE_REQUEST.match(head):
        return True
    if not _TELLS_OR_ASKS.search(sentence):
        # "ok robot, go to the lab", but not "it would be bad to, go to the lab"
        later = _REQUEST if len(head.split()) <= 3 else _GUIDE_REQUEST
    elif re.match(r"(?:where|which)\b", head):
        later = _GUIDE_REQUEST  # "where did you see my phone, and take me there"
    else:
        later = _POLITE_REQUEST
    return any(later.match(clause) or _POLITE_REQUEST.match(clause) for clause in rest)
