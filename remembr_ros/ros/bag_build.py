"""The memory of a recorded run. In: the events of a bag. Out: the memories that a captioner would have made of them.

The same Windower, PoseTrack, WindowPlacer and MemoryBuilder as in the node, with the time of recording for "now".
Nothing is skipped: the bag waits for the model. What is in the memory already is not described again, so an interrupted
run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from remembr_ros.errors import InvalidInput, MemoryUnavailable
from remembr_ros.memory.schema import memory_id
from remembr_ros.records import NANOSECONDS, Frame, Memory, Window
from remembr_ros.remember.builder import MemoryBuilder
from remembr_ros.remember.captioners import Captioner
from remembr_ros.remember.outbox import Outbox
from remembr_ros.remember.placer import Placed
from remembr_ros.remember.window import CLOCK_JUMP_NS
from remembr_ros.ros.bag import Event
from remembr_ros.ros.images import ImageDecoder
from remembr_ros.ros.reading import map_name, memory_from_caption, occupancy_map, pose_from_message, stamp_of_serialized
from remembr_ros.ros.remembering import (
    TF_INTERVAL_S,
    create_episodes,
    create_keyframes,
    create_placer,
    create_pose_track,
    create_windower,
    placed,
)
from remembr_ros.ros.transforms import TransformTree

STALLED_S = 600.0
"""No caption takes longer; a memory that is away for so long is given up."""


class Store(Protocol):
    """The part of MemoryStore that is needed."""

    def get(self, ids: Sequence[str]) -> list[Memory]: ...
    def write(self, memories: Sequence[Memory]) -> None: ...


@dataclass(frozen=True, slots=True)
class Built:
    """`there`: windows that were in the memory already. `lost`: without a usable caption; `bad`: unusable messages."""

    windows: int
    stored: int
    there: int
    lost: int
    bad: int


class BagBuild:
    """`parameters`: those of the captioner node. `captioner` None: only captions of the bag are stored.

    `on_problem` gets a sentence for each thing that went wrong (once a kind), from any thread.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        captioner: Captioner | None,
        store: Store,
        outbox: Outbox,
        *,
        session_id: str,
        on_problem: Callable[[str], None],
    ) -> None:
        self._parameters = parameters
        self._store = store
        self._on_problem = on_problem
        self._windower = create_windower(parameters, on_problem)
        self._poses = create_pose_track(parameters, on_problem)
        self._placer = create_placer(parameters, self._poses)
        self._transforms = TransformTree()
        self._looked_up_ns = 0
        self._decoder = ImageDecoder(on_problem)
        self._episodes = create_episodes(parameters)
        self._map_id: str = parameters["map_id"]
        self._there = self._bad = 0
        self._newest_ns = 0
        self._told: set[str] = set()
        self._builder = MemoryBuilder(
            captioner,
            outbox,
            store.write,
            robot_id=parameters["robot_id"],
            camera=parameters["camera"],
            session_id=session_id,
            on_problem=on_problem,
            queue_windows=parameters["queue_windows"],
            store_unlocalized=parameters["store_unlocalized"],
            episodes=self._episodes,
            keyframes=create_keyframes(parameters, on_problem),
        )

    def run(self, events: Iterable[Event], on_event: Callable[[int], None]) -> Built:
        """Take all events; `on_event` gets the number of each. Raises MemoryUnavailable when nothing moves any more."""
        for number, event in enumerate(events, 1):
            try:
                self._take(event)
            except InvalidInput as error:
                self._bad += 1
                if event.kind not in self._told:
                    self._told.add(event.kind)
                    self._on_problem(f"{event.kind}: message dropped: {error} (further ones are only counted)")
            on_event(number)
        self._submit(self._placer.add(self._windower.flush(), None))
        if self._parameters["pose_source"] == "tf" and not self._poses.stats().poses:
            frames = self._parameters["map_frame"], self._parameters["base_frame"]
            self._on_problem("no transform from {} to {} in the bag: the memories have no place".format(*frames))
        self._wait(lambda: self._builder.drain(STALLED_S))
        return self.so_far()

    def so_far(self) -> Built:
        stats = self._builder.stats()
        return Built(stats.windows + self._there, stats.stored, self._there, stats.refused + stats.failed, self._bad)

    def close(self) -> None:
        self._builder.close()

    def _take(self, event: Event) -> None:
        now_ns = event.received_ns
        if now_ns < self._newest_ns - CLOCK_JUMP_NS:  # a second bag that was recorded before
            self._submit(self._placer.add(self._windower.tick(now_ns), None))
            self._poses.clear()
            self._transforms.clear()
            self._looked_up_ns = 0
        self._newest_ns = now_ns
        self._submit(self._placer.add(self._windower.tick(now_ns), now_ns))
        if event.kind == "image":
            stamp_ns = self._windower.stamp(stamp_of_serialized(event.head), now_ns)
            if self._windower.wants(stamp_ns, now_ns):
                frame = Frame(stamp_ns, self._decoder.decode(event.read()))
                self._submit(self._placer.add(self._windower.add(frame, now_ns), now_ns))
        elif event.kind == "pose":
            self._submit(self._placer.add_pose(pose_from_message(event.read()), now_ns))
        elif event.kind in ("tf", "tf_static"):
            self._take_transforms(event)
        elif event.kind == "map":
            grid = event.read()
            occupancy_map(grid)
            self._map_id = self._parameters["map_id"] or map_name(grid)
        else:
            self._take_caption(event.read(), now_ns)

    def _take_transforms(self, event: Event) -> None:
        """As often as the node looks them up."""
        try:
            self._transforms.add(event.read(), static=event.kind == "tf_static")
        finally:  # the transforms beside a bad one count
            if event.received_ns - self._looked_up_ns >= TF_INTERVAL_S * NANOSECONDS:
                pose = self._transforms.pose(self._parameters["map_frame"], self._parameters["base_frame"])
                if pose is not None:
                    self._looked_up_ns = event.received_ns
                    self._submit(self._placer.add_pose(pose, event.received_ns))

    def _take_caption(self, message: Any, now_ns: int) -> None:
        parameters = self._parameters
        memory = memory_from_caption(message, parameters["robot_id"], self._map_id, parameters["camera"], now_ns)
        if not self._is_there(memory.id, memory):
            self._wait_for_room()
            self._builder.submit_told(memory, message.frame_count)

    def _submit(self, windows: Iterable[Placed]) -> None:
        for window, pose_at in windows:
            id_ = memory_id(self._parameters["robot_id"], self._parameters["camera"], window.start_ns)
            if self._is_there(id_, window):
                continue
            self._wait_for_room()
            self._builder.submit(window, placed(pose_at, self._parameters), self._map_id)

    def _is_there(self, id_: str, window: Window | Memory) -> bool:
        stored = self._store.get([id_])
        if not stored:
            return False
        self._there += 1
        # Its stay goes on behind it; the builder's thread must be done with what came before.
        self._wait(lambda: self._builder.drain(STALLED_S))
        self._episodes.assign(window, stored[0].pose, stored[0].caption, stored[0].map_id)
        return True

    def _wait_for_room(self) -> None:
        self._wait(lambda: self._builder.wait_for_room(STALLED_S))

    def _wait(self, moved: Callable[[], bool]) -> None:
        before = self._builder.stats()
        while not moved():
            now = self._builder.stats()
            if (now.captioned, now.failed, now.refused, now.stored) == (
                before.captioned, before.failed, before.refused, before.stored,
            ):  # fmt: skip
                raise MemoryUnavailable(
                    f"nothing was captioned or stored for {STALLED_S:g} s: {now.outbox} memories wait"
                )
            before = now
