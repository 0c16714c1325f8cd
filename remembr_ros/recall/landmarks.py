"""Where something is that a place should be near. In: hits, what was asked; out: the hits near it, or by distance.

Places in the map frame [m]; two places are only compared within one map.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from remembr_ros.memory.query import Order, Query
from remembr_ros.recall.matching import content_words, match, overlap
from remembr_ros.recall.question_forms import Form
from remembr_ros.recall.searches import Searches
from remembr_ros.recall.understand import Asked
from remembr_ros.records import Hit, Memory, Pose, Question

NEAR_M = 8.0
"""What "near" means where a question filters by it: a large room."""
MOST_LANDMARKS = 20
"""Hits among which a landmark is looked for."""


def near_landmark(
    searches: Searches, question: Question, asked: Asked, that: Iterable[Hit], hits: list[Hit]
) -> list[Hit]:
    """`hits` by their distance where the nearest is asked for; those that are near where it is asked whether one is."""
    if not hits or not asked.landmark:
        return hits
    both = say_both(asked, asked.about, hits)
    if both and content_words(asked.landmark):
        return both
    place = place_of_landmark(searches, question, asked, that)
    if place is None:
        return [] if asked.form is not Form.WHERE else hits
    pose, map_id = place

    def distance(hit: Hit) -> float:
        memory = hit.memory
        if memory.pose is None or memory.map_id != map_id:
            return math.inf
        return memory.pose.distance_to(pose.x, pose.y)

    if asked.form in (Form.WHERE, Form.WHAT) and asked.order is Order.NEAREST:
        return sorted(hits, key=lambda hit: round(distance(hit), 1))
    return [hit for hit in hits if distance(hit) <= NEAR_M]


def say_both(asked: Asked, about: str, hits: Iterable[Hit]) -> list[Hit]:
    """Hits whose caption says the thing and the landmark ("a chair next to a window"): it knows better than the
    distance does."""
    return [hit for hit in hits if overlap(f"{about} {asked.landmark}", hit.memory.caption) == 1.0]


def place_of_landmark(
    searches: Searches, question: Question, asked: Asked, that: Iterable[Hit]
) -> tuple[Pose, str] | None:
    """(place, map) of the robot, of what the question points back at, or of the best and latest sighting."""
    if asked.landmark == "me":
        return (question.pose, question.map_id) if question.pose else None
    if asked.landmark == "that":
        return next(((hit.memory.pose, hit.memory.map_id) for hit in that if hit.memory.pose is not None), None)
    hits = [
        hit for hit in searches.hits(Query(text=asked.landmark, limit=MOST_LANDMARKS)) if hit.memory.pose is not None
    ]
    scored = [(match(asked.landmark, hit.memory.caption, hit.score).score, hit.memory) for hit in hits]
    fitting = [(round(score, 2), memory.start_ns, memory) for score, memory in scored if score > 0.0]
    if not fitting:
        return None
    memory = max(fitting, key=lambda known: known[:2])[2]
    assert memory.pose is not None
    return memory.pose, memory.map_id


def is_near(memory: Memory, spots: Iterable[Memory]) -> bool:
    """Whether `memory` was made near one of these."""
    return memory.pose is not None and any(
        spot.pose is not None
        and spot.map_id == memory.map_id
        and memory.pose.distance_to(spot.pose.x, spot.pose.y) <= NEAR_M
        for spot in spots
    )
