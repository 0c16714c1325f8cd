"""What a question asks for, by rules. In: English words and the time they were said. Out: `Asked`, typed.

The rules know forms of questions, words for time and words for place. They know nothing about what a robot may
have seen: whatever is left of the question is what to look for.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from remembr_ros.intent import asks_not_to_go, asks_to_go
from remembr_ros.memory.query import Order
from remembr_ros.recall import question_forms as forms
from remembr_ros.recall import question_parts as parts
from remembr_ros.recall.matching import content_words, words_of
from remembr_ros.recall.plain_english import plainly
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.vocabulary import STOP_WORDS
from remembr_ros.recall.when import TimeExpression
from remembr_ros.recall.whole_terms import apart, terms_as_words
from remembr_ros.records import NANOSECONDS, Navigate, Question

STAY_NS = 3600 * NANOSECONDS
"""As far from a moment as a stay that is asked about by it may reach."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`about` is what to look for ("red chair"; empty = anything), `until_about` the second thing of a "between",
    and `until_order` which sighting of it: from first to last of one thing, both are the same.

    `order` FIRST or LAST when the question says which sighting, NEAREST when it asks for the closest place, else
    RELEVANCE. `landmark` is what the place should be near: empty = not asked, "me" = the robot, else words to look for.
    `now` is set for questions about this moment. `go` says that the user's own words ask the robot to go there,
    `plain` that they have the form of an English question which asks no such thing. `back`: the question says "it",
    "that" or "there"; `landmark` "that": near there; `relative`: "before" or "after" that. `continues`: it has only a
    thing, like "and the blue one?", and takes its form from the question before. `declined`: an order not to go there.
    `written`: asks what a sign says; `about` is then the room it is in (empty: any) and `topic` what the sign is about
    or what is asked about it. `sign`: a sign must say the topic of a `written` one, else `about` ("where is the note
    about the lost glove"). `week`: of the robot's time, from 1, where no other time was told.
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

    @property
    def names_nothing(self) -> bool:
        """Nothing to look for, no place and no time: only what was said before can tell what is meant."""
        return not self.about and self.landmark in ("", "me", "that") and self.time is None


def understand(question: Question, zone: ZoneInfo) -> Asked:
    """Parse one question. Always gives something: a bare phrase asks WHAT."""
    if asks_not_to_go(question.text) and question.navigate is not Navigate.ALWAYS:
        return Asked(Form.WHAT, "", plain=True, declined=True)
    return _Reading(question, zone).asked()


class _Reading:
    """One question while it is read: what its words tell goes into a field, what is left stays in `text`."""

    def __init__(self, question: Question, zone: ZoneInfo) -> None:
        self.question = question
        self.zone = zone
        self.until_order = Order.RELEVANCE
        self.go = asks_to_go(question.text)
        text = forms.TO_A_NAME.sub(r"\1the ", _plain_quotes(question.text)).lower()
        text = terms_as_words(forms.TITLE_DOT.sub(r"\1", " ".join(text.split())))
        self.whole = " ".join(text.split())  # with the sentences that do not ask
        text = text if self.go else plainly(text)
        text = " ".join(re.sub(r'["\u201c\u201d?!\uff1f]+', " ", text).split()).rstrip(" .")
        text = forms.NOT_THEN.sub("", text)
        continued = forms.CONTINUES.match(text)
        self.continues = continued is not None
        if continued:
            text = continued["thing"]
        self.english = in_english(question.text) or in_english(text)
        self.text = forms.TAG.sub("", text)
        self._read_time_and_back()
        self._read_form_and_order()

    def asked(self) -> Asked:
        # How long from first to last must be told before the request to go, the others after it: it asks WHERE.
        asked = self._first_to_last()
        if asked is None:
            self._settle_form()
            asked = self._written() or self._sign() or self._beside_event() or self._between() or self._thing()
        return dataclasses.replace(
            asked,
            about=apart(asked.about),
            until_about=apart(asked.until_about),
            landmark=apart(asked.landmark),
            topic=apart(asked.topic),
            time_text=apart(asked.time_text),
            no_time=apart(asked.no_time),
        )

    def _read_time_and_back(self) -> None:
        """The time asked about, told in this sentence or in another one; whether it is now; whether "that" is meant."""
        text, now_ns = self.text, self.question.now_ns
        to_come = forms.TO_COME.search(text)
        self.time, self.time_text, text = parts.take_time(text, now_ns, self.zone)
        if to_come is None and self.time is None:
            to_come = forms.NO_TIME.search(text)
        self.no_time = to_come[0] if to_come else ""
        if not to_come and self.time is not None and self._is_to_come(self.time, text):
            self.no_time = self.time_text
        text = forms.LEAD.sub("", text.lstrip(" ,"), count=1)
        relative = forms.RELATIVE.search(text)
        self.relative = relative[1] if relative else ""
        self.back = bool(forms.BACK.search(text)) and not forms.CLOCK_QUESTION.match(text)
        text = forms.RELATIVE.sub(" ", text)
        if self.time is None and not self.go and not forms.LOSS.search(self.whole):
            self.time, self.time_text, _ = parts.take_time(self.whole, now_ns, self.zone)
        week = forms.WEEK.search(text) if self.time is None else None
        self.week = forms.WEEKS.index(week["nth"]) + 1 if week else 0
        text = forms.THAT_TIME.sub(" ", forms.WEEK.sub(" ", text))
        self.now = bool(forms.NOW.search(text))
        self.text = " ".join(forms.SOMEBODY.sub("a person", forms.NOW.sub(" ", text)).split())

    def _is_to_come(self, time: TimeExpression, text: str) -> bool:
        """Whether it has not begun; of what will be, whether the latest such time has ended: the next one is meant."""
        now_ns = self.question.now_ns
        over = time.before_ns is not None and time.before_ns <= now_ns and forms.WILL.search(text)
        return bool(over) or (time.after_ns is not None and time.after_ns > now_ns)

    def _read_form_and_order(self) -> None:
        """The form, which sighting is meant, and the times around a moment where a length is asked for."""
        form = parts.form_of(self.text)
        if form is Form.HOW_LONG_SINCE and self.time is not None and not re.match(r"since\b", self.time_text):
            form = Form.HOW_LONG
        if form in (Form.HOW_LONG, Form.HOW_LONG_SINCE) and self.time is not None and self.time.instants_ns:
            self.time = _around(self.time)
        self.first_to_last = forms.FIRST_TO_LAST.search(self.text)
        self.order, text = parts.take_order(self.text, form)
        self.text = " ".join(text.split())
        self.form = parts.form_of(self.text) if form is Form.WHAT else form

    def _settle_form(self) -> None:
        """What is asked of a robot that may go there, and in other languages."""
        always = self.question.navigate is Navigate.ALWAYS
        if self.form is Form.YES_NO and not self.english:  # "was ist hier passiert?" is no question for a yes
            self.form = Form.WHAT
        asks = self.form is not Form.WHAT or _only_asks(self.question.text)
        self.plain = not self.go and not always and asks
        if self.go or (always and self.form is Form.WHAT):
            self.form = Form.WHERE
            self.text = parts.place_of_request(self.text)

    # -- kinds of questions; None: it is another kind

    def _first_to_last(self) -> Asked | None:
        """ "How long was it between the first and the last time you saw the cat?": two sightings of one thing."""
        found = self.first_to_last
        if not found or self.form not in (Form.HOW_LONG, Form.HOW_LONG_BETWEEN):
            return None
        said = (parts.thing_of_pair(found[part], self.form) for part in ("thing", "other", "before"))
        about = next((about for about in said if about), "")
        if not about:
            return None
        asked = Asked(
            Form.HOW_LONG_BETWEEN,
            about,
            about,
            Order.FIRST,
            time=self.time,
            time_text=self.time_text,
            plain=True,
            until_order=Order.LAST,
            week=self.week,
        )
        return _as_sign(asked)

    def _written(self) -> Asked | None:
        """ "What does the sign in the lobby say?": `about` is the room."""
        written = forms.WRITTEN.match(self.text) if self.form is Form.WHAT else None
        if not written:
            return None
        where = forms.WRITTEN_IN.search(written["rest"])
        if not where and parts.strip(re.sub(r"\b(?:say|read|on|sign|notice)\b", " ", written["rest"])):
            return None
        return Asked(
            self.form,
            parts.strip(where["place"]) if where else "",
            order=self.order,
            time=self.time,
            time_text=self.time_text,
            plain=self.plain,
            written=True,
        )

    def _sign(self) -> Asked | None:
        """ "Who gives the concert that the poster in the lobby announces?", "what is on the note about the glove?":
        `topic` is what is asked about it, or what the sign is about."""
        nearest = forms.NEAREST.search(self.text)  # which one, not what it says
        asks = self.form is Form.WHAT and not (self.go or self.time or nearest) and forms.ASKS.match(self.text)
        sign = forms.SIGN.search(self.whole) if asks and not forms.COLOUR.search(self.text) else None
        if not sign:
            return None
        place = parts.strip(sign["place"] or "")
        told = forms.SIGN_ABOUT.search(self.whole)
        if told:
            topic = parts.strip(forms.SIGN_LAST.sub("", re.sub(r"[,.?!;].*$", "", told["topic"])))
        else:
            others = words_of(f"{sign[0]} {place}")
            topic = " ".join(word for word in words_of(parts.strip(self.text)) if word not in others)
        return Asked(
            self.form, place, order=self.order, plain=self.plain, written=True, topic=topic, sign=told is not None
        )

    def _beside_event(self) -> Asked | None:
        """ "What did you see after you left the lift?" """
        event = forms.BESIDE_EVENT.search(self.text) if self.form is Form.WHAT and not self.relative else None
        about = parts.strip(event["thing"]) if event else ""
        if not event or not about:
            return None
        return Asked(self.form, about, order=self.order, now=self.now, plain=self.plain, relative=event["side"])

    def _between(self) -> Asked | None:
        """ "How long after the cat did you see the dog?": two things."""
        pair = forms.BETWEEN.search(self.text) if self.form is Form.HOW_LONG_BETWEEN else None
        if not pair:
            return None
        first, second = (
            parts.without_fillers(parts.strip(words), self.form)
            for words in (
                pair["first"] or pair["after"] or pair["one"],
                pair["second"] or pair["before"] or pair["two"],
            )
        )
        return Asked(
            self.form,
            first,
            parts.same_thing(second, first),
            self.order,
            time=self.time,
            time_text=self.time_text,
            now=self.now,
            go=self.go,
            plain=self.plain,
        )

    def _thing(self) -> Asked:
        """A thing, or none: what is left of the question when its form and its landmark are taken out."""
        text = self.text
        if self.form is Form.WHERE and not self.go:
            text = forms.AND_WHERE.sub("", text)
        text = forms.HOW_OFTEN.sub(" ", forms.IS_PRESENT.sub(r"\1", forms.DOES.sub(r"\1", text)))
        if self.form in (Form.WHEN, Form.HOW_LONG, Form.HOW_LONG_SINCE) or (self.form is Form.WHERE and not self.go):
            text = parts.without_form(self.form, text)
        text = forms.ATTRIBUTE.sub("", text)
        landmark, text = self._landmark(text)
        about = self._named(parts.without_fillers(parts.strip(forms.SHADE.sub("", text)), self.form))
        about, relative, other = self._in_order(about)
        if self.now and about and self.form is Form.WHERE and self.order is Order.RELEVANCE:
            self.order = Order.LAST
        asked = Asked(
            self.form,
            about,
            order=self.order,
            landmark=landmark,
            time=self.time,
            time_text=self.time_text,
            now=self.now,
            go=self.go,
            plain=self.plain,
            back=self.back,
            relative=relative,
            until_about=other,
            until_order=self.until_order,
            continues=self.continues and bool(about) and self.form is Form.WHAT,
            no_time=self.no_time.strip(),
            week=self.week,
        )
        return _as_sign(asked)

    def _in_order(self, about: str) -> tuple[str, str, str]:
        """(thing, "before" or "after", the other thing); there is no other where the order of two is not asked."""
        asks = self.form is Form.YES_NO and not self.relative and forms.SEEN.match(self.text)
        found = forms.IN_ORDER.match(about) if asks and not forms.SIGN.search(self.text) else None
        if not found or not content_words(found["one"]) or not content_words(found["other"]):
            return about, self.relative, ""
        if found["last"]:
            self.until_order = Order.LAST
        return found["one"], found["side"], found["other"]

    def _landmark(self, text: str) -> tuple[str, str]:
        """(landmark, the rest); "which chair is the nearest one" asks where it is."""
        landmark, nearest, rest = parts.take_landmark(text, self.form)
        if nearest and self.order is Order.RELEVANCE:
            self.order = Order.NEAREST
            if self.form is Form.WHAT and forms.NEAREST.search(forms.TO_HERE.sub(" ", text)):
                self.form = Form.WHERE
                rest = parts.without_form(self.form, rest)
        if landmark == "" and self.order is not Order.NEAREST:
            rest = forms.LOOSE_HERE.sub(" ", rest)
        return landmark, rest

    def _named(self, about: str) -> str:
        """`about`, or somebody named in another sentence ("I need Dr. Novak. Where is her office?"); without the words
        of a time that has not come."""
        titled = forms.TITLED.search(self.question.text)
        name = titled["name"].lower() if titled else ""
        words = set(words_of(about))
        if titled and name not in words and words - STOP_WORDS <= forms.OF_A_PERSON:
            about = f"dr {name}" if titled[0].startswith("D") else name
            self.back = False
        no_time = words_of(self.no_time)
        if no_time and about and all(word in words_of(about) for word in no_time):
            about = parts.strip(about.replace(" ".join(no_time), " "))
        return about


def _as_sign(asked: Asked) -> Asked:
    """ "note about the lost glove": something written, `about` what it says."""
    found = forms.SIGN_ABOUT.search(asked.about)
    topic = parts.strip(forms.SIGN_LAST.sub("", found["topic"])) if found else ""
    if not content_words(topic):
        return asked
    until = topic if asked.until_about == asked.about else asked.until_about
    order = Order.LAST if asked.form is Form.WHEN and asked.about.endswith((" last", " last up")) else asked.order
    return dataclasses.replace(asked, about=topic, until_about=until, sign=True, order=order)


def _plain_quotes(text: str) -> str:
    return re.sub(r"[\u2018\u2019]", "'", text)


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


def _around(time: TimeExpression) -> TimeExpression:
    """A stay at a moment began some time before it and went on after it; "five days ago" leaves more room by itself."""
    after, before = time.instants_ns[0] - STAY_NS, time.instants_ns[-1] + STAY_NS
    return TimeExpression(
        after if time.after_ns is None else min(after, time.after_ns),
        before if time.before_ns is None else max(before, time.before_ns),
        note=time.note,
    )
