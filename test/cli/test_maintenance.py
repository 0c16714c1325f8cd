"""stats, forget, export, import, prune on a real memory file, without nodes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="typer not installed: pip install -r requirements.txt")
from typer.testing import CliRunner, Result

from remembr_ros.cli.main import app
from remembr_ros.memory import maintenance
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.query import Query
from remembr_ros.memory.schema import memory_id
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory, Pose
from remembr_ros.remember.outbox import Outbox

NOW_NS = time.time_ns()
ROWS = 40
DAY_NS = 86400 * NANOSECONDS


def memory(index: int, **fields: object) -> Memory:
    """One a day, the last one today, at (index, 0) of "floor"."""
    start_ns = NOW_NS - (ROWS - 1 - index) * DAY_NS - 10 * NANOSECONDS
    values: dict[str, object] = {
        "id": memory_id("carter", "front", start_ns),
        "start_ns": start_ns,
        "end_ns": start_ns + 3 * NANOSECONDS,
        "episode_start_ns": start_ns,
        "caption": f"I see thing{index}",
        "pose": Pose(start_ns, "map", float(index), 0.0, yaw=0.5),
        "localized": True,
        "map_id": "floor",
        "robot_id": "carter",
        "camera": "front",
    }
    return Memory(**(values | fields))  # type: ignore[arg-type]


@pytest.fixture
def uri(tmp_path: Path) -> Iterator[str]:
    """A memory of ROWS days; its store stays open, so that its server does not stop between commands."""
    path = str(tmp_path.resolve() / "memory.db")
    with MemoryStore.open(path, HashingEmbedder(32)) as store:
        store.write([memory(index) for index in range(ROWS)])
        yield path


def remembr(uri: str, *arguments: str) -> Result:
    outbox = ["--outbox", uri + ".outbox"] if arguments[0] in ("stats", "forget") else []
    return CliRunner().invoke(app, [*arguments, "--uri", uri, *outbox], env={"COLUMNS": "200", "TERM": "dumb"})


def stored(uri: str) -> list[int]:
    """Which memories there are, by index."""
    with MemoryStore.open_existing(uri) as store:
        return [int(found.caption.removeprefix("I see thing")) for found in store.between(None, None, 1000)]


def test_stats_tell_number_span_model_and_size(uri: str) -> None:
    result = remembr(uri, "stats")
    assert result.exit_code == 0, result.output
    for part in (uri, "hashing:32 (32-d)", str(ROWS), "39 days", "bytes per memory"):
        assert part in result.output


def test_what_is_not_there_is_named(uri: str, tmp_path: Path) -> None:
    result = remembr(uri, "stats", "--collection", "other")
    assert result.exit_code == 1 and "'other'" in result.output and "memories" in result.output
    result = remembr(str(tmp_path / "no" / "m.db"), "stats")
    assert result.exit_code == 1 and "memory.uri" in result.output


@pytest.mark.parametrize(
    ("criteria", "gone"),
    [
        (["--near", "10", "0", "--within", "1.5", "--map", "floor"], [9, 10, 11]),
        (["--near", "10", "0", "--within", "1.5", "--map", "cellar"], []),
        (["--robot", "carter"], list(range(ROWS))),
        (["--before", time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime((NOW_NS - 37 * DAY_NS) / 1e9))], [0, 1, 2]),
        (["--id", memory(5).id, "--id", memory(7).id, "--id", "unknown"], [5, 7]),
    ],
)
def test_forgetting_takes_exactly_what_fits(uri: str, criteria: list[str], gone: list[int]) -> None:
    dry = remembr(uri, "forget", *criteria, "--dry-run")
    assert dry.exit_code == 0 and f"{len(gone)} memories" in dry.output
    assert stored(uri) == list(range(ROWS))
    assert remembr(uri, "forget", *criteria, "--yes").exit_code == 0
    assert stored(uri) == [index for index in range(ROWS) if index not in gone]


@pytest.mark.parametrize(
    ("criteria", "words"),
    [
        (["--near", "10", "0", "--map", "floor"], "--near needs --within and --map"),
        (["--near", "10", "0", "--within", "1.5"], "--near needs --within and --map"),
        (["--near", "10", "0", "--within", "inf", "--map", "floor"], "'--within': inf is not a finite number"),
        (["--within", "1.5", "--map", "floor"], "--within needs --near"),
        (["--map", "", "--robot", "carter"], '--map "" (the unnamed map) needs --near'),
    ],
)
def test_a_place_is_one_of_a_map(uri: str, criteria: list[str], words: str) -> None:
    result = remembr(uri, "forget", *criteria, "--dry-run")
    assert result.exit_code == 2 and words in result.output, result.output


def test_an_empty_map_is_the_unnamed_one(uri: str) -> None:
    with MemoryStore.open(uri, HashingEmbedder(32)) as store:
        store.write([memory(ROWS, map_id="")])
    result = remembr(uri, "forget", "--near", str(ROWS), "0", "--within", "1.5", "--map", "", "--dry-run")
    assert result.exit_code == 0 and "1 memories would be forgotten" in result.output, result.output


def test_forgetting_everything_by_accident_is_refused(uri: str) -> None:
    assert remembr(uri, "forget", "--yes").exit_code == 2
    assert remembr(uri, "forget", "--near", "1", "1", "--yes").exit_code == 2
    assert remembr(uri, "prune", "--older-than", "soon", "--yes").exit_code == 2
    asked = CliRunner().invoke(app, ["prune", "--keep", "1", "--uri", uri], input="n\n")
    assert asked.exit_code == 0 and "to be forgotten" in asked.output
    assert len(stored(uri)) == ROWS


def test_forgetting_reaches_the_outbox_and_the_keyframes(uri: str, tmp_path: Path) -> None:
    picture = tmp_path / f"{memory(50).id}.jpg"
    other = tmp_path / "holiday.jpg"
    for file in (picture, other):
        file.write_bytes(b"jpeg")
    box = Outbox(uri + ".outbox")
    box.put(memory(50, image_uri=f"file:{picture}"))
    box.put(memory(60, image_uri=f"file:{other}"))
    box.put(memory(70, map_id="cellar"))
    result = remembr(uri, "forget", "--map", "floor", "--yes")
    assert "3 that wait" not in result.output and "2 that wait" in result.output, result.output
    assert [found.map_id for found in box.pending()] == ["cellar"]
    assert not picture.exists() and other.exists()
    box.close()


def test_pruning_by_age_and_by_number(uri: str) -> None:
    assert remembr(uri, "prune", "--older-than", "30d", "--yes").exit_code == 0
    assert stored(uri) == list(range(10, ROWS))
    assert remembr(uri, "prune", "--keep", "4", "--yes").exit_code == 0
    assert stored(uri) == [36, 37, 38, 39]


def test_an_export_imports_equal_without_the_model_and_embedded_anew_with_one(uri: str, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    assert remembr(uri, "export", str(file)).exit_code == 0
    assert len(file.read_text().splitlines()) == ROWS + 1 and not Path(f"{file}.partial").exists()
    assert remembr(uri, "export", str(file)).exit_code == 1  # never overwritten
    for name, model in (("same", []), ("other", ["--model", "hashing:64"])):
        copied = remembr(uri, "import", str(file), "--collection", name, *model)
        assert copied.exit_code == 0 and f"{ROWS} of them new" in copied.output, copied.output
        again = remembr(uri, "import", str(file), "--collection", name, *model)
        assert again.exit_code == 0 and "0 of them new" in again.output
        with MemoryStore.open(uri, HashingEmbedder(64 if model else 32), collection=name) as store:
            assert store.between(None, None, 1000) == [memory(index) for index in range(ROWS)]
            assert store.search(Query(text="thing7", limit=1))[0].memory == memory(7)
    clash = remembr(uri, "import", str(file), "--collection", "other")
    assert clash.exit_code == 1 and "hashing:32" in clash.output and "hashing:64" in clash.output


def test_a_file_that_cannot_be_written_is_named_as_it_was_given(uri: str, tmp_path: Path) -> None:
    for file, why in (("/proc/x.jsonl", ""), (f"{tmp_path}/no/x.jsonl", f"{tmp_path}/no is no folder")):
        result = remembr(uri, "export", file)
        assert result.exit_code == 1 and f"{file} cannot be written: {why}" in result.output, result.output
        assert "partial" not in result.output and "Errno" not in result.output


def test_an_interrupted_export_goes_on_where_it_was(uri: str, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    with MemoryStore.open_existing(uri) as store:
        maintenance.export(store, file)
        whole = file.read_bytes()
        lines = whole.splitlines(keepends=True)
        for kept in (0, 1, 5, ROWS):
            partial = Path(f"{file}.partial")
            partial.write_bytes(
                b"".join(lines[:kept]) + lines[min(kept, ROWS)][:-20]
            )  # cut off in the middle of a line
            assert maintenance.export(store, file) == ROWS
            assert file.read_bytes() == whole


def test_a_damaged_line_is_named(uri: str, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    remembr(uri, "export", str(file), "--no-vectors")
    assert remembr(uri, "import", str(file), "--collection", "c1").exit_code == 1  # neither vectors nor a model
    file.write_text(file.read_text() + '{"id": "x"}\n')
    result = remembr(uri, "import", str(file), "--collection", "c2", "--model", "hashing:32")
    assert result.exit_code == 1 and f"line {ROWS + 2}" in result.output
    file.write_text("shopping list\n")
    assert "no header" in remembr(uri, "import", str(file)).output
