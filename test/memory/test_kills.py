"""SIGKILL in the middle of writing: every acknowledged memory is there, once. bench/kills.py kills more often, and a
Milvus server too, which takes a minute to come back."""

from __future__ import annotations

from pathlib import Path

from bench import kills


def test_killing_the_host_of_the_file_loses_and_doubles_nothing(db_file: Path) -> None:
    assert kills.kill_lite(db_file, 60, 2) == kills.Outcome(2, 0, 0)


def test_killing_the_captioner_loses_and_doubles_nothing(tmp_path: Path) -> None:
    assert kills.kill_captioner(tmp_path.resolve(), 60, 2) == kills.Outcome(2, 0, 0)


def test_an_outage_during_steady_writing_loses_nothing_and_keeps_the_order(db_file: Path, tmp_path: Path) -> None:
    figures = {figure.name: figure.value for figure in kills.outage(db_file, tmp_path / "outbox.db", 4.0)}
    assert figures["outage_lost"] == figures["outage_late"] == 0
    assert figures["outage_twice"] == figures["outage_out_of_order"] == 0
    assert figures["outage_most_waiting"] <= 4
    assert figures["outage_most_outbox"] > 20
