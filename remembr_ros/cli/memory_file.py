"""The memory itself, for the commands that work on it without the nodes: shared options, opening, clear ends.

In: --uri, --collection and --token-env, at their parameters' defaults. Out: an open MemoryStore, or one sentence on
standard error and exit code 1.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from remembr_ros.errors import RemembrError
from remembr_ros.memory.store import MemoryStore
from remembr_ros.ros.parameter_tables import CAPTIONER

DEFAULTS = {parameter.name: parameter.default for parameter in CAPTIONER}
FAILED = 1
URI = Annotated[str, typer.Option("--uri", help="As the parameter memory.uri: a file, or http(s)://host:port.")]
COLLECTION = Annotated[str, typer.Option("--collection", help="As the parameter memory.collection.")]
OUTBOX = Annotated[str, typer.Option("--outbox", help="As the captioner's parameter outbox_path.")]
YES = Annotated[bool, typer.Option("--yes", help="Do it without asking.")]
DRY_RUN = Annotated[bool, typer.Option("--dry-run", help="Only say how many it would be.")]
DEFAULT_URI = str(DEFAULTS["memory.uri"])
DEFAULT_COLLECTION = str(DEFAULTS["memory.collection"])
DEFAULT_OUTBOX = str(DEFAULTS["outbox_path"])
TIMEOUT_S = 60.0


def token() -> str:
    """The token of a Milvus server, from the variable that is the default of memory.token_env."""
    return os.environ.get(str(DEFAULTS["memory.token_env"]), "")


def finite(number: float) -> float:
    """The callback of an option that is a number: "inf" and "nan" are none."""
    if not math.isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number")
    return number


def printable(text: object) -> str:
    """The name of a file may hold bytes that are no text."""
    return str(text).encode(errors="replace").decode()


@contextmanager
def clear_errors() -> Iterator[None]:
    """An error of ours, or of a file, becomes one sentence and exit code 1."""
    try:
        yield
    except (RemembrError, OSError, sqlite3.Error) as error:
        message = printable(" ".join(str(error).split()))
        Console(stderr=True).print(f"remembr: {message}", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(FAILED) from None


@contextmanager
def existing_memory(uri: str, collection: str) -> Iterator[MemoryStore]:
    """The memory without its model."""
    with (
        clear_errors(),
        MemoryStore.open_existing(uri, collection=collection, token=token(), timeout_s=TIMEOUT_S) as store,
    ):
        yield store


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, total)."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
