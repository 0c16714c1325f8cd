"""The forms that English questions about the past take, as regular expressions over lower-case text without quotes."""

from __future__ import annotations

import re
from enum import Enum

from remembr_ros.recall.vocabulary import STOP_WORDS


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


LEAD = re.compile(
    r"^(?:(?:hey|hi|hello|ok|okay|please|so|and|well|robot|carter)\b[,!. ]*)*"
    r"(?:(?:can|could|would|will) you (?:please )?(?:tell|say|remind|explain to)\b(?: me| us)? ?"
    r"|(?:please )?(?:tell|remind|let) (?:me|us)(?: know)? "
    r"|(?:do you have |have you |got )?(?:any|an) idea (?:of )?|do you (?:know|remember|recall) (?=wh|how|if|at)"
    r"|i(?:'d| would)? (?:want|like|need) to know |i wonder )?(?:if |whether )?"
)
"""What people say before the question itself."""
TAKE = re.compile(
    r"\b(?:take|bring|guide|lead|drive|escort|walk|get|show) (?:me|us) (?:the way |back |over )?"
    r"(?:to|towards?|into|there|where)\b|\blead the way\b"
    r"|\b(?:go|drive|navigate|move|head|travel|return|come|proceed|walk) (?:back |over )?"
    r"(?:to|towards?|into|there|where)\b"
)
"""The words between a request to go and the place."""
_NEAR = r"(?:near(?:est)?(?: to)?|next to|clos(?:e|est)(?: by)?(?: to)?|beside|in front of|not far from)"
NEAR_ME = re.compile(
    rf"\b(?:{_NEAR} (?:me|you|us|here)|(?:close|near)[ -]?by|around (?:here|me|you|us)"
    r"|over here|right here|from here)\b"
)
NEAR_THING = re.compile(rf"\b{_NEAR} (?:the |an? |that |those |this )?(?P<thing>\w[\w' -]*)")
NEAR_THAT = re.compile(rf"\b(?:{_NEAR}|around) (?:it|that|this|there|them)$")
NEAREST_TO = re.compile(
    r"\b(?:nearest|closest) (?P<what>(?!to\b)\w[\w' -]*?) to (?:the |an? |my )?(?P<thing>\w[\w' -]*)"
)
"""The nearest of one thing to another: "the nearest chair to the lift"."""
HERE = re.compile(r"\b(?:right |over )?here$")
NEAREST = re.compile(r"\b(?:nearest|closest)\b(?! to\b)")
SOMEBODY = re.compile(r"\b(?:some|any)(?:one|body)\b")
NOW = re.compile(r"\b(?:right now|at the moment|at this moment|just now|currently|now)\b")
_PERCEIVE = r"(?:see|saw|seen|notice|spot|enter|come|pass|arrive|visit)"
FIRST = re.compile(
    r"\b(?:for |the )*(?:very )?first (?:time|thing)\b|\b(?<=you )first\b|\b(?<=i )first\b"
    rf"|\bfirst(?= {_PERCEIVE})|\bearliest\b|\bfirst$"
)
LAST = re.compile(
    r"\b(?:for |the )*(?:very )?last (?:time|thing)\b|\b(?<=you )last\b|\b(?<=i )last\b"
    rf"|\blast(?= {_PERCEIVE})|\b(?:most recent(?:ly)?|latest)\b|\blast$"
)
BACK = re.compile(r"\b(?:it|that|this|there|those|them|they|then)\b")
"""Words that may point at what was said before."""
RELATIVE = re.compile(r"\b(?:just |right |shortly )?(before|after) (?:that|this|it|then)\b")
BESIDE_EVENT = re.compile(
    r"^what (?:else )?(?:did you (?:see|do|pass|notice)|happened|came|was there)\b.*?"
    r"\b(?P<side>before|after) (?:you (?:saw|passed|left|entered|noticed|were (?:in|at)) |(?:see|pass|leav|enter)ing )?"
    r"(?:the |an? |that |my )?(?P<thing>\w[\w' -]*)$"
)
"""What came right before or after something that is named."""
CLOCK_QUESTION = re.compile(r"^what time is it\b")
CONTINUES = re.compile(
    r"^(?:(?:and|or|but) )?(?:(?:what|how) about|and|or) "
    r"(?!(?:what|which|who|whose|where|when|how|why|did|do|does|is|are|was|were|have|has|had|can|could|would|will|then|so"
    r"|take|bring|go|drive|show|tell|also|now|please)\b)(?P<thing>.+)"
)
"""A question that only names another thing: "and the blue chair?", "what about the elevator?"."""
BETWEEN = re.compile(
    r"(?:between|from) (?P<first>.+?) (?:and|to|until|till) (?P<second>.+)"
    r"|(?:after|since) (?P<after>.+?) (?:until|before|to) (?P<before>.+)"
)
ATTRIBUTE = re.compile(
    r"^(?:what|which)(?:'s| is| was| are| were)? (?:the )?"
    r"(?:colou?rs?|kind|type|sort|material|name|shape|size|brand)(?: of)?\b"
)
_AUXILIARY = r"(?:did|have|has|had|is|are|was|were|do|does|can|could|will|would|isn't|aren't|didn't|haven't|any)"
_HOW_LONG = r"(?:for )?(?:how long|how much time)"
_PLACE = r"(?:place|room|location|spot|position|floor)"
FORMS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    (Form.WHEN, re.compile(r"^how long ago|^how long (?:is|was|has) it (?:been )?since")),
    (Form.HOW_LONG_BETWEEN, re.compile(rf"^{_HOW_LONG}\b.*\b(?:between .+ and|from .+ (?:to|until|till)) ")),
    (Form.HOW_LONG_SINCE, re.compile(rf"^{_HOW_LONG} (?:have|has) (?:you|i|we|it)\b")),
    (Form.HOW_LONG, re.compile(rf"^(?:{_HOW_LONG}|what (?:was|is) the duration)\b")),
    (Form.HOW_MANY, re.compile(r"^(?:on )?how (?:many|often)\b|^(?:please )?count\b")),
    (
        Form.WHEN,
        re.compile(r"^(?:since |until )?when\b|^(?:at |around |about |on )?(?:what|which) (?:time|day|date|hour)\b"),
    ),
    (
        Form.WHERE,
        re.compile(
            rf"^(?:from |to )?where(?:'s|abouts)?\b|^(?:in |at |on )?(?:what|which) {_PLACE}\b"
            rf"|^(?:what (?:is|was) )?the {_PLACE} of|^(?:can|could) (?:you|i) (?:please )?find\b"
            r"|^(?:please )?(?:find|locate)\b|^how (?:do|can|could) (?:i|we) get to\b"
            r"|^(?:i(?:'m| am)|we(?:'re| are)) (?:looking|searching) for\b"
        ),
    ),
    (
        Form.YES_NO,
        re.compile(
            rf"^{_AUXILIARY}\b|^there (?:is|are|was|were)\b"
            r"|^(?:you|i|we) (?:saw|passed|(?:have(?:n't| not)?|did(?:n't| not)|never)"
            r" (?:ever )?(?:saw|seen?|passed?))\b"
        ),
    ),
)
"""The first that matches is the form; a question that matches none asks WHAT."""
WRITTEN = re.compile(
    r"^what(?: is| was|'s| does| did| do)? (?:it |the |that |a )?(?:written|printed|say|said|stand|"
    r"(?:sign|notice|poster|note|label|board|plate|paper|sheet|text|writing)s?)\b(?P<rest>.*)$"
)
"""What a sign says: "what did the notice in the lobby say", "what is written on the door"."""
WRITTEN_IN = re.compile(r"\b(?:in|inside|at) (?:the |a |an )?(?P<place>\w[\w' -]*?)(?: (?:say|said|says|read))?$")
HOW_OFTEN = re.compile(r"^(?:on |at )?how (?:often|many (?:\w+ )?(?:times|occasions))\b")
"""How many sightings, not how many of a thing."""
AND_WHERE = re.compile(r"[.,;]? (?:so )?(?:where|which way|how) (?:should|can|could|do|must|would) (?:i|we)\b.*$")
""" "I am looking for the lift. Where should I go?" """
TAG = re.compile(
    r",? (?:have|haven't|did|didn't|do|don't|were|weren't|was|wasn't|is|isn't|are|aren't) (?:you|i|we|it|there|they)$"
)
"""What turns a statement into a question: "you have seen a cat, haven't you"."""
_UNITS = r"(?:second|minute|hour|day|week|month|year)s?"
TO_COME = re.compile(
    rf"\b(?:tomorrow|(?:in |within )?the (?:next|coming) (?:\w+ )?{_UNITS}|next (?:week|month|year|time)"
    r"|next (?:mon|tues|wednes|thurs|fri|satur|sun)day|in the future|(?:a )?\w+ \w+ from now"
    rf"|in (?:an?|one|two|three|four|five|ten|half an|\d+) {_UNITS}$)\b"
)
"""Words for a time that has not come."""
_MONTHS = r"(?:january|february|feb|march|april|may|june|july|august|september|october|november|december)"
NO_TIME = re.compile(
    rf"\b(?:on |at )?{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?\b"
    rf"|\b(?:on |at )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTHS}\b"
    r"|\b(?:at |around )?\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?\b"
    r"|\b(?:at )?\d{1,2} ?[ap]m\b|\b(?:on )?\d{4}-\d{2}-\d{2}\b"
)
"""What has the look of a time; where it could not be read as one, there is no such time: "February 30", "25:00"."""

ASKS = re.compile(r"^(?:what|which|who|whose|why|how|describe|tell|list)\b")
"""Beginnings of questions that ask WHAT, as opposed to phrases and other languages."""

ASKS_ELSEWHERE = re.compile(
    r"^\W*(?:wo|woher|wann|wie|was|wer|wem|wessen|welche[rsnm]?|wieso|warum|hast du|gibt es|gab es"
    r"|o\u00f9|quand|combien|quel(?:le)?s?|qu'|que|qui|quoi|pourquoi|comment|as-tu|est-ce|y a-t-il"
    r"|d\u00f3nde|cu\u00e1ndo|cu\u00e1nt[oa]s?|qu\u00e9|qui\u00e9n|cu\u00e1l|c\u00f3mo|por qu\u00e9|hay|viste"
    r"|dove|quando|quant[oaie]|cosa|chi|quale|perch\u00e9|hai visto|onde|o que|quem|qual"
    r"|waar|wanneer|hoe|wat|wie|welke|\u0433\u0434\u0435|\u043a\u043e\u0433\u0434\u0430"
    r"|\u0447\u0442\u043e|\u043a\u0442\u043e|\u0441\u043a\u043e\u043b\u044c\u043a\u043e)\b"
    r"|\u54ea[\u91cc\u513f]|\u4ec0\u4e48|\u591a\u5c11|\u8c01|\u5417|\u3069\u3053|\u3044\u3064"
)
"""Question words of some other languages: a single sentence that begins with one asks, it does not ask to go."""
ENGLISH = re.compile(
    r"\b(?:the|my|you|your|i|i'm|i've|this|that|there|with|some|any|please|where|what|when|who|which|how|are|did|does"
    r"|have|and|near|take me|go to)\b"
)
"""Words that hardly any other language has."""
GOING = re.compile(
    r"\b(?:take|bring|go|going|drive|guide|lead|walk|show|navigate|head|escort|meet|come|move|follow|get|travel|return)\b"
)
"""English words that may, in some form no rule knows, ask to go; an English text without any of them does not."""

HEADS = STOP_WORDS
"""Words that may be cut from the start of what is left."""
# fmt: off
TAILS = frozenset([
    "a", "an", "the", "for", "in", "of", "at", "to", "is", "was", "were", "are", "there", "on", "from", "did", "do",
    "does", "you", "i", "we", "me", "us", "it", "by", "with", "about", "around", "and", "or", "be", "been", "before",
    "after", "please", "robot", "see", "saw", "seen", "look", "found", "find", "located", "here", "that", "this", "any",
])
# fmt: on
"""And from its end: fewer, because "trash can" and "parking lot" end in such words."""
