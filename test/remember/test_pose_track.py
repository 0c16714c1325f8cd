"""The pose at an instant: interpolated while driving, held while parked, never invented."""

import math

import pytest

from remembr_ros.errors import ConfigurationError, InvalidInput
from remembr_ros.records import NANOSECONDS, Pose
from remembr_ros.remember.pose_track import PoseTrack

T = 1_796_061_600 * NANOSECONDS


def ns(seconds: float) -> int:
    return T + round(seconds * NANOSECONDS)


def pose(
    seconds: float, x: float, y: float = 0.0, yaw: float | None = 0.0, var: float = 0.01, frame: str = "map"
) -> Pose:
    return Pose(ns(seconds), frame, x, y, yaw=yaw, position_var=var)


def track(*poses: Pose, **options: float) -> PoseTrack:
    made = PoseTrack(**options)
    for one in poses:
        made.add(one)
    return made


def test_driving_is_interpolated() -> None:
    at = track(pose(0, 0.0), pose(1, 0.5, 0.2)).at(ns(0.25))
    assert at is not None and at.localized
    assert (at.pose.x, at.pose.y) == pytest.approx((0.125, 0.05))
    assert at.pose.stamp_ns == ns(0.25)
    assert at.age_s == pytest.approx(0.25)


@pytest.mark.parametrize(("first", "second", "middle"), [(3.0, -3.0, math.pi), (-3.1, 3.1, math.pi), (0.2, -0.4, -0.1)])
def test_yaw_goes_the_short_way(first: float, second: float, middle: float) -> None:
    at = track(pose(0, 0, yaw=first), pose(1, 0.1, yaw=second)).at(ns(0.5))
    assert at is not None and at.pose.yaw is not None
    assert math.cos(at.pose.yaw - middle) == pytest.approx(1.0)


def test_fault_1_a_parked_robot_holds_its_pose_for_minutes_and_tells_its_age() -> None:
    parked = track(pose(0, 2.0, 1.0))
    for seconds in (1.5, 30.0, 60.0, 3600.0):
        at = parked.at(ns(seconds))
        assert at is not None and at.localized
        assert (at.pose.x, at.pose.y, at.age_s) == (2.0, 1.0, seconds)


def test_a_stay_is_not_smeared_into_the_motion_that_ends_it() -> None:
    at = track(pose(0, 2.0), pose(600, 2.26)).at(ns(300))
    assert at is not None and at.localized
    assert (at.pose.x, at.age_s) == (2.0, 300.0)


@pytest.mark.parametrize(("seconds", "x"), [(10.0, 0.0), (50.0, 8.0)])
def test_poses_lost_while_driving_are_not_trusted(seconds: float, x: float) -> None:
    at = track(pose(0, 0.0), pose(60, 8.0)).at(ns(seconds))
    assert at is not None and not at.localized
    assert at.pose.x == x


def test_a_relocalisation_is_not_a_drive() -> None:
    jumped = track(pose(0, 0.0), pose(1, 20.0))
    assert {jumped.at(ns(s)).pose.x for s in (0.1, 0.4, 0.6, 0.9)} == {0.0, 20.0}
    assert jumped.stats().jumps == 1


def test_an_uncertain_pose_is_kept_but_not_localized() -> None:
    unsure = track(pose(0, 0.0, var=0.01), pose(1, 0.2, var=1.0), max_position_std=0.5)
    assert unsure.at(ns(0)).localized
    assert not unsure.at(ns(0.5)).localized
    assert not unsure.at(ns(9)).localized
    assert unsure.stats().uncertain == 1


def test_trust_comes_after_the_settling_time_also_when_parked() -> None:
    settling = track(pose(0, 0.0, var=1.0), pose(1, 0.0, var=0.01), settle_s=5.0)
    assert not settling.at(ns(3)).localized
    assert settling.at(ns(6)).localized


def test_a_source_that_should_never_be_silent_grows_stale() -> None:
    stale = track(pose(0, 0.0), max_age_s=2.0)
    assert stale.at(ns(1)).localized
    assert not stale.at(ns(3)).localized


def test_before_the_first_pose_nothing_is_known() -> None:
    assert PoseTrack().at(T) is None
    late = track(pose(10, 1.0))
    assert late.at(ns(5)) is None
    assert late.at(ns(9)).pose.x == 1.0


def test_another_frame_starts_anew() -> None:
    problems: list[str] = []
    changed = PoseTrack(on_problem=problems.append)
    changed.add(pose(0, 1.0, frame="odom"))
    changed.add(pose(1, 5.0, frame="map"))
    assert changed.at(ns(0.9)).pose.frame_id == "map"
    assert "odom" in problems[0] and "map" in problems[0]


def test_fault_41_a_clock_set_back_starts_anew() -> None:
    looped = PoseTrack()
    for seconds in range(100, 130):
        looped.add(pose(seconds, seconds), ns(seconds))
    looped.add(pose(100, 50.0), ns(100))
    assert looped.at(ns(129)).pose.x == 50.0
    assert looped.stats().clock_jumps == 1


def test_a_latched_sample_that_comes_late_changes_nothing() -> None:
    both = PoseTrack()
    both.add(pose(50, 5.0), ns(50))
    both.add(pose(20, 2.0), ns(50.1))
    both.add(pose(50, 5.0), ns(50.1))  # the same sample through the other subscription
    assert both.at(ns(60)).pose.x == 5.0
    assert both.stats().out_of_order == 1


@pytest.mark.parametrize("bad", [{"x": math.nan}, {"x": 1e256}, {"yaw": math.nan}, {"position_var": math.nan}])
def test_fault_61_a_nan_pose_never_replaces_the_last_good_one(bad: dict[str, float]) -> None:
    good = track(pose(0, 2.0))
    with pytest.raises(InvalidInput):
        good.add(Pose(ns(1), "map", **{"x": 1.0, "y": 1.0, **bad}))
    assert good.at(ns(5)).pose.x == 2.0


def test_a_heading_that_is_unknown_stays_unknown() -> None:
    assert track(pose(0, 0, yaw=None), pose(1, 0.3, yaw=None)).at(ns(0.5)).pose.yaw is None
    assert track(pose(0, 0, yaw=0.3), pose(1, 0.3, yaw=None)).at(ns(0.5)).pose.yaw is None


def test_the_history_is_bounded() -> None:
    long = track(*(pose(i, 0.0) for i in range(100)), history=10)
    assert long.at(ns(80)) is None
    assert long.at(ns(95)).pose.stamp_ns == ns(95)


def test_bad_parameters_are_named() -> None:
    with pytest.raises(ConfigurationError, match="max_position_std"):
        PoseTrack(max_position_std=0.0)
