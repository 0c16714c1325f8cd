"""Keyframes: a picture per memory, the oldest gone first when the budget is used up, never a memory lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

cv2 = pytest.importorskip("cv2")

from remembr_ros.errors import ConfigurationError  # noqa: E402
from remembr_ros.memory.schema import memory_id  # noqa: E402
from remembr_ros.records import NANOSECONDS  # noqa: E402
from remembr_ros.remember.keyframes import LONGER_SIDE_PX, Keyframes  # noqa: E402

T = 1_796_061_600 * NANOSECONDS
NOISE = np.random.default_rng(1).integers(0, 255, (120, 160, 3), dtype=np.uint8)
HOUR = 3600 * NANOSECONDS


def save(keyframes: Keyframes, hour: int, picture: np.ndarray = NOISE) -> str:
    start_ns = T + hour * HOUR
    return keyframes.save(memory_id("carter", "front", start_ns), start_ns, picture)


def test_a_picture_is_small_and_its_colours_stay(tmp_path: Path) -> None:
    red = np.zeros((1200, 1920, 3), np.uint8)
    red[..., 0] = 250
    uri = save(Keyframes(tmp_path, 10**9), 0, red)
    assert uri.startswith(f"file:{tmp_path}/2026-11-30/") and uri.endswith(".jpg")
    picture = cv2.imread(uri.removeprefix("file:"))
    assert picture.shape[:2] == (400, LONGER_SIDE_PX)
    blue, green, red_ = picture.reshape(-1, 3).mean(axis=0)
    assert red_ > 240 > 20 > max(blue, green)


def test_the_oldest_go_first_and_the_budget_holds_also_after_a_restart(tmp_path: Path) -> None:
    size = Path(save(Keyframes(tmp_path, 10**9), 0).removeprefix("file:")).stat().st_size
    budget = 10 * size + 100
    keyframes = Keyframes(tmp_path, budget)
    uris = [save(keyframes, hour) for hour in range(40)]
    assert keyframes.used_bytes <= budget
    there = [Path(uri.removeprefix("file:")).exists() for uri in uris]
    assert there == sorted(there) and 8 <= sum(there) <= 10
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.jpg")) == keyframes.used_bytes
    assert len(list(tmp_path.iterdir())) == len({path.parent for path in tmp_path.rglob("*.jpg")})  # no empty days
    again = Keyframes(tmp_path, 3 * size + 100)
    assert again.used_bytes <= 3 * size + 100 and Path(uris[-1].removeprefix("file:")).exists()


def test_the_same_window_again_is_one_picture(tmp_path: Path) -> None:
    keyframes = Keyframes(tmp_path, 10**9)
    assert save(keyframes, 0) == save(keyframes, 0)
    assert (
        len(list(tmp_path.rglob("*.*"))) == 1 and keyframes.used_bytes == next(tmp_path.rglob("*.jpg")).stat().st_size
    )


def test_a_full_disk_is_not_kept_full_by_half_a_picture(tmp_path: Path, monkeypatch) -> None:
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        write(path, data[:100])
        raise OSError(28, "No space left on device")

    keyframes = Keyframes(tmp_path, 10**9)
    monkeypatch.setattr(Path, "write_bytes", full)
    assert save(keyframes, 0) == ""
    assert not [path for path in tmp_path.rglob("*") if path.is_file()] and keyframes.used_bytes == 0
    monkeypatch.setattr(Path, "write_bytes", write)
    assert save(keyframes, 1).startswith("file:")


def test_what_goes_wrong_is_told_once_and_stops_nothing(tmp_path: Path) -> None:
    problems: list[str] = []
    keyframes = Keyframes(tmp_path / "k", 10**9, problems.append)
    (tmp_path / "k" / "2026-11-30").write_text("in the way")
    assert save(keyframes, 0) == save(keyframes, 1) == ""
    assert len(problems) == 1 and "keyframes.folder" in problems[0]
    (tmp_path / "k" / "2026-11-30").unlink()
    assert save(keyframes, 2).startswith("file:")
    with pytest.raises(ConfigurationError, match=r"keyframes\.folder"):
        (tmp_path / "file").write_text("")
        Keyframes(tmp_path / "file", 10)
