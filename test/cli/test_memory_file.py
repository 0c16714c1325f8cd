"""What can go wrong with the memory itself is one line that names it, whatever the command."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="typer not installed: pip install -r requirements.txt")
from typer.testing import CliRunner, Result

from remembr_ros.cli.main import app
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.interchange import Header
from remembr_ros.memory.store import MemoryStore

ENVIRONMENT = {"COLUMNS": "60", "TERM": "dumb", "TZ": "Asia/Tokyo"}


def remembr(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env=ENVIRONMENT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path.resolve()


@pytest.mark.parametrize("command", [["stats"], ["forget", "--map", "x"], ["prune", "--keep", "1"], ["export", "out"]])
def test_a_mistyped_file_is_named_in_one_line_and_not_made(folder: Path, command: list[str]) -> None:
    result = remembr(*command, "--uri", folder / "memry.db")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert f"there is no memory at {folder}/memry.db" in result.stderr
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("option", ["--after", "--before"])
def test_a_time_before_all_clocks_is_wrong_usage(folder: Path, option: str) -> None:
    result = remembr("forget", option, "0001-01-01", "--uri", folder / "memory.db")
    assert result.exit_code == 2 and f"{option}: 1-01-01" in result.stderr.replace("0001", "1")


def test_an_impossible_model_or_header_is_named_in_one_line(folder: Path) -> None:
    file = folder / "all.jsonl"
    wrong = ((4, ["--model", "hashing:x"], "--model: 'hashing:x'"), (-4, [], "dimension -4"))
    for dimension, arguments, named in wrong:
        file.write_text(Header("hashing:4", dimension, 0).to_line())
        result = remembr("import", file, *arguments, "--uri", folder / "memory.db")
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1) and named in result.stderr
    assert not (folder / "memory.db").exists()


def test_a_damaged_outbox_and_names_that_look_like_markup_or_are_no_text(folder: Path) -> None:
    place = folder / os.fsdecode(b"[red] \xff")
    place.mkdir()
    MemoryStore.open(str(place / "memory.db"), HashingEmbedder(16)).close()
    damaged = folder / "outbox.db"
    damaged.write_bytes(b"SQLite format 3\0" + b"damaged" * 1000)
    result = remembr("stats", "--uri", place / "memory.db", "--outbox", damaged)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1) and str(damaged) in result.stderr
    assert damaged.read_bytes().endswith(b"damaged")
    result = remembr("stats", "--uri", place / "memory.db", "--outbox", folder / "none")
    assert result.exit_code == 0, result.stderr
    assert "[red]" in result.stdout and "hashing:16" in result.stdout
