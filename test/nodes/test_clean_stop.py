"""What is left of a node that was stopped: nothing."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from processes import Nodes

pytestmark = pytest.mark.ros


SHM = Path("/dev/shm")


def shared_memory(pid: int) -> set[Path]:
    """The DDS segments that a process has open, others' that it reads from included (not those of ports)."""
    maps = Path(f"/proc/{pid}/maps").read_text()
    files = {Path(line.split()[-1]) for line in maps.splitlines() if "/dev/shm/fastrtps_" in line}
    return {file for file in files if "_port" not in file.name}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ["captioner", "query"])
def test_a_clean_stop_leaves_no_shared_memory(nodes: Nodes, kind: str, number: int):
    """A robot's computer restarts nodes for months: 64 MB of /dev/shm each time would end in a full memory."""
    others = set(SHM.glob("fastrtps_*"))
    node = getattr(nodes, kind)()
    node.wait_for("active")
    segments = shared_memory(node.process.pid) - others
    assert segments and all(segment.exists() for segment in segments)
    node.stop(number)
    assert not [segment for segment in segments if segment.exists()]
