"""The builder against a real Milvus Lite: what was captioned while it was away is there once, in time and place."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pymilvus")

from remembr_ros.errors import MemoryUnavailable
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.server import ensure_server
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Frame, Pose, Window
from remembr_ros.remember.builder import MemoryBuilder
from remembr_ros.remember.captioners.scripted import ScriptedCaptioner
from remembr_ros.remember.keyframes import Keyframes
from remembr_ros.remember.outbox import Outbox
from remembr_ros.remember.pose_track import PoseAt

T = 1_796_061_600 * NANOSECONDS
RED = np.full((48, 64, 3), (250, 0, 0), np.uint8)


def submit(builder: MemoryBuilder, numbers: range) -> None:
    for number in numbers:
        start_ns = T + number * 3 * NANOSECONDS
        window = Window(start_ns, start_ns + 3 * NANOSECONDS, (Frame(start_ns, RED),))
        pose = Pose(window.middle_ns, "map", float(number), 1.0, yaw=0.5)
        assert builder.submit(window, PoseAt(pose, 0.0, True), "floor1")


def test_each_window_is_stored_once_whatever_happens_to_milvus_and_the_process(tmp_path):
    def away(memories):
        raise MemoryUnavailable("memory.uri: nobody there")

    options = {"robot_id": "carter", "camera": "front", "queue_windows": 20}
    outbox = Outbox(tmp_path / "outbox.db")
    first = MemoryBuilder(ScriptedCaptioner(), outbox, away, **options)
    submit(first, range(10))
    assert not first.drain(0.2)
    while first.stats().waiting or first.stats().captioned < 10:
        assert not first.drain(0.05)
    assert first.close(5.0)
    outbox.close()

    db_file = tmp_path.resolve() / "memory.db"
    with ensure_server(db_file), MemoryStore.open(str(db_file), HashingEmbedder(32)) as store:
        outbox = Outbox(tmp_path / "outbox.db")
        second = MemoryBuilder(ScriptedCaptioner(), outbox, store.write, **options)
        submit(second, range(8, 15))  # two of them again, as a bag that is played on
        assert second.drain(20)
        assert second.close(5.0)
        outbox.close()
        memories = store.between(None, None, 100)
        assert store.count() == 15
        assert [memory.start_ns for memory in memories] == [T + number * 3 * NANOSECONDS for number in range(15)]
        assert [memory.pose.x for memory in memories] == [float(number) for number in range(15)]
        assert {memory.caption for memory in memories} == {"I see mostly red."}


def test_each_memory_has_the_picture_of_its_middle(tmp_path):
    keyframes = Keyframes(tmp_path / "keyframes", 10**9)
    outbox = Outbox(tmp_path / "outbox.db")
    written = []
    builder = MemoryBuilder(
        ScriptedCaptioner(), outbox, written.extend, robot_id="carter", camera="front", keyframes=keyframes
    )
    submit(builder, range(2))
    assert builder.drain(10.0) and builder.close()
    outbox.close()
    assert all(Path(memory.image_uri.removeprefix("file:")).name == f"{memory.id}.jpg" for memory in written)
    assert len(list(tmp_path.rglob("*.jpg"))) == len(written) == 2
