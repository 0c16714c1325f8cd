"""Memory to row and back; keys."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembr_ros.errors import InvalidInput, MemoryUnavailable
from remembr_ros.memory.query import Query
from remembr_ros.memory.schema import MAX_BYTES, CollectionInfo, from_row, memory_id, to_row
from remembr_ros.records import Memory, Pose

VECTOR = np.ones(4, np.float32) / 2


@given(st.text(), st.text(), st.integers(0, 2**63 - 2), st.integers(0, 2**63 - 2))
def test_keys_are_equal_for_the_same_window_and_sort_by_time(robot: str, camera: str, first: int, second: int) -> None:
    assert memory_id(robot, camera, first) == memory_id(robot, camera, first)
    assert (memory_id(robot, camera, first) < memory_id(robot, camera, second)) == (first < second)
    assert memory_id(robot, camera, first) != memory_id(robot + "x", camera, first)


def test_robot_and_camera_cannot_be_confused() -> None:
    assert memory_id("ab", "c", 1) != memory_id("a", "bc", 1)


@pytest.mark.parametrize(
    "pose", [None, Pose(7, "map", 1e5 + 1e-9, -2.5, 0.1), Pose(7, "map", 1.0, 2.0, 3.0, -3.1, 0.25, 0.07)]
)
def test_round_trip(remember: Callable[..., Memory], pose: Pose | None) -> None:
    memory = remember(
        1, "a cup", pose=pose, localized=pose is not None, map_id="floor", image_uri="file:/x.jpg", session_id="s"
    )
    row = to_row(memory, VECTOR)
    assert not any(value is None for value in row.values())
    assert from_row(row) == memory


def test_texts_are_cut_to_bytes_on_a_character(remember: Callable[..., Memory]) -> None:
    row = to_row(remember(0, "\u6f22" * 9000, captioner="\u00e9" * 200), VECTOR)
    assert len(row["caption"].encode()) == MAX_BYTES["caption"] // 3 * 3
    assert row["captioner"] == "\u00e9" * 128


@pytest.mark.parametrize("field", ["robot_id", "camera", "map_id", "session_id"])
def test_a_name_longer_than_its_field_is_refused_in_rows_and_in_filters(
    remember: Callable[..., Memory], field: str
) -> None:
    """Cut, it would be stored as a name that no filter asks for, or as that of another robot."""
    fits = "\u00e9" * 128
    assert to_row(remember(0, **{field: fits}), VECTOR)[field] == fits
    with pytest.raises(InvalidInput, match=f"{field} is longer than 256 bytes"):
        to_row(remember(0, **{field: fits + "x"}), VECTOR)
    if field != "session_id":
        Query(**{field: fits})
        with pytest.raises(InvalidInput, match=f"{field} is longer than 256 bytes"):
            Query(**{field: fits + "x"})


def test_a_frame_longer_than_its_field_is_refused(remember: Callable[..., Memory]) -> None:
    memory = remember(0, pose=Pose(0, "f" * 257, 1.0, 2.0))
    with pytest.raises(InvalidInput, match="frame_id is longer than 256 bytes"):
        to_row(memory, VECTOR)


def test_what_would_become_another_row_is_refused(remember: Callable[..., Memory]) -> None:
    with pytest.raises(InvalidInput, match=r"memory\.id"):
        to_row(remember(0, id="x" * 257), VECTOR)
    with pytest.raises(InvalidInput, match="start_ns"):
        memory_id("r", "c", -1)


def test_fault_61_no_field_of_a_row_is_nan(remember: Callable[..., Memory]) -> None:
    memory = remember(0, at=(1.0, 2.0))
    assert memory.pose is not None
    object.__setattr__(memory.pose, "x", math.nan)  # past the record's own check
    with pytest.raises(InvalidInput, match="x is not finite"):
        to_row(memory, VECTOR)


def test_collection_says_what_it_holds() -> None:
    info = CollectionInfo(1, "packaged:all-MiniLM-L6-v2", 384)
    assert CollectionInfo.from_description(info.to_description(), "memories") == info
    for foreign in ("", "my collection", "{}", "[]", "null"):
        with pytest.raises(MemoryUnavailable, match=r"memory\.collection"):
            CollectionInfo.from_description(foreign, "memories")
