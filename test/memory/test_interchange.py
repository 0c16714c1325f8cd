"""Lines of an export that are damaged, in whatever way, are refused by what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembr_ros.errors import InvalidInput
from remembr_ros.memory import maintenance
from remembr_ros.memory.interchange import Header, from_line, to_line
from remembr_ros.records import Memory

DIMENSION = 4


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("caption", 5), ("caption", None), ("start_ns", 1.5), ("start_ns", "now"), ("start_ns", True),
        ("localized", 1), ("map_id", ["floor"]), ("pose", 3), ("pose", []), ("id", None), ("nonsense", "x"),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_named(remember: Callable[..., Memory], field: str, value: Any) -> None:
    fields = json.loads(to_line(remember(0, at=(1.0, 2.0)), None)) | {field: value}
    with pytest.raises(InvalidInput, match=field):
        from_line(json.dumps(fields), DIMENSION)


@pytest.mark.parametrize(("field", "value"), [("x", "1"), ("x", None), ("y", True), ("yaw", "north"), ("frame_id", 3)])
def test_a_field_of_the_pose_of_another_type_is_named(remember: Callable[..., Memory], field: str, value: Any) -> None:
    fields = json.loads(to_line(remember(0, at=(1.0, 2.0)), None))
    fields["pose"][field] = value
    with pytest.raises(InvalidInput, match=field):
        from_line(json.dumps(fields), DIMENSION)


@given(st.text())
def test_any_other_text_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput):
        from_line(line, DIMENSION)


@pytest.mark.parametrize("dimension", [-3, 0, 1, 40_000])
def test_a_header_with_an_impossible_dimension_is_refused(dimension: int) -> None:
    with pytest.raises(InvalidInput, match=f"dimension {dimension}"):
        Header.from_line(Header("hashing:4", dimension, 0).to_line(), "a.jsonl")


def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path: Path, remember: Callable[..., Memory]) -> None:
    file = tmp_path / "all.jsonl"
    line = to_line(remember(0), np.ones(DIMENSION, np.float32) / 2)
    file.write_bytes((Header("hashing:4", DIMENSION, 2).to_line() + line).encode() + b"\xff\xfe\x00\n")
    pages = maintenance._pages(file, maintenance.read_header(file))
    with pytest.raises(InvalidInput, match=r"all\.jsonl, line 3"):
        list(pages)
    file.write_bytes(b"\x89PNG\r\n" + bytes(range(256)))
    with pytest.raises(InvalidInput, match=r"all\.jsonl is not an export"):
        maintenance.read_header(file)


def test_a_damaged_partial_export_is_named(tmp_path: Path) -> None:
    partial = tmp_path / "all.jsonl.partial"
    header = Header("hashing:4", DIMENSION, 2)
    partial.write_bytes(header.to_line().encode() + b"\xff\xfe\n")
    with pytest.raises(InvalidInput, match=r"all\.jsonl\.partial is damaged, remove it"):
        maintenance._continued(partial, header)
