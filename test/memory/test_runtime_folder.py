"""Where the processes of one file meet, /tmp, anybody may have put something else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from remembr_ros.errors import MemoryUnavailable
from remembr_ros.memory.runtime_folder import RuntimeFolder

UNUSED_UID = 61_000 + os.getpid() % 1000


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """The folder of a user that nobody is; `RuntimeFolder` takes this process for that user."""
    path = Path(f"/tmp/remembr_ros-{UNUSED_UID}")
    assert not os.path.lexists(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getuid", lambda: UNUSED_UID)
        yield path
    path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


@pytest.mark.parametrize(
    "put",
    [
        lambda base, elsewhere: base.symlink_to(elsewhere),
        lambda base, elsewhere: base.symlink_to(elsewhere / "nothing"),
        lambda base, elsewhere: base.write_text("a file"),
        lambda base, elsewhere: base.mkdir(mode=0o700),
    ],
    ids=["link", "dangling link", "file", "folder of another user"],
)
def test_what_somebody_else_put_there_is_refused(
    base: Path, tmp_path: Path, put: Callable[[Path, Path], object]
) -> None:
    put(base, tmp_path)
    with pytest.raises(MemoryUnavailable, match=rf"{base} must be a folder.*uid {UNUSED_UID}.*remove it"):
        RuntimeFolder.of(tmp_path / "memory.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    folder = RuntimeFolder.of(tmp_path / "memory.db")
    folder.path.chmod(0o755)
    try:
        with pytest.raises(MemoryUnavailable, match=rf"{folder.path} must be a folder.*drwxr-xr-x"):
            RuntimeFolder.of(tmp_path / "memory.db")
    finally:
        folder.path.rmdir()
