"""The simulated robot: obeys the tour, then velocities; speaks like AMCL; never outruns the captioner."""

import math

import pytest

from demo.route import plan_tour
from demo.simulation import STEP_NS, WINDOW_NS, Localizer, Pace, Robot
from demo.world import Place, make_world


def test_the_robot_waits_tours_and_then_obeys() -> None:
    tour = plan_tour(make_world(1), 4)
    robot = Robot(tour)
    robot.step()
    assert robot.place == tour.at(0.0)
    robot.begin_tour()
    while robot.touring:
        robot.velocity = (0.5, 0.0)
        robot.step()
    end = robot.place
    assert math.dist((end.x, end.y), (tour.at(1e9).x, tour.at(1e9).y)) < 0.1
    for _ in range(20):
        robot.step()
    assert math.dist((robot.place.x, robot.place.y), (end.x, end.y)) == pytest.approx(1.0)


def test_the_localizer_speaks_only_after_motion() -> None:
    localizer = Localizer(1)
    assert localizer.update(Place(0.0, 0.0, 0.0)) is not None
    assert localizer.update(Place(0.2, 0.0, 0.1)) is None
    assert localizer.update(Place(0.3, 0.0, 0.1)) is not None
    estimate = localizer.update(Place(0.3, 0.0, 0.4))
    assert estimate is not None and math.dist((estimate.x, estimate.y), (0.3, 0.0)) < 0.2


def test_the_clock_waits_for_the_captioner_and_goes_on() -> None:
    pace = Pace(0, lead_ns=3 * WINDOW_NS)
    pace.wait_for_captions(0)

    def play(seconds: float) -> None:
        for _ in range(int(seconds / 0.01)):
            pace.now_ns += pace.steps(0.01, speed=12.0) * STEP_NS

    play(10.0)
    assert pace.now_ns == 3 * WINDOW_NS
    pace.captioned(WINDOW_NS)
    play(10.0)
    assert pace.now_ns == 4 * WINDOW_NS


def test_the_clock_keeps_the_speed_asked_for() -> None:
    pace = Pace(0)
    for _ in range(1000):
        pace.now_ns += pace.steps(0.01, speed=4.0) * STEP_NS
    assert pace.now_ns == pytest.approx(40e9, abs=2 * STEP_NS)
