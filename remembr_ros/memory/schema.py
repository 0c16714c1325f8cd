"""Schema version 1: how a `Memory` lies in Milvus, and back.

One immutable row per window. Times are INT64 nanoseconds since the Unix epoch (a FLOAT holds Unix seconds to 128 s
only), positions DOUBLE metres in `frame_id`, yaw DOUBLE radians. No nulls: `pose_state` says what of the pose is real.
The description of the collection carries the schema version and the embedding model, as JSON.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import InvalidInput, MemoryUnavailable, ModelFailed
from remembr_ros.memory.filters import clean_id, clean_name, clean_text, cut_bytes
from remembr_ros.records import Memory, Pose

if TYPE_CHECKING:
    import numpy as np

SCHEMA_VERSION = 1
POSE_NONE, POSE_POSITION, POSE_FULL = 0, 1, 2
VECTOR = "embedding"
_ID = re.compile(r"([0-9]{19})-[0-9a-f]{12}")

MAX_BYTES = {
    "id": 256,
    "episode": 256,
    "caption": 8192,
    "frame_id": 256,
    "map_id": 256,
    "robot_id": 256,
    "camera": 256,
    "session_id": 256,
    "captioner": 256,
    "image_uri": 2048,
}
"""Longest text of each VARCHAR [bytes of UTF-8, as a Milvus server counts]."""

NAMES = ("robot_id", "camera", "map_id", "session_id", "frame_id")
"""What memories are told apart by: one that does not fit is refused, as two cut names could be equal."""

_TIMES = ("start_ns", "end_ns", "episode_start_ns", "pose_stamp_ns")
_NUMBERS = ("x", "y", "z", "yaw", "position_var", "yaw_var")
ALL_FIELDS = ("id", *_TIMES, *_NUMBERS, "pose_state", "localized", *(name for name in MAX_BYTES if name != "id"))
"""Every field but the vector."""
RANK_FIELDS = ("id", "episode", "start_ns", "end_ns", "pose_state", "x", "y")
"""What ranking needs: whole rows are fetched for the few that are returned."""


def memory_id(robot_id: str, camera: str, start_ns: int) -> str:
    """The key of the window of one camera of one robot: equal for a retried write, in time order as text.

    19 digits of nanoseconds, then 12 hexadecimal digits that stand for robot and camera.
    """
    if not 0 <= start_ns < 2**63:
        raise InvalidInput(f"start_ns is not a time since 1970: {start_ns}")
    return f"{start_ns:019d}-{_source_digits(robot_id, camera)}"


@lru_cache(maxsize=1024)  # a robot asks this twice for each window, an import of a million windows as often
def _source_digits(robot_id: str, camera: str) -> str:
    return hashlib.blake2b(f"{clean_name(robot_id)}\0{clean_name(camera)}".encode(), digest_size=6).hexdigest()


@lru_cache(maxsize=1024)
def stored_name(field: str, text: str) -> str:
    """The name of a robot, camera, map, session or frame as it is stored and searched for. Raises InvalidInput if it is
    too long for its field."""
    name = clean_name(text)
    if len(name.encode()) > MAX_BYTES[field]:
        raise InvalidInput(f"{field} is longer than {MAX_BYTES[field]} bytes of UTF-8: {text[:40]!r}...")
    return name


def start_of(id_: str) -> int | None:
    """The start_ns that a key of `memory_id` begins with, None for a key of another form."""
    match = _ID.fullmatch(id_)
    return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """What a collection says about itself."""

    schema_version: int
    embedder: str
    dimension: int

    def to_description(self) -> str:
        return json.dumps(
            {"remembr_ros_schema": self.schema_version, "embedder": self.embedder, "dimension": self.dimension}
        )

    @classmethod
    def from_description(cls, description: str, collection: str) -> CollectionInfo:
        """Raises MemoryUnavailable for a collection that this package did not make."""
        try:
            fields = json.loads(description)
            return cls(int(fields["remembr_ros_schema"]), str(fields["embedder"]), int(fields["dimension"]))
        except (ValueError, KeyError, TypeError) as error:
            raise MemoryUnavailable(
                f"the collection {collection!r} was not made by remembr_ros (no schema version in its description); "
                "set memory.collection to another name"
            ) from error


class UnloadedEmbedder:
    """The name and dimension of a collection's model, for work that embeds nothing: listing, deleting, copying."""

    def __init__(self, info: CollectionInfo) -> None:
        self.name = info.embedder
        self.dimension = info.dimension

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        """Raises ModelFailed."""
        raise ModelFailed(f"the embedder {self.name} is not loaded: this memory was opened without its model")

    embed_queries = embed_documents


def add_fields(schema: Any, dimension: int) -> None:
    """Fill an empty pymilvus CollectionSchema with the fields of version 1."""
    from pymilvus import DataType

    schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=MAX_BYTES["id"])
    for name in _TIMES:
        schema.add_field(name, DataType.INT64)
    for name in _NUMBERS:
        schema.add_field(name, DataType.DOUBLE)
    schema.add_field("pose_state", DataType.INT8)
    schema.add_field("localized", DataType.BOOL)
    for name, max_bytes in MAX_BYTES.items():
        if name != "id":
            schema.add_field(name, DataType.VARCHAR, max_length=max_bytes)
    schema.add_field(VECTOR, DataType.FLOAT_VECTOR, dim=dimension)


def to_row(memory: Memory, vector: np.ndarray[Any, Any]) -> dict[str, Any]:
    """The row of `memory`, with its (dimension,) float32 vector.

    Captions longer than the field are cut; keys and names that do not fit are refused (InvalidInput).
    """
    pose = memory.pose
    key = clean_id(memory.id)
    if len(key.encode()) > MAX_BYTES["id"]:
        raise InvalidInput(f"memory.id is longer than {MAX_BYTES['id']} bytes: {memory.id[:40]!r}...")
    if start_of(memory.id) not in (None, memory.start_ns):
        raise InvalidInput(
            f"memory.id {memory.id} is the key of a window that starts at another time than {memory.start_ns}"
        )
    for name in ("start_ns", "end_ns", "episode_start_ns"):
        if not 0 <= getattr(memory, name) < 2**63:
            raise InvalidInput(f"memory {memory.id}: {name} is not a time since 1970: {getattr(memory, name)}")
    row: dict[str, Any] = {
        "id": key,
        "episode": memory_id(memory.robot_id, memory.camera, memory.episode_start_ns),
        "start_ns": memory.start_ns,
        "end_ns": memory.end_ns,
        "episode_start_ns": memory.episode_start_ns,
        "pose_stamp_ns": pose.stamp_ns if pose else 0,
        "x": pose.x if pose else 0.0,
        "y": pose.y if pose else 0.0,
        "z": pose.z if pose else 0.0,
        "yaw": pose.yaw if pose and pose.yaw is not None else 0.0,
        "position_var": pose.position_var if pose else 0.0,
        "yaw_var": pose.yaw_var if pose else 0.0,
        "pose_state": POSE_NONE if pose is None else POSE_POSITION if pose.yaw is None else POSE_FULL,
        "localized": memory.localized,
        "caption": cut_bytes(clean_text(memory.caption), MAX_BYTES["caption"]),
        "image_uri": cut_bytes(clean_text(memory.image_uri), MAX_BYTES["image_uri"]),
        "captioner": cut_bytes(clean_name(memory.captioner), MAX_BYTES["captioner"]),
        VECTOR: vector,
    }
    for name in NAMES:
        row[name] = stored_name(name, getattr(memory, name) if name != "frame_id" else pose.frame_id if pose else "")
    for name in _NUMBERS:
        if not math.isfinite(row[name]):
            raise InvalidInput(f"memory {memory.id}: {name} is not finite: {row[name]!r}")
    return row


def from_row(row: Mapping[str, Any]) -> Memory:
    """The memory of a row that holds `ALL_FIELDS`. Raises InvalidInput for a row that this package did not write."""
    state = row["pose_state"]
    pose = None
    if state != POSE_NONE:
        pose = Pose(
            stamp_ns=row["pose_stamp_ns"],
            frame_id=row["frame_id"],
            x=row["x"],
            y=row["y"],
            z=row["z"],
            yaw=row["yaw"] if state == POSE_FULL else None,
            position_var=row["position_var"],
            yaw_var=row["yaw_var"],
        )
    texts: Sequence[str] = ("map_id", "robot_id", "camera", "session_id", "captioner", "image_uri")
    return Memory(
        id=row["id"],
        start_ns=row["start_ns"],
        end_ns=row["end_ns"],
        episode_start_ns=row["episode_start_ns"],
        caption=row["caption"],
        pose=pose,
        localized=row["localized"],
        **{name: row[name] for name in texts},
    )
