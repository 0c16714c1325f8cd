"""`remembr forget` and `remembr prune`: memories deleted, with their keyframes and what waits in the outbox."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from remembr_ros.cli.memory_file import (
    COLLECTION,
    DEFAULT_COLLECTION,
    DEFAULT_OUTBOX,
    DEFAULT_URI,
    DRY_RUN,
    OUTBOX,
    URI,
    YES,
    existing_memory,
    finite,
    progress_bar,
)
from remembr_ros.memory import maintenance
from remembr_ros.memory.filters import clean_id
from remembr_ros.memory.query import Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory
from remembr_ros.remember.outbox import Outbox

_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def forget(
    ids: Annotated[list[str] | None, typer.Option("--id", help="A memory's id; may be given several times.")] = None,
    near: Annotated[tuple[float, float] | None, typer.Option(help="A place x y [m]; needs --within and --map.")] = None,
    within: Annotated[float, typer.Option(help="Radius around --near [m].", min=0.0, callback=finite)] = 0.0,
    map_id: Annotated[
        str | None, typer.Option("--map", help="Only on this map (map_id); empty, with --near: the unnamed map.")
    ] = None,
    after: Annotated[datetime | None, typer.Option(help="Only what was seen after this local time.")] = None,
    before: Annotated[datetime | None, typer.Option(help="Only what was seen before this local time.")] = None,
    robot: Annotated[str, typer.Option(help="Only of this robot (robot_id).")] = "",
    dry_run: DRY_RUN = False,
    yes: YES = False,
    uri: URI = DEFAULT_URI,
    collection: COLLECTION = DEFAULT_COLLECTION,
    outbox: OUTBOX = DEFAULT_OUTBOX,
) -> None:
    """Delete memories by id, or all that satisfy every criterion given."""
    criteria = near is not None or after is not None or before is not None or map_id is not None or robot
    if not ids and not criteria:
        raise typer.BadParameter("name what to forget: --id, --near with --within, --map, --after, --before or --robot")
    if ids and criteria:
        raise typer.BadParameter("--id goes with no other criterion")
    if near is not None and (within == 0.0 or map_id is None):
        raise typer.BadParameter('--near needs --within and --map (--map "": the unnamed map)')
    if near is None and within != 0.0:
        raise typer.BadParameter("--within needs --near")
    if near is None and map_id == "":  # a query takes it for any map
        raise typer.BadParameter('--map "" (the unnamed map) needs --near and --within')
    after_ns, before_ns = _ns(after, "--after"), _ns(before, "--before")
    with existing_memory(uri, collection) as store:
        query = Query(
            near=near,
            within_m=within or None,
            map_id=map_id or "",
            robot_id=robot,
            after_ns=after_ns,
            before_ns=before_ns,
        )
        found = [memory.id for memory in store.get(ids)] if ids else store.select(query)
        wanted = {clean_id(id_) for id_ in ids or ()}
        waiting = _waiting(
            outbox, (lambda memory: clean_id(memory.id) in wanted) if ids else query.matches, dry_run=True
        )
        total = f"{len(found)} memories" + (f" and {len(waiting)} that wait in the outbox" if waiting else "")
        if not _agreed(total, len(found) + len(waiting), dry_run, yes):
            return
        # The outbox first: what is there would otherwise be written again.
        agreed = {memory.id for memory in waiting}
        for memory in _waiting(outbox, lambda memory: memory.id in agreed, dry_run=False):
            maintenance.delete_keyframe(memory)
        _delete(store, found)


def prune(
    older_than: Annotated[str, typer.Option(help="Delete what is older, such as 30d, 12h, 8w.")] = "",
    keep: Annotated[int | None, typer.Option(help="Keep only so many, the newest.", min=0)] = None,
    dry_run: DRY_RUN = False,
    yes: YES = False,
    uri: URI = DEFAULT_URI,
    collection: COLLECTION = DEFAULT_COLLECTION,
) -> None:
    """Delete the oldest memories, by age or by number. Interrupted, call it again."""
    age = re.fullmatch(r"(\d+)([smhdw])", older_than)
    if bool(older_than) != bool(age) or (not older_than and keep is None):
        raise typer.BadParameter("wanted: --older-than NUMBER and one of s, m, h, d, w; or --keep NUMBER")
    before_ns = time.time_ns() - int(age[1]) * _UNIT_S[age[2]] * NANOSECONDS if age else None
    with existing_memory(uri, collection) as store:
        found = maintenance.to_prune(store, before_ns=before_ns, keep=keep)
        if _agreed(f"{len(found)} of {store.count()} memories", len(found), dry_run, yes):
            _delete(store, found)


def _agreed(what: str, count: int, dry_run: bool, yes: bool) -> bool:
    Console().print(f"{what} {'would be' if dry_run or not count else 'to be'} forgotten", highlight=False)
    if dry_run or not count:
        return False
    return yes or typer.confirm("Forget them for good?", default=False)


def _delete(store: MemoryStore, ids: list[str]) -> None:
    with progress_bar("forgetting") as progress:
        deleted = maintenance.forget(store, ids, progress=progress)
    Console().print(f"{deleted} memories forgotten", highlight=False)


def _waiting(outbox: str, matches: Callable[[Memory], bool], *, dry_run: bool) -> list[Memory]:
    path = Path(outbox).expanduser()
    if not path.exists():
        return []
    box = Outbox(path)
    try:
        return box.forget(matches, dry_run=dry_run)
    finally:
        box.close()


def _ns(moment: datetime | None, option: str) -> int | None:
    try:
        return None if moment is None else round(moment.timestamp() * NANOSECONDS)
    except (ValueError, OverflowError):  # the years 1 and 9999, in some time zones
        raise typer.BadParameter(f"{option}: {moment:%Y-%m-%d} is not a time that this machine knows") from None
