"""Long work on a memory: copying it to and from files, and forgetting much of it.

In: a `MemoryStore`. Out: counts, and files of `interchange` lines. Everything here may be interrupted at any point and
run again: an export goes on where its file ends, an import and a deletion find done what is done.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import InvalidInput
from remembr_ros.memory.interchange import Header, from_line, to_line
from remembr_ros.memory.query import Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory

if TYPE_CHECKING:
    import numpy as np

Progress = Callable[[int, int], None]
"""Called with (done, total)."""
_PAGE = 5000
"""So many at once: on a server each deletion waits up to 0.4 s until no reader finds what it deleted."""
_LONGEST_HEADER = 65536
"""Of a file that is something else the first line may be gigabytes."""
_OVERLAP_LINES = 1000
"""Among so many last lines of a file are all windows that overlap the last one."""


def no_progress(done: int, total: int) -> None:
    """The default of `progress`."""


def export(store: MemoryStore, file: Path, *, vectors: bool = True, progress: Progress = no_progress) -> int:
    """Write every memory, in time order, to `file`. Returns how many are in it.

    Until it is complete the file is called `file`.partial; one that is there already is continued. Raises
    MemoryUnavailable, OSError, InvalidInput (a partial file of another model).
    """
    partial = unfinished(file)
    header = Header(store.embedder.name, store.embedder.dimension, store.count())
    done, tail = _continued(partial, header)
    known = {memory.id for memory in tail}
    query = Query(after_ns=tail[-1].start_ns) if tail else Query()
    with partial.open("a", encoding="utf-8") as output:
        if not done:
            output.truncate(0)
            output.write(header.to_line())
        for page in store.walk(query):
            new = [(memory, vector) for memory, vector in page if memory.id not in known]
            output.writelines(to_line(memory, vector if vectors else None) for memory, vector in new)
            done += len(new)
            progress(done, max(done, header.memories))
        output.flush()
        os.fsync(output.fileno())
    partial.replace(file)
    return done


def unfinished(file: Path) -> Path:
    """What an export to `file` is called until it is complete."""
    return file.with_name(file.name + ".partial")


def _continued(partial: Path, header: Header) -> tuple[int, list[Memory]]:
    """How many memories a partial file holds, and the last of them; a line that was cut off is removed."""
    if not partial.exists():
        return 0, []
    with partial.open("r+b") as file:
        lines, end = 0, 0
        tail: list[bytes] = []
        for line in file:
            if not line.endswith(b"\n"):
                break
            end += len(line)
            lines += 1
            tail = [*tail[1 - _OVERLAP_LINES :], line] if lines > 1 else []
            if lines == 1:
                begun = Header.from_line(line.decode(errors="replace"), str(partial))
                if (begun.embedder, begun.dimension) != (header.embedder, header.dimension):
                    raise InvalidInput(
                        f"{partial} was begun from a memory of the embedder {begun.embedder!r}; remove it"
                    )
        file.truncate(end)
    try:
        return max(0, lines - 1), [from_line(line.decode(), header.dimension)[0] for line in tail]
    except (InvalidInput, UnicodeDecodeError) as error:
        raise InvalidInput(f"{partial} is damaged, remove it: {error}") from error


def read_header(file: Path) -> Header:
    """Raises OSError, InvalidInput."""
    with file.open("rb") as lines:
        return Header.from_line(lines.readline(_LONGEST_HEADER).decode(errors="replace"), str(file))


def import_file(store: MemoryStore, file: Path, *, embed: bool, progress: Progress = no_progress) -> int:
    """Store every memory of an export; those already stored stay. Returns how many the file holds.

    `embed`: by the store's model; otherwise with the vectors in the file, which must be of that model. Raises
    InvalidInput naming the line, ModelFailed, MemoryUnavailable.
    """
    header = read_header(file)
    if not embed and (header.embedder, header.dimension) != (store.embedder.name, store.embedder.dimension):
        raise InvalidInput(
            f"{file} has vectors of {header.embedder!r}, the collection those of {store.embedder.name!r}"
        )
    done = 0
    for page in _pages(file, header):
        memories = [memory for memory, _ in page]
        vectors = None if embed else _stacked(page, file)
        store.write(memories, vectors, settle=False)
        done += len(page)
        progress(done, max(done, header.memories))
    store.settle()
    return done


def _pages(file: Path, header: Header) -> Iterator[list[tuple[Memory, Any]]]:
    page = []
    with file.open("rb") as lines:
        next(lines)
        for number, line in enumerate(lines, start=2):
            try:
                page.append(from_line(line.decode(), header.dimension))
            except (InvalidInput, UnicodeDecodeError) as error:
                raise InvalidInput(f"{file}, line {number}: {error}") from error
            if len(page) == _PAGE:
                yield page
                page = []
    if page:
        yield page


def _stacked(page: Sequence[tuple[Memory, np.ndarray[Any, Any] | None]], file: Path) -> np.ndarray[Any, Any]:
    import numpy as np

    vectors = [vector for _, vector in page if vector is not None]
    if len(vectors) < len(page):
        raise InvalidInput(f"{file} has no vectors: import it with the model that shall embed it (--model)")
    return np.stack(vectors)


def forget(store: MemoryStore, ids: Sequence[str], *, progress: Progress = no_progress) -> int:
    """Delete memories and their keyframes. Returns how many there were."""
    deleted = 0
    for start in range(0, len(ids), _PAGE):
        page = ids[start : start + _PAGE]
        for memory in store.get(page):
            delete_keyframe(memory)
        deleted += store.delete(page)
        progress(min(start + _PAGE, len(ids)), len(ids))
    return deleted


def to_prune(store: MemoryStore, *, before_ns: int | None, keep: int | None) -> list[str]:
    """The ids of all memories that end before `before_ns`, and of the oldest ones beyond the newest `keep`."""
    excess = 0 if keep is None else max(0, store.count() - keep)
    ids = [] if before_ns is None else store.select(Query(before_ns=before_ns))
    if keep is None or excess <= len(ids):
        return ids
    oldest = store.select(Query(), limit=excess)
    # Somebody else may have deleted some since they were counted: then so many are no longer too many.
    last = store.get(oldest[-1:])
    newer = store.count(after_ns=last[0].start_ns) if last else 0
    return max(oldest[: max(0, len(oldest) - max(0, keep - newer))], ids, key=len)


def delete_keyframe(memory: Memory) -> bool:
    """Delete the picture of a memory, if it has one of ours: a file named after it. Whether there was one."""
    path = Path(memory.image_uri.removeprefix("file:"))
    if not memory.image_uri.startswith("file:/") or path.name != f"{memory.id}.jpg":
        return False
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
