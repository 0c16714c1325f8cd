"""Answers without a language model. In: a question; out: a typed Answer, from one or two searches and rules.

Honest by construction: what no caption affirms is "not found" (or "no"), and every answer cites what it rests on. One
`answer` call is blocking; times ns, places in the map frame [m].
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.answer import Composer, quote
from remembr_ros.recall.conversations import Turn
from remembr_ros.recall.follow_ups import follow_up
from remembr_ros.recall.matching import content_words, says_nothing, words_of
from remembr_ros.recall.other_words import OtherWords
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.rule_search import DEEP_POOL, NOTHING_SAID, POOL, RuleSearch
from remembr_ros.recall.same_words import SameWords
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.sightings import (
    SAME_OCCASION_GAP_S,
    SAME_STAY_GAP_S,
    Sighting,
    distinct,
    first_of_stay,
    joined,
    last_of_stay,
    sightings_of,
)
from remembr_ros.recall.similarity import MINILM, QueryEmbedder, Scale
from remembr_ros.recall.understand import in_english, understand
from remembr_ros.recall.when import TimeExpression, day_range, to_local
from remembr_ros.records import NANOSECONDS, Answer, AnswerKind, Hit, Question

SOURCE = "extractive"

STILL_THERE_S = 600.0
"""What was last seen longer ago does not last until now."""
AS_ALIKE = 0.05
"""Of stays that fit so nearly as well as the best, the longest is meant."""
ENGLISH_ONLY = "I could not find that in my memory; without a language model I understand English only."
_BEING_ON = frozenset(
    content_words("driving running moving working operating awake on up active patrolling exploring around")
)
"""What "how long have you been ..." asks about the robot itself: since its memory begins."""

_KINDS = {
    Form.WHERE: AnswerKind.POSITION,
    Form.WHEN: AnswerKind.TIME,
    Form.HOW_LONG: AnswerKind.DURATION,
    Form.HOW_LONG_SINCE: AnswerKind.DURATION,
    Form.HOW_LONG_BETWEEN: AnswerKind.DURATION,
    Form.HOW_MANY: AnswerKind.COUNT,
    Form.YES_NO: AnswerKind.BINARY,
    Form.WHAT: AnswerKind.TEXT,
}


class ExtractiveAnswerer:
    """Answers one question at a time from the memory alone. Thread-safe: nothing is kept between questions."""

    def __init__(
        self,
        memory: SearchableMemory,
        zone: ZoneInfo,
        scale: Scale = MINILM,
        embedder: QueryEmbedder | None = None,
        same_words: SameWords | None = None,
    ) -> None:
        """`embedder`: the memory's, which tells other words for a thing (other_words.py); `scale`: how it spreads
        (similarity.py); `same_words`: the groups of words to go by, None = those of the package."""
        self._memory = memory
        self._zone = zone
        self._scale = scale
        self._other_words = None if embedder is None else OtherWords(embedder, scale)
        self._same_words = same_words

    def answer(
        self,
        question: Question,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        earlier: Sequence[Turn] = (),
        source: str = SOURCE,
    ) -> Answer:
        """Blocking. Raises MemoryUnavailable. `earlier`: the conversation before the question. `source` marks who asked
        for it (a fallback says so)."""
        search = (self._scale, self._other_words, self._same_words)
        return _OneQuestion(self._memory, question, self._zone, source, on_progress, earlier, *search).answer()


class _OneQuestion:
    """Everything that belongs to one question and dies with it."""

    def __init__(
        self,
        memory: SearchableMemory,
        question: Question,
        zone: ZoneInfo,
        source: str,
        on_progress: Callable[[Progress], None] | None,
        earlier: Sequence[Turn],
        scale: Scale,
        other_words: OtherWords | None,
        same_words: SameWords | None,
    ) -> None:
        self._memory = memory
        self._question = question
        self._asked, self._that = follow_up(understand(question, zone), earlier, zone)
        if self._asked.week and self._asked.time is None:
            self._asked = dataclasses.replace(self._asked, time=_week(memory.bounds(), self._asked.week, zone))
        self._compose = Composer(question, zone, source)
        self._find = RuleSearch(memory, question, self._asked, self._that, on_progress, scale, other_words, same_words)

    def answer(self) -> Answer:
        asked = self._asked
        unanswerable = self._unanswerable()
        if unanswerable is not None:
            return unanswerable
        if asked.written:
            answer = self._compose.compose(AnswerKind.TEXT, distinct(self._find.written(asked.about, asked.topic))[:5])
        elif not asked.about and not asked.until_about:
            answer = self._about_that() if asked.back and asked.time is None else self._about_nothing_named()
        elif asked.form is Form.HOW_LONG_BETWEEN:
            answer = self._between_two()
        elif asked.form is Form.YES_NO and asked.until_about:
            answer = self._in_order()
        elif asked.relative and asked.form is Form.WHAT:
            answer = self._beside_event()
        elif asked.form in (Form.HOW_LONG, Form.HOW_LONG_SINCE, Form.HOW_MANY):
            answer = self._sightings()
        else:
            answer = self._best()
        note = asked.time.note if asked.time else ""
        return dataclasses.replace(answer, text=f"{answer.text} {note}") if note else answer

    def _unanswerable(self) -> Answer | None:
        """What no memory can answer, said so: a "no" or "never" would claim to know."""
        asked, kind = self._asked, _KINDS[self._asked.form]
        if asked.declined:
            return self._compose.compose(AnswerKind.TEXT, (), text="All right, I will not go there.")
        if not words_of(self._question.text):
            return self._compose.not_found(AnswerKind.TEXT, "I did not understand any word of that.")
        if asked.no_time:
            return self._compose.not_found(kind, f"I cannot remember {quote(asked.no_time)}: no such time has been.")
        if asked.landmark == "me" and self._question.pose is None and asked.order is Order.NEAREST:
            return self._compose.not_found(kind, "I do not know where I am now, so I cannot say what is near.")
        return None

    # -- questions about a thing

    def _best(self) -> Answer:
        asked, kind = self._asked, _KINDS[self._asked.form]
        matches = self._find.placed(self._find.matches(asked.about, DEEP_POOL if asked.form is Form.WHEN else POOL))
        if not matches:
            if kind is AnswerKind.BINARY:
                return self._never_seen()
            return self._compose.not_found(kind, "" if in_english(self._question.text) else ENGLISH_ONLY)
        if asked.form is Form.WHERE:
            matches = self._find.middle_first([hit for hit in matches if hit.memory.pose is not None] or matches)
        if asked.form is Form.WHEN:
            return self._when(matches)
        yes = True if kind is AnswerKind.BINARY else None
        text = f"Yes: {self._compose.describe(matches[0].memory)}." if yes else ""
        return self._compose.compose(kind, distinct(matches)[:5], text=text, yes_no=yes, wants_goal=asked.go)

    def _never_seen(self) -> Answer:
        return self._compose.compose(AnswerKind.BINARY, (), text="No, I have not seen that.", yes_no=False)

    def _when(self, matches: list[Hit]) -> Answer:
        """ "When did you first see it": the start of the first sighting; "last": the last window of the last one;
        neither: the start of the latest sighting."""
        sightings = sightings_of(matches, self._asked.about)
        chosen = sightings[0] if self._asked.order is Order.FIRST else sightings[-1]
        if self._asked.order is Order.LAST:
            last = self._last_window(chosen)
            return self._compose.compose(AnswerKind.TIME, [last, *chosen.hits[:-1]][:5])
        first = first_of_stay(self._memory, chosen)
        hits = [first, *(hit for hit in chosen.hits if hit.memory.id != first.memory.id)]
        return self._compose.compose(AnswerKind.TIME, hits[:5], start_ns=chosen.start_ns)

    def _sightings(self) -> Answer:
        asked, kind = self._asked, _KINDS[self._asked.form]
        matches = self._find.placed(self._find.matches(asked.about, DEEP_POOL))
        if not matches:
            if kind is AnswerKind.COUNT:
                return self._compose.compose(kind, (), count=0)
            if asked.form is Form.HOW_LONG_SINCE and set(content_words(asked.about)) <= _BEING_ON:
                return self._since_the_start()
            return self._compose.not_found(kind)
        gap_s = SAME_OCCASION_GAP_S if kind is AnswerKind.COUNT else SAME_STAY_GAP_S
        sightings = sightings_of(matches, self._asked.about, gap_s)
        if kind is AnswerKind.COUNT:
            return self._compose.compose(kind, [s.hits[0] for s in sightings][:20], count=len(sightings))
        if asked.form is Form.HOW_LONG_SINCE:
            latest = sightings[-1]
            if self._question.now_ns - latest.end_ns > STILL_THERE_S * NANOSECONDS:
                return self._compose.not_found(kind)  # that is over
            return self._compose.compose(kind, latest.hits[:5], start_ns=latest.start_ns, end_ns=self._question.now_ns)
        if asked.order is Order.FIRST:
            chosen = sightings[0]
        elif asked.order is Order.LAST:
            chosen = sightings[-1]
        else:
            sightings = joined(self._memory, sightings)
            best = max(sighting.score for sighting in sightings)
            alike = [sighting for sighting in sightings if sighting.score >= best - AS_ALIKE]
            chosen = max(alike, key=lambda sighting: sighting.end_ns - sighting.start_ns)
        last = self._last_window(chosen)
        ends = (chosen.hits[0], last) if last.memory.id != chosen.hits[0].memory.id else (last,)
        return self._compose.compose(
            kind, ends, start_ns=chosen.start_ns, end_ns=max(chosen.end_ns, last.memory.end_ns)
        )

    def _sightings_of(self, about: str) -> list[Sighting]:
        matches = self._find.checked(about, self._find.matches(about, DEEP_POOL), every=True)
        return sightings_of(matches, self._asked.about)

    def _last_window(self, sighting: Sighting) -> Hit:
        return last_of_stay(self._memory, sighting.hits[-1], self._question.now_ns)

    def _beside_event(self) -> Answer:
        sightings = self._sightings_of(self._asked.about)
        if not sightings:
            return self._compose.not_found(AnswerKind.TEXT)
        chosen = sightings[0] if self._asked.order is Order.FIRST else sightings[-1]
        return self._beside([chosen.hits[0], self._last_window(chosen)])

    def _between_two(self) -> Answer:
        asked, kind = self._asked, AnswerKind.DURATION
        first = self._sightings_of(asked.about)
        second = self._sightings_of(asked.until_about)
        if not first or not second:
            return self._compose.not_found(kind)
        if asked.until_order is Order.LAST:  # of one thing
            early, late = first[0], second[-1]
            return self._compose.compose(
                kind, (early.hits[0], late.hits[0]), start_ns=early.start_ns, end_ns=late.start_ns
            )
        # The two sightings that lie closest together, the latest such pair; in time order they are neighbours.
        ordered = sorted([(s, 0) for s in first] + [(s, 1) for s in second], key=lambda tagged: tagged[0].start_ns)
        pairs = [(a, b) for (a, which), (b, other) in pairwise(ordered) if which != other]
        if not pairs:
            return self._compose.not_found(kind)
        early, late = min(reversed(pairs), key=lambda pair: pair[1].start_ns - pair[0].end_ns)
        return self._compose.compose(kind, (early.hits[0], late.hits[0]), start_ns=early.start_ns, end_ns=late.start_ns)

    def _in_order(self) -> Answer:
        """ "Did you see the cat before the dog?": whether its first sighting was before that of the other; "after": its
        last one after the other's first (or its last, where that is said)."""
        asked, kind = self._asked, AnswerKind.BINARY
        one, other = self._sightings_of(asked.about), self._sightings_of(asked.until_about)
        if not one:
            return self._never_seen()
        if not other:
            return self._compose.not_found(kind, f"I cannot say, for I do not remember {quote(asked.until_about)}.")
        before = asked.relative == "before"
        seen, beside = one[0] if before else one[-1], other[-1] if asked.until_order is Order.LAST else other[0]
        yes = seen.start_ns < beside.start_ns if before else seen.start_ns > beside.start_ns
        hits = list({hit.memory.id: hit for hit in (seen.hits[0], beside.hits[0])}.values())
        told = "; ".join(self._compose.describe(hit.memory) for hit in hits)
        together = " at the same time," if seen.start_ns == beside.start_ns else ""
        return self._compose.compose(kind, hits, text=f"{'Yes' if yes else 'No'}:{together} {told}.", yes_no=yes)

    # -- questions that point back: at what the last answer rests on

    def _about_that(self) -> Answer:
        asked, kind, that = self._asked, _KINDS[self._asked.form], self._that
        if not that:
            if asked.go:
                return self._compose.not_found(AnswerKind.POSITION, "I do not know which place you mean.")
            if asked.form in (Form.WHERE, Form.WHEN) or asked.relative or asked.landmark == "that":
                return self._compose.not_found(kind, "I do not know what you mean.")
            return self._about_nothing_named()
        if asked.relative:
            return self._beside(that)
        if asked.landmark == "that":
            return self._about_nothing_named()
        if kind in (AnswerKind.POSITION, AnswerKind.TIME, AnswerKind.TEXT):
            return self._compose.compose(kind, that, wants_goal=asked.go)
        if kind is AnswerKind.DURATION:
            start, end = min(h.memory.start_ns for h in that), max(h.memory.end_ns for h in that)
            return self._compose.compose(kind, that, start_ns=start, end_ns=end)
        return self._compose.not_found(kind, "I do not know what you mean.")

    def _beside(self, event: Sequence[Hit]) -> Answer:
        """What was seen right before or after the windows of `event`."""
        ordered = sorted(event, key=lambda hit: hit.memory.start_ns)
        query = (
            Query(order=Order.LAST, limit=NOTHING_SAID, before_ns=ordered[0].memory.start_ns)
            if self._asked.relative == "before"
            else Query(order=Order.FIRST, limit=NOTHING_SAID, after_ns=ordered[-1].memory.end_ns)
        )
        hits = [hit for hit in self._find.search(query) if not says_nothing(hit.memory.caption)]
        return self._compose.compose(_KINDS[self._asked.form], hits[:3])

    # -- questions that name no thing: about a time, a place, or the robot itself

    def _about_nothing_named(self) -> Answer:
        asked, kind = self._asked, _KINDS[self._asked.form]
        if asked.go and not asked.landmark and asked.time is None:
            return self._compose.not_found(kind, "I do not know which place you mean.")
        if asked.form is Form.WHERE and asked.time is None and asked.order is Order.RELEVANCE:
            if self._question.pose is None:
                return self._compose.not_found(kind, "I do not know where I am.")
            return self._compose.compose(kind, (), pose=self._question.pose)
        if asked.form is Form.HOW_LONG_SINCE or (asked.form is Form.HOW_LONG and asked.time is None):
            return self._since_the_start()
        if kind is AnswerKind.COUNT:
            return self._compose.not_found(kind, "I can count the sightings of something that you name.")
        hits = self._find.at_time_or_place()
        if asked.now and asked.time is None and not asked.landmark:  # what was seen longer ago is not seen now
            hits = [hit for hit in hits if self._question.now_ns - hit.memory.end_ns <= STILL_THERE_S * NANOSECONDS]
        if not hits:
            if kind is AnswerKind.BINARY:
                return self._compose.compose(kind, (), text="No, I have seen nothing there.", yes_no=False)
            return self._compose.not_found(kind)
        if kind is AnswerKind.BINARY:
            text = f"Yes: {self._compose.describe(hits[0].memory)}."
            return self._compose.compose(kind, hits, text=text, yes_no=True)
        if kind is AnswerKind.DURATION:
            start, end = min(h.memory.start_ns for h in hits), max(h.memory.end_ns for h in hits)
            return self._compose.compose(kind, hits, start_ns=start, end_ns=end)
        return self._compose.compose(kind, distinct(hits), wants_goal=asked.go)

    def _since_the_start(self) -> Answer:
        bounds = self._memory.bounds()
        if bounds is None or bounds[0] >= self._question.now_ns:
            return self._compose.not_found(AnswerKind.DURATION)
        end = min(bounds[1], self._question.now_ns) if self._asked.form is Form.HOW_LONG else self._question.now_ns
        return self._compose.compose(AnswerKind.DURATION, (), start_ns=bounds[0], end_ns=end)


def _week(bounds: tuple[int, int] | None, number: int, zone: ZoneInfo) -> TimeExpression | None:
    """The calendar week of that number, from the one in which the memory begins."""
    if bounds is None:
        return None
    first = to_local(bounds[0], zone).date()
    monday = first + timedelta(days=7 * (number - 1) - first.weekday())
    return TimeExpression(day_range(monday, zone)[0], day_range(monday + timedelta(days=6), zone)[1])
