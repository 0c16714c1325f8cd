"""The searches that the rules make for one question. In: a question understood; out: memories that fit it.

Times ns since the epoch, places in the map frame [m].
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.matching import Match, content_words, match, overlap, stem, words_of
from remembr_ros.recall.other_words import MOST, OtherWords, colours_of, says
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.sightings import sightings_of
from remembr_ros.recall.similarity import MINILM, Scale
from remembr_ros.recall.understand import Asked
from remembr_ros.recall.when import TimeExpression
from remembr_ros.records import NANOSECONDS, Hit, Pose, Question

POOL = 200
"""Stays looked at by words: enough for the places of one thing, small enough for milliseconds."""
DEEP_POOL = 1000
"""For sightings that must be complete: how long, how many, first and last."""
NEAR_M = 8.0
"""What "near" means where a question filters by it: a large room."""
BEST_MARGIN = 0.12
"""Scores this close to the best count as the same certainty."""
ALL_WORDS = 0.9
"""The least score of a caption that has all the words (matching.py)."""
CAPTIONS = 200
"""Different captions in which other words for a thing are looked for."""
MAX_DEEPER = 6
"""Searches for a first or last sighting that more hits than one search gives may hide."""
_IN = re.compile(r" (?:in|inside|at|within) (?:the |a |an )?")
_QUOTED = re.compile(r"[\"\u201c].+?[\"\u201d]|\b(?:reads|reading|saying)\b")
_NAME = re.compile(r"(?<=[\w,;:\"'.] )(?!I\b)[A-Z][\w-]+")
"""A capital in the middle of a sentence."""


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
    ) -> None:
        self._memory = memory
        self._question = question
        self._asked = asked
        self._that = that
        self._on_progress = on_progress
        self._scale = scale
        self._other_words = other_words

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

    def _scored(self, about: str, pool: int) -> list[tuple[Match, Hit]]:
        """Hits with how well they fit; by other words for it where no caption has its own."""
        asked = self._asked
        names = self._names(about)
        hits = self._found(about, pool, names)
        if asked.landmark and asked.landmark not in ("me", "that"):
            # A caption may say both ("a chair next to a window"): then it knows better than the distance does.
            both = [h for h in hits if overlap(f"{about} {asked.landmark}", h.memory.caption) == 1.0]
            if both:
                hits = both
        scored = [(self._fit(about, names, hit), hit) for hit in hits]
        if names or self._other_words is None or any(fit.score >= ALL_WORDS for fit, _ in scored):
            return scored
        parts = [part for part in _IN.split(about, maxsplit=1) if content_words(part)]
        found: dict[str, tuple[Match, Hit]] = {}
        for ways in itertools.product(*(self._wordings(part) for part in parts)):
            words, likeness = [way for way, _ in ways], min((likeness for _, likeness in ways), default=0.0)
            for hit in self._found(" ".join(words), pool, names):
                if all(says(way, hit.memory.caption) for way in words):
                    fit = Match(0.4 + 0.5 * likeness, True)
                    if hit.memory.id not in found or found[hit.memory.id][0].score < fit.score:
                        found[hit.memory.id] = fit, hit
        return list(found.values())

    def written(self, place: str) -> list[Hit]:
        """Windows whose captions quote something that is written in `place` (empty: anywhere), best first."""
        wordings = [words for words, _ in self._wordings(place)] if place and self._other_words else [place]
        hits = [
            hit
            for words in wordings
            for hit in self.search(
                self._query(text=f"{words}, a sign with words on it", limit=2 * CAPTIONS, each_caption_once=True)
            )
            if _QUOTED.search(hit.memory.caption) and (not words or says(words, hit.memory.caption))
        ]
        return sorted(hits, key=lambda hit: -hit.score)

    def _wordings(self, about: str) -> list[tuple[str, float]]:
        """(words, likeness): what captions call `about`; itself, where they use its own words."""
        near = self.search(Query(text=about, limit=CAPTIONS, each_caption_once=True))
        if any(overlap(about, hit.memory.caption) == 1.0 for hit in near):
            return [(about, 1.0)]
        assert self._other_words is not None
        colours = colours_of(about)
        found = self._other_words.of(about, [(hit.memory.caption, hit.score) for hit in near])
        return [(f"{colours} {phrase}".strip(), likeness) for phrase, likeness in found]

    def _found(self, about: str, pool: int, names: frozenset[str]) -> list[Hit]:
        """The hits for these words, and before (after) the first (last) that fits all of those there are."""
        asked = self._asked
        query = self._query(text=self._as_asked(about), limit=pool, map_id=self._own_map())
        hits = self.search(query)
        if asked.form in (Form.HOW_LONG, Form.HOW_LONG_SINCE):  # the end of a stay is wanted as well
            every = self.search(dataclasses.replace(query, collapse=False))
            hits = list({hit.memory.id: hit for hit in (*hits, *every)}.values())
        if names and not any(self._fit(about, names, hit).sure for hit in hits):
            hits = self._by_caption(query, about, names)
        if asked.order not in (Order.FIRST, Order.LAST):
            return hits
        for _ in range(MAX_DEEPER):
            fitting = [hit.memory for hit in hits if self._fit(about, names, hit).score >= ALL_WORDS]
            if len(hits) < pool or not fitting:
                break
            if asked.order is Order.FIRST:
                edge = min(memory.start_ns for memory in fitting)
                deeper = dataclasses.replace(query, before_ns=edge)
                if query.after_ns is not None and edge <= query.after_ns:
                    break
            else:
                edge = max(memory.end_ns for memory in fitting)
                deeper = dataclasses.replace(query, after_ns=edge)
                if edge >= min(self._question.now_ns, query.before_ns or self._question.now_ns):
                    break
            more = [hit for hit in self.search(deeper) if self._fit(about, names, hit).score >= ALL_WORDS]
            if not more:
                break
            hits, query = [*more, *hits], deeper
        return hits

    def _by_caption(self, query: Query, about: str, names: frozenset[str]) -> list[Hit]:
        """The windows of captions that have the names: a search for a caption finds all windows that say it."""
        near = self.search(dataclasses.replace(query, limit=2 * CAPTIONS, each_caption_once=True))
        captions = [hit.memory.caption for hit in near if self._fit(about, names, hit).sure]
        found = [self.search(dataclasses.replace(query, text=caption)) for caption in captions[:MOST]]
        return list({hit.memory.id: hit for hits in found for hit in hits}.values())

    def _fit(self, about: str, names: frozenset[str], hit: Hit) -> Match:
        if names:
            said = set(content_words(hit.memory.caption))
            return Match(ALL_WORDS, True) if names <= said else Match(0.0, False)
        return match(about, hit.memory.caption, hit.score)

    def _names(self, about: str) -> frozenset[str]:
        """Stems of the words of `about` that the asker wrote as names or numbers: a caption has them or is about
        something else."""
        written = {word.lower() for word in _NAME.findall(self._question.text)}
        words = words_of(about)
        return frozenset(
            stem(word)
            for word in words
            if (word in written and len(word) > 2) or (any(c.isdigit() for c in word) and len(words) > 1)
        )

    def _as_asked(self, about: str) -> str:
        """`about` with the capitals of the question: names are searched for by word as well."""
        written = {word.lower(): word for word in _NAME.findall(self._question.text)}
        return " ".join(written.get(word, word) for word in about.split())

    def _own_map(self) -> str:
        """The nearest one is one on this map."""
        nearest = self._asked.order is Order.NEAREST and self._asked.landmark == "me"
        return self._question.map_id if nearest else ""

    def placed(self, matches: list[Hit]) -> list[Hit]:
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

    def middle_first(self, matches: list[Hit]) -> list[Hit]:
        """The middle window of the sighting that the best match belongs to goes first: a robot that drives by begins
        and
        ends a sighting at the edge of its view."""
        if self._asked.order is Order.NEAREST:
            return matches
        best = next(s for s in sightings_of(matches, self._asked.about) if matches[0] in s.hits)
        middle = best.hits[(len(best.hits) - 1) // 2]
        return [middle, *(hit for hit in matches if hit is not middle)]

    def _landmark_pose(self) -> tuple[Pose, str] | None:
        asked = self._asked
        if asked.landmark == "me":
            return (self._question.pose, self._question.map_id) if self._question.pose else None
        if asked.landmark == "that":
            pointed = next((hit.memory for hit in self._that if hit.memory.pose is not None), None)
            return (pointed.pose, pointed.map_id) if pointed is not None and pointed.pose is not None else None
        hits = self.search(Query(text=asked.landmark, limit=20))
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
        each_caption_once: bool = False,
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
            each_caption_once=each_caption_once,
        )

    def search(self, query: Query) -> list[Hit]:
        hits = self._memory.search(query, visible_before_ns=self._question.now_ns)
        if query.text:
            hits = [Hit(hit.memory, self._scale.to_minilm(hit.score)) for hit in hits]
        if self._on_progress is not None:
            detail = query.text or (
                f"near ({query.near[0]:.1f}, {query.near[1]:.1f})" if query.near else query.order.value
            )
            self._on_progress(Progress("searching", 1, "search", detail, len(hits)))
        return hits

    def at_time_or_place(self) -> list[Hit]:
        asked = self._asked
        if asked.time is not None and asked.time.instants_ns:
            return self._around(asked.time)
        if asked.landmark:
            place = self._landmark_pose()
            if place is None:
                return []
            order = asked.order if asked.order in (Order.FIRST, Order.LAST) else Order.NEAREST
            return self.search(
                self._query(order=order, limit=5, near=(place[0].x, place[0].y), within_m=NEAR_M, map_id=place[1])
            )
        order = Order.FIRST if asked.order is Order.FIRST or asked.time is not None else Order.LAST
        return self.search(self._query(order=order, limit=5 if asked.time is not None else 1))

    def _around(self, time: TimeExpression) -> list[Hit]:
        """The memories nearest to the moment asked about, for each of its instants, within the slack of its wording."""
        assert time.after_ns is not None
        found: dict[str, Hit] = {}
        slack = max(time.instants_ns[0] - time.after_ns, 5 * NANOSECONDS)
        for instant in time.instants_ns:
            near = Query(
                after_ns=instant - slack, before_ns=instant + slack, at_ns=instant, order=Order.NEAREST, limit=3
            )
            found.update({hit.memory.id: hit for hit in self.search(near)})
        return list(found.values())
