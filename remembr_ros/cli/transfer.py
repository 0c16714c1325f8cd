"""`remembr export` and `remembr import`: a memory to a file of JSON lines, and back."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from remembr_ros.cli.memory_file import (
    COLLECTION,
    DEFAULT_COLLECTION,
    DEFAULT_URI,
    TIMEOUT_S,
    URI,
    clear_errors,
    existing_memory,
    printable,
    progress_bar,
    token,
)
from remembr_ros.errors import ConfigurationError
from remembr_ros.memory import maintenance
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.schema import SCHEMA_VERSION, CollectionInfo, UnloadedEmbedder
from remembr_ros.memory.store import MemoryStore


def export(
    file: Annotated[Path, typer.Argument(help="The file to write, one memory a line (JSON).")],
    vectors: Annotated[bool, typer.Option(help="With embeddings, so that importing needs no model.")] = True,
    uri: URI = DEFAULT_URI,
    collection: COLLECTION = DEFAULT_COLLECTION,
) -> None:
    """Copy all memories to a file. Interrupted, it goes on where it was when called again."""
    with existing_memory(uri, collection) as store, progress_bar("exporting") as progress:
        if file.exists():
            raise ConfigurationError(f"{file} exists already; name another file or remove it")
        try:
            count = maintenance.export(store, file, vectors=vectors, progress=progress)
        except OSError as error:  # names the file that it is until it is complete
            raise ConfigurationError(_not_written(file, error)) from error
    Console().print(printable(f"{count} memories in {file}"), markup=False, highlight=False)


def _not_written(file: Path, error: OSError) -> str:
    if not file.parent.is_dir():
        return f"{file} cannot be written: {file.parent} is no folder"
    partial = maintenance.unfinished(file)
    until = f" (until it is complete it is {partial})" if os.path.lexists(partial) else ""
    return f"{file} cannot be written: {error.strerror or error}{until}"


def import_(
    file: Annotated[Path, typer.Argument(help="A file that `remembr export` wrote.", exists=True, dir_okay=False)],
    model: Annotated[
        str, typer.Option("--model", help="Embed again with this embedder.model; empty: with the vectors in the file.")
    ] = "",
    uri: URI = DEFAULT_URI,
    collection: COLLECTION = DEFAULT_COLLECTION,
) -> None:
    """Store the memories of a file; those that are there already stay. Interrupted, call it again."""
    with clear_errors():
        header = maintenance.read_header(file)
        embedder = (
            create_embedder(model, parameter="--model")
            if model
            else UnloadedEmbedder(CollectionInfo(SCHEMA_VERSION, header.embedder, header.dimension))
        )
        with (
            MemoryStore.open(uri, embedder, collection=collection, token=token(), timeout_s=TIMEOUT_S) as store,
            progress_bar("importing") as progress,
        ):
            before = store.count()
            read = maintenance.import_file(store, file, embed=bool(model), progress=progress)
            new = store.count() - before
    Console().print(printable(f"{read} memories in {file}, {new} of them new"), markup=False, highlight=False)
