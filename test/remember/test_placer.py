"""A window waits for the pose that comes after it, but not for ever."""

import numpy as np
import pytest

from remembr_ros.records import NANOSECONDS, Frame, Pose, Window
from remembr_ros.remember.placer import WindowPlacer
from remembr_ros.remember.pose_track import PoseTrack

T = 1_796_061_600 * NANOSECONDS


def ns(seconds: float) -> int:
    return T + round(seconds * NANOSECONDS)


def window(start_s: float) -> Window:
    return Window(ns(start_s), ns(start_s + 3.0), (Frame(ns(start_s), np.zeros((2, 2, 3), np.uint8)),))


def pose(seconds: float, x: float) -> Pose:
    return Pose(ns(seconds), "map", x, 0.0, yaw=0.0, position_var=0.01)


@pytest.fixture
def placer() -> WindowPlacer:
    return WindowPlacer(PoseTrack(), wait_s=0.5)


def places(placed) -> list[float | None]:
    return [at.pose.x if at else None for _, at in placed]


def test_a_pose_that_comes_after_the_window_has_closed_places_it(placer):
    """AMCL at 0.1 m/s speaks every 2.5 s: at 0.5 s, and of 2.5 s only at 3.2 s."""
    assert placer.add_pose(pose(0.5, 1.0), ns(0.6)) == []
    assert placer.add([window(0)], ns(3.0)) == []
    assert places(placer.add_pose(pose(2.5, 2.0), ns(3.2))) == [1.5]


def test_of_a_parked_robot_none_comes_and_the_window_waits_no_longer_than_it_may(placer):
    placer.add_pose(pose(0.5, 1.0), ns(0.6))
    assert placer.add([window(0)], ns(3.0)) == [] and placer.add([], ns(3.4)) == []
    assert places(placer.add([], ns(3.5))) == [1.0] and placer.flush() == []


def test_nothing_waits_for_what_is_there(placer):
    placer.add_pose(pose(0.5, 1.0), ns(0.6))
    placer.add_pose(pose(1.5, 2.0), ns(1.6))
    assert places(placer.add([window(0)], ns(3.0))) == [2.0]


def test_a_pose_that_comes_when_the_wait_is_over_moves_nothing(placer):
    """Whoever looks rarely (a tick every 0.25 s, a bag played fast) places as one who looks all the time."""
    placer.add_pose(pose(0.5, 1.0), ns(0.6))
    placer.add([window(0)], ns(3.0))
    assert places(placer.add_pose(pose(2.5, 2.0), ns(3.9))) == [1.0]


def test_windows_stay_in_order_and_each_has_its_own_place(placer):
    placer.add_pose(pose(0.0, 0.0), ns(0.0))
    assert placer.add([window(0), window(3)], ns(3.2)) == []
    placed = placer.add_pose(pose(1.5, 1.0), ns(3.3))
    assert [one.start_ns for one, _ in placed] == [T] and places(placed) == [1.0]
    assert places(placer.add_pose(pose(4.5, 2.0), ns(6.1))) == [2.0]


@pytest.mark.parametrize("wait_s", [0.0, 0.5])
def test_without_a_clock_and_at_the_end_nothing_waits(wait_s):
    placer = WindowPlacer(PoseTrack(), wait_s)
    assert places(placer.add([window(0)], None)) == [None]
    placer.add([window(3)], ns(5.9))
    assert places(placer.flush()) == [None]
    assert places(WindowPlacer(PoseTrack(), 0.0).add([window(6)], ns(9.0))) == [None]
