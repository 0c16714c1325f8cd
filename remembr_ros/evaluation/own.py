"""Questions about a robot's own memory. In: a YAML or JSON-lines file written by hand; out: `Case`s. And what the
memory that they are asked about goes by, so that answers of another one are not taken for its own.

One entry a question (docs/evaluate.md shows a file):

    question: Where did you see the red chair?
    asked_at: 2026-11-30 15:00:00     # local time, ISO 8601 with an offset, or Unix seconds
    answer: {position: [15.0, 3.0]}   # or time, duration_s, count, yes_no, text, or found: false

A time may be a range [from, until]. `answer` may give a list of places, ranges or texts, any of which is right.
Optional: `id`, `group`, `at` (x, y of the robot), `map`, `not_before`, `evidence` (ids of memories that prove it).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.cases import Case, Place, Truth
from remembr_ros.evaluation.text_files import read_utf8
from remembr_ros.memory.query import Query
from remembr_ros.records import NANOSECONDS, AnswerKind, Memory, Pose

if TYPE_CHECKING:
    from remembr_ros.memory.store import MemoryStore

WHOLE = 2000
"""A memory of so many windows is read from end to end: one to three seconds with Milvus Lite on two cores. Of a larger
one, `SPOTS` runs of `RUN` windows, which takes as long."""
SPOTS = 32
RUN = 64
_FRAME = "map"
_KINDS = {
    "position": AnswerKind.POSITION,
    "time": AnswerKind.TIME,
    "duration_s": AnswerKind.DURATION,
    "count": AnswerKind.COUNT,
    "yes_no": AnswerKind.BINARY,
    "text": AnswerKind.TEXT,
}
_FIELDS = {"id", "group", "question", "asked_at", "at", "map", "not_before", "answer", "evidence"}


def read_cases(file: Path, zone: ZoneInfo) -> list[Case]:
    """Raises InvalidInput naming the file and entry, OSError."""
    cases = []
    for number, entry in enumerate(_entries(file), 1):
        try:
            cases.append(_case(entry, number, zone))
        except (ValueError, TypeError, KeyError) as error:
            why = f"there is no {error}" if isinstance(error, KeyError) else str(error)
            raise InvalidInput(f"{file}, question {number}: {why}") from error
    if not cases:
        raise InvalidInput(f"{file} holds no questions")
    if len({case.id for case in cases}) < len(cases):
        raise InvalidInput(f"{file}: two questions have one id")
    return cases


def contents(store: MemoryStore) -> str:
    """Names what is in `store`: its embedder, how many windows, from when to when, and a digest of their fields.

    The digest is of all windows up to `WHOLE`; beyond, of runs from the first to the last, evenly spaced in time. A
    memory built again with another captioner goes by another name; that single windows of a large one were exchanged,
    with as many as before, may be missed. Raises MemoryUnavailable.
    """
    count, bounds = store.count(), store.bounds()
    if bounds is None:
        found: list[Memory] = []
    elif count <= WHOLE:
        found = store.get(store.select(Query()))
    else:
        first_ns, last_ns = bounds[0], bounds[1] - 1
        spots = (first_ns + (last_ns - first_ns) * number // (SPOTS - 1) for number in range(SPOTS))
        found = [memory for at_ns in spots for memory in _run(store, at_ns)]
    digest = hashlib.sha256()
    for memory in sorted(found, key=lambda one: (one.start_ns, one.id)):
        digest.update(repr(memory).encode("utf-8", "backslashreplace"))
    return f"{store.embedder.name} {count} {bounds} {digest.hexdigest()[:16]}"


def _run(store: MemoryStore, at_ns: int) -> list[Memory]:
    """Of windows that start together, as of two cameras, the store promises no order: none is cut from the others."""
    page = store.between(at_ns, None, RUN)
    return [memory for memory in page if memory.start_ns < page[-1].start_ns] if len(page) == RUN else page


def _entries(file: Path) -> Iterator[Mapping[str, Any]]:
    if file.is_dir():
        raise InvalidInput(f"{file} is a folder, not a file of questions")
    text = read_utf8(file)
    try:
        if file.suffix.lower() in (".jsonl", ".json"):
            content: Any = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            import yaml

            content = yaml.safe_load(text)
    except Exception as error:
        if not isinstance(error, ValueError) and type(error).__module__.split(".")[0] != "yaml":
            raise
        raise InvalidInput(f"{file} cannot be read: {error}") from error
    if not isinstance(content, list) or not all(isinstance(entry, dict) for entry in content):
        raise InvalidInput(f"{file} is not a list of questions")
    yield from content


def _case(entry: Mapping[str, Any], number: int, zone: ZoneInfo) -> Case:
    unknown = set(entry) - _FIELDS
    if unknown:
        raise ValueError(f"unknown field {sorted(unknown)[0]!r}; known: {', '.join(sorted(_FIELDS))}")
    now_ns = _instant(entry["asked_at"], zone)
    map_id = str(entry.get("map", ""))
    here = entry.get("at")
    not_before = entry.get("not_before")
    return Case(
        id=str(entry.get("id", number)),
        group=str(entry.get("group", "all")),
        question=str(entry["question"]),
        now_ns=now_ns,
        truth=_truth(entry["answer"], map_id, zone, frozenset(map(str, entry.get("evidence", ())))),
        pose=None if here is None else Pose(now_ns, _FRAME, *_pair(here)),
        map_id=map_id,
        not_before_ns=None if not_before is None else _instant(not_before, zone),
    )


def _truth(answer: Any, map_id: str, zone: ZoneInfo, evidence: frozenset[str]) -> Truth:
    if not isinstance(answer, dict):
        raise TypeError("answer must be a mapping such as {position: [1.0, 2.0]}")
    given = [name for name in _KINDS if name in answer]
    unknown = set(answer) - set(_KINDS) - {"found"}
    if unknown or len(given) > 1 or (not given and answer.get("found") is not False):
        raise ValueError(f"answer must have one of {', '.join(_KINDS)}, or found: false; it has {', '.join(answer)}")
    if not given:
        return Truth(AnswerKind.TEXT, answerable=False, evidence_ids=evidence)
    name, value = given[0], answer[given[0]]
    kind, answerable = _KINDS[name], answer.get("found", True) is not False
    if name == "position":
        places = value if isinstance(value[0], (list, tuple)) else [value]
        return Truth(kind, places=tuple(Place(*_pair(place), map_id) for place in places), evidence_ids=evidence)
    if name == "time":
        times = value if isinstance(value, list) and isinstance(value[0], list) else [value]
        return Truth(kind, times=tuple(_range(time, zone) for time in times), evidence_ids=evidence)
    if name == "yes_no":
        if not isinstance(value, bool):
            raise TypeError(f"yes_no must be true or false, not {value!r}")
        return Truth(kind, yes_no=value, answerable=answerable, evidence_ids=evidence)
    if name == "text":
        texts = value if isinstance(value, list) else [value]
        return Truth(kind, texts=tuple(map(str, texts)), evidence_ids=evidence)
    if name == "count":
        return Truth(kind, count=int(value), evidence_ids=evidence)
    return Truth(kind, duration_s=float(value), evidence_ids=evidence)


def _pair(value: Any) -> tuple[float, float]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise TypeError(f"a place is [x, y] in m, not {value!r}")
    return float(value[0]), float(value[1])


def _range(value: Any, zone: ZoneInfo) -> tuple[int, int]:
    ends = value if isinstance(value, list) else [value, value]
    if len(ends) != 2:
        raise TypeError(f"a time is one instant or [from, until], not {value!r}")
    return _instant(ends[0], zone), _instant(ends[1], zone)


def _instant(value: Any, zone: ZoneInfo) -> int:
    """ns; a time without an offset is one of `zone`."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return round(value * NANOSECONDS)
    if isinstance(value, str):
        value = datetime.fromisoformat(value.replace("Z", "+00:00"))
    if not isinstance(value, datetime):
        wanted = "with a clock time" if isinstance(value, date) else "such as 2026-11-30 15:00:00"
        raise TypeError(f"{value!r} is not a time {wanted}")
    if value.tzinfo is None:
        value = value.replace(tzinfo=zone)
    microseconds: int = round(value.timestamp() * 1_000_000)
    return microseconds * 1000
