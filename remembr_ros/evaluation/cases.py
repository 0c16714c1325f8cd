"""What an evaluation asks and what comes of it: a question with its moment, place and truth; the answer and its errors.

Times are int nanoseconds since the Unix epoch, durations seconds, places metres in the frame of their map. All records
are frozen. Loaders (navqa/, own.py, sim/) make `Case`s; run.py turns them into `Outcome`s; report.py counts those.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from remembr_ros.errors import InvalidInput
from remembr_ros.records import AnswerKind, Pose


@dataclass(frozen=True, slots=True)
class Place:
    """Where the robot stood when it saw what was asked for [m]. `z` None: heights are not compared."""

    x: float
    y: float
    map_id: str = ""
    z: float | None = None

    def distance_to(self, other: Place) -> float:
        """[m]; infinite between two maps."""
        if self.map_id != other.map_id:
            return math.inf
        height_m = 0.0 if self.z is None or other.z is None else self.z - other.z
        return math.hypot(self.x - other.x, self.y - other.y, height_m)


@dataclass(frozen=True, slots=True)
class Truth:
    """What a right answer is. Of several places or times any one is right; empty or None means: not judged by it.

    `texts`: answers in words, any of which is right. `answerable` False: the right answer is that nothing was found.
    `evidence_ids`: memories that prove the answer, any of which is right evidence.
    """

    kind: AnswerKind
    yes_no: bool | None = None
    places: tuple[Place, ...] = ()
    times: tuple[tuple[int, int], ...] = ()
    """(from_ns, until_ns), both inclusive; equal for an instant."""
    duration_s: float | None = None
    count: int | None = None
    texts: tuple[str, ...] = ()
    answerable: bool = True
    evidence_ids: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for from_ns, until_ns in self.times:
            if until_ns < from_ns:
                raise InvalidInput(f"truth.times: {until_ns} is before {from_ns}")


@dataclass(frozen=True, slots=True)
class Case:
    """One question, asked at `now_ns` at `pose`. Only memories from `not_before_ns` until `now_ns` count.

    `group` is what results are grouped by (a length class, a family of questions). `notes` say what is wrong with the
    case itself (a truth outside its window): results are reported with and without such cases.
    """

    id: str
    group: str
    question: str
    now_ns: int
    truth: Truth
    pose: Pose | None = None
    map_id: str = ""
    not_before_ns: int | None = None
    memory: str = ""
    """Which memory is asked, where an evaluation has several (NaVQA: one per sequence)."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """The answer that was given, in plain values: what `Answer` says, without records or objects."""

    kind: AnswerKind
    text: str
    yes_no: bool | None = None
    place: Place | None = None
    time_ns: int | None = None
    duration_s: float | None = None
    count: int | None = None
    evidence_ids: tuple[str, ...] = ()
    found: bool = True
    """False: the memory holds no answer (AnswerError.NOT_FOUND)."""
    error: str = ""
    """Any other error, by its name; empty: none."""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case answered under one variant. Of the errors, None means: not asked for, or not answered."""

    case: Case
    variant: str
    given: Given
    correct: bool = False
    position_error_m: float | None = None
    time_error_min: float | None = None
    duration_error_min: float | None = None
    count_error: int | None = None
    text_score: float | None = None
    """0 to 1, by the scorer that the report names."""
    evidence_rank: int | None = None
    """Place (from 1) of the first right memory in the evidence; None: none, or not known which are right."""
    elapsed_s: float = 0.0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    """In the currency of the prices given; None: no price is known."""
