"""Text files that people give an evaluation. In: a path; out: its text, or an error that says where it is none."""

from __future__ import annotations

from pathlib import Path

from remembr_ros.errors import InvalidInput


def read_utf8(file: Path) -> str:
    """The text, without a byte order mark, its line ends as they are. Raises InvalidInput, which names file and line,
    where it is not UTF-8, and OSError."""
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{file}, line {number}: this is not UTF-8") from error
