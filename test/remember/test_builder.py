"""From window to stored memory: nothing acknowledged is lost, nothing blocks, everything is counted."""

import threading
import time

import numpy as np
import pytest

from remembr_ros.errors import MemoryUnavailable, ModelFailed
from remembr_ros.memory.schema import memory_id
from remembr_ros.records import NANOSECONDS, Frame, Memory, Pose, Window
from remembr_ros.remember.builder import MemoryBuilder
from remembr_ros.remember.outbox import Outbox
from remembr_ros.remember.pose_track import PoseAt, PoseTrack
from remembr_ros.remember.window import Windower

T = 1_796_061_600 * NANOSECONDS
PICTURE = np.zeros((8, 8, 3), np.uint8)
HERE = PoseAt(Pose(T, "map", 2.0, 1.0, yaw=0.5), 0.0, True)
LOST = PoseAt(Pose(T, "map", 2.0, 1.0, yaw=0.5), 0.0, False)


def window(number: int) -> Window:
    start_ns = T + number * 3 * NANOSECONDS
    return Window(start_ns, start_ns + 3 * NANOSECONDS, (Frame(start_ns + 1, PICTURE),))


def number_of(memory: Memory) -> int:
    return (memory.start_ns - T) // (3 * NANOSECONDS)


class ScriptedModel:
    """Says "picture <n>" of each window, or what `say` makes of its number; waits at `gate` while that is closed."""

    name = "test"

    def __init__(self, say=lambda number: f"picture {number}"):
        self.say = say
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Semaphore(0)

    def caption(self, frames):
        self.begun.release()
        assert self.gate.wait(20)
        said = self.say((frames[0].stamp_ns - T) // (3 * NANOSECONDS))
        if isinstance(said, Exception):
            raise said
        return said

    def close(self):
        pass


class Store:
    """A store_write that can be away, or refuse single rows."""

    def __init__(self):
        self.away = False
        self.poison: set[int] = set()
        self.rows: dict[str, Memory] = {}
        self.order: list[int] = []
        self.calls = 0

    def __call__(self, memories):
        self.calls += 1
        if self.away:
            raise MemoryUnavailable("no connection")
        if any(number_of(one) in self.poison for one in memories):
            raise ModelFailed("the embedding is not finite")
        self.rows.update({one.id: one for one in memories})
        self.order += [number_of(one) for one in memories]


@pytest.fixture
def make(tmp_path):
    made = []

    def build(model=None, store=None, **options):
        problems: list[str] = []
        outbox = Outbox(tmp_path / "outbox.db")
        store = store or Store()
        options = {"robot_id": "carter", "camera": "front", "on_problem": problems.append, **options}
        builder = MemoryBuilder(model or ScriptedModel(), outbox, store, **options)
        made.append((builder, outbox, model))
        builder.problems, builder.store, builder.outbox = problems, store, outbox
        return builder

    yield build
    for builder, outbox, model in made:
        if model is not None:
            model.gate.set()
        builder.close(5.0)
        outbox.close()


def until(condition, timeout_s=10.0):
    end_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < end_s, "the state awaited did not come"
        time.sleep(0.005)


def test_a_window_becomes_a_memory_with_its_own_time_and_pose(make):
    announced = []
    builder = make(on_memory=lambda memory, frames: announced.append(memory), map_id="floor1", session_id="s1")
    assert builder.submit(window(3), HERE)
    assert builder.drain(10)
    (memory,) = builder.store.rows.values()
    assert memory == announced[0]
    assert memory == Memory(
        id=memory_id("carter", "front", window(3).start_ns), start_ns=window(3).start_ns, end_ns=window(3).end_ns,
        episode_start_ns=window(3).start_ns, caption="picture 3", pose=HERE.pose, localized=True, map_id="floor1",
        robot_id="carter", camera="front", session_id="s1", captioner="test",
    )  # fmt: skip
    stats = builder.stats()
    assert (stats.windows, stats.captioned, stats.stored, stats.outbox, stats.waiting) == (1, 1, 1, 0, 0)
    assert stats.lag_s >= stats.model_s >= 0.0


def test_slower_than_real_time_skips_the_oldest_and_counts_exactly(make):
    model = ScriptedModel()
    model.gate.clear()
    builder = make(model, queue_windows=2)
    builder.submit(window(0), HERE)
    assert model.begun.acquire(timeout=10)
    started_s = time.monotonic()
    for number in range(1, 50):
        builder.submit(window(number), HERE)
    assert time.monotonic() - started_s < 1.0  # never blocks
    assert builder.stats().waiting == 2
    model.gate.set()
    assert builder.drain(10)
    assert builder.store.order == [0, 48, 49]
    stats = builder.stats()
    assert (stats.windows, stats.skipped, stats.stored) == (50, 47, 3)


def test_while_milvus_is_away_memories_wait_and_are_written_once_in_order(make, monkeypatch):
    monkeypatch.setattr("remembr_ros.remember.writer.FIRST_RETRY_S", 0.02)
    store = Store()
    store.away = True
    builder = make(store=store, queue_windows=20)
    for number in range(10):
        builder.submit(window(number), HERE)
    until(lambda: builder.stats().captioned == 10 and store.calls >= 3)
    assert builder.stats().outbox == len(builder.outbox) == 10
    assert len([problem for problem in builder.problems if "no connection" in problem]) == 1
    store.away = False
    assert builder.drain(10)
    assert store.order == list(range(10))
    until(lambda: any("stored again" in problem for problem in builder.problems))


def test_what_an_earlier_run_left_is_written_at_the_start(make):
    store = Store()
    store.away = True
    first = make(store=store)
    first.submit(window(0), HERE)
    until(lambda: first.stats().captioned == 1)
    assert first.close(5.0)
    store.away = False
    second = make(store=store)
    assert second.drain(10)
    assert store.order == [0]


def test_close_returns_in_time_with_a_captioner_that_hangs_and_what_was_acknowledged_is_stored(make):
    model = ScriptedModel()
    builder = make(model)
    builder.submit(window(0), HERE)
    assert builder.drain(10)
    model.gate.clear()
    for number in range(1, 4):
        builder.submit(window(number), HERE)
    assert model.begun.acquire(timeout=10) and model.begun.acquire(timeout=10)
    started_s = time.monotonic()
    assert builder.close(0.5) is False
    assert time.monotonic() - started_s < 1.0
    assert builder.store.order == [0]
    assert builder.stats().skipped == 2
    assert builder.stats().busy_s > 0.0
    assert not builder.submit(window(5), HERE)
    model.gate.set()
    until(lambda: not builder._caption_thread.is_alive())
    assert len(builder.outbox) == 0  # close gave it up: not announced to a node that is gone


def test_close_does_not_wait_for_a_store_that_hangs(make):
    gate = threading.Event()
    builder = make(store=lambda memories: gate.wait(20))
    builder.submit(window(0), HERE)
    until(lambda: builder.stats().captioned == 1)
    started_s = time.monotonic()
    assert builder.close(0.4) is False
    assert time.monotonic() - started_s < 1.0
    assert len(builder.outbox) == 1
    gate.set()


def test_useless_captions_are_counted_repaired_or_refused_and_reported_after_some_in_a_row(make):
    refused = ["", "</s>", "the the the the", "!!!!", None]
    said = [*refused, "A chair, a chair, a chair, a chair", ModelFailed("out of memory"), RuntimeError("CUDA")]
    builder = make(ScriptedModel(said.__getitem__), queue_windows=20)
    for number in range(len(said)):
        builder.submit(window(number), HERE)
    assert builder.drain(10)
    stats = builder.stats()
    assert (stats.windows, stats.refused, stats.failed, stats.captioned) == (8, 5, 2, 1)
    assert [one.caption for one in builder.store.rows.values()] == ["a chair"]
    assert sum("5 times in a row" in problem for problem in builder.problems) == 1
    assert any("out of memory" in problem for problem in builder.problems)


def test_a_disk_that_fails_costs_the_window_not_the_thread(make, monkeypatch):
    builder = make()
    put = builder.outbox.put

    def full(memory):
        raise OSError("no space left on device")

    monkeypatch.setattr(builder.outbox, "put", full)
    builder.submit(window(0), HERE)
    until(lambda: builder.stats().failed == 1)
    assert any("no space left" in problem for problem in builder.problems)
    monkeypatch.setattr(builder.outbox, "put", put)
    builder.submit(window(1), HERE)
    assert builder.drain(10)
    assert builder.store.order == [1]


def test_one_row_that_cannot_be_embedded_is_set_aside_and_holds_up_nobody(make, monkeypatch):
    monkeypatch.setattr("remembr_ros.remember.writer.FIRST_RETRY_S", 0.01)
    store = Store()
    store.poison = {1}
    builder = make(store=store, queue_windows=20)
    for number in range(4):
        builder.submit(window(number), HERE)
    assert builder.drain(10)
    assert sorted(store.order) == [0, 2, 3]
    assert builder.stats().set_aside == 1
    ((_, problem),) = builder.outbox.aside()
    assert "not finite" in problem
    assert any("set aside" in said for said in builder.problems)


def test_an_embedder_that_fails_on_everything_is_no_rows_fault(make, monkeypatch):
    monkeypatch.setattr("remembr_ros.remember.writer.FIRST_RETRY_S", 0.01)
    store = Store()
    store.poison = set(range(4))
    builder = make(store=store, queue_windows=20)
    for number in range(4):
        builder.submit(window(number), HERE)
    until(lambda: builder.stats().captioned == 4 and store.calls >= 30)
    assert builder.stats().set_aside == 0
    store.poison = set()
    assert builder.drain(10)
    assert sorted(store.order) == [0, 1, 2, 3]


def test_unlocalized_windows_are_stored_as_such_or_skipped(make):
    builder = make()
    builder.submit(window(0), LOST)
    builder.submit(window(1), None)
    assert builder.drain(10)
    first, second = builder.store.rows.values()
    assert first.pose is not None and not first.localized
    assert second.pose is None and not second.localized
    builder.close(5)
    strict = make(store_unlocalized=False)
    assert not strict.submit(window(2), LOST) and not strict.submit(window(3), None)
    assert strict.submit(window(4), HERE)
    assert strict.drain(10)
    assert strict.stats().skipped_unlocalized == 2 and strict.store.order == [4]


def test_the_map_may_change_at_run_time(make):
    builder = make(map_id="floor1")
    builder.submit(window(0), HERE)
    builder.submit(window(1), HERE, "floor2")
    assert builder.drain(10)
    assert [one.map_id for one in builder.store.rows.values()] == ["floor1", "floor2"]


def test_a_listener_that_raises_costs_nothing(make):
    def fail(memory, frames):
        raise RuntimeError("publisher is gone")

    builder = make(on_memory=fail)
    builder.submit(window(0), HERE)
    builder.submit(window(1), HERE)
    assert builder.drain(10)
    assert builder.store.order == [0, 1]
    assert any("publisher is gone" in problem for problem in builder.problems)


def test_fault_1_a_minute_parked_gives_twenty_memories_with_image_times_at_the_held_pose(make):
    builder = make(ScriptedModel(lambda number: "I see a door."), queue_windows=30)
    windower, poses = Windower(), PoseTrack()
    poses.add(Pose(T, "map", 2.0, 1.0, yaw=0.0, position_var=0.04))
    windows = [w for tenth in range(600) for w in windower.add(Frame(T + tenth * NANOSECONDS // 10, PICTURE))]
    for one in windows + windower.flush():
        assert builder.submit(one, poses.at(one.middle_ns))
    assert builder.drain(10)
    memories = list(builder.store.rows.values())
    assert [one.start_ns for one in memories] == [T + number * 3 * NANOSECONDS for number in range(20)]
    assert {(one.pose.x, one.pose.y, one.localized) for one in memories} == {(2.0, 1.0, True)}
    assert {one.episode_start_ns for one in memories} == {T}


def test_fault_3_no_memory_pairs_old_frames_with_a_new_place(make):
    builder = make(queue_windows=30)
    windower, poses = Windower(), PoseTrack()
    frames = [tenth / 10 for tenth in (*range(60), *range(360, 420))]
    driving = [(6.0 + step / 4, 8.0 * step / 120) for step in range(121)]  # A (0 m) to B (8 m) in 30 s
    poses.add(Pose(T, "map", 0.0, 0.0, yaw=0.0))
    for at_s in [tenth / 10 for tenth in range(430)]:
        now_ns = T + round(at_s * NANOSECONDS)
        while driving and driving[0][0] <= at_s:
            stamp_s, x = driving.pop(0)
            poses.add(Pose(T + round(stamp_s * NANOSECONDS), "map", x, 0.0, yaw=0.0), now_ns)
        windows = windower.tick(now_ns)
        if at_s in frames:
            windows += windower.add(Frame(now_ns, PICTURE), now_ns)
        for one in windows:
            builder.submit(one, poses.at(one.middle_ns))
    for one in windower.flush():
        builder.submit(one, poses.at(one.middle_ns))
    assert builder.drain(10)
    placed = [(number_of(one), round(one.pose.x, 1)) for one in builder.store.rows.values()]
    assert placed == [(0, 0.0), (1, 0.0), (12, 8.0), (13, 8.0)]


def test_captions_of_others_are_cleaned_and_share_episodes(make):
    announced = []
    builder = make(None, None, on_memory=lambda memory, frames: announced.append((memory, frames)), session_id="s9")

    def told(number, text):
        start = T + number * 3 * NANOSECONDS
        return Memory(f"rear/{number}", start, start + 3 * NANOSECONDS, start, text, robot_id="carter", camera="rear",
                      captioner="nano_llm:x")  # fmt: skip

    for number, text in enumerate(["<s> a door </s>", "a door", "..!!..", "a lamp"]):
        builder.submit_told(told(number, text), frame_count=6)
    assert builder.drain(10)
    memories = list(builder.store.rows.values())
    assert [memory.caption for memory in memories] == ["a door", "a door", "a lamp"]
    assert [memory.episode_start_ns - T for memory in memories] == [0, 0, 9 * NANOSECONDS]
    assert {memory.session_id for memory in memories} == {"s9"} and [frames for _, frames in announced] == [6, 6, 6]
    stats = builder.stats()
    assert (stats.windows, stats.captioned, stats.refused) == (4, 3, 1)
    assert "nano_llm:x" in builder.problems[0]


def test_a_source_that_can_wait_loses_nothing(make):
    model = ScriptedModel()
    model.gate.clear()
    builder = make(model, queue_windows=2)
    for number in range(3):  # one in work, two waiting
        builder.submit(window(number), HERE)
        if number == 0:
            assert model.begun.acquire(timeout=10)
    assert not builder.wait_for_room(0.05)
    model.gate.set()
    for number in range(3, 10):
        assert builder.wait_for_room(10)
        builder.submit(window(number), HERE)
    assert builder.drain(10) and builder.store.order == list(range(10)) and builder.stats().skipped == 0
