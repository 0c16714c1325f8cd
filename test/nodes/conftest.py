"""Nodes as processes, and a simulated robot, per module or per test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("remembr_interfaces", reason="remembr_interfaces not importable: . scripts/environment.sh")

from processes import Nodes  # noqa: E402
from sim_robot import SimRobot  # noqa: E402


@pytest.fixture
def nodes(tmp_path) -> Iterator[Nodes]:
    started = Nodes(tmp_path)
    yield started
    started.close()


@pytest.fixture
def robot(nodes: Nodes) -> Iterator[SimRobot]:
    with SimRobot(nodes.namespace) as robot:
        yield robot
