"""A pose moved from one frame that is fixed to the world to another."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.ros
pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from remembr_ros.records import Pose  # noqa: E402
from remembr_ros.ros.static_frames import moved  # noqa: E402

POSE = Pose(7, "map", 2.0, 1.0, 0.5, math.pi)


def transform(x=0.0, y=0.0, z=0.0, q=(0.0, 0.0, 0.0, 1.0)):
    return SimpleNamespace(
        translation=SimpleNamespace(x=x, y=y, z=z), rotation=SimpleNamespace(**dict(zip("xyzw", q, strict=True)))
    )


def about(axis: str, angle: float) -> tuple[float, float, float, float]:
    x, y, z = (math.sin(angle / 2) if name == axis else 0.0 for name in "xyz")
    return x, y, z, math.cos(angle / 2)


def test_it_is_turned_and_shifted_and_keeps_its_stamp() -> None:
    there = moved(POSE, "building", transform(10.0, 20.0, 1.0, about("z", math.pi / 2)))
    assert isinstance(there, Pose)
    assert (there.x, there.y, there.z) == (pytest.approx(9.0), pytest.approx(22.0), pytest.approx(1.5))
    assert there.yaw == pytest.approx(-math.pi / 2) and (there.frame_id, there.stamp_ns) == ("building", 7)


def test_no_heading_stays_none_and_a_quaternion_need_not_be_a_unit() -> None:
    there = moved(Pose(7, "map", 1.0, 0.0), "building", transform(q=(0.0, 0.0, 2.0, 2.0)))
    assert (
        isinstance(there, Pose) and there.yaw is None and (there.x, there.y) == (pytest.approx(0.0), pytest.approx(1.0))
    )


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (transform(q=(0.0, 0.0, 0.0, 0.0)), "rigid"),
        (transform(x=math.nan), "rigid"),
        (transform(x=1e9), "usable"),
        (transform(q=about("x", math.pi)), "180 degrees"),
        (transform(q=about("y", 0.2)), "11 degrees"),
    ],
)
def test_what_is_no_motion_in_the_plane_is_refused(bad, word) -> None:
    assert word in str(moved(POSE, "building", bad)) and not isinstance(moved(POSE, "building", bad), Pose)
