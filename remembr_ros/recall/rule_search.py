"""The searches that the rules make for one question. In: a question understood; out: memories that fit it.

Times ns since the epoch, places in the map frame [m].
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.matching import Match, content_words, match, overlap, says_nothing, stem, words_of
from remembr_ros.recall.other_words import MOST, OtherWords, colours_of, groups_of, says, without_colours
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.same_words import SameWords, everyday
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.sightings import Sighting, sightings_of
from remembr_ros.recall.similarity import MINILM, Scale
from remembr_ros.recall.understand import Asked
from remembr_ros.recall.vocabulary import COLOURS
from remembr_ros.recall.when import TimeExpression
from remembr_ros.records import NANOSECONDS, Hit, Memory, Pose, Question

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
ALTERNATIVES = 8
"""Searches for other words for a thing; a kind of thing with more members is searched for by several at a time."""
ALIKE_THOUGH_KNOWN = 0.65
"""Least likeness of a phrase to a thing whose other words are known, and which captions do not say: a guard is no
"soldier" (0.56)."""
ALONE_S = 60.0
SAME_VIEW_M = 1.5
"""Windows so near in time and place show much the same."""
SAID_AGAIN, SAID_AT_ALL = 0.3, 0.12
"""Shares of them that say a thing which is really there, at least, as captioners leave things out, too: where a surer
sighting can be had, and where each counts."""
ENOUGH = 5
"""Windows of a view from which on their silence tells something."""
MOST_CHECKED = 40
"""Sightings that are compared with what was noted beside them; for a single answer, a quarter of them."""
MAX_DEEPER = 6
"""Searches for a first or last sighting that more hits than one search gives may hide."""
_SENTENCE = 4
"""Words from which on what is asked for is more than a compound noun."""
_IS = ("is", "are", "was", "were")
_POSSESSIVE = ("his", "her", "its", "their", "my", "your", "our")
_IN = re.compile(r" (?:in|inside|at|within) (?:the |a |an )?")
_QUOTED = re.compile(r"[\"\u201c].+?[\"\u201d]|\b(?:reads|reading|saying)\b")
_QUOTE = re.compile(r"[\"\u201c](.+?)[\"\u201d]")
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
        same_words: SameWords | None = None,
    ) -> None:
        self._memory = memory
        self._question = question
        self._asked = asked
        self._that = that
        self._on_progress = on_progress
        self._scale = scale
        self._other_words = other_words
        self._same_words = same_words or everyday()
        self._ways: list[str] = []

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
        if asked.sign:
            return self._signs(about, pool)
        names = self._names(about)
        hits = self._found(about, pool, names)
        if asked.landmark and asked.landmark not in ("me", "that"):
            # A caption may say both ("a chair next to a window"): then it knows better than the distance does.
            both = [h for h in hits if overlap(f"{about} {asked.landmark}", h.memory.caption) == 1.0]
            if both:
                hits = both
        scored = [(self._fit(about, names, hit), hit) for hit in hits]
        if names or any(fit.score >= ALL_WORDS for fit, _ in scored):
            return scored
        thing, _, place = about.partition(found[0]) if (found := _IN.search(about)) else (about, "", "")
        thing = " ".join(itertools.takewhile(lambda word: word not in _IS, thing.split())) or thing  # "tool was"
        if not content_words(thing) or not content_words(place):
            thing, place = about, ""
        elif place.split()[0] in _POSSESSIVE:  # "at his post"
            place = ""
        ways = self._wordings(thing)
        places = self._wordings(place) if place else []
        if place and not places:  # "man in army uniform" is one thing
            ways = self._wordings(about)
        elif not ways:
            ways = self._grounded(thing)
        self._ways = [way for way, _ in ways]
        if not ways and self._other_words is None:
            return scored
        found_by_id: dict[str, tuple[Match, Hit]] = {}
        for (way, likeness), (where, also) in itertools.product(ways, places or [("", 1.0)]):
            fit = Match(0.4 + 0.5 * min(likeness, also), True)
            for hit in self._found(f"{way} {where}".strip(), pool, names):
                if says(way, hit.memory.caption) and (not where or says(where, hit.memory.caption)):
                    known = found_by_id.get(hit.memory.id)
                    if known is None or known[0].score < fit.score:
                        found_by_id[hit.memory.id] = fit, hit
        if not found_by_id and places:
            found_by_id = self._in_place(ways, places, pool)
        return list(found_by_id.values())

    def _in_place(
        self, ways: Sequence[tuple[str, float]], places: Sequence[tuple[str, float]], pool: int
    ) -> dict[str, tuple[Match, Hit]]:
        """Windows that say the thing, near where other windows say the place: a caption need not name both."""
        spots = [
            hit.memory
            for where, _ in places
            for hit in self.search(Query(text=where, limit=POOL))
            if hit.memory.pose is not None and says(where, hit.memory.caption)
        ]
        return {
            hit.memory.id: (Match(0.4 + 0.5 * likeness, True), hit)
            for way, likeness in ways
            for hit in self._found(way, pool, frozenset())
            if says(way, hit.memory.caption) and _is_near(hit.memory, spots)
        }

    def _grounded(self, thing: str) -> list[tuple[str, float]]:
        """Wordings of the part of `thing` that is a thing: of "choir meets from time to time" the choir.

        The longest part that the words people share know, the first of several; with its colour.
        """
        words = words_of(thing)
        if len(words) < _SENTENCE:  # a coffee table is neither coffee nor any table
            return []
        for length in range(min(4, len(words) - 1), 0, -1):
            for start in range(len(words) - length + 1):
                part = words[start : start + length]
                if part[-1] in COLOURS or part == ["person"] or not self._same_words.has(part):
                    continue
                before = words[start - 1 : start] if start and words[start - 1] in COLOURS else []
                found = self._wordings(" ".join([*before, *part]))
                if found:
                    return found
        return []

    def written(self, place: str, topic: str = "") -> list[Hit]:
        """Windows whose captions quote something that is written in `place` (empty: anywhere), best first: about
        `topic` where there is one."""
        wordings = [words for words, _ in self._wordings(place)] if place else [place]
        hits = [
            hit
            for words in wordings
            for hit in self.search(
                self._query(text=f"{words}, a sign with words on it", limit=2 * CAPTIONS, each_caption_once=True)
            )
            if _QUOTED.search(hit.memory.caption) and (not words or says(words, hit.memory.caption))
        ]
        if self._asked.sign:  # it must be about that
            hits = [hit for hit in hits if overlap(topic, hit.memory.caption) >= 0.5]
        return sorted(hits, key=lambda hit: (-overlap(topic, hit.memory.caption), -hit.score))

    def checked(self, about: str, hits: list[Hit], *, every: bool = False) -> list[Hit]:
        """`hits` without the slips of a captioner, which takes one thing for another, or its colour, now and then: what
        other windows of the same view contradict, and what none of them says again where other sightings are surer.

        `every`: all sightings are looked at, for a count; else the first ones, until one is sure.
        """
        sightings = sightings_of(hits, about, ALONE_S)
        place = {hit.memory.id: number for number, hit in enumerate(hits)}
        sightings.sort(key=lambda sighting: min(place[hit.memory.id] for hit in sighting.hits))
        wrong: set[str] = set()
        alone: set[str] = set()
        sure = False
        for sighting in sightings[: MOST_CHECKED if every else MOST_CHECKED // 4]:
            ids = {hit.memory.id for hit in sighting.hits}
            same_view, says_so, others = self._said_beside(about, sighting)
            again = len(says_so) >= (SAID_AT_ALL if every else SAID_AGAIN) * same_view
            if others > len(says_so):
                wrong |= ids
            elif len(set(says_so)) == 1 and not again and same_view >= ENOUGH:
                alone |= ids
            elif len(says_so) != 1:
                sure = True
                if not every:
                    break
        dropped = wrong | alone if sure else wrong
        return [hit for hit in hits if hit.memory.id not in dropped]

    def _said_beside(self, about: str, sighting: Sighting) -> tuple[int, list[str], int]:
        """Of the windows of the same view: how many there are, the captions of those that say it, and how many say it
        in another colour. What fits by meaning alone has no captions: it cannot be looked for by its words."""
        span_ns, here = round(ALONE_S * NANOSECONDS), sighting.hits[0].memory
        until_ns = min(here.end_ns + span_ns, self._question.now_ns)
        rows = [
            row
            for row in self._memory.between(here.start_ns - span_ns, until_ns, POOL)
            if row.camera == here.camera and row.robot_id == here.robot_id and _is_same_view(row, here)
        ]
        words = [about, *self._ways]
        says_so = [row for row in rows if any(overlap(way, row.caption) == 1.0 for way in words)]
        bare = [without_colours(way) for way in words if without_colours(way) != way]
        others = [
            row
            for row in rows
            if row not in says_so and any(_in_other_colour(way, row.caption) for way in bare if content_words(way))
        ]
        return len(rows), [row.caption for row in says_so], len(others)

    def _signs(self, topic: str, pool: int) -> list[tuple[Match, Hit]]:
        """Windows with a sign that says what is nearest to `topic`, half of its words at least."""
        captions = self._captions(f'a sign that reads "{topic}"', 2 * CAPTIONS)
        quotes = {quote: overlap(topic, quote) for caption, _ in captions for quote in _QUOTE.findall(caption)}
        best = max(quotes.values(), default=0.0)
        if best < 0.5:
            return []
        found: dict[str, tuple[Match, Hit]] = {}
        for quote in [quote for quote, share in quotes.items() if share == best][:MOST]:
            hits = self._found(f'a sign that reads "{quote}"', pool, frozenset())
            found.update((hit.memory.id, (Match(ALL_WORDS, True), hit)) for hit in hits if quote in hit.memory.caption)
        return list(found.values())

    def _wordings(self, about: str) -> list[tuple[str, float]]:
        """(words, likeness): what captions call `about`: by its own words, spelled as they do; by words that mean the
        same; else by phrases that an embedding model finds alike."""
        near = self._captions(about)
        spelled = self._same_words.spelled(about, {word for caption, _ in near for word in words_of(caption)})
        if spelled != about:
            near = self._captions(spelled)
        if any(self._says_own(spelled, caption) for caption, _ in near):
            return [(spelled, 1.0)]
        same = self._said(self._same_words.others(spelled))
        if same or self._other_words is None:
            return [(words, 1.0) for words in same]
        colours = colours_of(spelled)
        known = self._same_words.has(words_of(without_colours(spelled)))
        found = self._other_words.of(spelled, near, ALIKE_THOUGH_KNOWN if known else 0.0)
        return [(f"{colours} {phrase}".strip(), likeness) for phrase, likeness in found]

    def _says_own(self, words: str, caption: str) -> bool:
        """`says`, for "chain saw" and "show room", too, of which a part has no meaning of its own."""
        parts = words_of(words)
        if len(content_words(words)) < len(parts) and self._same_words.has(parts):
            return re.search(rf"\b{re.escape(words)}", caption.lower()) is not None
        return says(words, caption)

    def _captions(self, about: str, limit: int = CAPTIONS) -> list[tuple[str, float]]:
        """Different captions, those nearest to `about` first, with their cosines."""
        hits = self.search(Query(text=about, limit=limit, each_caption_once=True))
        return [(hit.memory.caption, hit.score) for hit in hits if not says_nothing(hit.memory.caption)]

    def _said(self, alternatives: list[str]) -> list[str]:
        """Those of `alternatives` that captions say."""
        several = -(-len(alternatives) // ALTERNATIVES)
        said: list[str] = []
        for first in range(0, len(alternatives), several or 1):
            some = alternatives[first : first + several]
            captions = [caption for caption, _ in self._captions(", ".join(some), CAPTIONS // 4 * several)]
            said += [words for words in some if any(says(words, caption) for caption in captions)]
        return said

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
            if (word in written and len(word) > 2 and not self._same_words.knows(word))
            or (any(c.isdigit() for c in word) and len(words) > 1)
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
        every = asked.form in (Form.HOW_MANY, Form.HOW_LONG)
        return self.checked(asked.about, self._placed(matches), every=every)

    def _placed(self, matches: list[Hit]) -> list[Hit]:
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


def _is_near(memory: Memory, spots: Iterable[Memory]) -> bool:
    return memory.pose is not None and any(
        spot.pose is not None
        and spot.map_id == memory.map_id
        and memory.pose.distance_to(spot.pose.x, spot.pose.y) <= NEAR_M
        for spot in spots
    )


def _is_same_view(row: Memory, here: Memory) -> bool:
    if row.pose is None or here.pose is None:
        return True
    return row.map_id == here.map_id and row.pose.distance_to(here.pose.x, here.pose.y) <= SAME_VIEW_M


def _in_other_colour(thing: str, caption: str) -> bool:
    """Whether a group of words of `caption` says `thing` with a colour."""
    wanted = set(content_words(thing))
    return any(wanted <= set(content_words(group)) and colours_of(group) for group in groups_of(caption))
