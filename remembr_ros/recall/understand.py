"""What a question asks for, by rules. In: English words and the time they were said. Out: `Asked`, typed.

The rules know forms of questions, words for time and words for place. They know nothing about what a robot may
have seen: whatever is left of the question is what to look for.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from remembr_ros.errors import InvalidInput
from remembr_ros.intent import asks_not_to_go, asks_to_go
from remembr_ros.memory.query import Order
from remembr_ros.recall import question_forms as forms
from remembr_ros.recall.matching import content_words, words_of
from remembr_ros.recall.plain_english import plainly
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.same_words import everyday
from remembr_ros.recall.vocabulary import STOP_WORDS
from remembr_ros.recall.when import TimeExpression, find_times, parse_time, to_local
from remembr_ros.recall.when_together import day_with_hours
from remembr_ros.records import NANOSECONDS, Navigate, Question

STAY_NS = 3600 * NANOSECONDS
"""As far from a moment as a stay that is asked about by it may reach."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`about` is what to look for ("red chair"; empty = anything), `until_about` the second thing of a "between",
    and `until_order` which sighting of it.

    `order` FIRST or LAST when the question says which sighting, NEAREST when it asks for the closest place, else
    RELEVANCE. `landmark` is what the place should be near: empty = not asked, "me" = the robot, else words to look for.
    `now` is set for questions about this moment. `go` says that the user's own words ask the robot to go there,
    `plain` that they have the form of an English question which asks no such thing. `back`: the question says "it",
    "that" or "there"; `landmark` "that": near there; `relative`: "before" or "after" that. `continues`: it has only a
    thing, like "and the blue one?", and takes its form from the question before. `declined`: an order not to go there.
    `written`: asks what a sign says; `about` is then the room it is in.
    `topic`: what that sign is about. `sign`: asks about a sign that says `about`. `week`: of the robot's time, from 1.
    `no_time`: words for a time that has not come or does not exist, which nothing can be answered about.
    """

    form: Form
    about: str
    until_about: str = ""
    order: Order = Order.RELEVANCE
    landmark: str = ""
    time: TimeExpression | None = None
    time_text: str = ""
    now: bool = False
    go: bool = False
    plain: bool = False
    back: bool = False
    relative: str = ""
    continues: bool = False
    declined: bool = False
    written: bool = False
    no_time: str = ""
    until_order: Order = Order.RELEVANCE
    topic: str = ""
    sign: bool = False
    week: int = 0

    def _with_sign(self) -> Asked:
        """ "note about the lost glove": something written, `about` what it says."""
        found = forms.SIGN_ABOUT.search(self.about)
        if found is None:
            return self
        topic = _strip(forms.SIGN_LAST.sub("", found["topic"]))
        if not content_words(topic):
            return self
        until = topic if self.until_about == self.about else self.until_about
        order = Order.LAST if self.form is Form.WHEN and self.about.endswith((" last", " last up")) else self.order
        return dataclasses.replace(self, about=topic, until_about=until, sign=True, order=order)

    @property
    def names_nothing(self) -> bool:
        """Nothing to look for, no place and no time: only what was said before can tell what is meant."""
        return not self.about and self.landmark in ("", "me", "that") and self.time is None


def understand(question: Question, zone: ZoneInfo) -> Asked:
    """Parse one question. Always gives something: a bare phrase asks WHAT."""
    if asks_not_to_go(question.text) and question.navigate is not Navigate.ALWAYS:
        return Asked(Form.WHAT, "", plain=True, declined=True)
    go = asks_to_go(question.text)
    text = re.sub(r"[\u2018\u2019]", "'", question.text).lower()
    text = text if go else plainly(text)
    text = " ".join(re.sub(r'["\u201c\u201d?!\uff1f]+', " ", text).split()).rstrip(" .")
    text = forms.NOT_THEN.sub("", text)
    continues = forms.CONTINUES.match(text)
    if continues:
        text = continues["thing"]
    english = in_english(question.text) or in_english(text)
    text = forms.TAG.sub("", text)
    to_come = forms.TO_COME.search(text)
    time, time_text, text = _take_time(text, question.now_ns, zone)
    if to_come is None and time is None:
        to_come = forms.NO_TIME.search(text)
    elif to_come is None and time is not None and time.after_ns is not None and time.after_ns > question.now_ns:
        to_come = re.match(".*", time_text)
    text = forms.LEAD.sub("", text.lstrip(" ,"), count=1)
    relative = forms.RELATIVE.search(text)
    back = bool(forms.BACK.search(text)) and not forms.CLOCK_QUESTION.match(text)
    text = forms.RELATIVE.sub(" ", text)
    whole = " ".join(re.sub(r"[\u2018\u2019]", "'", question.text).lower().split())
    if time is None and not go and not forms.LOSS.search(whole):  # it may stand in another sentence
        time, time_text, _ = _take_time(whole, question.now_ns, zone)
    week = forms.WEEK.search(text) if time is None else None
    text = forms.THAT_TIME.sub(" ", forms.WEEK.sub(" ", text))
    asks_now = bool(forms.NOW.search(text))
    text = forms.SOMEBODY.sub("a person", forms.NOW.sub(" ", text))
    text = " ".join(text.split())
    form = _form(text)
    if form is Form.HOW_LONG_SINCE and time is not None and not re.match(r"since\b", time_text):
        form = Form.HOW_LONG
    if form in (Form.HOW_LONG, Form.HOW_LONG_SINCE) and time is not None and time.instants_ns:
        time = _around(time)
    pair_order = forms.FIRST_TO_LAST.search(text)
    order, text = _take_order(text, form)
    text = " ".join(text.split())
    if form is Form.WHAT:
        form = _form(text)
    if pair_order and form in (Form.HOW_LONG, Form.HOW_LONG_BETWEEN):
        said = (pair_order[part] for part in ("thing", "other", "before"))
        about = next((about for about in (_thing_of_pair(words, form) for words in said) if about), "")
        if about:
            orders = (Order.FIRST, Order.LAST)
            return Asked(
                Form.HOW_LONG_BETWEEN,
                about,
                about,
                orders[0],
                time=time,
                time_text=time_text,
                plain=True,
                until_order=orders[1],
                week=_week(week),
            )._with_sign()
    if form is Form.YES_NO and not english:  # "was ist hier passiert?" is no question for a yes
        form = Form.WHAT
    plain = not go and question.navigate is not Navigate.ALWAYS and (form is not Form.WHAT or _only_asks(question.text))
    if go or (question.navigate is Navigate.ALWAYS and form is Form.WHAT):
        form = Form.WHERE
        text = _place_of_request(text)
    written = forms.WRITTEN.match(text) if form is Form.WHAT else None
    if written:
        where = forms.WRITTEN_IN.search(written["rest"])
        if where or not _strip(re.sub(r"\b(?:say|read|on|sign|notice)\b", " ", written["rest"])):
            about = _strip(where["place"]) if where else ""
            return Asked(form, about, order=order, time=time, time_text=time_text, plain=plain, written=True)
    sign = forms.SIGN.search(whole) if form is Form.WHAT and not go and forms.ASKS.match(text) else None
    if sign and time is None and not forms.COLOUR.search(text):
        place = _strip(sign["place"] or "")
        topic = " ".join(word for word in words_of(_strip(text)) if word not in words_of(f"{sign[0]} {place}"))
        told = forms.SIGN_ABOUT.search(whole)
        if told:
            topic = _strip(re.sub(r"[,.?!;].*$", "", told["topic"]))
        return Asked(form, place, order=order, plain=plain, written=True, topic=topic, sign=bool(told))
    event = forms.BESIDE_EVENT.search(text) if form is Form.WHAT and relative is None else None
    if event and _strip(event["thing"]):
        return Asked(form, _strip(event["thing"]), order=order, now=asks_now, plain=plain, relative=event["side"])
    if form is Form.HOW_LONG_BETWEEN:
        pair = forms.BETWEEN.search(text)
        if pair:
            first = pair["first"] or pair["after"] or pair["one"]
            second = pair["second"] or pair["before"] or pair["two"]
            return Asked(
                form,
                _without_fillers(_strip(first), form),
                _same_thing(_without_fillers(_strip(second), form), _without_fillers(_strip(first), form)),
                order,
                time=time,
                time_text=time_text,
                now=asks_now,
                go=go,
                plain=plain,
            )
    if form is Form.WHERE and not go:
        text = forms.AND_WHERE.sub("", text)
    text = forms.HOW_OFTEN.sub(" ", text)
    if form in (Form.WHEN, Form.HOW_LONG, Form.HOW_LONG_SINCE) or (form is Form.WHERE and not go):
        text = _without(form, text)
    text = forms.ATTRIBUTE.sub("", text)
    before_landmark = text
    landmark, nearest, text = _take_landmark(text, form)
    if nearest and order is Order.RELEVANCE:
        order = Order.NEAREST
        if form is Form.WHAT and forms.NEAREST.search(before_landmark):
            form = Form.WHERE
            text = _without(form, text)
    if landmark == "" and order is not Order.NEAREST:
        text = forms.LOOSE_HERE.sub(" ", text)
    about = _without_fillers(_strip(forms.SHADE.sub("", text)), form)
    titled = forms.TITLED.search(question.text)
    if (
        titled
        and titled["name"].lower() not in words_of(about)
        and set(words_of(about)) - STOP_WORDS <= forms.OF_A_PERSON
    ):
        about = f"dr {titled['name'].lower()}" if titled[0].startswith("D") else titled["name"].lower()
        back = False
    if asks_now and about and form is Form.WHERE and order is Order.RELEVANCE:
        order = Order.LAST
    if to_come and about and all(word in words_of(about) for word in words_of(to_come[0])):
        about = _strip(about.replace(" ".join(words_of(to_come[0])), " "))
    return Asked(
        form,
        about,
        order=order,
        landmark=landmark,
        time=time,
        time_text=time_text,
        now=asks_now,
        go=go,
        plain=plain,
        back=back,
        relative=relative[1] if relative else "",
        continues=bool(continues and about) and form is Form.WHAT,
        no_time=to_come[0].strip() if to_come else "",
        week=_week(week),
    )._with_sign()


def _thing_of_pair(words: str, form: Form) -> str:
    words = re.sub(r"\b(?:it|them|him|her)\b", " ", _without(Form.HOW_LONG, words.strip(" ,")))
    about = _without_fillers(_strip(words), form)
    return about if content_words(about) else ""


def _week(found: re.Match[str] | None) -> int:
    return forms.WEEKS.index(found["nth"]) + 1 if found else 0


def _without(form: Form, text: str) -> str:
    """`text` without the words that give it its form."""
    pattern = next((p for known, p in forms.FORMS if known is form and p.search(text)), None)
    return text if pattern is None else pattern.sub(" ", text, count=1)


def in_english(text: str) -> bool:
    """Whether `text` has a word of the few that hardly any other language has."""
    return bool(forms.ENGLISH.search(text.lower().replace("\u2019", "'")))


def _only_asks(text: str) -> bool:
    """Words of which no reading asks the robot to go somewhere."""
    words = " ".join(text.lower().replace("\u2019", "'").split())
    words = forms.LEAD.sub("", words, count=1)
    if forms.ASKS.match(words):
        return True
    one_sentence = len([part for part in re.split(r"[.?!\u3002\uff1f]+", words) if part.strip()]) == 1
    if one_sentence and forms.ASKS_ELSEWHERE.search(words):
        return True
    return bool(forms.ENGLISH.search(words)) and not forms.GOING.search(words)


def _form(text: str) -> Form:
    return next((form for form, pattern in forms.FORMS if pattern.search(text)), Form.WHAT)


def _take_time(text: str, now_ns: int, zone: ZoneInfo) -> tuple[TimeExpression | None, str, str]:
    """(time, its words, the rest)."""
    apart = day_with_hours(text, to_local(now_ns, zone).date())
    if apart is not None:
        try:
            return parse_time(apart[0], now_ns, zone), apart[0], apart[1]
        except InvalidInput:
            pass
    for start, end in find_times(text):
        try:
            time = parse_time(text[start:end], now_ns, zone)
        except InvalidInput:
            continue
        return time, text[start:end], f"{text[:start]} {text[end:]}"
    return None, "", text


def _around(time: TimeExpression) -> TimeExpression:
    """A stay at a moment began some time before it and went on after it."""
    return TimeExpression(time.instants_ns[0] - STAY_NS, time.instants_ns[-1] + STAY_NS, note=time.note)


def _take_order(text: str, form: Form) -> tuple[Order, str]:
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


def _same_thing(second: str, first: str) -> str:
    """The second of two with the noun of the first: "the black cat" and "the white one" is a white cat."""
    noun = first.split()[-1] if first else ""
    return re.sub(r"\bones?$", noun, second) if noun else second


def _without_fillers(about: str, form: Form) -> str:
    """`about` without words that only say that something is somewhere; as it is, where nothing else is left."""
    bare = forms.PURPOSE.sub("", forms.PUT_BY.sub("", forms.YOU_SAW.sub(" ", about)))
    bare = forms.LOOSE_END.sub("", forms.FILLERS.sub(" ", bare))
    if form in (Form.HOW_LONG, Form.HOW_LONG_SINCE):
        bare = forms.STAYING.sub(" ", bare)
    bare = _strip(bare)
    return bare if content_words(bare) else about


def _take_landmark(text: str, form: Form) -> tuple[str, bool, str]:
    """(landmark, wants the nearest, the rest): "chair near the red door" gives ("red door", True, "chair")."""
    if re.search(r"\b(?:nearest|closest)\b", text):
        text = forms.TO_HERE.sub(" ", text)
    text = forms.FROM_HERE.sub(" ", text)
    if forms.NEAR_ME.search(text):
        return "me", True, forms.NEAREST.sub(" ", forms.NEAR_ME.sub(" ", text))
    if forms.NEAR_THAT.search(text):
        return "that", True, forms.NEAR_THAT.sub(" ", text)
    if form is not Form.WHERE and forms.HERE.search(text):
        return "me", True, forms.HERE.sub(" ", text)
    pair = forms.NEAREST_TO.search(text)
    if pair:
        return _strip(pair["thing"]), True, f"{text[: pair.start()]} {pair['what']}"
    nearest = forms.NEAREST.search(text)
    if nearest:
        text = forms.NEAREST.sub(" ", text)
    thing = forms.NEAR_THING.search(text)
    if thing and _strip(thing["thing"]) and (form in (Form.WHAT, Form.YES_NO) or _strip(text[: thing.start()])):
        return _strip(thing["thing"]), True, text[: thing.start()]
    return ("me", True, text) if nearest else ("", False, text)


def _place_of_request(text: str) -> str:
    match = forms.TAKE.search(text)
    if match is None:
        return text
    before, after = text[: match.start()], text[match.end() :]
    # "where is the lift, take me there": the place was named before the request.
    return after if _strip(after) else re.sub(r"^.*?\b(?:where|find)\b", "", before)


def _strip(text: str) -> str:
    """The phrase without the function words around it, punctuation gone: "did you see the red chair" -> "red chair"."""
    words, known = words_of(text), everyday()
    while words and (words[0] in forms.HEADS or words[0].endswith("n't")) and not known.is_term(words[:2]):
        words.pop(0)
    while words and words[-1] in forms.TAILS and not known.is_term(words[-2:]):  # a chain saw
        words.pop()
    return " ".join(words)
