"""Where the robot was at an instant. In: poses as they come (AMCL, odometry, tf). Out: the pose at a window's middle.

AMCL is an update signal, not a state estimate: it publishes after each update_min_d = 0.25 m or update_min_a = 0.2 rad
of motion (Nav2's defaults) and is silent while the robot stands. So:

- two poses at most `max_gap_s` apart bracket a motion: x, y, z are interpolated linearly, yaw the short way round;
- further apart, the robot stood until shortly before the later one: the earlier is held, off by at most update_min_d;
  a straight line through minutes would smear the stay;
- unless the two lie more than `max_step_m` apart: poses were lost meanwhile; the nearer in time is given, not trusted;
- faster than `max_speed` [m/s] is a relocalisation, not a motion: the nearer in time is given;
- after the newest pose, that one is held, however old (a parked robot), its age told.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from remembr_ros.errors import ConfigurationError
from remembr_ros.records import NANOSECONDS, Pose, normalize_yaw

CLOCK_JUMP_NS = NANOSECONDS
RELOCALISATION_SLACK_M = 0.5
"""AMCL corrects itself by decimetres while it tracks well; that is no relocalisation."""


@dataclass(frozen=True, slots=True)
class PoseAt:
    """The pose at an instant. `age_s`: time to the nearest pose it was made from. `localized`: fit to be a goal."""

    pose: Pose
    age_s: float
    localized: bool


@dataclass(frozen=True, slots=True)
class PoseStats:
    """Counters since the start."""

    poses: int = 0
    out_of_order: int = 0
    uncertain: int = 0
    jumps: int = 0
    clock_jumps: int = 0
    frame_changes: int = 0


@dataclass(frozen=True, slots=True)
class _Fix:
    pose: Pose
    certain_since_ns: int | None
    """Since when the variance has been small enough without a break; None: it is not."""


class PoseTrack:
    """A bounded history of poses in one frame. Not thread-safe: one callback group.

    `max_position_std` [m]: an uncertainty above it is not localized (a source without covariance is trusted);
    `settle_s`: how long it must have stayed below. `max_age_s`: a held pose older than that is not localized, for
    sources that publish without a break (odometry, tf); AMCL does not, hence infinity.
    """

    def __init__(
        self,
        *,
        max_position_std: float = 0.5,
        settle_s: float = 0.0,
        max_age_s: float = math.inf,
        max_gap_s: float = 2.0,
        max_step_m: float = 1.0,
        max_speed: float = 3.0,
        history: int = 2000,
        on_problem: Callable[[str], None] | None = None,
    ) -> None:
        for name, value in {"max_position_std": max_position_std, "max_gap_s": max_gap_s, "max_step_m": max_step_m,
                            "max_speed": max_speed, "max_age_s": max_age_s, "history": history}.items():  # fmt: skip
            if not value > 0:
                raise ConfigurationError(f"{name}: {value} is not above 0")
        self._max_position_std = max_position_std
        self._settle_ns = round(settle_s * NANOSECONDS)
        self._max_age_s = max_age_s
        self._max_gap_ns = round(max_gap_s * NANOSECONDS)
        self._max_step_m = max_step_m
        self._max_speed = max_speed
        self._history = history
        self._on_problem = on_problem or (lambda _: None)
        self._fixes: list[_Fix] = []
        self._counts = dict.fromkeys(PoseStats.__dataclass_fields__, 0)

    def add(self, pose: Pose, now_ns: int | None = None) -> None:
        """Take a pose. One of another frame, or after the clock was set back, starts a new history.

        With `now_ns` (ROS time) a pose older than the newest while the clock did not go back is only out of order
        (a latched sample delivered late) and is dropped.
        """
        last = self._fixes[-1] if self._fixes else None
        if last is not None and pose.frame_id != last.pose.frame_id:
            self._on_problem(f"poses are in {pose.frame_id!r} now, were in {last.pose.frame_id!r}: history dropped")
            self._counts["frame_changes"] += 1
            self._fixes.clear()
            last = None
        if last is not None and pose.stamp_ns < last.pose.stamp_ns:
            clock_ns = pose.stamp_ns if now_ns is None else now_ns
            if clock_ns >= last.pose.stamp_ns - CLOCK_JUMP_NS:
                self._counts["out_of_order"] += 1
                return
            self._counts["clock_jumps"] += 1
            self._fixes.clear()
            last = None
        if last is not None and pose.stamp_ns == last.pose.stamp_ns:
            self._fixes.pop()  # the same sample through a second subscription, or its correction
        self._fixes.append(_Fix(pose, self._certain_since(pose, last)))
        del self._fixes[: -self._history]
        self._counts["poses"] += 1

    def at(self, stamp_ns: int) -> PoseAt | None:
        """The pose at an instant [ns], or None when no pose is known for it."""
        after = bisect.bisect_right(self._fixes, stamp_ns, key=lambda fix: fix.pose.stamp_ns)
        if not self._fixes:
            return None
        if after == 0:
            first = self._fixes[0]
            return self._held(first, stamp_ns) if first.pose.stamp_ns - stamp_ns <= self._max_gap_ns else None
        earlier = self._fixes[after - 1]
        if after == len(self._fixes) or earlier.pose.stamp_ns == stamp_ns:
            return self._held(earlier, stamp_ns)
        return self._between(earlier, self._fixes[after], stamp_ns)

    @property
    def newest_ns(self) -> int:
        """Stamp of the newest pose, 0 when there is none."""
        return self._fixes[-1].pose.stamp_ns if self._fixes else 0

    def clear(self) -> None:
        """Forget all poses (the clock was set back, or the map changed)."""
        self._fixes.clear()

    def stats(self) -> PoseStats:
        """A snapshot of the counters."""
        return PoseStats(**self._counts)

    def _certain_since(self, pose: Pose, last: _Fix | None) -> int | None:
        if math.sqrt(pose.position_var) > self._max_position_std:
            self._counts["uncertain"] += 1
            return None
        if last is None or last.certain_since_ns is None:
            return pose.stamp_ns
        if self._is_jump(last.pose, pose):
            self._counts["jumps"] += 1
            return pose.stamp_ns
        return last.certain_since_ns

    def _is_jump(self, earlier: Pose, later: Pose) -> bool:
        elapsed_s = (later.stamp_ns - earlier.stamp_ns) / NANOSECONDS
        return earlier.distance_to(later.x, later.y) > self._max_speed * elapsed_s + RELOCALISATION_SLACK_M

    def _between(self, earlier: _Fix, later: _Fix, stamp_ns: int) -> PoseAt:
        gap_ns = later.pose.stamp_ns - earlier.pose.stamp_ns
        nearer = earlier if 2 * (stamp_ns - earlier.pose.stamp_ns) <= gap_ns else later
        if gap_ns > self._max_gap_ns:
            if earlier.pose.distance_to(later.pose.x, later.pose.y) <= self._max_step_m:
                return self._held(earlier, stamp_ns)
            return replace(self._held(nearer, stamp_ns), localized=False)
        if self._is_jump(earlier.pose, later.pose):
            return self._held(nearer, stamp_ns)
        pose = _interpolated(earlier.pose, later.pose, stamp_ns)
        localized = self._is_localized(earlier, stamp_ns) and self._is_localized(later, later.pose.stamp_ns)
        return PoseAt(pose, abs(stamp_ns - nearer.pose.stamp_ns) / NANOSECONDS, localized)

    def _held(self, fix: _Fix, stamp_ns: int) -> PoseAt:
        age_s = abs(stamp_ns - fix.pose.stamp_ns) / NANOSECONDS
        localized = self._is_localized(fix, max(stamp_ns, fix.pose.stamp_ns)) and age_s <= self._max_age_s
        return PoseAt(fix.pose, age_s, localized)

    def _is_localized(self, fix: _Fix, stamp_ns: int) -> bool:
        return fix.certain_since_ns is not None and stamp_ns - fix.certain_since_ns >= self._settle_ns


def _interpolated(earlier: Pose, later: Pose, stamp_ns: int) -> Pose:
    share = (stamp_ns - earlier.stamp_ns) / (later.stamp_ns - earlier.stamp_ns)
    yaw = None
    if earlier.yaw is not None and later.yaw is not None:
        yaw = earlier.yaw + share * normalize_yaw(later.yaw - earlier.yaw)
    return Pose(
        stamp_ns=stamp_ns,
        frame_id=earlier.frame_id,
        x=earlier.x + share * (later.x - earlier.x),
        y=earlier.y + share * (later.y - earlier.y),
        z=earlier.z + share * (later.z - earlier.z),
        yaw=yaw,
        position_var=max(earlier.position_var, later.position_var),
        yaw_var=max(earlier.yaw_var, later.yaw_var),
    )
