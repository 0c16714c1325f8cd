"""The collection in Milvus that holds the memories: made, indexed and checked when a store opens.

In: a connection, a name, the embedding model. Out: a collection that has the schema and every index, or an error that
says what is in the way. Nothing that is there is ever changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from remembr_ros.errors import ConfigurationError, MemoryUnavailable, ModelMismatch
from remembr_ros.memory.connection import Connection
from remembr_ros.memory.embedders import Embedder
from remembr_ros.memory.schema import ALL_FIELDS, SCHEMA_VERSION, VECTOR, CollectionInfo, add_fields

SCALAR_INDEXES = ("start_ns", "end_ns", "x", "y", "map_id", "robot_id", "episode")
"""Fields that filters name, indexed on a server. Milvus Lite has no indexes for them: it reads all rows, in memory."""
HNSW = {"M": 16, "efConstruction": 200}
"""Graph of a server's index: recall@5 above 0.95 at ef 64 for up to a few million rows (HNSW paper, section 4.1)."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,254}")


def check_name(name: str) -> None:
    """Raises ConfigurationError for what Milvus takes for no name."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"memory.collection: {name!r} must be letters, digits and '_', and not begin with a digit"
        )


def read_info(connection: Connection, name: str) -> CollectionInfo:
    """What an existing collection says about itself. Raises MemoryUnavailable when there is none, or not one of
    ours."""
    if not connection.call("has_collection", name):
        there = ", ".join(connection.call("list_collections")) or "none"
        raise MemoryUnavailable(f"memory.collection: {connection.location} has no collection {name!r}; it has: {there}")
    described = connection.call("describe_collection", name)
    info = CollectionInfo.from_description(described["description"], name)
    if missing := {*ALL_FIELDS, VECTOR} - {field["name"] for field in described["fields"]}:
        raise MemoryUnavailable(
            f"the collection {name!r} in {connection.location} says that remembr_ros made it, but has no field "
            f"{', '.join(sorted(missing)[:5])}; set memory.collection to another name. Nothing was changed."
        )
    return info


def prepare(connection: Connection, name: str, embedder: Embedder) -> None:
    """Make the collection if there is none, and its indexes. Raises MemoryUnavailable, ModelMismatch."""
    # Two nodes that start together both make it, and one may be killed half way: each step is looked at by itself.
    if not connection.call("has_collection", name):
        _create(connection, name, embedder)
    _check(read_info(connection, name), connection, name, embedder)
    _index(connection, name, unindexed(connection, name))


def unindexed(connection: Connection, name: str) -> list[str]:
    """The fields whose index is missing."""
    wanted = (VECTOR,) if connection.embedded else (VECTOR, *SCALAR_INDEXES)
    present = connection.call("list_indexes", name)
    return [field for field in wanted if field not in present]


def _create(connection: Connection, name: str, embedder: Embedder) -> None:
    from pymilvus import MilvusClient

    info = CollectionInfo(SCHEMA_VERSION, embedder.name, embedder.dimension)
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False, description=info.to_description())
    add_fields(schema, info.dimension)
    try:
        connection.call("create_collection", name, schema=schema)
    except MemoryUnavailable:
        if not connection.call("has_collection", name):
            raise


def _index(connection: Connection, name: str, fields: Sequence[str]) -> None:
    from pymilvus import MilvusClient

    for field in fields:
        index: Any = MilvusClient.prepare_index_params()
        if field != VECTOR:
            index.add_index(field, index_type="", index_name=field)  # empty: what this version has for the type
        elif connection.embedded:
            index.add_index(VECTOR, index_type="FLAT", metric_type="COSINE", index_name=VECTOR)
        else:
            index.add_index(VECTOR, index_type="HNSW", metric_type="COSINE", params=HNSW, index_name=VECTOR)
        try:
            connection.call("create_index", name, index_params=index, sync=False)  # nothing is stored yet: no wait
        except MemoryUnavailable:
            if field in unindexed(connection, name):
                raise


def _check(info: CollectionInfo, connection: Connection, name: str, embedder: Embedder) -> None:
    if info.schema_version != SCHEMA_VERSION:
        raise MemoryUnavailable(
            f"the collection {name!r} in {connection.location} has schema version {info.schema_version}, this "
            f"remembr_ros writes {SCHEMA_VERSION}: update remembr_ros, or set memory.collection to another name. "
            "Nothing was changed."
        )
    if (info.embedder, info.dimension) != (embedder.name, embedder.dimension):
        raise ModelMismatch(
            f"the collection {name!r} in {connection.location} was written with the embedder {info.embedder!r} "
            f"({info.dimension}-d), and the parameter embedder.model asks for {embedder.name!r} "
            f"({embedder.dimension}-d). Set embedder.model back, or set memory.collection to another name, or copy the "
            "memories into a new collection with `remembr export` and `remembr import --model`, which embeds them "
            "again. Nothing was changed."
        )
