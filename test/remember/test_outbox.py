"""What is acknowledged survives: crash, replay, rows that cannot be read."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from remembr_ros.errors import ConfigurationError
from remembr_ros.records import Memory, Pose
from remembr_ros.remember.outbox import Outbox


def memory(number: int, caption: str = "a chair", pose: Pose | None = None) -> Memory:
    start_ns = number * 10
    return Memory(f"m{number}", start_ns, start_ns + 10, start_ns, caption, pose=pose, localized=pose is not None)


def test_in_order_until_done(tmp_path):
    outbox = Outbox(tmp_path / "new folder" / "outbox.db")
    memories = [memory(3, pose=Pose(5, "map", 1.0, 2.0, yaw=None)), memory(1, 'O\'Brien "quoted" Straße'), memory(2)]
    for one in memories:
        outbox.put(one)
    assert outbox.pending() == memories
    assert outbox.pending(2) == memories[:2]
    outbox.done(memories[:2])
    assert outbox.pending() == memories[2:] and len(outbox) == 1


def test_put_again_replaces_and_done_with_the_old_content_keeps_the_new(tmp_path):
    outbox = Outbox(tmp_path / "outbox.db")
    outbox.put(memory(1, "old"))
    old = outbox.pending()
    outbox.put(memory(1, "new"))
    outbox.done(old)
    assert [one.caption for one in outbox.pending()] == ["new"]


def test_killed_without_warning_nothing_acknowledged_is_lost(tmp_path):
    script = (
        "import sys\nfrom remembr_ros.records import Memory\nfrom remembr_ros.remember.outbox import Outbox\n"
        "outbox, number = Outbox(sys.argv[1]), 0\n"
        "while True:\n"
        "    number += 1\n"
        "    outbox.put(Memory(f'm{number}', number, number + 1, number, 'a chair'))\n"
        "    print(number, flush=True)\n"
    )
    path = tmp_path / "outbox.db"
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    acknowledged = 0
    assert process.stdout is not None
    for line in process.stdout:
        acknowledged = int(line)
        if acknowledged == 20:
            os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    assert acknowledged >= 20
    found = [one.id for one in Outbox(path).pending(100_000)]
    assert found[:acknowledged] == [f"m{number}" for number in range(1, acknowledged + 1)]


def test_a_row_that_cannot_be_read_holds_up_nobody(tmp_path):
    path = tmp_path / "outbox.db"
    outbox = Outbox(path)
    outbox.put(memory(1))
    outbox.put(memory(2))
    with sqlite3.connect(path) as database:
        database.execute("UPDATE outbox SET body = '{' WHERE id = 'm1'")
    assert [one.id for one in outbox.pending()] == ["m2"]
    ((identity, problem),) = outbox.aside()
    assert identity == "m1" and "cannot be read" in problem
    assert len(outbox) == 1


def test_a_memory_set_aside_is_tried_again_after_a_restart(tmp_path):
    outbox = Outbox(tmp_path / "outbox.db")
    outbox.put(memory(1))
    outbox.set_aside(memory(1), "too long")
    assert outbox.pending() == [] and outbox.aside() == [("m1", "too long")]
    outbox.close()
    assert Outbox(tmp_path / "outbox.db").pending() == [memory(1)]


@pytest.mark.parametrize("content", [b"this is no database, it is a text " * 100, None])
def test_a_path_that_cannot_be_used_is_named(tmp_path, content):
    path = tmp_path / "outbox.db"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"outbox_path.*outbox\.db"):
        Outbox(path)
