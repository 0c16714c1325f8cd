"""Map and costmap together: which of them decides, and what an old or absent costmap means."""

from __future__ import annotations

import math

import numpy as np
import pytest

from remembr_ros.navigate.occupancy import Blocked, OccupancyMap
from remembr_ros.navigate.surroundings import OccupancySource, Surroundings

S = 1_000_000_000
NOW = 1_796_061_600 * S
MAP, COSTMAP, BOTH = OccupancySource


def grid(cells: list[list[int]], **more: object) -> OccupancyMap:
    """Cells of 1 m from the origin."""
    return OccupancyMap("map", 0.0, 0.0, 1.0, np.array(cells, np.int8), **more)  # type: ignore[arg-type]


def costmap(cells: list[list[int]], **more: object) -> OccupancyMap:
    return grid(cells, blocked_from=99, obstacle_from=100, name="Nav2's costmap", **more)


def place(source: OccupancySource, x: float = 0.5, age_s: float = 1.0, snap: float = 0.0, **grids: OccupancyMap):
    around = Surroundings(**grids, source=source, costmap_stamp_ns=NOW - round(age_s * S))
    return around.free_place(x, 0.5, NOW, snap_radius_m=snap)


def blocked(found: object) -> str:
    assert isinstance(found, Blocked), found
    return found.reason


def test_a_cost_is_no_obstacle_and_inscribed_is() -> None:
    assert place(COSTMAP, costmap=costmap([[98]])) == (0.5, 0.5)
    for value in (99, 100):
        assert "occupied in Nav2's costmap" in blocked(place(COSTMAP, costmap=costmap([[value]])))
    assert "occupied in the map" in blocked(place(MAP, map=grid([[98]])))


def test_keep_out_counts_from_the_obstacle_not_from_its_inscribed_ring() -> None:
    around = Surroundings(costmap=costmap([[100, 99, 0, 0, 0]]), source=COSTMAP, costmap_stamp_ns=NOW)
    assert around.free_place(2.5, 0.5, NOW, keep_out_m=1.5) == (2.5, 0.5)
    assert "nearer than 2.5 m" in blocked(around.free_place(2.5, 0.5, NOW, keep_out_m=2.5))


def test_both_must_be_free_and_the_place_moves_to_where_they_are() -> None:
    grids = {"map": grid([[0, 0, 100, 0]]), "costmap": costmap([[100, 100, 0, 0]])}
    assert "Nav2's costmap" in blocked(place(BOTH, **grids))
    assert place(BOTH, snap=3.0, **grids) == (3.5, 0.5)
    assert place(MAP, **grids) == (0.5, 0.5)
    assert place(COSTMAP, snap=3.0, **grids) == (2.5, 0.5)


def test_what_the_costmap_does_not_know_it_does_not_forbid_unless_it_is_alone() -> None:
    grids = {"map": grid([[0, 0, 0]]), "costmap": costmap([[-1]])}
    assert place(BOTH, **grids) == (0.5, 0.5) and place(BOTH, 2.5, **grids) == (2.5, 0.5)
    assert "unknown in Nav2's costmap" in blocked(place(COSTMAP, **grids))
    assert "outside Nav2's costmap" in blocked(place(COSTMAP, 2.5, **grids))
    assert "unknown in Nav2's costmap" in blocked(place(BOTH, costmap=costmap([[-1]])))


@pytest.mark.parametrize("age_s", [11.0, -11.0])
def test_an_old_costmap_does_not_count_and_where_it_is_needed_there_is_no_goal(age_s: float) -> None:
    grids = {"map": grid([[0]]), "costmap": costmap([[100]])}
    assert place(BOTH, age_s=age_s, **grids) == (0.5, 0.5)
    assert "navigation.costmap_max_age_s" in blocked(place(COSTMAP, age_s=age_s, **grids))
    assert "no costmap has come" in blocked(place(COSTMAP, map=grid([[0]])))


def test_a_costmap_in_another_frame_is_not_laid_over_the_map() -> None:
    other = OccupancyMap("odom", 0.0, 0.0, 1.0, np.array([[100]], np.int8), blocked_from=99, obstacle_from=100)
    assert place(BOTH, map=grid([[0]]), costmap=other) == (0.5, 0.5)


def test_the_frame_is_that_of_the_grid_that_decides() -> None:
    other = OccupancyMap("building", 0.0, 0.0, 1.0, np.array([[0]], np.int8))
    assert [Surroundings(grid([[0]]), other, source=source).frame_id for source in OccupancySource] == [
        "map",
        "building",
        "map",
    ]
    assert Surroundings(None, other, source=BOTH).frame_id == "building" and Surroundings().frame_id == ""


def test_grids_that_are_shifted_turned_and_of_other_resolution() -> None:
    """A quarter turn about (1, 0): the costmap's row 0 is the column of the map from x = 0 to 1."""
    turned = OccupancyMap(
        "map", 1.0, 0.0, 0.5, np.array([[0, 100], [0, 0]], np.int8), math.pi / 2, blocked_from=99, obstacle_from=100
    )
    around = Surroundings(grid([[0]]), turned, NOW, BOTH)
    assert isinstance(around.free_place(0.75, 0.75, NOW), Blocked)
    assert around.free_place(0.25, 0.75, NOW) == (0.25, 0.75) and around.free_place(0.75, 0.25, NOW) == (0.75, 0.25)
