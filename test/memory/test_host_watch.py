"""A host is brought back in its own time, whoever waits for it."""

from __future__ import annotations

import threading

import pytest

from remembr_ros.errors import MemoryUnavailable
from remembr_ros.memory.host_watch import Revival


def test_a_revival_goes_on_when_those_who_waited_give_up() -> None:
    ready = threading.Event()
    revival = Revival(lambda: (ready.wait(10.0), None)[1])
    assert not revival.wait(0.0) and not revival.ended
    ready.set()
    assert revival.wait(None) and revival.ended
    assert revival.wait(0.0)


def test_all_who_wait_are_told_why_it_failed() -> None:
    def fail() -> None:
        raise MemoryUnavailable("the disk is full")

    revival = Revival(fail)
    for _ in range(2):
        with pytest.raises(MemoryUnavailable, match="the disk is full"):
            revival.wait(10.0)
    assert revival.ended
