"""Windows by image stamp: plausible frames once, in order, never across a clock jump."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembr_ros.errors import ConfigurationError
from remembr_ros.records import NANOSECONDS, Frame, Window
from remembr_ros.remember.window import Windower

T = 1_796_061_600 * NANOSECONDS  # 2026-11-30 18:00:00 UTC, on the grid of 3 s
PICTURE = np.zeros((2, 2, 3), np.uint8)


def ns(seconds: float) -> int:
    return round(seconds * NANOSECONDS)


def feed(
    windower: Windower, stamps_s: list[float], *, origin_ns: int = T, delay_s: float | None = 0.05
) -> list[Window]:
    """Frames as they come; now is `delay_s` after the newest stamp that is not nonsense."""
    windows, now_ns = [], 0
    for stamp_s in stamps_s:
        stamp_ns = origin_ns + ns(stamp_s)
        now_ns = max(now_ns, stamp_ns + ns(delay_s or 0))
        windows += windower.add(Frame(stamp_ns, PICTURE), None if delay_s is None else now_ns)
    return windows


def every(period_s: float, until_s: float, start_s: float = 0.0) -> list[float]:
    return [start_s + period_s * i for i in range(round((until_s - start_s) / period_s))]


def stamps(window: Window) -> list[float]:
    return [(frame.stamp_ns - T) / NANOSECONDS for frame in window.frames]


def test_thirty_hertz_for_two_minutes_is_forty_windows_of_six_frames() -> None:
    windower = Windower()
    windows = feed(windower, every(1 / 30, 120.0)) + windower.flush()
    spans = [(window.start_ns - T, window.end_ns - T) for window in windows]
    assert spans == [(ns(3 * k), ns(3 * k + 3)) for k in range(40)]
    assert {len(window.frames) for window in windows} == {6}
    stats = windower.stats()
    assert (stats.windows, stats.frames, stats.not_sampled) == (40, 240, 3600 - 240)


def test_a_replay_that_is_joined_later_makes_the_same_windows() -> None:
    whole = feed(Windower(), every(0.1, 30.0))
    joined = feed(Windower(), every(0.1, 30.0, start_s=7.7))
    assert [window.start_ns for window in joined[1:]] == [window.start_ns for window in whole[3:]]
    assert joined[0].start_ns == whole[2].start_ns


def test_a_frame_that_could_not_be_decoded_leaves_its_slot_to_the_next() -> None:
    windower = Windower()
    assert windower.wants(T)  # and is not added
    assert windower.wants(T + ns(0.1))
    windower.add(Frame(T + ns(0.1), PICTURE))
    assert not windower.wants(T + ns(0.2))
    assert windower.wants(T + ns(0.5))


def test_a_window_closed_between_wants_and_add_is_not_opened_again() -> None:
    windower = Windower()
    feed(windower, [0.0, 1.0])
    assert windower.wants(T + ns(2.0), T + ns(2.0))
    assert len(windower.tick(T + ns(3.6))) == 1
    assert windower.add(Frame(T + ns(2.0), PICTURE), T + ns(3.6)) == []
    assert windower.flush() == []
    assert windower.stats().dropped_late == 1


def test_fault_33_zero_since_boot_future_and_backward_stamps() -> None:
    problems: list[str] = []
    windower = Windower(sample_hz=20.0, on_problem=problems.append)
    now_ns, windows = T + ns(0.6), []
    good = [T + ns(s) for s in (0, 0.10, 0.05, 0.20, 0.30, 0.40, 0.50)]
    for stamp_ns in [*good[:4], 0, good[4], ns(37.2), good[5], T + ns(900), good[6]]:
        windows += windower.add(Frame(stamp_ns, PICTURE), now_ns)
    assert windows == []
    (window,) = windower.flush()
    assert stamps(window) == [0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert window.start_ns < window.end_ns
    stats = windower.stats()
    assert (stats.dropped_zero, stats.dropped_old, stats.dropped_future, stats.dropped_late) == (1, 1, 1, 0)
    assert len(problems) == 3
    windower.add(Frame(0, PICTURE), now_ns)
    assert len(problems) == 3  # counted, not said again
    assert windower.stats().dropped_zero == 2


def test_fault_3_a_camera_that_stops_gives_each_frame_once_and_resumes() -> None:
    windower = Windower()
    windows = feed(windower, every(0.1, 6.0))
    for tenth in range(60, 360):  # poses move on, no images
        windows += windower.tick(T + ns(tenth / 10))
    assert [stamps(window)[0] for window in windows] == [0.0, 3.0]
    windows += feed(windower, every(0.1, 42.0, start_s=36.0)) + windower.flush()
    assert [stamps(window)[0] for window in windows] == [0.0, 3.0, 36.0, 39.0]
    seen = [stamp for window in windows for stamp in stamps(window)]
    assert len(seen) == len(set(seen))


def test_a_camera_whose_pictures_come_seconds_late_keeps_whole_windows() -> None:
    windower = Windower()
    windows: list[Window] = []
    for stamp_s in every(0.1, 30.0):
        now_ns = T + ns(stamp_s + 4.0)
        windows += windower.tick(now_ns) + windower.add(Frame(T + ns(stamp_s), PICTURE), now_ns)
    assert [len(window.frames) for window in windows] == [6] * 9
    assert windower.stats().dropped_late == 0
    assert len(windower.tick(T + ns(34.4))) == 1


def test_fault_41_a_bag_loop_starts_anew_and_joins_nothing() -> None:
    windower = Windower()
    loop = every(0.1, 130.0, start_s=100.0)
    windows: list[Window] = []
    for _ in range(2):
        for stamp_s in loop:
            now_ns = ns(stamp_s) + ns(0.02)
            windows += windower.tick(now_ns) + windower.add(Frame(ns(stamp_s), PICTURE), now_ns)
    windows += windower.flush()
    starts = [window.start_ns for window in windows]
    half = len(starts) // 2
    assert starts[:half] == starts[half:] == sorted(starts[:half])
    assert half == 11  # 99-102 ... 129-132
    for window in windows:
        inside = [frame.stamp_ns for frame in window.frames]
        assert window.start_ns <= inside[0] and inside[-1] < window.end_ns
        assert inside == sorted(inside)
    assert windower.stats().clock_jumps == 1


def test_fault_41_images_of_the_next_loop_that_overtake_the_clock() -> None:
    windower = Windower()
    feed(windower, every(0.1, 130.0, start_s=100.0), origin_ns=0)
    assert windower.add(Frame(ns(100.0), PICTURE), ns(130.0)) == []  # /clock still says 130
    windows = windower.add(Frame(ns(100.1), PICTURE), ns(100.1))
    assert [window.start_ns for window in windows] == [ns(129)]
    assert [frame.stamp_ns for frame in windower.flush()[0].frames] == [ns(100.1)]


def test_fault_41_a_paused_clock_makes_no_windows() -> None:
    windower = Windower()
    feed(windower, every(0.1, 1.0))
    assert all(windower.tick(T + ns(1.0)) == [] for _ in range(200))
    assert windower.stats().windows == 0


def test_a_camera_clock_set_back_by_half_a_minute_loses_a_few_frames_only() -> None:
    windower = Windower()
    windows = feed(windower, every(0.1, 31.0))
    now_ns = T + ns(31.0)
    for stamp_s in every(0.1, 12.0, start_s=1.0):
        windows += windower.add(Frame(T + ns(stamp_s), PICTURE), now_ns + ns(stamp_s))
    windows += windower.flush()
    assert windower.stats().dropped_late < 5
    assert windower.stats().clock_jumps == 1
    assert [stamps(window)[0] for window in windows[-3:]] == pytest.approx([3.0, 6.0, 9.0])


def test_a_late_frame_does_not_open_its_window_again() -> None:
    windower = Windower()
    (window,) = feed(windower, [2.8, 3.05, 2.95])
    assert stamps(window) == [2.8]
    assert windower.stats().dropped_late == 1


def test_windows_with_too_few_frames_are_counted_not_made() -> None:
    windower = Windower(min_frames=3)
    assert feed(windower, [0.0, 3.0, 3.5, 4.0, 6.0], delay_s=None)[0].start_ns == T + ns(3)
    assert windower.stats().sparse_windows == 1


@pytest.mark.parametrize("bad", [{"window_s": 0.0}, {"window_s": float("nan")}, {"sample_hz": -1.0}, {"min_frames": 0}])
def test_bad_parameters_are_named(bad: dict[str, float]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(bad))):
        Windower(**bad)


@settings(max_examples=300, deadline=None)
@given(
    steps=st.lists(st.one_of(st.integers(-400, 4000), st.integers(-100_000, 100_000)), max_size=80),
    sample_hz=st.sampled_from([0.5, 2.0, 7.0, 30.0]),
    window_s=st.sampled_from([1.0, 3.0, 3.7]),
    with_now=st.booleans(),
)
def test_any_stamps_make_disjoint_ordered_windows(
    steps: list[int], sample_hz: float, window_s: float, with_now: bool
) -> None:
    windower = Windower(window_s, sample_hz)
    generations: list[list[Window]] = [[]]
    stamp_ms, frames = 1_000_000, 0
    for step_ms in steps:
        stamp_ms += step_ms
        frames += 1
        stamp_ns = stamp_ms * 1_000_000
        jumps = windower.stats().clock_jumps
        windows = windower.add(Frame(stamp_ns, PICTURE), stamp_ns if with_now else None)
        generations[-1] += windows
        if windower.stats().clock_jumps > jumps:
            generations.append([])
    generations[-1] += windower.flush()
    everything = [window for generation in generations for window in generation]
    identities = [id(frame) for window in everything for frame in window.frames]
    assert len(identities) == len(set(identities)) <= frames
    for window in everything:
        inside = [frame.stamp_ns for frame in window.frames]
        assert inside == sorted(inside)
        assert window.start_ns <= inside[0] and inside[-1] < window.end_ns
        assert window.end_ns - window.start_ns == ns(window_s)
    for generation in generations:
        for earlier, later in itertools.pairwise(generation):
            assert earlier.end_ns <= later.start_ns
    stats = windower.stats()
    assert len(identities) == stats.frames
    assert stats.frames + stats.not_sampled + stats.dropped_late + stats.dropped_zero == frames


def test_under_the_policy_receive_time_implausible_stamps_are_replaced_and_said_once() -> None:
    told: list[str] = []
    windower = Windower(implausible_stamps="receive_time", on_problem=told.append)
    now = T + ns(1.0)
    assert windower.stamp(now - ns(0.2), now) == now - ns(0.2), "a good one stays"
    for wrong in (0, ns(37.2), now + ns(900.0), -5):
        assert windower.stamp(wrong, now) == now
    assert windower.stamp(0) == 0, "without a clock there is nothing to put in its place"
    assert len(told) == 1 and windower.stats().restamped == 4


def test_under_the_policy_drop_stamps_are_left_alone() -> None:
    windower = Windower()
    assert windower.stamp(0, T) == 0 and not windower.wants(0, T) and windower.stats().restamped == 0


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="implausible_stamps: 'keep'"):
        Windower(implausible_stamps="keep")
