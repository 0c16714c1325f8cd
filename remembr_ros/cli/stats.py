"""`remembr stats`: what a memory holds and how large it is."""

from __future__ import annotations

import contextlib
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from remembr_ros.cli.memory_file import (
    COLLECTION,
    DEFAULT_COLLECTION,
    DEFAULT_OUTBOX,
    DEFAULT_URI,
    OUTBOX,
    URI,
    clear_errors,
    existing_memory,
    printable,
)
from remembr_ros.recall.when import format_duration
from remembr_ros.records import NANOSECONDS


def stats(uri: URI = DEFAULT_URI, collection: COLLECTION = DEFAULT_COLLECTION, outbox: OUTBOX = DEFAULT_OUTBOX) -> None:
    """Show how many memories there are, from when to when, of which model, and their size."""
    with existing_memory(uri, collection) as store:
        count, bounds = store.count(), store.bounds()
        place, size = store.info()
        embedder = f"{store.embedder.name} ({store.embedder.dimension}-d)"
    rows = {"memory": place, "collection": collection, "embedder": embedder, "memories": f"{count:,}"}
    if bounds is not None:
        first, last = (datetime.fromtimestamp(ns / NANOSECONDS).strftime("%Y-%m-%d %H:%M:%S") for ns in bounds)
        rows |= {"first": first, "last": last, "span": format_duration((bounds[1] - bounds[0]) / NANOSECONDS)}
    if size is not None:
        rows["file"] = f"{size / 1e6:,.1f} MB" + (f" ({size / count:,.0f} bytes per memory)" if count else "")
    waiting = Path(outbox).expanduser()
    if waiting.exists():
        from remembr_ros.remember.outbox import Outbox

        with clear_errors(), contextlib.closing(Outbox(waiting)) as box:
            rows["outbox"] = f"{len(box):,} waiting in {waiting}"
    table = Table(show_header=False, box=None)
    for name, value in rows.items():
        table.add_row(name, Text(printable(value), overflow="fold"))  # "[...]" of a folder's name is no markup
    Console().print(table)
