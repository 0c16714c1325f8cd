"""`remembr map`: what is remembered where, as a PNG or as one HTML page, drawn from the memory itself."""

from __future__ import annotations

from datetime import datetime
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
    token,
)
from remembr_ros.errors import ConfigurationError
from remembr_ros.legible import legible
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.query import Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS


def draw_map(
    file: Annotated[Path, typer.Argument(help="What to write: name.png or name.html.")],
    about: Annotated[str, typer.Option(help="Mark what the memory finds for this text.")] = "",
    floor_plan: Annotated[
        Path | None, typer.Option(help="The map's YAML file (Nav2's map_saver), drawn below.", exists=True)
    ] = None,
    map_id: Annotated[str | None, typer.Option("--map", help="Which map; default: the one seen last.")] = None,
    robot: Annotated[str, typer.Option(help="Memories of this robot only.")] = "",
    after: Annotated[datetime | None, typer.Option(help="Not before this local time.")] = None,
    before: Annotated[datetime | None, typer.Option(help="Not after this local time.")] = None,
    uri: URI = DEFAULT_URI,
    collection: COLLECTION = DEFAULT_COLLECTION,
) -> None:
    """Draw the robot's path, its memories and the evidence for a text. Works with or without nodes running."""
    from remembr_ros.cli.map_content import gather, read_floor_plan
    from remembr_ros.cli.map_page import write_html
    from remembr_ros.cli.map_picture import write_png

    writers = {".png": write_png, ".html": write_html}
    with clear_errors():
        if file.suffix.lower() not in writers:
            raise ConfigurationError(f"{file}: name a file that ends in {' or '.join(writers)}")
        after_ns, before_ns = (None if at is None else round(at.timestamp()) * NANOSECONDS for at in (after, before))
        query = Query(robot_id=robot, after_ns=after_ns, before_ns=before_ns)
        plan = None if floor_plan is None else read_floor_plan(floor_plan)
        with existing_memory(uri, collection) as store:
            if not about:
                content = gather(store, query, map_id=map_id, plan=plan)
            else:  # only a search by text needs the model
                embedder = create_embedder(store.embedder.name, parameter="embedder.model")
                with MemoryStore.open(
                    uri, embedder, collection=collection, token=token(), timeout_s=TIMEOUT_S
                ) as searched:
                    content = gather(searched, query, map_id=map_id, about=about, plan=plan)
        writers[file.suffix.lower()](content, file)
    shown = f"{len(content.places):,} places of {content.count:,} memories on the map {content.map_id!r}"
    Console().print(f"{file}: {shown}", markup=False, highlight=False)
    for rank, hit in enumerate(content.evidence, start=1):
        Console().print(f"  {rank}: {legible(hit.memory.caption)}", markup=False, highlight=False)
