"""The demo's building and tour: the same for the same seed, different for another, and possible to drive through."""

import importlib.util
import math
from itertools import pairwise

import pytest

from demo.camera import Camera
from demo.photographs import all_photographs, picture
from demo.planner import Planner
from demo.questions import IN_VIEW_SHARE, views
from demo.route import SPEED, TURN_RATE, plan_tour
from demo.world import FREE, OCCUPIED, UNKNOWN, make_world, occupancy

SEEDS = (1, 2, 7)
needs_photographs = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("skimage", "sklearn", "matplotlib")),
    reason="photographs are missing: pip install -r requirements-demo.txt",
)


def test_a_seed_gives_the_same_building_and_tour_each_time() -> None:
    assert make_world(5) == make_world(5)
    first, second = plan_tour(make_world(5), 5), plan_tour(make_world(5), 5)
    assert first.visits == second.visits
    assert [first.at(t) for t in range(0, 200, 7)] == [second.at(t) for t in range(0, 200, 7)]


def test_another_seed_gives_another_building() -> None:
    buildings = [make_world(seed) for seed in range(10)]
    assert len({tuple(room.hung.photograph.name for room in world.rooms) for world in buildings}) > 5
    assert len({world.length_m for world in buildings}) == 10


@pytest.mark.parametrize("seed", SEEDS)
def test_every_room_has_a_photograph_of_its_own(seed: int) -> None:
    world = make_world(seed)
    assert 6 <= len(world.rooms) <= 8
    assert len({room.hung.photograph.name for room in world.rooms}) == len(world.rooms)


@pytest.mark.parametrize("seed", range(25))
def test_there_are_enough_things_to_ask_about(seed: int) -> None:
    world = make_world(seed)
    visited = {visit.room for visit in plan_tour(world, 4).visits}
    assert sum(1 for number in visited if world.rooms[number].hung.photograph.words) >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_every_room_can_be_reached_through_free_space(seed: int) -> None:
    world = make_world(seed)
    grid = occupancy(world)
    assert set(grid.cells.ravel()) == {FREE, OCCUPIED, UNKNOWN}
    planner = Planner(grid)
    for room in world.rooms:
        start = (world.start.x, world.start.y)
        path = planner.plan(start, (room.spot.x, room.spot.y))
        assert path and path[-1] == (room.spot.x, room.spot.y), f"no way to {room.name}"
        for a, b in pairwise([start, *path]):
            assert planner.clear(a, b)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tour_stays_in_free_space_and_moves_as_a_robot_can(seed: int) -> None:
    world = make_world(seed)
    tour, planner = plan_tour(world, 5), Planner(occupancy(world))
    step_s = 0.1
    places = [tour.at(step * step_s) for step in range(int(tour.duration_s / step_s) + 1)]
    assert all(planner.is_free(place.x, place.y) for place in places)
    for a, b in pairwise(places):
        assert math.hypot(b.x - a.x, b.y - a.y) <= SPEED * step_s + 1e-6
        assert abs(math.remainder(b.yaw - a.yaw, math.tau)) <= 1.1 * TURN_RATE * step_s


def test_a_wall_and_the_outside_are_no_goals() -> None:
    world = make_world(1)
    planner = Planner(occupancy(world))
    start = (world.start.x, world.start.y)
    room = world.rooms[0]
    assert planner.plan(start, (room.x1, room.spot.y)) == []
    assert planner.plan(start, (-50.0, 0.0)) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_visited_is_in_view_and_only_from_its_own_room(seed: int) -> None:
    world = make_world(seed)
    tour = plan_tour(world, 5)
    camera = Camera(world)
    for visit in tour.visits:
        middle = tour.at((visit.start_s + visit.end_s) / 2)
        assert camera.share_of_view(middle)[visit.room] > 0.8
    for view in views(world, tour):
        middle = tour.at((view.start_s + view.end_s) / 2)
        assert world.rooms[view.print_index].contains(middle.x, middle.y)
    assert len(views(world, tour)) == len(tour.visits)


def test_a_print_is_seen_the_right_way_round_at_both_walls() -> None:
    for room in (room for seed in range(4) for room in [*make_world(seed).rooms]):
        left = (room.hung.x0 - room.spot.x, room.hung.y0 - room.spot.y)
        ahead = (math.cos(room.spot.yaw), math.sin(room.spot.yaw))
        assert ahead[0] * left[1] - ahead[1] * left[0] > 0.0, "its left end is to the left of the viewing axis"


@needs_photographs
def test_the_camera_shows_the_photograph_that_hangs_there() -> None:
    world = make_world(1)
    camera = Camera(world)
    for room in world.rooms[:3]:
        seen = camera.render(room.spot)
        assert seen.shape == (240, 320, 3) and seen.dtype.name == "uint8"
        printed = picture(room.hung.photograph)
        assert abs(float(seen[90:150, 120:200].mean()) - float(printed[175:305, 235:405].mean())) < 12.0
        away = camera.share_of_view(type(room.spot)(room.spot.x, room.spot.y, room.spot.yaw + math.pi))
        assert max(away.values(), default=0.0) < IN_VIEW_SHARE


@needs_photographs
@pytest.mark.parametrize("photograph", all_photographs(), ids=lambda one: one.name)
def test_every_photograph_is_in_its_wheel(photograph: object) -> None:
    image = picture(photograph)  # type: ignore[arg-type]
    assert image.shape == (480, 640, 3) and image.std() > 10
