"""The forms that English questions about the past take, as regular expressions over lower-case text without quotes.

What may be repeated has a bound, so that a text of any length is read in a moment.
"""

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
    r"|over here|right here|(?:to|from) where (?:i|we)(?:'m| am|'re| are)(?: (?:now|standing|sitting))?"
    r"|(?:close|near) to (?:here|me|us|you)|in (?:the|this) (?:vicinity|neighbou?rhood)|in this part)\b"
)
NEAR_THING = re.compile(
    rf"\b{_NEAR} (?!(?:your|the) (?:camera|eyes|lens)\b)(?:the |an? |that |those |this )?(?P<thing>\w[\w' -]*)"
)
NEAR_THAT = re.compile(rf"\b(?:{_NEAR}|around) (?:it|that|this|there|them)$")
NEAREST_TO = re.compile(
    r"\b(?:nearest|closest) (?P<what>(?!to\b)\w(?:(?! to\b)[\w' -]){0,100}) to "
    r"(?=(?:the|an?|my|your|our|his|her|their|this|that|these|those|any|some|both|all|where|dr|prof|mr|mrs|ms"
    r"|room|gate|reception|building|platform|lab)\b|\w+'s |\w+ \d+\W*$)"
    r"(?:the |an? |my )?(?P<thing>\w[\w' -]*)"
)
"""The nearest of one thing to another: "the nearest chair to the lift"; of "place to eat" it is what one does there."""
FROM_HERE = re.compile(r"\bfrom (?:here|my place|this room)\b")
TO_HERE = re.compile(r"(?<=\w) to (?:here|us|me|my (?:place|room)|this (?:room|place|spot))\b")
"""Of what is nearest."""
NOT_THEN = re.compile(r",? (?:and )?not (?:last|this|the last) \w+")
"""A time that is not meant."""
HERE = re.compile(r"\b(?:right |over )here$|^(?:is|are|was|were) there .*\bhere$|^what\b.*\bhere$")
"""Near the robot; "was the gardener here" asks about the building."""
LAST_HERE = re.compile(r"\b(?:right |over )?here$")
LOOSE_HERE = re.compile(r"\b(?:around |about )?here\b")
NEAREST = re.compile(
    r"(?:\b(?:that is |that's |which is |whichever is )?(?:the )?(?:nearest|closest|quickest(?= (?:\w+ )?to (?:get"
    r"|reach))|shortest way to)"
    r"(?: (?:place|spot|room|one)(?: (?:with|that has|for|to get|to find))?)?\b(?! to\b))"
)
_COMES = (
    r"(?:sees?|saw|seen|notic\w+|spot\w*|enter\w*|c[oa]me|coming|pass\w*|arriv\w+|visit\w*|show\w*|appear\w*"
    r"|turn\w*|pop\w*|observ\w+"
    r"|met|meet\w*|encounter\w*|r[ua]n|bump\w*|la[iy]d?|set|catch|caught|found|find|there|around|here|in (?:view"
    r"|sight|the picture)|with us"
    r"|walk\w*|detect\w*|sighted|sightings?|occasions?|glimpse\w*|(?:place|room|spot)(?= you| where)|hung|put"
    r"|placed|parked|stood|in$|out$)"
)
FIRST_LOOSE = re.compile(
    rf"\bfirst(?= {_COMES}\b)|(?<=seen )first\b|\binitially\b|\boriginally\b|\b(?:since|from) when\b(?= )"
    rf"|^since (?=when)"
)
LAST_LOOSE = re.compile(rf"\blast(?= {_COMES}\b)|(?<=seen )last\b|\bfinally\b|\blately\b|\bfinal (?:time|sighting)\b")
"""Which sighting, in questions for a time or a place, where "last week" and "first floor" are out of the way."""
LEFT = re.compile(
    r"\b(?:leave|left|disappear(?:ed)?|vanish(?:ed)?|go away|went away|(?:was|were) gone|(?:was|were) (?:removed"
    r"|taken away)|stop(?:ped)? (?:seeing|noticing|observing))\b"
)
ARRIVED = re.compile(r"\b(?:arrive|arrived|appear|appeared|show up|turn up|get here|start(?:ed)?(?: to be| being)?)\b")
_SIGHTING = r"(?:sightings?|time|one|occasion|visit|appearance|moment|seeing)"
FIRST_TO_LAST = re.compile(
    r"^(?P<before>.*?),? ?\b(?:between|from) (?:your |the |you )?(?:very )?(?:first|earliest)\b"
    rf"(?: {_SIGHTING}\b)?(?: (?:of|that|when|you saw))*(?P<thing>.*?),? "
    r"(?:and|to|until|till) (?:your |the |you )?(?:very )?(?:last|latest|most recent)\b"
    rf"(?: {_SIGHTING}\b)?(?: (?:of|that|when|as))*(?P<other>.*)$"
)
"""Between the first and the last sighting of one thing."""
SOMEBODY = re.compile(r"\b(?:some|any)(?:one|body)\b")
NOW = re.compile(
    r"\b(?:right now|at the moment|at this moment|just now|currently|now(?: not \w+(?: \w+)?$)?|these days|nowadays"
    r"|has (?:it |he |she )?(?:got|gone) to)\b"
)
_PERCEIVE = r"(?:see|saw|seen|notice|spot|enter|come|pass|arrive|visit)"
FIRST = re.compile(
    r"\b(?:for |the ){0,3}(?:very )?first (?:time|thing)\b|\b(?<=you )first\b|\b(?<=i )first\b"
    rf"|\bfirst(?= {_PERCEIVE})|\bearliest\b|\bfirst$"
)
LAST = re.compile(
    r"\b(?:for |the ){0,3}(?:very )?last (?:time|thing)\b|\b(?<=you )last\b|\b(?<=i )last\b"
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
    r"(?!(?:what|which|who|whose|where|when|how|why|did|do|does|is|are|was|were|have|has|had|can|could|would|will"
    r"|then|so"
    r"|take|bring|go|drive|show|tell|also|now|please)\b)(?P<thing>.+)"
)
"""A question that only names another thing: "and the blue chair?", "what about the elevator?"."""
BETWEEN = re.compile(
    r"(?:between|from) (?P<first>.{1,300}?) (?:and|to|until|till) (?P<second>.+)"
    r"|\b(?:after|before) (?P<one>.{1,300}?) (?:did|was|were|have|had|that)\b(?P<two> .+)"
    r"|(?:after|since) (?P<after>.{1,300}?) (?:until|before|to) (?P<before>.+)"
)
ATTRIBUTE = re.compile(
    r"^(?:what|which)(?:'s| is| was| are| were)? (?:the )?"
    r"(?:colou?rs?|kind|type|sort|material|name|shape|size|brand)(?: of)?\b"
)
COLOUR = re.compile(r"\b(?:colou?rs?|size|shape|material|brand)\b")
SHADE = re.compile(r"\b(?:light|dark|pale|bright) (?=(?:red|green|blue|yellow|orange|purple|pink|brown|gr[ae]y)\b)")
_AUXILIARY = r"(?:did|have|has|had|is|are|was|were|do|does|can|could|will|would|isn't|aren't|didn't|haven't|any)"
_HOW_LONG = (
    r"(?:(?:for )?(?:how long|how much (?:of (?:the |your |this )?)?(?:time|day|morning|afternoon|evening)"
    r"|how many (?:seconds|minutes|hours|days|weeks))(?= (?!ago))|how much of (?=did|were|was|have))"
)
_PLACE = r"(?:place|room|location|spot|position|floor)"
FORMS: tuple[tuple[Form, re.Pattern[str]], ...] = (
    (Form.WHEN, re.compile(r"^how long ago|^how long (?:is|was|has) it (?:been )?since")),
    (
        Form.HOW_LONG_BETWEEN,
        re.compile(
            rf"^(?:{_HOW_LONG}|(?:what(?: is| was|'s) )?the (?:time|period|interval)(?: \w+)?)\b"
            r".*\b(?:between .+ and|from .+ (?:to|until|till)) "
            rf"|^{_HOW_LONG}(?: (?:was|did|were) it)? (?:after|before) .+? (?:did|was|were|have|had|until|till|that)\b "
        ),
    ),
    (Form.HOW_LONG_SINCE, re.compile(rf"^{_HOW_LONG} (?:have|has) (?:you|i|we|it)\b")),
    (
        Form.HOW_LONG,
        re.compile(rf"^(?:{_HOW_LONG}\b|for how long\b|how long\b|(?:what (?:was|is) )?the (?:duration|length)\b)"),
    ),
    (
        Form.HOW_MANY,
        re.compile(
            r"^(?:on )?how (?:many|often|frequently)\b|^(?:please )?count\b"
            r"|^(?:what is )?(?:the )?number of (?:times|occasions|sightings|visits|encounters)\b"
        ),
    ),
    (
        Form.WHEN,
        re.compile(
            r"^(?:since |until |around )?when\b|^(?:at |around |about |on )*(?:what|which) (?:\w+ )?(?:time|day"
            r"|date|hour)\b"
            r"|^(?:what (?:was|is) )?the (?:first|last|earliest|latest|most recent)(?! thing)(?: time| sighting"
            r"| occasion)?\b"
        ),
    ),
    (
        Form.WHERE,
        re.compile(
            rf"^(?:from |to |near )?where(?:'s|abouts)?(?: else)?\b|^(?:in |at |on )?(?:what|which) {_PLACE}\b"
            rf"|^(?:what (?:is|was) )?the {_PLACE} of|^(?:can|could) (?:you|i) (?:please )?find\b"
            r"|^(?:please )?(?:find|locate)\b|^how (?:do|can|could|would|should) (?:i|we) (?:best )?(?:get to|reach"
            r"|find)\b"
            r"|^(?:what|which)(?:'s| is)? (?:the )?(?:\w+ )?way (?:is |to |leads )?(?:is |to )?|^(?:the )?(?:way"
            r"|directions) to\b"
            r"|^(?:in |at |on )?(?:what|which) (?:part|corner|area|floor)\b|^(?:can |could |would "
            r"|will )?(?:you )?(?:please )?"
            r"(?:point|direct|show|send) (?:me|us) (?:the way |towards? |in the direction of |where |to )+"
            r"|^whereabouts\b|^(?:any )?(?:directions|way) to\b"
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
    r"^(?:what(?: is| was|'s| does| did| do| were)?|(?:can |could |would |will )?(?:you )?(?:please )?read (?:me "
    r"|us |out )*)"
    r" ?(?:words? |text |message |announcement )?(?:(?:is |was |were )?(?:it |the |that |a |on |there "
    r"|written ){0,3})(?:written|printed|say|said|stand|posted|announced|"
    r"(?:\w+ )?(?:sign|notice|flyer|placard|memo|announcement|message|poster|note|label|board|plate|paper|sheet"
    r"|text|writing)s?)\b(?P<rest>.*)$"
)
"""What a sign says: "what did the notice in the lobby say", "what is written on the door"."""
WRITTEN_IN = re.compile(
    r"\b(?:in|inside|at) (?:the |a |an )?(?P<place>\w[\w' -]{0,100}?)(?: (?:say|said|says|reads?|announced?|tell"
    r"|told(?: us)?))?$"
)
_SIGN = (
    r"(?:signs?|notices?|notes?|slips?|flyers?|leaflets?|placards?|memos?|announcements?|messages?|posters?|sheets?|labels?"
    r"|pages?|papers?|warnings?|boards?)"
)
SIGNS = re.compile(_SIGN)
"""A word for something written."""
SIGN = re.compile(
    rf"\b{_SIGN}\b(?:.{{0,500}}?\b(?:in|inside|at|outside|of) (?:the |a |an )?(?P<place>\w[\w' -]{{0,100}}?)"
    r"(?= (?:say|said|says|saying|read|reads|reading|about|that|which|tell|tells|told|telling|is|was|warn\w*)\b"
    r"|[,.;?]|$))?"
)
"""Something written, with the room it is in."""
SIGN_ABOUT = re.compile(
    rf"\b{_SIGN} (?:up )?(?:about|of|for|on|regarding|with|against|announcing|warning(?: (?:about|of))?"
    r"|(?:(?:that|which) )?(?:say(?:s|ing)?|said|reads?|reading|tells?|telling|told|asks?|asking)"
    r"(?: (?:people|us|you|me|them|every(?:body|one)|visitors))?(?: (?:that|to|not to))?)"
    r" (?:the |an? |your )?(?P<topic>\w.*)$"
)
"""Something written, with what it says."""
SIGN_LAST = re.compile(r" (?:first|last|up|there|on it|hang\w*|say|read|tell(?: us)?|mean)$")
THAT_TIME = re.compile(
    r"\b(?:(?:on|in|at|during|within) )?(?:that|the same) (?:day|time|week|period|morning|afternoon|evening|night)\b"
)
"""A time told in another sentence."""
LOSS = re.compile(
    r"\b(?:los[et]|left|leave|forg[eo]t\w*|misplaced|mislaid|dropped|missing|need|want|looking for|searching for"
    r"|appointment|meeting|new here|first day)\b"
)
"""Sentences whose time is that of the asker, not of what the robot saw."""
WEEK = re.compile(
    r"\b(?:in |during |within )?(?:the|your|its|our|my) (?:very )?(?P<nth>first|second|third|fourth|fifth) week\b"
    r"(?! (?:of|in))"
)
"""Of the robot's time."""
WEEKS = ("first", "second", "third", "fourth", "fifth")
TO_A_NAME = re.compile(r"(\b(?:nearest|closest)\b[^.?!]{0,100}? to )(?=[A-Z])")
"""The nearest to somebody, or to HR."""
TITLE_DOT = re.compile(r"\b(dr|prof|mr|mrs|ms)\.(?= )")
"""It ends no sentence."""
TITLED = re.compile(r"\b(?:Dr|Doctor|Prof|Professor|Mr|Mrs|Ms|Miss)\.? (?P<name>[A-Z][\w-]+)")
# fmt: off
OF_A_PERSON = frozenset([
    "door", "office", "name", "room", "sign", "plate", "person", "desk", "practice", "surgery", "place", "his", "her",
    "their", "where",
])
# fmt: on
"""What is asked for of somebody who was named in another sentence: "where is her office"."""
HOW_OFTEN = re.compile(
    r"^(?:on |at )?(?:how (?:often|frequently|many (?:\w+ )?(?:times|occasions|sightings of|visits of))"
    r"|count(?: (?:the|your))?(?: (?:sightings|visits|times))?(?: of)?"
    r"|(?:what is )?(?:the )?number of (?:times|occasions|sightings(?: of)?))\b"
)
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
    r"|have|and|near|take me|go to|seen|saw|been|on|at|from|any(?:one|body|thing|where)|some(?:one|body|thing"
    r"|where)|ever|yesterday|today)\b"
)
"""Words that hardly any other language has."""
GOING = re.compile(
    r"\b(?:take|bring|go|going|drive|guide|lead|walk|show|navigate|head|escort|meet|come|move|follow|get|travel"
    r"|return)\b"
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

YOU_SAW = re.compile(
    r"(?:\b(?:that|which|who|whom|place|room|spot) )?\b(?:did |have |had |do |has )?\b(?:you|i|we) (?:have |had "
    r"|ever |also |once )?(?:see|saw|seen|notic(?:e|ed)"
    r"|spot(?:ted)?|found|find|had|have|met|com(?:e|ing)|came)\b"
)
PUT_BY = re.compile(
    r"^(?:a )?person (?:put|leave|left|drop(?:ped)?|forg[eo]t|park(?:ed)?|place[d]?|store[d]?|set"
    r"|h[au]ng) (?:down )?(?:the |an? |my |his |her )?"
)
PURPOSE = re.compile(
    r"(?<=\w)(?<!place)(?<!spot)(?<!room)(?<!area) (?:(?:that|which|where|so|because|for which) (?:i|we)\b.*"
    r"|(?:for me )?to (?:sit|get|eat|drink|use|put|reach|buy|read|rest|lie|work|go)\b.*)$"
)
"""What the asker wants it for."""
LOOSE_END = re.compile(
    r"(?: (?:come|came|comes|walk(?:ed)?(?: in)?|have|leave|like|would|going|behind|work|again|by|show|be|been|gone"
    r"|noted|recorded|lately|recently|put|left|hide|hiding"
    r"|from|up|your|my|belong|kept|now|then|in|at|with|to|on|of|for)){1,12}$"
)
FILLERS = re.compile(
    r"\b(?:(?:r[ua]n(?:ning)?|bump(?:ed|ing)?|c[oa]me|coming) (?:into|across|upon|by)|cross(?:ed"
    r"|ing)? (?:paths with|(?:your|my|our|the) (?:way|path))"
    r"|(?:lay|laid|set|clap(?:ped)?) eyes on|c(?:atch|aught) (?:sight|a glimpse) of|(?:turn|show|pop|crop)(?:ed|ped"
    r"|ing|s)? up|showed up|stumbled? (?:upon|over|across)"
    r"|hang(?:ing)? (?:around|out|about)|(?:lying|standing|sitting) (?:around|about)|(?:go|goes|went|gone|been|come"
    r"|came|stop|stopped) by|in (?:view|sight)|make out|more than once"
    r"|initially|still|anywhere|somewhere|whereabouts|standing|lying|hanging|hung|placed|located|kept|stored"
    r"|stood|appear(?:ed|s)?|ever|already"
    r"|currently|perhaps|maybe|probably|(?:separate )?occasions?|sightings? of|sightings?|usually|normally"
    r"|detected?|perceived?|met|meet"
    r"|on (?:this|the same|our) (?:floor|level|storey)|in front of (?:your|the) (?:camera|eyes|lens|sensors?)"
    r"|(?:any|whatever|no matter (?:what|which)) colou?r"
    r"|did you notice|do you have|turned|this year|whole|entire|notic(?:e|ing|ed)|seeing|quickest|seat yourself)\b"
)
"""What only says that something is somewhere, or was seen."""
_THE = r"(?:the|an?|any|my|your|our|his|her|its|their|this|that)"
_END = r"(?=\W*$| (?:here|there|in|on|at|near|by|beside|next|behind|under|over|before|after|when|while|during)\b)"
DOES = re.compile(
    rf"\b((?:do|does|did|will|can|could) (?!you\b|i\b|we\b|they\b)(?:{_THE} )?(?:(?!{_THE}\b)[\w'-]+ ){{1,3}}?)"
    rf"(?:stand|stop|park)\b{_END}"
)
"""Of "where does the lamp stand" or "did the bus stop"; a music stand and a bus stop are things."""
IS_PRESENT = re.compile(
    r"^((?:(?:what|who|when|how (?:long|many|often))\b.{0,100}?\b)?(?:is|are|was|were)\b(?! there\b)(?: .{1,100}?)??)"
    rf"(?<! a)(?<! the) present\b{_END}"
)
"""Of "was a guard present"; a birthday present is a thing."""
IN_ORDER = re.compile(
    r"^(?P<one>\w.*?)"
    r"(?: (?:shortly|long|just|right|immediately|some time|(?:a |a few |\w+ )?(?:seconds?|minutes?|hours?)))?"
    r" (?P<side>before|after)"
    r" (?:(?:you (?:saw|passed|noticed|left|entered|reached|were (?:in|at)|went (?:to|past|by))|seeing|passing) )?"
    r"(?:the |an? )?(?:(?P<last>last) )?(?!you\b|and\b|or\b)(?P<other>\w.*)$"
)
"""Of "did you see the cat before the dog"."""
SEEN = re.compile(r"^(?:did|have|had) (?:you|i|we|the robot)\b")
WILL = re.compile(
    r"^(?!(?:where |when )?(?:did|have|has) )"
    r"(?!(?:will|would|won't) you (?:please )?(?:show|tell|take|bring|find)\b).*?"
    r"(?:\b(?:will|won't|shall|would)\b|'ll\b|\bgoing to (?!the\b|an?\b|my\b|your\b|town\b|work\b|bed\b)\w)"
)
"""A question about what is to come."""
STAYING = re.compile(
    r"\b(?:(?:your|the) (?:stay|stop|visit|break)|stop(?:ped|ping)?|visit(?:ed|ing)?|wait(?:ed|ing)?|park(?:ed"
    r"|ing)?|linger(?:ed|ing)?|hang|take|took|last(?:ed)?"
    r"|passed|minutes|seconds|hours|stay(?:ed|ing)?|break|pause[d]?|be|been|being|duration|length|busy|occupied"
    r"|inside|go|went|long|rest(?:ed|ing)?)\b"
)
"""What only says that the robot was there."""
