"""memory.uri: what is understood, and that each refusal names the parameter and the fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from remembr_ros.errors import ConfigurationError
from remembr_ros.memory import uri
from remembr_ros.memory.uri import FileLocation, ServerLocation, locate


def test_fault_e9_tilde_is_the_home_folder_and_any_ending_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert locate("~/mem") == FileLocation(tmp_path.resolve() / "mem")
    assert locate("~/mem.sqlite") == FileLocation(tmp_path.resolve() / "mem.sqlite")


def test_fault_e9_missing_folder_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"memory\.uri.*/nowhere of .*does not exist"):
        locate(str(tmp_path / "nowhere" / "memory.db"))
    assert not (tmp_path / "nowhere").exists()


def test_the_default_folder_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert locate("") == locate(uri.DEFAULT_URI) == FileLocation(tmp_path.resolve() / ".ros/remembr/memory.db")
    assert (tmp_path / ".ros/remembr").is_dir()


def test_two_names_of_one_file_are_one_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert (
        locate(f"{tmp_path}/link/m.db")
        == locate(f"file:{tmp_path}/real/../real/m.db")
        == locate(f"file://{tmp_path}/real/m.db")
    )


@pytest.mark.parametrize("given", ["http://localhost:19530", "https://x.zillizcloud.com", "unix:/run/milvus.sock"])
def test_servers(given: str) -> None:
    assert locate(given) == ServerLocation(given)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("ftp://host/x", "scheme 'ftp'"),
        ("http://", "host and port"),
        ("http://host:99999999", "host and port"),
        ("unix:relative.sock", "absolute"),
        ("file://elsewhere/x.db", "elsewhere"),
        ("{tmp}/a very long name for a database file.db", "1 to 36 characters"),
        ("{tmp}/r\u00e4ume.db", "1 to 36 characters"),
        ("{tmp}", "is a folder"),
        ("{tmp}/a\0b.db", "NUL"),
        ("file:{tmp}/%00.db", "NUL"),
        ("{tmp}/notes.txt", "not a Milvus Lite database"),
    ],
)
def test_refusals_name_the_parameter_and_the_fault(tmp_path: Path, given: str, reason: str) -> None:
    (tmp_path / "notes.txt").write_text("shopping list of more than sixteen letters")
    with pytest.raises(ConfigurationError, match=r"memory\.uri") as refusal:
        locate(given.format(tmp=tmp_path))
    assert reason in str(refusal.value)
    assert (tmp_path / "notes.txt").read_text().startswith("shopping")
