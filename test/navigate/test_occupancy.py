"""Where the robot may stand in an occupancy grid, against a plain search through all cells."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remembr_ros.errors import InvalidInput
from remembr_ros.navigate.occupancy import Blocked, OccupancyMap, free_place


def grid(cells: list[list[int]], **more: float) -> OccupancyMap:
    return OccupancyMap(
        "map", more.get("x", 0.0), more.get("y", 0.0), 1.0, np.array(cells, np.int8), more.get("yaw", 0.0)
    )


def test_a_free_place_keeps_its_exact_numbers() -> None:
    assert free_place(grid([[0, 0], [0, 0]]), 0.123, 1.987) == (0.123, 1.987)


def test_rows_run_along_y_and_columns_along_x() -> None:
    occupancy = grid([[0, 100, 0]])
    assert isinstance(free_place(occupancy, 1.5, 0.5), Blocked)
    assert free_place(occupancy, 2.5, 0.5) == (2.5, 0.5)


def test_an_origin_that_is_shifted_and_turned() -> None:
    """A quarter turn: the grid's x axis points along the map's y axis."""
    occupancy = grid([[0, 100, 0]], x=10.0, y=20.0, yaw=math.pi / 2)
    assert isinstance(free_place(occupancy, 9.5, 21.5), Blocked)
    assert free_place(occupancy, 9.5, 20.5) == (9.5, 20.5)
    assert free_place(occupancy, 9.5, 21.5, snap_radius_m=1.0) in [
        (pytest.approx(9.5), pytest.approx(20.5)),
        (pytest.approx(9.5), pytest.approx(22.5)),
    ]


@pytest.mark.parametrize(("value", "word"), [(-1, "unknown"), (100, "occupied"), (50, "occupied")])
def test_the_reason_says_what_is_there(value: int, word: str) -> None:
    blocked = free_place(grid([[value]]), 0.5, 0.5)
    assert isinstance(blocked, Blocked) and word in blocked.reason


def test_a_place_outside_is_blocked_also_where_a_free_cell_is_near() -> None:
    for x, y in ((-0.01, 0.5), (1.01, 0.5), (0.5, -0.01), (0.5, 1.01), (1e6, 0.5)):
        blocked = free_place(grid([[0]]), x, y, snap_radius_m=5.0)
        assert isinstance(blocked, Blocked) and "outside" in blocked.reason


def test_obstacles_keep_the_robot_at_a_distance_and_unknown_cells_do_not() -> None:
    occupancy = grid([[100, 0, 0, 0, -1]])
    blocked = free_place(occupancy, 1.5, 0.5, keep_out_m=1.0)
    assert isinstance(blocked, Blocked) and "nearer than 1 m" in blocked.reason
    assert free_place(occupancy, 1.5, 0.5, keep_out_m=1.0, snap_radius_m=1.0) == (2.5, 0.5)
    assert free_place(occupancy, 3.5, 0.5, keep_out_m=1.0) == (3.5, 0.5)


@pytest.mark.parametrize("keep_out", [0.35, 0.4, 0.1 + 0.2])
def test_keep_out_is_no_number_of_cells_rounded_down(keep_out: float) -> None:
    """A resolution of 0.05 m arrives as a float32, and 0.35 m is 6.99 of its cells."""
    cells = np.zeros((1, 40), np.int8)
    cells[0, 0] = 100
    occupancy = OccupancyMap("map", 0.0, 0.0, float(np.float32(0.05)), cells)
    for column in range(1, 20):
        x = (column + 0.5) * 0.05
        free = not isinstance(free_place(occupancy, x, 0.025, keep_out_m=keep_out), Blocked)
        assert free == (column * 0.05 > keep_out + 1e-6), column


def test_a_large_map_full_of_obstacles_is_judged_at_once() -> None:
    """Callbacks answer within 100 ms: 10 m to look for a place, 10 m to keep out, in cells of 5 cm."""
    cells = (np.random.default_rng(0).random((4000, 4000)) < 0.02).astype(np.int8) * 100
    occupancy = OccupancyMap("map", -100.0, -100.0, 0.05, cells)
    started = time.process_time()
    assert isinstance(free_place(occupancy, 0.0, 0.0, snap_radius_m=10.0, keep_out_m=10.0, veto=occupancy), Blocked)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("resolution", "x", "shape"),
    [
        (0.0, 0.0, (2, 2)),
        (math.nan, 0.0, (2, 2)),
        (1.0, math.inf, (2, 2)),
        (1.0, 1e300, (2, 2)),
        (1e-45, 0.0, (2, 2)),
        (-1.0, 0.0, (2, 2)),
        (1.0, 0.0, (0, 2)),
        (1.0, 0.0, (4,)),
    ],
)
def test_a_grid_that_is_none_is_refused(resolution: float, x: float, shape: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput, match=r"map\."):
        OccupancyMap("map", x, 0.0, resolution, np.zeros(shape, np.int8))


@settings(max_examples=200, deadline=None)
@given(
    cells=st.lists(st.lists(st.sampled_from([-1, 0, 0, 0, 100]), min_size=6, max_size=6), min_size=1, max_size=6),
    x=st.floats(-1, 7),
    y=st.floats(-1, 7),
    yaw=st.sampled_from([0.0, 0.3, math.pi / 2, -2.0]),
    snap=st.sampled_from([0.0, 0.7, 1.5, 3.0]),
    keep_out=st.sampled_from([0.0, 1.0, 2.0]),
)
def test_it_finds_what_a_search_through_all_cells_finds(cells, x, y, yaw, snap, keep_out) -> None:
    occupancy = grid(cells, x=0.5, y=-0.5, yaw=yaw)
    found = free_place(occupancy, x, y, snap_radius_m=snap, keep_out_m=keep_out)
    indices = [(row, column) for row in range(len(cells)) for column in range(6)]
    obstacles = [index for index in indices if cells[index[0]][index[1]] == 100]
    free = [
        index
        for index in indices
        if cells[index[0]][index[1]] == 0 and all(math.dist(index, other) > keep_out for other in obstacles)
    ]
    here = occupancy.cell_of(x, y)
    near = [math.dist((x, y), occupancy.center_of(*index)) for index in free]
    if here not in indices:
        assert isinstance(found, Blocked)
    elif here in free:
        assert found == (x, y)
    elif near and min(near) <= snap:
        assert not isinstance(found, Blocked)
        assert math.dist((x, y), found) == pytest.approx(min(near))
        assert occupancy.cell_of(*found) in free
    else:
        assert isinstance(found, Blocked)
