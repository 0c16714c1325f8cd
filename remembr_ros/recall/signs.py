"""Signs, notices and posters, by the words that captions quote from them. In: a room, a topic; out: hits, quotes."""

from __future__ import annotations

import re

from remembr_ros.recall.matching import overlap
from remembr_ros.recall.other_words import MOST, says
from remembr_ros.recall.searches import CAPTIONS, Searches
from remembr_ros.recall.wordings import Wordings
from remembr_ros.records import Hit

ABOUT_IT = 0.5
"""Share of the words of a topic that a sign about it has, at least: "the note about the lost glove" may say "Glove
found"."""
_QUOTED = re.compile(r"[\"\u201c][^\"\u201c\u201d]{1,300}[\"\u201d]|\b(?:reads|reading|saying)\b")
_QUOTE = re.compile(r"[\"\u201c]([^\"\u201c\u201d]{1,300})[\"\u201d]")


def written_in(searches: Searches, wordings: Wordings, place: str, topic: str = "", *, on_topic: bool) -> list[Hit]:
    """Windows whose captions quote something that is written in `place` (empty: anywhere), those about `topic` first;
    only those where `on_topic`."""
    places = [words for words, _ in wordings.of(place)] if place else [place]
    hits = [
        hit
        for where in places
        for hit in searches.hits(
            searches.query(text=f"{where}, a sign with words on it", limit=2 * CAPTIONS, each_caption_once=True)
        )
        if _QUOTED.search(hit.memory.caption) and (not where or says(where, hit.memory.caption))
    ]
    if on_topic:
        hits = [hit for hit in hits if overlap(topic, hit.memory.caption) >= ABOUT_IT]
    return sorted(hits, key=lambda hit: (-overlap(topic, hit.memory.caption), -hit.score))


def quotes_about(searches: Searches, topic: str) -> list[str]:
    """What the signs say that are the nearest to `topic`; at most `MOST`."""
    captions = searches.captions(as_caption(topic), 2 * CAPTIONS)
    quotes = {quote: overlap(topic, quote) for caption, _ in captions for quote in _QUOTE.findall(caption)}
    best = max(quotes.values(), default=0.0)
    return [quote for quote, share in quotes.items() if share == best][:MOST] if best >= ABOUT_IT else []


def as_caption(quote: str) -> str:
    """As a caption says that a sign has these words."""
    return f'a sign that reads "{quote}"'
