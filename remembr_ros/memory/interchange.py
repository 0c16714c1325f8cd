"""Memories as lines of JSON: the form in which they are exported, imported and kept in the outbox.

In and out: one `Memory` a line, its fields as in the record. A file begins with a header line that names the embedding
model; its memories may carry their vector (`embedding`: base64 of float32, little-endian), so that whoever imports
them need not have that model.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import InvalidInput
from remembr_ros.records import Memory, Pose

if TYPE_CHECKING:
    import numpy as np

FORMAT = 1
MAX_DIMENSION = 32768
"""Of a vector in Milvus."""
_NUMBER = (int, float)
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("start_ns", "end_ns", "episode_start_ns", "stamp_ns"), (int,)),
    **dict.fromkeys(("x", "y", "z", "position_var", "yaw_var"), _NUMBER),
    "yaw": (int, float, type(None)),
    "localized": (bool,),
}
"""Of the fields that are no text."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of an export: whose vectors these are, and how many memories there were when it began."""

    embedder: str
    dimension: int
    memories: int

    def to_line(self) -> str:
        return json.dumps({"remembr_ros_export": FORMAT, **asdict(self)}) + "\n"

    @classmethod
    def from_line(cls, line: str, source: str) -> Header:
        """Raises InvalidInput for a file that is not an export, or of another format."""
        try:
            fields = json.loads(line)
            if fields["remembr_ros_export"] != FORMAT:
                raise InvalidInput(f"{source}: export format {fields['remembr_ros_export']}, known is {FORMAT}")
            header = cls(str(fields["embedder"]), int(fields["dimension"]), int(fields["memories"]))
            if not 2 <= header.dimension <= MAX_DIMENSION:
                raise InvalidInput(f"{source}: dimension {header.dimension} is not one of 2 to {MAX_DIMENSION}")
            return header
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(f"{source} is not an export of remembr_ros: its first line is no header") from error


def memory_to_json(memory: Memory) -> str:
    return json.dumps(asdict(memory), sort_keys=True)


def memory_from_json(body: str) -> Memory:
    """Raises InvalidInput, KeyError or TypeError for what is not a memory."""
    return _memory(json.loads(body))


def to_line(memory: Memory, vector: np.ndarray[Any, Any] | None) -> str:
    """`vector`: (dimension,) float32, or None to leave it out."""
    fields = asdict(memory)
    if vector is not None:
        fields["embedding"] = base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return json.dumps(fields) + "\n"


def from_line(line: str, dimension: int) -> tuple[Memory, np.ndarray[Any, Any] | None]:
    """The memory, and its (dimension,) float32 vector if the line has one. Raises InvalidInput."""
    import numpy as np

    try:
        fields = json.loads(line)
        encoded = fields.pop("embedding", None) if isinstance(fields, dict) else None
        vector = None if encoded is None else np.frombuffer(base64.b64decode(encoded), dtype="<f4").astype(np.float32)
        memory = _memory(fields)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(f"not a memory: {error}") from error
    if vector is not None and (vector.shape != (dimension,) or not np.isfinite(vector).all()):
        raise InvalidInput(f"memory {memory.id}: its embedding is not {dimension} finite numbers")
    return memory, vector


def _memory(fields: Any) -> Memory:
    if not isinstance(fields, dict):
        raise InvalidInput("not an object")
    pose = fields.pop("pose")
    if not isinstance(pose, (dict, type(None))):
        raise InvalidInput(f"pose is neither an object nor null: {pose!r}")
    for name, value in (*fields.items(), *((f"pose.{name}", value) for name, value in (pose or {}).items())):
        wanted = _TYPES.get(name.removeprefix("pose."), (str,))
        if type(value) not in wanted:  # a bool is an int
            raise InvalidInput(f"{name} is {value!r}, wanted {' or '.join(kind.__name__ for kind in wanted)}")
    return Memory(**fields, pose=None if pose is None else Pose(**pose))
