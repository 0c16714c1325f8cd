"""Windows by their words, names and numbers. In: words to look for; out: hits, and how well each fits.

Names are what the asker wrote with a capital: an embedding model hardly knows them, a caption has them or is about
something else. Times ns since the epoch.
"""

from __future__ import annotations

import dataclasses
import re

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.matching import Match, content_words, match, stem, words_of
from remembr_ros.recall.other_words import MOST
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.same_words import SameWords
from remembr_ros.recall.searches import CAPTIONS, MAX_DEEPER, Searches, beyond
from remembr_ros.recall.understand import Asked
from remembr_ros.records import Hit, Question

ALL_WORDS = 0.9
"""The least score of a caption that has all the words (matching.py)."""
_NAME = re.compile(r"(?<=[\w,;:\"'.] )(?!I\b)[A-Z][\w-]+")
"""A capital in the middle of a sentence."""


class WordSearch:
    """Within the time, and in the order, that the question asks for. Every search blocks and raises
    MemoryUnavailable."""

    def __init__(self, searches: Searches, question: Question, asked: Asked, same_words: SameWords) -> None:
        self._searches = searches
        self._question = question
        self._asked = asked
        self._same_words = same_words
        text = "" if question.text.isupper() else question.text  # who shouts names nobody
        self._capitals = {word.lower(): word for word in _NAME.findall(text)}

    def hits(self, about: str, pool: int, names: frozenset[str] = frozenset()) -> list[Hit]:
        """The hits for these words, and before (after) the first (last) that fits all of those there are."""
        asked = self._asked
        query = self._searches.query(text=self._as_asked(about), limit=pool, map_id=self._own_map())
        hits = self._searches.hits(query)
        if asked.form in (Form.HOW_LONG, Form.HOW_LONG_SINCE):  # the end of a stay is wanted as well
            every = self._searches.hits(dataclasses.replace(query, collapse=False))
            hits = list({hit.memory.id: hit for hit in (*hits, *every)}.values())
        if names and not any(self.fit(about, names, hit).sure for hit in hits):
            hits = self._by_caption(query, about, names)
        return self._deeper(hits, query, about, names) if asked.order in (Order.FIRST, Order.LAST) else hits

    def fit(self, about: str, names: frozenset[str], hit: Hit) -> Match:
        """How well the caption fits: by its `names` alone where there are any."""
        if names:
            said = set(content_words(hit.memory.caption))
            return Match(ALL_WORDS, True) if names <= said else Match(0.0, False)
        return match(about, hit.memory.caption, hit.score)

    def names(self, about: str) -> frozenset[str]:
        """Stems of the words of `about` that the asker wrote as names or numbers."""
        words = words_of(about)
        return frozenset(
            stem(word)
            for word in words
            if (word in self._capitals and len(word) > 2 and not self._same_words.knows(word))
            or (any(c.isdigit() for c in word) and len(words) > 1)
        )

    def _deeper(self, hits: list[Hit], query: Query, about: str, names: frozenset[str]) -> list[Hit]:
        """`hits` of `query`, and those before the first, or after the last, of them that has all of the words: where a
        search gives as many hits as it may, the very first need not be among them."""
        for _ in range(MAX_DEEPER):
            fitting = [hit.memory for hit in hits if self.fit(about, names, hit).score >= ALL_WORDS]
            if len(hits) < query.limit or not fitting:
                break
            deeper = beyond(query, fitting, self._asked.order, self._question.now_ns)
            if deeper is None:
                break
            more = [hit for hit in self._searches.hits(deeper) if self.fit(about, names, hit).score >= ALL_WORDS]
            if not more:
                break
            hits, query = [*more, *hits], deeper
        return hits

    def _by_caption(self, query: Query, about: str, names: frozenset[str]) -> list[Hit]:
        """The windows of captions that have the names: a search for a caption finds all windows that say it."""
        near = self._searches.hits(dataclasses.replace(query, limit=2 * CAPTIONS, each_caption_once=True))
        captions = [hit.memory.caption for hit in near if self.fit(about, names, hit).sure]
        found = [self._searches.hits(dataclasses.replace(query, text=caption)) for caption in captions[:MOST]]
        return list({hit.memory.id: hit for hits in found for hit in hits}.values())

    def _as_asked(self, about: str) -> str:
        """`about` with the capitals of the question: names are searched for by word as well."""
        return " ".join(self._capitals.get(word, word) for word in about.split())

    def _own_map(self) -> str:
        """The nearest one is one on this map."""
        nearest = self._asked.order is Order.NEAREST and self._asked.landmark == "me"
        return self._question.map_id if nearest else ""
