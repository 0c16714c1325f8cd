"""Answers without a language model. In: a question; out: a typed Answer, from one or two searches and rules.

Honest by construction: what no caption affirms is "not found" (or "no"), and every answer cites what it rests on. One
`answer` call is blocking; times ns, places in the map frame [m].
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from zoneinfo import ZoneInfo

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.answer import Composer
from remembr_ros.recall.conversations import Turn
from remembr_ros.recall.follow_ups import follow_up
from remembr_ros.recall.matching import content_words, match, overlap, says_nothing
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.understand import understand
from remembr_ros.recall.when import TimeExpression
from remembr_ros.records import NANOSECONDS, Answer, AnswerKind, Hit, Pose, Question

SOURCE = "extractive"
POOL = 200
"""Stays looked at by words: enough for the places of one thing, small enough for milliseconds."""
DEEP_POOL = 1000
"""For sightings that must be complete: how long, how many, first and last."""
SAME_SIGHTING_GAP_S = 10.0
"""Two windows farther apart in time than this are two sightings: about three windows in which a caption may miss it."""
MAX_STEPS = 200
"""Steps of at most half an hour in which the end of a stay is looked for."""
NEAR_M = 8.0
"""What "near" means where a question filters by it: a large room."""
BEST_MARGIN = 0.12
"""Scores this close to the best count as the same certainty."""

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


@dataclass(frozen=True, slots=True)
class Sighting:
    """Windows without a gap in which the thing was seen, in time order; `score` of the best of them. Of a stay that
    shares an episode only the best window is here: the sighting begins when its first episode does."""

    hits: tuple[Hit, ...]
    score: float

    @property
    def start_ns(self) -> int:
        return min(hit.memory.episode_start_ns for hit in self.hits)

    @property
    def end_ns(self) -> int:
        return max(hit.memory.end_ns for hit in self.hits)


class ExtractiveAnswerer:
    """Answers one question at a time from the memory alone. Thread-safe: nothing is kept between questions."""

    def __init__(self, memory: SearchableMemory, zone: ZoneInfo) -> None:
        self._memory = memory
        self._zone = zone

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
        return _OneQuestion(self._memory, question, self._zone, source, on_progress, earlier).answer()


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
    ) -> None:
        self._memory = memory
        self._question = question
        self._asked, self._that = follow_up(understand(question, zone), earlier, zone)
        self._compose = Composer(question, zone, source)
        self._on_progress = on_progress

    def answer(self) -> Answer:
        asked = self._asked
        if not asked.about and not asked.until_about:
            answer = self._about_that() if asked.back and asked.time is None else self._about_nothing_named()
        elif asked.form is Form.HOW_LONG_BETWEEN:
            answer = self._between_two()
        elif asked.relative and asked.form is Form.WHAT:
            answer = self._beside_event()
        elif asked.form in (Form.HOW_LONG, Form.HOW_LONG_SINCE, Form.HOW_MANY):
            answer = self._sightings()
        else:
            answer = self._best()
        note = asked.time.note if asked.time else ""
        return dataclasses.replace(answer, text=f"{answer.text} {note}") if note else answer

    # -- questions about a thing

    def _best(self) -> Answer:
        asked, kind = self._asked, _KINDS[self._asked.form]
        matches = self._placed(self._matches(asked.about, DEEP_POOL if asked.form is Form.WHEN else POOL))
        if not matches:
            if kind is AnswerKind.BINARY:
                return self._compose.compose(kind, (), text="No, I have not seen that.", yes_no=False)
            return self._compose.not_found(kind)
        if asked.form is Form.WHERE:
            matches = self._middle_first([hit for hit in matches if hit.memory.pose is not None] or matches)
        if asked.form is Form.WHEN:
            return self._when(matches)
        yes = True if kind is AnswerKind.BINARY else None
        text = f"Yes: {self._compose.describe(matches[0].memory)}." if yes else ""
        return self._compose.compose(kind, _distinct(matches)[:5], text=text, yes_no=yes, wants_goal=asked.go)

    def _when(self, matches: list[Hit]) -> Answer:
        """ "When did you first see it": the start of the first sighting; "last": its last window of the last one;
        neither:
        the start of the latest sighting."""
        sightings = self._group(matches)
        chosen = sightings[0] if self._asked.order is Order.FIRST else sightings[-1]
        if self._asked.order is Order.LAST:
            last = self._last_of_stay(chosen.hits[-1])
            return self._compose.compose(AnswerKind.TIME, [last, *chosen.hits[:-1]][:5])
        return self._compose.compose(AnswerKind.TIME, chosen.hits[:5], start_ns=chosen.start_ns)

    def _sightings(self) -> Answer:
        asked, kind = self._asked, _KINDS[self._asked.form]
        matches = self._placed(self._matches(asked.about, DEEP_POOL))
        if not matches:
            if kind is AnswerKind.COUNT:
                return self._compose.compose(kind, (), count=0)
            if asked.form is Form.HOW_LONG_SINCE and set(content_words(asked.about)) <= _BEING_ON:
                return self._since_the_start()
            return self._compose.not_found(kind)
        sightings = self._group(matches)
        if kind is AnswerKind.COUNT:
            return self._compose.compose(kind, [s.hits[0] for s in sightings][:20], count=len(sightings))
        if asked.form is Form.HOW_LONG_SINCE:
            latest = sightings[-1]
            return self._compose.compose(kind, latest.hits[:5], start_ns=latest.start_ns, end_ns=self._question.now_ns)
        if asked.order is Order.FIRST:
            chosen = sightings[0]
        elif asked.order is Order.LAST:
            chosen = sightings[-1]
        else:
            chosen = max(sightings, key=lambda s: (round(s.score, 2), s.end_ns - s.start_ns))
        last = self._last_of_stay(chosen.hits[-1])
        ends = (chosen.hits[0], last) if last.memory.id != chosen.hits[0].memory.id else (last,)
        return self._compose.compose(
            kind, ends, start_ns=chosen.start_ns, end_ns=max(chosen.end_ns, last.memory.end_ns)
        )

    def _beside_event(self) -> Answer:
        sightings = self._group(self._matches(self._asked.about, DEEP_POOL))
        if not sightings:
            return self._compose.not_found(AnswerKind.TEXT)
        chosen = sightings[0] if self._asked.order is Order.FIRST else sightings[-1]
        return self._beside([chosen.hits[0], self._last_of_stay(chosen.hits[-1])])

    def _between_two(self) -> Answer:
        kind = AnswerKind.DURATION
        first = self._group(self._matches(self._asked.about, DEEP_POOL))
        second = self._group(self._matches(self._asked.until_about, DEEP_POOL))
        if not first or not second:
            return self._compose.not_found(kind)
        # The two sightings that lie closest together, the latest such pair; in time order they are neighbours.
        ordered = sorted([(s, 0) for s in first] + [(s, 1) for s in second], key=lambda tagged: tagged[0].start_ns)
        pairs = [(a, b) for (a, which), (b, other) in pairwise(ordered) if which != other]
        if not pairs:
            return self._compose.not_found(kind)
        early, late = min(reversed(pairs), key=lambda pair: pair[1].start_ns - pair[0].end_ns)
        return self._compose.compose(kind, (early.hits[0], late.hits[0]), start_ns=early.start_ns, end_ns=late.start_ns)

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
            Query(order=Order.LAST, limit=3, before_ns=ordered[0].memory.start_ns)
            if self._asked.relative == "before"
            else Query(order=Order.FIRST, limit=3, after_ns=ordered[-1].memory.end_ns)
        )
        hits = [hit for hit in self._search(query) if not says_nothing(hit.memory.caption)]
        return self._compose.compose(_KINDS[self._asked.form], hits)

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
        hits = self._at_time_or_place()
        if asked.form is not Form.WHERE:
            hits = [hit for hit in hits if not says_nothing(hit.memory.caption)]
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
        return self._compose.compose(kind, _distinct(hits), wants_goal=asked.go)

    def _at_time_or_place(self) -> list[Hit]:
        asked = self._asked
        if asked.time is not None and asked.time.instants_ns:
            return self._around(asked.time)
        if asked.landmark:
            place = self._landmark_pose()
            if place is None:
                return []
            order = asked.order if asked.order in (Order.FIRST, Order.LAST) else Order.NEAREST
            return self._search(
                self._query(order=order, limit=5, near=(place[0].x, place[0].y), within_m=NEAR_M, map_id=place[1])
            )
        order = Order.FIRST if asked.order is Order.FIRST or asked.time is not None else Order.LAST
        return self._search(self._query(order=order, limit=5 if asked.time is not None else 1))

    def _around(self, time: TimeExpression) -> list[Hit]:
        """The memories nearest to the moment asked about, for each of its instants, within the slack of its wording."""
        assert time.after_ns is not None
        found: dict[str, Hit] = {}
        slack = max(time.instants_ns[0] - time.after_ns, 5 * NANOSECONDS)
        for instant in time.instants_ns:
            near = Query(
                after_ns=instant - slack, before_ns=instant + slack, at_ns=instant, order=Order.NEAREST, limit=3
            )
            found.update({hit.memory.id: hit for hit in self._search(near)})
        return list(found.values())

    def _since_the_start(self) -> Answer:
        bounds = self._memory.bounds()
        if bounds is None or bounds[0] >= self._question.now_ns:
            return self._compose.not_found(AnswerKind.DURATION)
        end = min(bounds[1], self._question.now_ns) if self._asked.form is Form.HOW_LONG else self._question.now_ns
        return self._compose.compose(AnswerKind.DURATION, (), start_ns=bounds[0], end_ns=end)

    # -- searching

    def _matches(self, about: str, pool: int) -> list[Hit]:
        """Windows that are about `about`, in the order the question asks for, best first where it asks for none."""
        asked = self._asked
        hits = self._search(self._query(text=about, limit=pool))
        if asked.landmark and asked.landmark not in ("me", "that"):
            # A caption may say both ("a chair next to a window"): then it knows better than the distance does.
            both = [h for h in hits if overlap(f"{about} {asked.landmark}", h.memory.caption) == 1.0]
            if both:
                hits = both
        # A place or a time is shown with its caption, so a good guess may be given; a yes, a count or a length is not.
        must_be_sure = asked.form not in (Form.WHERE, Form.WHEN, Form.WHAT)
        scored = [(match(about, hit.memory.caption, hit.score), hit) for hit in hits]
        best = max((fit.score for fit, _ in scored), default=0.0)
        kept = [
            (fit.score, hit)
            for fit, hit in scored
            if fit.score > 0.0 and fit.score >= best - BEST_MARGIN and (fit.sure or not must_be_sure)
        ]
        kept.sort(key=lambda pair: (-round(pair[0], 2), -pair[1].memory.start_ns))
        matches = [hit for _, hit in kept]
        if asked.order in (Order.FIRST, Order.LAST):
            matches.sort(key=lambda hit: hit.memory.start_ns, reverse=asked.order is Order.LAST)
        return matches

    def _placed(self, matches: list[Hit]) -> list[Hit]:
        """Sorted by distance where the question asks for the nearest, filtered where it asks whether one is near."""
        asked = self._asked
        if not matches or not asked.landmark:
            return matches
        both = [h for h in matches if overlap(f"{asked.about} {asked.landmark}", h.memory.caption) == 1.0]
        if both and content_words(asked.landmark):
            return both
        place = self._landmark_pose()
        if place is None:
            return [] if asked.form is not Form.WHERE else matches
        pose, map_id = place

        def distance(hit: Hit) -> float:
            memory = hit.memory
            if memory.pose is None or memory.map_id != map_id:
                return math.inf
            return memory.pose.distance_to(pose.x, pose.y)

        if asked.form in (Form.WHERE, Form.WHAT) and asked.order is Order.NEAREST:
            return sorted(matches, key=lambda hit: round(distance(hit), 1))
        return [hit for hit in matches if distance(hit) <= NEAR_M]

    def _middle_first(self, matches: list[Hit]) -> list[Hit]:
        """The middle window of the sighting that the best match belongs to goes first: a robot that drives by begins
        and
        ends a sighting at the edge of its view."""
        if self._asked.order is Order.NEAREST:
            return matches
        best = next(s for s in self._group(matches) if matches[0] in s.hits)
        middle = best.hits[(len(best.hits) - 1) // 2]
        return [middle, *(hit for hit in matches if hit is not middle)]

    def _landmark_pose(self) -> tuple[Pose, str] | None:
        asked = self._asked
        if asked.landmark == "me":
            return (self._question.pose, self._question.map_id) if self._question.pose else None
        if asked.landmark == "that":
            pointed = next((hit.memory for hit in self._that if hit.memory.pose is not None), None)
            return (pointed.pose, pointed.map_id) if pointed is not None and pointed.pose is not None else None
        hits = self._search(Query(text=asked.landmark, limit=20))
        scored = [(match(asked.landmark, h.memory.caption, h.score).score, h.memory) for h in hits]
        placed = [(score, memory) for score, memory in scored if score > 0.0 and memory.pose is not None]
        if not placed:
            return None
        memory = max(placed, key=lambda pair: (round(pair[0], 2), pair[1].start_ns))[1]
        assert memory.pose is not None
        return memory.pose, memory.map_id

    def _query(
        self,
        *,
        text: str = "",
        order: Order = Order.RELEVANCE,
        limit: int,
        near: tuple[float, float] | None = None,
        within_m: float | None = None,
        map_id: str = "",
    ) -> Query:
        time = self._asked.time
        after, before = (time.after_ns, time.before_ns) if time is not None else (None, None)
        return Query(
            text=text,
            near=near,
            within_m=within_m,
            after_ns=after,
            before_ns=before,
            map_id=map_id,
            order=order,
            limit=limit,
        )

    def _search(self, query: Query) -> list[Hit]:
        hits = self._memory.search(query, visible_before_ns=self._question.now_ns)
        if self._on_progress is not None:
            detail = query.text or (
                f"near ({query.near[0]:.1f}, {query.near[1]:.1f})" if query.near else query.order.value
            )
            self._on_progress(Progress("searching", 1, "search", detail, len(hits)))
        return hits

    def _last_of_stay(self, hit: Hit) -> Hit:
        """The last window of the stay that `hit` belongs to: rows of one episode follow each other in time."""
        memory, span_ns = hit.memory, 60 * NANOSECONDS
        for _ in range(MAX_STEPS):
            end = min(memory.start_ns + span_ns, self._question.now_ns)
            rows = self._memory.between(memory.start_ns + 1, end, DEEP_POOL) if end > memory.start_ns + 1 else []
            same = [
                row
                for row in rows
                if row.episode_start_ns == memory.episode_start_ns
                and (row.robot_id, row.camera) == (memory.robot_id, memory.camera)
                and row.start_ns < self._question.now_ns
            ]
            if not same or same[-1].id == memory.id:
                break
            memory, span_ns = same[-1], min(4 * span_ns, 1800 * NANOSECONDS)
        return hit if memory.id == hit.memory.id else Hit(memory, hit.score)

    def _group(self, hits: Sequence[Hit]) -> list[Sighting]:
        """Windows put together into sightings, in time order. A parked robot's shared episode is one sighting."""
        groups: list[list[Hit]] = []
        end_ns = 0
        for hit in sorted(hits, key=lambda hit: hit.memory.start_ns):
            memory = hit.memory
            if groups and memory.episode_start_ns - end_ns <= SAME_SIGHTING_GAP_S * NANOSECONDS:
                groups[-1].append(hit)
                end_ns = max(end_ns, memory.end_ns)
            else:
                groups.append([hit])
                end_ns = memory.end_ns
        about = self._asked.about
        return [
            Sighting(tuple(group), max(match(about, h.memory.caption, h.score).score for h in group))
            for group in groups
        ]


def _distinct(hits: Sequence[Hit]) -> list[Hit]:
    """One hit for each thing said about each stay, in order: the windows of one stay often say the same."""
    kept: list[Hit] = []
    for hit in hits:
        memory = hit.memory
        if not any(
            memory.caption == k.memory.caption
            and abs(memory.start_ns - k.memory.start_ns) <= 12 * SAME_SIGHTING_GAP_S * NANOSECONDS
            for k in kept
        ):
            kept.append(hit)
    return kept
