"""Windows of one stay. In: window times [ns], pose, caption. Out: the start [ns] of the episode the window belongs to.

A parked robot that sees the same for an hour writes 1200 rows that say one thing. They share `episode_start_ns`;
reading collapses them, so that "how often" and the five results of a search count stays, not windows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from remembr_ros.records import NANOSECONDS, Memory, Pose, Window, normalize_yaw


@dataclass(frozen=True, slots=True)
class _Episode:
    start_ns: int
    last_end_ns: int
    pose: Pose | None
    caption: str
    map_id: str


class EpisodeTracker:
    """Says which windows belong together: near in time, same place and heading, same caption.

    Place, heading [rad] and caption are compared with the episode's FIRST window, so that neither a creeping robot nor
    slowly changing captions stretch it. Without a pose at both, the caption alone decides (a fixed camera).
    `similar(first, this)` compares captions; None: equal but for case, spaces and full stops. 0.5 m and 0.35 rad are
    above AMCL's own jitter at rest.
    """

    def __init__(
        self,
        *,
        max_distance_m: float = 0.5,
        max_turn: float = 0.35,
        max_gap_s: float = 10.0,
        similar: Callable[[str, str], bool] | None = None,
    ) -> None:
        self._max_distance_m = max_distance_m
        self._max_turn = max_turn
        self._max_gap_ns = round(max_gap_s * NANOSECONDS)
        self._similar = similar or same_words
        self._episode: _Episode | None = None

    def assign(self, window: Window | Memory, pose: Pose | None, caption: str, map_id: str) -> int:
        """The start of this window's episode [ns]; its own start when it begins one. Windows come in time order."""
        episode = self._episode
        if episode is None or not self._continues(episode, window, pose, caption, map_id):
            episode = _Episode(window.start_ns, window.end_ns, pose, caption, map_id)
        self._episode = _Episode(episode.start_ns, window.end_ns, episode.pose, episode.caption, map_id)
        return episode.start_ns

    def _continues(
        self, episode: _Episode, window: Window | Memory, pose: Pose | None, caption: str, map_id: str
    ) -> bool:
        return (
            0 <= window.start_ns - episode.last_end_ns <= self._max_gap_ns
            and map_id == episode.map_id
            and self._stayed(episode.pose, pose)
            and self._similar(episode.caption, caption)
        )

    def _stayed(self, first: Pose | None, now: Pose | None) -> bool:
        if first is None or now is None:
            return first is now
        if first.frame_id != now.frame_id or first.distance_to(now.x, now.y) > self._max_distance_m:
            return False
        if first.yaw is None or now.yaw is None:
            return first.yaw is now.yaw
        return abs(normalize_yaw(now.yaw - first.yaw)) <= self._max_turn


def sharing_words(share: float) -> Callable[[str, str], bool]:
    """Captions are similar when they share at least this part of all their words (Jaccard); 1: see `same_words`."""

    def similar(first: str, this: str) -> bool:
        words, others = set(_words(first)), set(_words(this))
        return len(words & others) >= share * len(words | others)

    return same_words if share >= 1.0 else similar


def same_words(first: str, this: str) -> bool:
    """Equal but for case, spaces and full stops."""
    return _words(first) == _words(this)


def _words(caption: str) -> list[str]:
    return caption.lower().replace(".", "").split()
