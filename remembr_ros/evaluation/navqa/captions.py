"""Caption files of NaVQA. In: JSON lists as the reference implementation writes them; out: `Memory` records.

An entry has `id`, `position` [x, y, z] in m, `theta`, `time` (the mean stamp of its pictures, Unix seconds), `caption`,
`file_start` and `file_end`. `file_start` names the first picture by its stamp; `file_end` names the SECOND picture, so
the end is taken as far after the mean as the start is before it. A `theta` that never changes is a placeholder. A file
of `remembr export` is as good: what this package's captioner made of a drive.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.navqa.questions import Annotated
from remembr_ros.memory.interchange import Header, from_line
from remembr_ros.memory.schema import memory_id
from remembr_ros.records import NANOSECONDS, Memory, Pose
from remembr_ros.remember.episodes import EpisodeTracker

HALF_WINDOW_S = 1.5
"""Where a caption does not say when it began: windows are of 3 s."""
LONGEST_S = 60.0
LATEST_S = 9e9
"""Later than that, nanoseconds do not fit into 64 bits: most likely the time is in another unit."""
FRAME = "map"


@dataclass(frozen=True, slots=True)
class Drive:
    """The captions of one sequence in time order. `digest` changes with any of them."""

    sequence: str
    memories: tuple[Memory, ...]
    digest: str
    file: Path


def map_of(sequence: str) -> str:
    """Each sequence has a map of its own."""
    return f"navqa-{sequence}"


def read_drives(files: Sequence[Path], questions: Sequence[Annotated]) -> dict[str, Drive]:
    """By sequence: a file belongs to the sequence whose questions it overlaps in time, whatever its name. Raises
    InvalidInput naming the file and entry, OSError."""
    drives: dict[str, Drive] = {}
    for file in files:
        data = file.read_bytes()
        exported = _exported(data, file)
        rows = [] if exported else _entries(data, file)
        ends_ns = [(m.start_ns, m.end_ns) for m in exported] or [_ends_ns(row) for row in rows]
        sequence = _sequence_of(ends_ns, questions, file)
        if sequence in drives:
            raise InvalidInput(
                f"{file} and {drives[sequence].file} both hold captions of sequence {sequence}; give one"
            )
        digest = hashlib.sha256(data).hexdigest()[:12]
        drives[sequence] = Drive(sequence, exported or _memories(rows, sequence), digest, file)
    return drives


@dataclass(frozen=True, slots=True)
class _Entry:
    start_s: float
    end_s: float
    position: tuple[float, float, float]
    theta: float | None
    caption: str


def _entries(data: bytes, file: Path) -> list[_Entry]:
    try:
        content = json.loads(data)
    except ValueError as error:
        raise InvalidInput(f"{file} is not JSON: {error}") from error
    if not isinstance(content, list) or not content:
        raise InvalidInput(f"{file} is not a list of captions")
    found = []
    for number, item in enumerate(content):
        try:
            found.append(_entry(item))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            why = f"no {error}" if isinstance(error, KeyError) else str(error)
            raise InvalidInput(f"{file}, caption {number}: {why}") from error
    described = sorted((entry for entry in found if entry.caption.strip()), key=lambda entry: entry.start_s)
    if not described:
        raise InvalidInput(f"{file}: the caption of every entry is empty")
    return described


def _entry(item: Mapping[str, Any]) -> _Entry:
    x, y, z = (float(value) for value in item["position"])
    middle_s = float(item["time"])
    start_s = _stamp(item.get("file_start"))
    if start_s is None or not 0.0 < middle_s - start_s < LONGEST_S:
        start_s = middle_s - HALF_WINDOW_S
    theta = item.get("theta")
    if not all(map(math.isfinite, (x, y, z, middle_s))):
        raise ValueError("its position or time is not finite")
    if abs(middle_s) > LATEST_S:
        raise ValueError(f"its time {middle_s:g} is not in Unix seconds")
    if not isinstance(item["caption"], str):
        raise TypeError(f"its caption is {json.dumps(item['caption'])[:40]}, not a text")
    return _Entry(
        start_s, 2.0 * middle_s - start_s, (x, y, z), None if theta is None else float(theta), item["caption"]
    )


def _stamp(name: object) -> float | None:
    """Of a picture called by its Unix time, such as 1700000000.25.pkl."""
    try:
        return float(Path(str(name)).name.removesuffix(".pkl"))
    except ValueError:
        return None


def _ends_ns(row: _Entry) -> tuple[int, int]:
    return round(row.start_s * NANOSECONDS), round(row.end_s * NANOSECONDS)


def _exported(data: bytes, file: Path) -> tuple[Memory, ...]:
    """The memories of a file of `remembr export`; empty if it is none."""
    header, *lines = data.decode("utf-8", "replace").splitlines() or [""]
    if '"remembr_ros_export"' not in header:
        return ()
    dimension = Header.from_line(header, str(file)).dimension
    found = []
    for number, line in enumerate(lines, 2):
        try:
            found.append(from_line(line, dimension)[0])
        except InvalidInput as error:
            raise InvalidInput(f"{file}, line {number}: {error}") from error
    if not found:
        raise InvalidInput(f"{file} is an export without memories")
    return tuple(sorted(found, key=lambda memory: memory.start_ns))


def _sequence_of(ends_ns: Sequence[tuple[int, int]], questions: Sequence[Annotated], file: Path) -> str:
    first_ns, last_ns = ends_ns[0][0], ends_ns[-1][1]
    about = {asked.sequence for asked in questions if asked.start_ns < last_ns and asked.end_ns > first_ns}
    if len(about) != 1:
        which = f"of sequences {', '.join(sorted(about))}" if about else "of no sequence"
        raise InvalidInput(
            f"{file}: the times of its captions are {which}; one file holds the captions of one sequence"
        )
    return about.pop()


def _memories(rows: Sequence[_Entry], sequence: str) -> tuple[Memory, ...]:
    """With the episodes that the captioner of this package would have told apart."""
    known_heading = len({row.theta for row in rows}) > 1
    tracker = EpisodeTracker()
    found = []
    ends_s = [min(row.end_s, following.start_s) for row, following in pairwise(rows)] + [rows[-1].end_s]
    for row, end_s in zip(rows, ends_s, strict=True):
        start_ns = round(row.start_s * NANOSECONDS)
        end_ns = max(round(end_s * NANOSECONDS), start_ns + 1)
        pose = Pose((start_ns + end_ns) // 2, FRAME, *row.position, yaw=row.theta if known_heading else None)
        memory = Memory(
            id=memory_id(map_of(sequence), "cam0", start_ns),
            start_ns=start_ns,
            end_ns=end_ns,
            episode_start_ns=start_ns,
            caption=row.caption,
            pose=pose,
            localized=True,
            map_id=map_of(sequence),
            robot_id=map_of(sequence),
            camera="cam0",
        )
        episode_ns = tracker.assign(memory, pose, row.caption, memory.map_id)
        found.append(dataclasses.replace(memory, episode_start_ns=episode_ns))
    return tuple({memory.id: memory for memory in found}.values())
