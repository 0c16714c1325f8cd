"""The records that flow between the stages: camera frame, pose, window, memory, question, answer.

Times are int nanoseconds since the Unix epoch (ROS time), lengths metres, angles radians, frames and axes as in
REP 103 and REP 105. All records are frozen; a record that exists is valid: the constructors raise `InvalidInput`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from remembr_ros.errors import InvalidInput

if TYPE_CHECKING:
    import numpy as np

NANOSECONDS = 1_000_000_000
MAX_COORDINATE_M = 1e6
"""No map is wider: larger coordinates are a localizer's failure (AMCL has published 1e256)."""


def normalize_yaw(yaw: float) -> float:
    """The same heading in (-pi, pi] [rad]."""
    wrapped = math.remainder(yaw, 2.0 * math.pi)
    return math.pi if wrapped == -math.pi else wrapped


@dataclass(frozen=True, slots=True)
class Frame:
    """One camera picture: `image` is (H, W, 3) uint8, RGB; `stamp_ns` is when it was taken."""

    stamp_ns: int
    image: np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the robot (base_link) stands in the frame `frame_id`.

    `yaw` is in (-pi, pi], or None when the heading is unknown. `position_var` [m^2] is the larger of the variances
    of x and y, `yaw_var` [rad^2]; both are 0 when the source gives none. Raises InvalidInput for anything that is
    not finite, too far away, or without a frame.
    """

    stamp_ns: int
    frame_id: str
    x: float
    y: float
    z: float = 0.0
    yaw: float | None = None
    position_var: float = 0.0
    yaw_var: float = 0.0

    def __post_init__(self) -> None:
        for name in ("x", "y", "z"):
            value = getattr(self, name)
            if isinstance(value, bool) or not math.isfinite(value) or abs(value) > MAX_COORDINATE_M:
                raise InvalidInput(f"pose.{name} is not a usable coordinate: {value!r}")
            object.__setattr__(self, name, float(value))  # an int in a message's float field aborts the process
        for name in ("position_var", "yaw_var"):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0.0:
                raise InvalidInput(f"pose.{name} is not a usable variance: {value!r}")
        if not self.frame_id:
            raise InvalidInput("pose.frame_id is empty")
        if self.yaw is not None:
            if not math.isfinite(self.yaw):
                raise InvalidInput(f"pose.yaw is not finite: {self.yaw!r}")
            object.__setattr__(self, "yaw", normalize_yaw(self.yaw))

    def distance_to(self, x: float, y: float) -> float:
        """Distance in the plane [m]."""
        return math.hypot(self.x - x, self.y - y)


@dataclass(frozen=True, slots=True)
class Window:
    """A few seconds of camera: frames in [start_ns, end_ns) by image stamp, in order, and the pose at the middle."""

    start_ns: int
    end_ns: int
    frames: tuple[Frame, ...]
    pose: Pose | None = None

    def __post_init__(self) -> None:
        if self.end_ns <= self.start_ns:
            raise InvalidInput(f"window ends ({self.end_ns}) before it starts ({self.start_ns})")
        if not self.frames:
            raise InvalidInput("window has no frames")

    @property
    def middle_ns(self) -> int:
        return (self.start_ns + self.end_ns) // 2


@dataclass(frozen=True, slots=True)
class Memory:
    """One remembered window: immutable, one row in Milvus.

    `pose` is where the ROBOT stood, None when unknown. `localized` says that the pose was trusted when it was taken:
    only such a place may become a goal. Windows of one stay (parked, seeing the same) share `episode_start_ns`.
    """

    id: str
    start_ns: int
    end_ns: int
    episode_start_ns: int
    caption: str
    pose: Pose | None = None
    localized: bool = False
    map_id: str = ""
    robot_id: str = ""
    camera: str = ""
    session_id: str = ""
    captioner: str = ""
    image_uri: str = ""

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidInput("memory.id is empty")
        if self.end_ns <= self.start_ns:
            raise InvalidInput(f"memory {self.id} ends ({self.end_ns}) before it starts ({self.start_ns})")
        if self.episode_start_ns > self.start_ns:
            raise InvalidInput(f"memory {self.id}: its episode starts after it")
        if not self.caption.strip():
            raise InvalidInput(f"memory {self.id} has an empty caption")
        if self.localized and self.pose is None:
            raise InvalidInput(f"memory {self.id} is localized but has no pose")


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that a search returned. `score` is the cosine similarity to the text, NaN when none was searched for."""

    memory: Memory
    score: float = math.nan


class Navigate(Enum):
    """What the asker wants done with a place (srv/Ask.navigate)."""

    AUTO = "auto"
    NEVER = "never"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, when and where. Nothing later than `now_ns` is visible to the answer."""

    text: str
    now_ns: int
    pose: Pose | None = None
    map_id: str = ""
    conversation: str = ""
    navigate: Navigate = Navigate.AUTO


class AnswerKind(Enum):
    """The type of an answer (msg/Answer.kind)."""

    TEXT = "text"
    BINARY = "binary"
    POSITION = "position"
    TIME = "time"
    DURATION = "duration"
    COUNT = "count"


class AnswerError(Enum):
    """Why there is no answer (msg/Answer.error_code, in the order of its constants)."""

    NOT_FOUND = 1
    INVALID_QUESTION = 2
    MEMORY_UNAVAILABLE = 3
    LLM_UNAVAILABLE = 4
    TIMEOUT = 5
    CANCELED = 6
    BUSY = 7
    NOT_ACTIVE = 8
    INTERNAL = 99


@dataclass(frozen=True, slots=True)
class Answer:
    """The typed answer to one question.

    `text` is always there. `pose` is where the robot stood when it saw the first memory of `evidence` that has a
    place. `wants_goal` says that the composer understood the question as a request to go there; it is a proposal,
    never a permission (see navigate/policy.py). `error` None means answered.
    """

    question: str
    kind: AnswerKind
    text: str
    yes_no: bool | None = None
    pose: Pose | None = None
    time_ns: int | None = None
    duration_s: float | None = None
    count: int | None = None
    evidence: tuple[Hit, ...] = ()
    source: str = ""
    wants_goal: bool = False
    rounds: int = 0
    llm_calls: int = 0
    elapsed_s: float = 0.0
    error: AnswerError | None = None
    error_msg: str = ""
