"""Windows get the place of their middle. In: windows as they close, poses as they come. Out: each window with its pose.

A pose comes later than the pictures it belongs to: AMCL's once its scan is matched, and only every 0.25 m. So a window
waits until a pose from after its middle is there to interpolate to, but never longer than `wait_s` after its end: of a
parked robot none will come.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from remembr_ros.records import NANOSECONDS, Pose, Window
from remembr_ros.remember.pose_track import PoseAt, PoseTrack

Placed = tuple[Window, PoseAt | None]


class WindowPlacer:
    """Places windows by `poses`, in the order they came. Not thread-safe: one callback group.

    `now_ns` is ROS time (offline: the time of recording); None where there is none: then nothing waits.
    """

    def __init__(self, poses: PoseTrack, wait_s: float = 0.5) -> None:
        self._poses = poses
        self._wait_ns = round(wait_s * NANOSECONDS)
        self._waiting: deque[Window] = deque()

    def add(self, windows: Iterable[Window], now_ns: int | None) -> list[Placed]:
        """Take windows that have closed; returns those that need not wait (any more)."""
        self._waiting.extend(windows)
        return self._take(now_ns)

    def add_pose(self, pose: Pose, now_ns: int | None) -> list[Placed]:
        """Take a pose; returns the windows it places. One that comes too late for a window does not move it."""
        placed = self._take(now_ns)
        self._poses.add(pose, now_ns)
        return placed + self._take(now_ns)

    def flush(self) -> list[Placed]:
        """All that wait, with what is known now: the stream ends here, or the clock was set back."""
        return self._take(None)

    def _take(self, now_ns: int | None) -> list[Placed]:
        placed = []
        while self._waiting and self._is_due(self._waiting[0], now_ns):
            window = self._waiting.popleft()
            placed.append((window, self._poses.at(window.middle_ns)))
        return placed

    def _is_due(self, window: Window, now_ns: int | None) -> bool:
        return now_ns is None or now_ns >= window.end_ns + self._wait_ns or self._poses.newest_ns >= window.middle_ns
