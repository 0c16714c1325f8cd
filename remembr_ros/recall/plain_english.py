"""How people talk, made plain. In: a question as it was said; out: the same question, lower case, in a form rules know.

"I lost my phone, any chance you came across it?" becomes "where is my phone": politeness goes, the sentence that asks
is told from those that lead up to it, and its "it" gets the name that they gave. About no place and no thing.
"""

from __future__ import annotations

import re

from remembr_ros.recall.when import find_times

_POLITE = re.compile(
    r"(?<![\w-])(?:by any chance|if (?:you don't|you do not|i may|i might|possible|that's ok(?:ay)?)(?: mind)?"
    r"(?: ask(?:ing)?)?"
    r"|(?:i(?:'m| am) )?(?:so )?sorry(?: to (?:bother|trouble|disturb) you)?(?: again)?(?:,? but)?"
    r"|excuse me|pardon me|thank you(?: (?:so|very) much)?|thanks(?: a lot)?|cheers|many thanks"
    r"|on earth|in the world|the (?:hell|heck)|i mean|i think|i believe|if i remember (?:right|correctly|rightly)"
    r"|be so kind (?:as to|and)|(?<=you )happen to(?= )|possibly|kindly|actually|really|exactly|precisely|roughly"
    r"|approximately|all in all|in total|altogether|so far|in all(?=\W*$|[,.?!])"
    r"|(?:in|on|around|inside|of) (?:the|this|our) (?:whole |entire )?(?:house|building|premises|site)"
    r"|at all|in here|quick(?:ly)?(?! question)|or so|as far as you (?:know|remember|recall)"
    r"|to your knowledge)(?![\w-])",
)
_END = re.compile(
    r"(?:(?<![, ])[, ]+(?:please|would you|will you|could you|can you|or not|now then|though"
    r"|do you (?:know|remember|recall)|any idea|any clue)|, ?(?:right|correct|yes|mate|buddy|robot))[ .?!]*$"
)
"""Without its comma, "right" is a side and "robot" a thing."""
_TYPOS = {
    "wheres": "where's", "whats": "what's", "whens": "when is", "hows": "how is", "whos": "who is", "teh": "the",
    "yuo": "you", "pls": "please", "plz": "please", "hav": "have", "didnt": "didn't", "adn": "and",
    "lsat": "last", "frist": "first", "tiem": "time", "tiems": "times", "ahve": "have", "thier": "their",
    "yesteday": "yesterday", "yesterady": "yesterday", "tuseday": "tuesday", "wendesday": "wednesday",
    "wensday": "wednesday", "thrusday": "thursday", "firday": "friday", "satruday": "saturday",
    "im": "i'm", "ive": "i've", "seing": "seeing", "recieve": "receive", "ur": "your", "nearset": "nearest",
    "neares": "nearest", "closets": "closest", "mintues": "minutes", "mornign": "morning", "afternon": "afternoon",
}  # fmt: skip
_TEXTED = (
    (re.compile(r"\b(did|do|have|can|are|could|would|will|were|if|thank|when) u\b"), r"\1 you"),
    (re.compile(r"\br u\b"), "are you"),
    (re.compile(r"\b(where|what|how|who|when|why) r\b"), r"\1 are"),
)
"""Single letters are words only beside these: a room may be called U or R."""
_ASKING = ("where", "when", "what", "which", "how", "long", "many", "often")
"""Words also known with their letters swapped; those with a "wh" also with one letter missing."""
_WH = r"(?:(?:at|in|on|for|since|until|from|to|around|by) )?(?:where(?:abouts)?|when|what|which|who|whose|how)\b"
_MAYBE = (
    r"(?:have|did|do|can|could|would|were|was|is|are) (?:you|i|we|it|he|she|they|there|that|this|any)\b"
    r"|any chance|any idea"
)
_SENTENCE = re.compile(
    r"(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bst)(?<!\bmrs)(?<!\bprof)(?<!\boct)(?:\.{2,}|\u2026|[?!;]"
    rf"|(?<!\b[ap]\.m)\.(?=\s)|\.(?=\s+(?:{_WH}|{_MAYBE})))+\s*| [-\u2013\u2014]+ "
)
_COMMA = re.compile(
    rf" ?[,:] (?!\w+(?:n't)? (?:you|i|we|it|there|they)\W*$)(?=(?:and |but |so |or |now )?(?:{_WH}|{_MAYBE}"
    rf"|show me|take me))"
)
_LEAD = re.compile(
    r"^(?:(?:(?:hey|hi|hello)(?: there| robot| carter)?|ok|okay|robot|carter|please|hm+|uh+|um+|oh|listen"
    r"|quick question)\b[,:!. ]*"
    rf"|(?:so|and|but|well|now|then)\b[,:]? (?=(?:{_WH}|{_MAYBE}|i\b|please|tell me|remind me|you did)))+"
)
_KNOWS = re.compile(
    r"^(?:(?:would|could|can|will) you (?:mind )?(?:please )?(?:be able to )?(?:tell(?:ing)?|say(?:ing)?|let"
    r"|remind(?:ing)?|give|count|work out|check|look up|find out)"
    r"(?: me| us)?(?: know)?|do you (?:happen to |still )?(?:know|remember|recall)|have you (?:got )?(?:any |an "
    r"|a )?(?:idea|clue)(?: of)?"
    r"|do you have (?:any |an |a )?(?:idea|clue|memory|recollection)(?: of)?|any (?:idea|clue)|i(?: would"
    r"|'d)(?: really)? (?:be (?:interested in|curious(?: to know)?|glad to know|grateful to know)|love to know"
    r"|like to know|like you to tell me)"
    r"|i(?:'m| am| was) (?:just )?(?:wondering|curious|trying to (?:find out|remember|work out|recall))"
    r"|i (?:just )?(?:wonder(?:ed)?|want(?:ed)? to know|need to know|wanted to ask)"
    r"|(?:please )?(?:tell|remind) (?:me|us)|let me know|i can't remember|i (?:don't|do not) (?:know|remember"
    r"|recall)|i forgot"
    r"|is it (?:true|right|correct|possible|the case) that|can it be that|(?:you )?(?:wouldn't"
    r"|don't) (?:happen to )?know)"
    r"(?: exactly)?[,:]? (?:(?:if|whether) |(?<=that )|(?=(?:the )?(?:" + _WH + r"|last time|first time)))"
)
_CHANCE = re.compile(r"^(?:any|is there (?:any|a)) chance (?:that )?(?:you(?:'ve| have)?)\b")
_WANTS = re.compile(
    r"^(?:(?:i|we|my \w+|somebody|someone)\b[^,]*?\b"
    r"|(?:still )?(?=(?:lost|looking for|searching for|can't find|cannot find|need) (?:a|an|the|my|our|some)\b))"
    r"(?:lost|misplaced|mislaid|forgot(?:ten)?|dropped|left|looking for"
    r"|searching for"
    r"|hunting for|missing|need|(?:am|are|'m|'re) after|want|(?:would|'d) like|can't find|cannot find|could use)\b"
    r"(?: to (?:(?:borrow|use|have|see|find|get|return|collect|reach|pick up|sit (?:down )?on|go to|get to"
    r"|know where)\b))?"
    r" (?P<thing>(?:to (?:the|my|our) )?(?!(?:to|you|that|at|on|in|before|after|for|from)\b).+)$"
)
_GONE = re.compile(
    r"^(?:and |but |so )?(?P<thing>(?:my|our|the) [^,]+?) (?:is|are|has gone|have gone|went) (?:missing|lost|gone)\b"
)
_TOLD = re.compile(
    r"^.*?\b(?:remember|recall|saw|seen|see|noticed|spotted|found|there(?:'s| is| was| were| are)|is there"
    r"|are there|mentioned"
    r"|talking about|met|heard (?:of|about)|(?:it's|it is) about|lost|misplaced|you were|forgot(?:ten)?|left"
    r"|dropped|(?:need|want|after)) (?P<thing>.+)$"
)
_AMONG = re.compile(
    r"^(?:out of|of|from|among) (?:all )?(?:the|those|these) (?P<thing>\w[\w ]*?)"
    r"(?: (?:that |which )?(?:you|we|i)\b.*)?$"
)
_LYING = re.compile(
    r"(?: (?:(?:lying|standing|sitting|hanging|running|floating|walking) (?:around|about|there)|somewhere|anywhere"
    r"|around|lately|recently|more than once|once|before)){1,8}$"
)
_BEEN = re.compile(
    r"^(?:yesterday |today )?(?:i|we|you)(?:'ve| have)? (?:was|were|been|went|walked|drove|came|passed)"
    r"(?: (?:by|past|through|along|over|into))* "
)
_PRONOUN = re.compile(
    r"\b(?:it|he|she|they|them|him|(?:that|this|those|these)(?! \w+(?:day|night|time|morning|noon|week|month)\b"
    r"| \w)|the thing|(?:which |the )?one(?= (?:is |that is |that's |are )?(?:the )?(?:nearest|closest))"
    r"|(?<=nearest )one|(?<=closest )one"
    r"|(?<!is )(?<!was )(?<!are )(?<!were )there(?! (?:is|was|were|are)))\b(?!')"
)
_ASKS_WHERE = re.compile(
    r"^(?:and |so )?(?:whereabouts|where(?: to)?|show me (?:the way|where)|lead the way|which way"
    r"|how do i get there)(?:'s)?(?: (?:is|was|to|are|were|it|that|this|he|she|they|there|should|can|could|do|must"
    r"|would|might|i|we|go|find|look))*\W*$"
)
_STRONG = re.compile(
    rf"^(?:{_WH}|number of|the number of|count)\b|\b(?:sign|notice|note|poster|label|board)s? (?:say|read)s?\b"
)
_WEAK = re.compile(rf"^(?:{_MAYBE}|(?:have|did|do|was|were|is|are) )")
_FRONTED = re.compile(
    r"^(?P<first>(?:between|from|in|on|at|after|before|during|since|this|last"
    r"|yesterday)\b[^,]*),? (?P<ask>(?:for )?how (?:long|much time|many|often)\b.*)$"
)


def plainly(text: str) -> str:
    """The question in plain form, lower case. What cannot be told apart stays as it is; "" only for no words."""
    text = " ".join(text.replace("\u2018", "'").replace("\u2019", "'").lower().split())
    text = re.sub(r"(?<![\w'])[^\W\d_]+(?![\w'])", lambda word: _spelled(word[0]), text)
    text = re.sub(r"\bnext(?= [\w -]+? from (?:here|me|us)\b)", "nearest", text)
    for texted, words in _TEXTED:
        text = texted.sub(words, text)
    bare = " ".join(_POLITE.sub(" ", re.sub(r'["\u201c\u201d]', " ", text)).split())
    bare = re.sub(rf"({_WH}) ?, ?,", r"\1", bare)  # "when, roughly, was it"
    bare = _END.sub("", re.sub(r"(?:, ?){2,}", ", ", bare))
    clauses = [clause for sentence in _SENTENCE.split(bare) for clause in _COMMA.split(sentence)]
    clauses = [plain for plain in (_without_lead(clause) for clause in clauses) if re.search(r"\w", plain)]
    if not clauses:
        return text
    return " ".join(_questioned(clauses).split()).strip(" ,.:")


def _questioned(clauses: list[str]) -> str:
    """The one clause that asks, with what the others say."""
    strong = [c for c in clauses if _STRONG.search(c)]
    weak = [c for c in clauses if c not in strong and _WEAK.match(c)]
    wanted = next((match for clause in clauses if (match := _GONE.match(clause) or _WANTS.match(clause))), None)
    asks = strong[-1] if strong else weak[-1] if weak else clauses[-1]
    others = [clause for clause in clauses if clause is not asks]
    if len(strong) > 1:
        others = [clause for clause in others if clause not in strong]
        if not others or not _PRONOUN.search(asks):
            return ", ".join(clauses)
    if wanted is not None and not strong and not re.match(r"(?:it|them|him|her|that|this)\b", wanted["thing"]):
        return f"where is {_without_time(_thing(wanted['thing']))}"
    if len(clauses) == 1:
        fronted = _FRONTED.match(asks)
        return f"{fronted['ask']} {fronted['first']}" if fronted else asks
    if not strong and not weak:
        return ", ".join(clauses)
    told = next((match for match in (_AMONG.match(c) or _TOLD.match(c) for c in others) if match), None)
    thing = _thing((wanted or told)["thing"] if wanted or told else _BEEN.sub("", others[0]))  # type: ignore[index]
    if _PRONOUN.fullmatch(thing):
        thing = _thing(others[0])
    if any(_ASKS_WHERE.match(clause) for clause in clauses) and not (strong and not _ASKS_WHERE.match(asks)):
        named = next((clause for clause in clauses if not _ASKS_WHERE.match(clause)), thing)
        lost = _GONE.match(named) or _WANTS.match(named)
        met = lost or _TOLD.match(named)
        thing = _thing(met["thing"] if met else named)
        return f"where is {_without_time(thing) if lost else thing}"
    if _PRONOUN.search(asks):
        return _PRONOUN.sub(lambda _: f" {thing} ", asks, count=1)
    if re.match(
        rf"^(?:{_WH})(?: (?:long|many times|often|times?|way|day|date|room|much time|(?:is|was|has|have|did"
        rf"|be)\b))*\W*$",
        asks,
    ):
        return f"{asks} {' '.join(others)}" if "how" in asks else f"{asks} {thing}"
    if (
        re.match(r"^(?:between|from|in|on|at|during|after|before|this|last|yesterday|today)\b", others[0])
        and asks is clauses[1]
    ):
        return f"{asks} {others[0]}"
    return asks


def _without_lead(clause: str) -> str:
    clause = _LEAD.sub("", clause.strip(" ,:"))
    clause = _CHANCE.sub("have you", clause)
    clause = re.sub(
        r"^(?:(?:can|could|would|will) you )?(?:please )?read (?:out )?(?:to )?(?:me |us )?(?=\w)",
        "what is on ",
        clause,
    )
    clause = re.sub(r"^so you did (?=\w)|^you did (?=\w)", "did you ", clause)
    asked = _KNOWS.sub("", clause)
    if asked != clause:
        asked = re.sub(r"^you saw\b", "did you see", asked)
    return _LEAD.sub("", re.sub(r"^have you saw\b", "have you seen", asked)).strip(" ,:")


def _thing(words: str) -> str:
    return _LYING.sub("", words.strip(" ,."))


def _without_time(thing: str) -> str:
    """What was lost, without when: the robot may have seen it since."""
    for start, end in sorted(find_times(thing), reverse=True):
        thing = f"{thing[:start]} {thing[end:]}"
    return " ".join(thing.split())


def _spelled(word: str) -> str:
    """A word of questions that was misspelt, put right."""
    if word in _TYPOS:
        return _TYPOS[word]
    if len(word) > 2 and word not in _ASKING:
        for known in _ASKING:
            swapped = sorted(word) == sorted(known) and word[0] == known[0]
            missing = (
                known[0] == "w"
                and len(word) == len(known) - 1 >= 3
                and any(word == known[:i] + known[i + 1 :] for i in range(len(known)))
            )
            if (swapped or missing) and word not in ("hen", "here", "were", "hat", "who"):
                return known
    return word
