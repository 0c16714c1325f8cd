"""From window to stored memory, off the caller's thread. In: `Window`, the pose at its middle. Out: `Memory` in Milvus.

    submit ─► queue (bounded) ─► caption ─► outbox (fsync: acknowledged) ─► on_memory
                                                └─► MemoryWriter: in batches, retried while Milvus is away

One thread captions, one writes: a slow store never delays a caption, a slow model never delays a write. When windows
come faster than the model works, the oldest one not yet begun is skipped and counted: lag stays below
(queue_windows + 1) captions, and what is remembered is recent.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from remembr_ros.errors import ModelFailed
from remembr_ros.memory.schema import memory_id
from remembr_ros.records import Memory, Window
from remembr_ros.remember.captioners import Captioner
from remembr_ros.remember.episodes import EpisodeTracker
from remembr_ros.remember.hygiene import clean_caption
from remembr_ros.remember.keyframes import Keyframes
from remembr_ros.remember.outbox import Outbox
from remembr_ros.remember.pose_track import PoseAt
from remembr_ros.remember.writer import MemoryWriter


@dataclass(frozen=True, slots=True)
class BuilderStats:
    """Counters since the start, and how things stand.

    windows = skipped + captioned + refused + failed + waiting + at most 1 in work, besides `skipped_unlocalized`.
    """

    windows: int = 0
    skipped: int = 0
    skipped_unlocalized: int = 0
    captioned: int = 0
    refused: int = 0
    """Captions that were empty, gibberish or loops."""
    failed: int = 0
    """Windows whose captioner raised, or that could not be put on disk."""
    stored: int = 0
    set_aside: int = 0
    waiting: int = 0
    """Windows in the queue now."""
    outbox: int = 0
    """Memories on disk that Milvus does not have yet."""
    lag_s: float = 0.0
    """From submit to acknowledgement, of the last window."""
    model_s: float = 0.0
    """What the captioner took for the last window."""
    busy_s: float = 0.0
    """How long the captioner has been at work on the present window."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A window to be captioned."""

    window: Window
    pose_at: PoseAt | None
    map_id: str
    submitted_s: float


@dataclass(frozen=True, slots=True)
class _Told:
    """A window that somebody else captioned."""

    memory: Memory
    frame_count: int
    submitted_s: float


class MemoryBuilder:
    """Captions windows and stores them. `submit` never blocks. The captioner and the outbox stay the caller's to close.

    `store_write` is MemoryStore.write. `on_memory` is called from the caption thread once the memory is on disk, with
    the number of frames it was made from, `on_problem` from either thread with a sentence for the log. So many useless
    captions in a row as `refusals_reported` says are reported (the first one always is).
    """

    def __init__(
        self,
        captioner: Captioner | None,
        outbox: Outbox,
        store_write: Callable[[Sequence[Memory]], None],
        *,
        robot_id: str,
        camera: str,
        map_id: str = "",
        session_id: str = "",
        on_memory: Callable[[Memory, int], None] | None = None,
        on_problem: Callable[[str], None] | None = None,
        queue_windows: int = 4,
        store_unlocalized: bool = True,
        episodes: EpisodeTracker | None = None,
        keyframes: Keyframes | None = None,
        write_batch: int = 64,
        refusals_reported: int = 5,
    ) -> None:
        self._captioner = captioner
        self._outbox = outbox
        self._robot_id = robot_id
        self._camera = camera
        self._map_id = map_id
        self._session_id = session_id
        self._on_memory = on_memory or (lambda _, __: None)
        self._on_problem = on_problem or (lambda _: None)
        self._queue_windows = max(1, queue_windows)
        self._store_unlocalized = store_unlocalized
        self._episodes = episodes or EpisodeTracker()
        self._keyframes = keyframes
        self._refusals_reported = refusals_reported

        self._changed = threading.Condition()
        self._queue: deque[_Job | _Told] = deque()
        self._working_since_s: float | None = None
        self._closing = False
        self._given_up = False  # the caption under way came too late for close()
        self._useless_in_a_row = 0
        self._counts: dict[str, int] = dict.fromkeys(
            ("windows", "skipped", "skipped_unlocalized", "captioned", "refused", "failed"), 0
        )
        self._lag_s = self._model_s = 0.0
        self._writer = MemoryWriter(outbox, store_write, self._tell, write_batch)
        self._caption_thread = threading.Thread(target=self._caption_windows, name="remembr-caption", daemon=True)
        self._caption_thread.start()

    def submit(self, window: Window, pose_at: PoseAt | None, map_id: str | None = None) -> bool:
        """Queue a window; False when it is not taken (closed, or unlocalized and those are not stored)."""
        with self._changed:
            if self._closing:
                return False
            if not self._store_unlocalized and not (pose_at and pose_at.localized):
                self._counts["skipped_unlocalized"] += 1
                return False
            self._queue_up(_Job(window, pose_at, self._map_id if map_id is None else map_id, time.monotonic()))
        return True

    def submit_told(self, memory: Memory, frame_count: int = 0) -> bool:
        """Queue a window that somebody else captioned; as `submit`. Its episode and session are given here."""
        with self._changed:
            if self._closing:
                return False
            if not self._store_unlocalized and not memory.localized:
                self._counts["skipped_unlocalized"] += 1
                return False
            self._queue_up(_Told(memory, frame_count, time.monotonic()))
        return True

    def _queue_up(self, job: _Job | _Told) -> None:
        self._counts["windows"] += 1
        if len(self._queue) >= self._queue_windows:
            self._queue.popleft()
            self._counts["skipped"] += 1
        self._queue.append(job)
        self._changed.notify_all()

    def wait_for_room(self, timeout_s: float) -> bool:
        """Until a window can be submitted without another being skipped: for sources that can wait, as a bag."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._queue) < self._queue_windows, timeout_s)

    def stats(self) -> BuilderStats:
        """A snapshot of the counters."""
        stored, set_aside, outbox = self._writer.counts
        with self._changed:
            busy_s = 0.0 if self._working_since_s is None else time.monotonic() - self._working_since_s
            return BuilderStats(
                **self._counts, stored=stored, set_aside=set_aside, waiting=len(self._queue), outbox=outbox,
                lag_s=self._lag_s, model_s=self._model_s, busy_s=busy_s,
            )  # fmt: skip

    def drain(self, timeout_s: float) -> bool:
        """Wait until every window is captioned and stored; False when that took too long."""
        until_s = time.monotonic() + timeout_s
        with self._changed:
            idle = self._changed.wait_for(lambda: not (self._queue or self._working_since_s), timeout_s)
        return idle and self._writer.drain(max(0.0, until_s - time.monotonic()))

    def close(self, timeout_s: float = 3.0) -> bool:
        """Stop within `timeout_s`, also when the captioner hangs (then False). Windows not begun count as skipped.

        What is acknowledged is in the outbox at any rate; a last attempt is made to write it.
        """
        until_s = time.monotonic() + timeout_s
        with self._changed:
            self._closing = True
            self._counts["skipped"] += len(self._queue)
            self._queue.clear()
            self._changed.notify_all()
        self._writer.hurry()
        self._caption_thread.join(max(0.0, 0.8 * timeout_s))
        self._given_up = True
        return self._writer.close(until_s - time.monotonic()) and not self._caption_thread.is_alive()

    def _caption_windows(self) -> None:
        while True:
            with self._changed:
                self._working_since_s = None
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._queue) or self._closing)
                if not self._queue:
                    return
                job = self._queue.popleft()
                self._working_since_s = time.monotonic()
            try:
                self._remember(job)
            except Exception as error:  # the disk, or a fault of ours: this thread must outlive it
                self._count(failed=1)
                self._tell(f"the memory of one window is lost ({self._outbox.path}): {type(error).__name__}: {error}")

    def _remember(self, job: _Job | _Told) -> None:
        name = job.memory.captioner if isinstance(job, _Told) else self._captioner.name if self._captioner else ""
        started_s = time.monotonic()
        try:
            raw = job.memory.caption if isinstance(job, _Told) else self._caption(job.window)
        except Exception as error:  # a backend may raise anything; one window is lost, not the thread
            self._count(failed=1)
            self._useless(f"the captioner {name} failed: {type(error).__name__}: {error}")
            return
        finally:
            self._model_s = time.monotonic() - started_s
        if self._given_up:
            self._count(skipped=1)
            return
        try:
            caption = clean_caption(raw)
        except ModelFailed as error:
            self._count(refused=1)
            self._useless(f"the captioner {name} gave no usable caption: {error}")
            return
        self._useless_in_a_row = 0
        if isinstance(job, _Told):
            memory, frame_count = self._told_memory(job.memory, caption), job.frame_count
        else:
            memory, frame_count = self._memory(job, caption), len(job.window.frames)
        self._outbox.put(memory)
        with self._changed:
            self._counts["captioned"] += 1
            self._lag_s = time.monotonic() - job.submitted_s
        try:
            self._writer.notice()
            self._on_memory(memory, frame_count)
        except Exception as error:  # what the caller does with it must not stop the memory
            self._tell(f"a memory could not be announced: {type(error).__name__}: {error}")

    def _caption(self, window: Window) -> str:
        if self._captioner is None:
            raise ModelFailed("there is none")
        return self._captioner.caption(window.frames)

    def _told_memory(self, told: Memory, caption: str) -> Memory:
        episode_ns = self._episodes.assign(told, told.pose, caption, told.map_id)
        return replace(told, caption=caption, episode_start_ns=episode_ns, session_id=self._session_id)

    def _memory(self, job: _Job, caption: str) -> Memory:
        window, pose = job.window, job.pose_at.pose if job.pose_at else None
        id_ = memory_id(self._robot_id, self._camera, window.start_ns)
        middle = window.frames[len(window.frames) // 2].image
        return Memory(
            id=id_,
            start_ns=window.start_ns,
            end_ns=window.end_ns,
            episode_start_ns=self._episodes.assign(window, pose, caption, job.map_id),
            caption=caption,
            pose=pose,
            localized=bool(job.pose_at and job.pose_at.localized),
            map_id=job.map_id,
            robot_id=self._robot_id,
            camera=self._camera,
            session_id=self._session_id,
            captioner=self._captioner.name if self._captioner else "",
            image_uri=self._keyframes.save(id_, window.start_ns, middle) if self._keyframes else "",
        )

    def _useless(self, problem: str) -> None:
        self._useless_in_a_row += 1
        if self._useless_in_a_row in (1, self._refusals_reported):
            times = f" ({self._useless_in_a_row} times in a row)" if self._useless_in_a_row > 1 else ""
            self._tell(problem + times)

    def _tell(self, problem: str) -> None:
        with suppress(Exception):  # a log that is gone must not stop a thread
            self._on_problem(problem)

    def _count(self, **increments: int) -> None:
        with self._changed:
            for name, increment in increments.items():
                self._counts[name] += increment
