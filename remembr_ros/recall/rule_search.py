"""The searches that the rules make for one question. In: a question understood; out: memories that fit it.

Times ns since the epoch, places in the map frame [m]. What captions call a thing is told by wordings.py, signs by
signs.py, places by landmarks.py, and slips of the captioner by slips.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.landmarks import NEAR_M, is_near, near_landmark, place_of_landmark, say_both
from remembr_ros.recall.matching import Match, content_words, says_nothing
from remembr_ros.recall.other_words import OtherWords, says
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.same_words import SameWords, everyday
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.searches import Searches
from remembr_ros.recall.sightings import sightings_of
from remembr_ros.recall.signs import as_caption, quotes_about, written_in
from remembr_ros.recall.similarity import MINILM, Scale
from remembr_ros.recall.slips import without_slips
from remembr_ros.recall.understand import Asked
from remembr_ros.recall.when import TimeExpression
from remembr_ros.recall.word_search import ALL_WORDS, WordSearch
from remembr_ros.recall.wordings import Wording, Wordings
from remembr_ros.records import NANOSECONDS, Hit, Question

POOL = 200
"""Stays looked at by words: enough for the places of one thing, small enough for milliseconds."""
DEEP_POOL = 1000
"""For sightings that must be complete: how long, how many, first and last."""
NOTHING_SAID = 50
"""Stays among which some, of which the captioner recognised something, are looked for."""
BEST_MARGIN = 0.12
"""Scores this close to the best count as the same certainty."""


class RuleSearch:
    """Searches `memory` for what was `asked`. `that`: the memories that the question points back at. Every search
    blocks and raises MemoryUnavailable."""

    def __init__(
        self,
        memory: SearchableMemory,
        question: Question,
        asked: Asked,
        that: tuple[Hit, ...],
        on_progress: Callable[[Progress], None] | None,
        scale: Scale = MINILM,
        other_words: OtherWords | None = None,
        same_words: SameWords | None = None,
    ) -> None:
        self._question = question
        self._asked = asked
        self._that = that
        same_words = same_words or everyday()
        self._knows_others = other_words is not None
        self._searches = Searches(memory, question.now_ns, asked.time, on_progress, scale)
        self._wordings = Wordings(self._searches, same_words, other_words)
        self._words = WordSearch(self._searches, question, asked, same_words)
        self._ways: list[str] = []

    def search(self, query: Query) -> list[Hit]:
        return self._searches.hits(query)

    def matches(self, about: str, pool: int) -> list[Hit]:
        """Windows that are about `about`, in the order the question asks for, best first where it asks for none."""
        asked = self._asked
        scored = self._scored(about, pool)
        # A place or a time is shown with its caption, so a good guess may be given; a yes, a count or a length is not.
        must_be_sure = asked.form not in (Form.WHERE, Form.WHEN, Form.WHAT)
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

    def written(self, place: str, topic: str = "") -> list[Hit]:
        """Windows whose captions quote what is written in `place`, about `topic` first."""
        return written_in(self._searches, self._wordings, place, topic, on_topic=self._asked.sign)

    def checked(self, about: str, hits: list[Hit], *, every: bool = False) -> list[Hit]:
        """`hits`, which `matches` gave for `about`, without the slips of a captioner (slips.py)."""
        return without_slips(self._searches, about, self._ways, hits, every=every)

    def placed(self, matches: list[Hit]) -> list[Hit]:
        """Sorted by distance where the question asks for the nearest, filtered where it asks whether one is near."""
        asked = self._asked
        near = near_landmark(self._searches, self._question, asked, self._that, matches)
        return self.checked(asked.about, near, every=asked.form in (Form.HOW_MANY, Form.HOW_LONG))

    def middle_first(self, matches: list[Hit]) -> list[Hit]:
        """The middle window of the sighting that the best match belongs to goes first: a robot that drives by begins
        and ends a sighting at the edge of its view."""
        if self._asked.order is Order.NEAREST:
            return matches
        best = next(s for s in sightings_of(matches, self._asked.about) if matches[0] in s.hits)
        middle = best.hits[(len(best.hits) - 1) // 2]
        return [middle, *(hit for hit in matches if hit is not middle)]

    # -- hits with how well they fit

    def _scored(self, about: str, pool: int) -> list[tuple[Match, Hit]]:
        """By the words of `about`; by other words for it where no caption has its own."""
        asked = self._asked
        self._ways = []
        if asked.sign:
            return self._signs(about, pool)
        names = self._words.names(about)
        hits = self._words.hits(about, pool, names)
        if asked.landmark and asked.landmark not in ("me", "that"):
            hits = say_both(asked, about, hits) or hits
        scored = [(self._words.fit(about, names, hit), hit) for hit in hits]
        if names or any(fit.score >= ALL_WORDS for fit, _ in scored):
            return scored
        ways, places = self._wordings.of_both(about)
        if not ways and not self._knows_others:
            return scored
        self._ways = [way for way, _ in ways]
        return self._by_wordings(ways, places, pool)

    def _by_wordings(self, ways: Sequence[Wording], places: Sequence[Wording], pool: int) -> list[tuple[Match, Hit]]:
        """Windows that say one of the `ways`, in one of the `places`."""
        found: dict[str, tuple[Match, Hit]] = {}
        for (way, likeness), (place, also) in itertools.product(ways, places or [("", 1.0)]):
            fit = _as_alike(min(likeness, also))
            for hit in self._words.hits(f"{way} {place}".strip(), pool):
                if says(way, hit.memory.caption) and (not place or says(place, hit.memory.caption)):
                    known = found.get(hit.memory.id)
                    if known is None or known[0].score < fit.score:
                        found[hit.memory.id] = fit, hit
        return list(found.values()) or self._near_places(ways, places, pool)

    def _near_places(self, ways: Sequence[Wording], places: Sequence[Wording], pool: int) -> list[tuple[Match, Hit]]:
        """Windows that say the thing, near where other windows say the place: a caption need not name both."""
        spots = [
            hit.memory
            for place, _ in places
            for hit in self.search(Query(text=place, limit=POOL))
            if hit.memory.pose is not None and says(place, hit.memory.caption)
        ]
        if not spots:
            return []
        found = {
            hit.memory.id: (_as_alike(likeness), hit)
            for way, likeness in ways
            for hit in self._words.hits(way, pool)
            if says(way, hit.memory.caption) and is_near(hit.memory, spots)
        }
        return list(found.values())

    def _signs(self, topic: str, pool: int) -> list[tuple[Match, Hit]]:
        """Windows with a sign that says what is the nearest to `topic`."""
        found = {
            hit.memory.id: (Match(ALL_WORDS, True), hit)
            for quote in quotes_about(self._searches, topic)
            for hit in self._words.hits(as_caption(quote), pool)
            if quote in hit.memory.caption
        }
        return list(found.values())

    # -- where no thing is named

    def at_time_or_place(self) -> list[Hit]:
        """What was noted then or there; of a place that is told by a thing, what else."""
        asked = self._asked
        if asked.time is not None and asked.time.instants_ns:
            return self._around(asked.time)
        if asked.landmark:
            place = place_of_landmark(self._searches, self._question, asked, self._that)
            if place is None:
                return []
            order = self._order_or(Order.NEAREST)
            near = (place[0].x, place[0].y)
            hits = self.search(
                self._searches.query(order=order, limit=NOTHING_SAID, near=near, within_m=NEAR_M, map_id=place[1])
            )
            its = set(content_words(asked.landmark))
            others = [hit for hit in hits if not set(content_words(hit.memory.caption)) <= its]
            return self._telling(others, 5) or self._telling(hits, 5)
        order = self._order_or(Order.LAST if asked.time is None else Order.FIRST)
        hits = self.search(self._searches.query(order=order, limit=NOTHING_SAID))
        return self._telling(hits, 5 if asked.time is not None else 1)

    def _order_or(self, usual: Order) -> Order:
        """In time, where the question asks for the first or the last."""
        return self._asked.order if self._asked.order in (Order.FIRST, Order.LAST) else usual

    def _around(self, time: TimeExpression) -> list[Hit]:
        """The memories nearest to the moment asked about, for each of its instants, within the slack of its wording."""
        assert time.after_ns is not None
        found: dict[str, Hit] = {}
        slack = max(time.instants_ns[0] - time.after_ns, 5 * NANOSECONDS)
        for instant in time.instants_ns:
            near = Query(
                after_ns=instant - slack,
                before_ns=instant + slack,
                at_ns=instant,
                order=Order.NEAREST,
                limit=NOTHING_SAID,
            )
            found.update({hit.memory.id: hit for hit in self._telling(self.search(near), 3)})
        return list(found.values())

    def _telling(self, hits: Sequence[Hit], most: int) -> list[Hit]:
        """The first of them; where it is not asked where the robot was, those whose captions say something."""
        where = self._asked.form is Form.WHERE
        return [hit for hit in hits if where or not says_nothing(hit.memory.caption)][:most]


def _as_alike(likeness: float) -> Match:
    """How well windows fit that say another wording."""
    return Match(0.4 + 0.5 * likeness, True)
