"""Cuts a stream of camera frames into windows. In: `Frame`s, stamps in ns of ROS time. Out: `Window`s, no pose yet.

A window is a cell [k * window_s, (k + 1) * window_s) of a grid fixed to the epoch, not to the first frame seen: the key
of a memory is its window's start, so a bag played again, or a node started a moment later, makes the same rows.
Within a window the first frame of each 1 / sample_hz slot is kept. Each frame belongs to one window, and a window's
frames are given away with it: a camera that stops leaves nothing behind that could be captioned again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from remembr_ros.errors import ConfigurationError
from remembr_ros.records import NANOSECONDS, Frame, Window

CLOCK_JUMP_NS = NANOSECONDS
"""Frames come out of order by milliseconds; a clock that goes back by more than this was set back (a bag loop)."""
FRAMES_BEHIND = 5
"""So many frames in a row behind the newest one are a camera clock that was set back, not a straggler."""

MAX_WINDOW_S = 3600.0
MAX_AGE_S, MAX_AHEAD_S = 60.0, 5.0
"""Older, or further ahead of now, is a wrong clock and not a slow camera."""

IMPLAUSIBLE = ("drop", "receive_time")
"""What becomes of a picture whose stamp is zero, long past or to come: nothing, or it is stamped when it came."""

ADVICE = {
    "zero": "the driver does not stamp its images",
    "old": "is the camera's clock (since boot, not synchronised) or use_sim_time wrong? "
    "Bags need `ros2 bag play --clock` and use_sim_time",
    "future": "is the camera's clock or use_sim_time wrong?",
    "late": "it came after its window was closed",
}


@dataclass(frozen=True, slots=True)
class WindowStats:
    """Counters since the start. `not_sampled` frames were fine but more than sample_hz asks for."""

    windows: int = 0
    frames: int = 0
    not_sampled: int = 0
    sparse_windows: int = 0
    clock_jumps: int = 0
    dropped_zero: int = 0
    dropped_old: int = 0
    dropped_future: int = 0
    dropped_late: int = 0
    restamped: int = 0
    """Implausible stamps that became the time of receipt (policy receive_time)."""
    newest_ns: int = 0
    """Stamp of the newest good frame, 0 before the first: how long the camera has been silent."""


class Windower:
    """Call `wants` with the stamp of every image (cheap), `add` with those it wants, `tick` a few times a second.

    `now_ns` is ROS time when the image came (offline: when it was recorded); stamps older than `max_age_s` or more
    than `max_ahead_s` ahead of it are dropped, counted, and reported once a reason through `on_problem`. Without it
    only stamps of zero are implausible. Not thread-safe: one callback group.
    """

    def __init__(
        self,
        window_s: float = 3.0,
        sample_hz: float = 2.0,
        *,
        min_frames: int = 1,
        max_age_s: float = MAX_AGE_S,
        max_ahead_s: float = MAX_AHEAD_S,
        grace_s: float = 0.5,
        implausible_stamps: str = "drop",
        on_problem: Callable[[str], None] | None = None,
    ) -> None:
        if not 0.1 <= window_s <= MAX_WINDOW_S:
            raise ConfigurationError(f"window_s: {window_s} is not in 0.1 to {MAX_WINDOW_S:g} s")
        if not 0.0 < sample_hz <= 1000.0:
            raise ConfigurationError(f"sample_hz: {sample_hz} is not in 0 to 1000 Hz")
        if min_frames < 1:
            raise ConfigurationError(f"min_frames: {min_frames} is not at least 1")
        self._window_ns = round(window_s * NANOSECONDS)
        self._slot_ns = max(1, round(NANOSECONDS / sample_hz))
        self._min_frames = min_frames
        self._max_age_ns = round(max_age_s * NANOSECONDS)
        self._max_ahead_ns = round(max_ahead_s * NANOSECONDS)
        self._grace_ns = round(grace_s * NANOSECONDS)
        if implausible_stamps not in IMPLAUSIBLE:
            raise ConfigurationError(f"implausible_stamps: {implausible_stamps!r} is none of {', '.join(IMPLAUSIBLE)}")
        self._restamps = implausible_stamps == "receive_time"
        self._on_problem = on_problem or (lambda _: None)

        self._start_ns: int | None = None
        self._slots: dict[int, Frame] = {}
        self._closed_ns = 0  # end of the newest window that was given away
        self._newest_ns = 0
        self._now_ns = 0
        self._came_ns = 0  # when the newest good frame came
        self._behind = 0
        self._after_jump: list[Window] = []
        self._wanted_ns: int | None = None
        self._counts = dict.fromkeys(WindowStats.__dataclass_fields__, 0)

    def stamp(self, stamp_ns: int, now_ns: int | None = None) -> int:
        """The stamp to use for an image: its own, or `now_ns` where its own is implausible and the policy says so."""
        reason = self._implausible(stamp_ns, now_ns) if self._restamps and now_ns is not None else None
        if reason is None or now_ns is None:
            return stamp_ns
        self._counts["restamped"] += 1
        if self._counts["restamped"] == 1:
            self._on_problem(
                f"image stamp {stamp_ns / NANOSECONDS:.3f} s at ROS time {now_ns / NANOSECONDS:.3f} s is replaced by "
                f"the time of receipt: {ADVICE[reason]} (further ones are only counted)"
            )
        return now_ns

    def wants(self, stamp_ns: int, now_ns: int | None = None) -> bool:
        """Whether the image with this stamp is to be decoded and added. Constant time; counts what it turns down."""
        self._wanted_ns = None
        self._notice_now(now_ns)
        reason = self._implausible(stamp_ns, now_ns)
        if reason is None and self._is_behind(stamp_ns):
            reason = "late"
        if reason is not None:
            self._drop(reason, stamp_ns, now_ns)
            return False
        self._newest_ns = max(self._newest_ns, stamp_ns)
        self._came_ns = self._now_ns
        in_open_window = self._start_ns is not None and stamp_ns < self._start_ns + self._window_ns
        if in_open_window and self._slot(stamp_ns) in self._slots:
            self._counts["not_sampled"] += 1
            return False
        self._wanted_ns = stamp_ns
        return True

    def add(self, frame: Frame, now_ns: int | None = None) -> list[Window]:
        """Take a frame; returns the windows that are complete now (in order, usually none)."""
        if frame.stamp_ns != self._wanted_ns and not self.wants(frame.stamp_ns, now_ns):
            return self._take_after_jump()
        self._wanted_ns = None
        complete = self._take_after_jump()
        start_ns = frame.stamp_ns - frame.stamp_ns % self._window_ns
        if start_ns != self._start_ns:
            complete += self._close()
            self._start_ns = start_ns
        self._slots[self._slot(frame.stamp_ns)] = frame
        self._counts["frames"] += 1
        return complete

    def tick(self, now_ns: int) -> list[Window]:
        """The window begun, when its time is over at `now_ns` and no frame came for `grace_s`: the camera has stopped.

        While frames come, however late, the first one of the next window closes it.
        """
        self._notice_now(now_ns)
        complete = self._take_after_jump()
        if self._start_ns is None:
            return complete
        if now_ns >= max(self._came_ns, self._start_ns + self._window_ns) + self._grace_ns:
            complete += self._close()
        return complete

    def flush(self) -> list[Window]:
        """The window begun, complete or not: the stream ends here."""
        return self._take_after_jump() + self._close()

    def reset(self) -> None:
        """The clock was set back: what was begun is closed (the next call returns it) and everything starts anew."""
        self._after_jump += self._close()
        self._closed_ns = self._newest_ns = self._came_ns = self._behind = 0
        self._counts["clock_jumps"] += 1

    def stats(self) -> WindowStats:
        """A snapshot of the counters."""
        return WindowStats(**{**self._counts, "newest_ns": self._newest_ns})

    def _slot(self, stamp_ns: int) -> int:
        return stamp_ns % self._window_ns // self._slot_ns

    def _implausible(self, stamp_ns: int, now_ns: int | None) -> str | None:
        if stamp_ns <= 0:
            return "zero"
        if now_ns is not None and stamp_ns < now_ns - self._max_age_ns:
            return "old"
        if now_ns is not None and stamp_ns > now_ns + self._max_ahead_ns:
            return "future"
        return None

    def _is_behind(self, stamp_ns: int) -> bool:
        """Whether the frame's window was given away. Many such frames in a row mean that the clock was set back."""
        if stamp_ns < self._newest_ns - CLOCK_JUMP_NS:
            self._behind += 1
            if self._behind >= FRAMES_BEHIND:
                self.reset()
        else:
            self._behind = 0
        open_from_ns = self._closed_ns if self._start_ns is None else self._start_ns
        return stamp_ns < max(open_from_ns, self._closed_ns)

    def _notice_now(self, now_ns: int | None) -> None:
        if now_ns is None:
            return
        if now_ns < self._now_ns - CLOCK_JUMP_NS:
            self.reset()
        self._now_ns = now_ns

    def _drop(self, reason: str, stamp_ns: int, now_ns: int | None) -> None:
        self._counts[f"dropped_{reason}"] += 1
        if self._counts[f"dropped_{reason}"] == 1:
            now = "" if now_ns is None else f" at ROS time {now_ns / NANOSECONDS:.3f} s"
            self._on_problem(f"image dropped, stamp {stamp_ns / NANOSECONDS:.3f} s{now}: {ADVICE[reason]} "
                             f"(further {reason} stamps are only counted)")  # fmt: skip

    def _close(self) -> list[Window]:
        if self._start_ns is None:
            return []
        start_ns, slots = self._start_ns, self._slots
        self._start_ns, self._slots, self._wanted_ns = None, {}, None
        self._closed_ns = start_ns + self._window_ns
        if len(slots) < self._min_frames:
            self._counts["sparse_windows"] += 1
            return []
        self._counts["windows"] += 1
        frames = tuple(slots[slot] for slot in sorted(slots))
        return [Window(start_ns, start_ns + self._window_ns, frames)]

    def _take_after_jump(self) -> list[Window]:
        windows, self._after_jump = self._after_jump, []
        return windows
