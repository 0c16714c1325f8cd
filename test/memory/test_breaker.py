"""The circuit breaker: closed, open, half open with one probe."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from remembr_ros.memory import breaker
from remembr_ros.memory.breaker import Breaker


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(breaker.time, "monotonic", lambda: now[0])
    return now


def test_after_silence_all_are_refused_until_one_probes(clock: list[float]) -> None:
    tested = Breaker(pause_s=2.0)
    assert tested.refusal() == "" and not tested.is_probe()
    tested.silent("no answer")
    assert [tested.refusal() for _ in range(3)] == ["no answer"] * 3
    clock[0] += 2.0
    assert tested.refusal() == "" and tested.is_probe()
    with ThreadPoolExecutor(1) as other:
        assert other.submit(tested.refusal).result() == "no answer"
        assert not other.submit(tested.is_probe).result()
    tested.answered()
    assert tested.refusal() == "" and not tested.is_probe()


def test_a_probe_that_fails_opens_it_again_and_one_that_never_tells_is_followed_by_another(clock: list[float]) -> None:
    tested = Breaker(pause_s=2.0)
    tested.silent("no answer")
    clock[0] += 2.0
    assert tested.refusal() == ""
    tested.silent("still none")
    assert tested.refusal() == "still none"
    clock[0] += 2.0
    assert tested.refusal() == ""  # its thread dies
    assert tested.refusal() == "still none"
    clock[0] += 2.0
    assert tested.refusal() == ""
