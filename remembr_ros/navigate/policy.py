"""In: an answer, its question and the map the robot is on now. Out: a place it may drive to, a refusal, or nothing.

Pure: no ROS, no clock, no state. A goal exists only if somebody asked for it, and its numbers are those of a memory
that the answer cites [m, rad, in the frame stored with that memory, or moved into Nav2's where the relation of the two
is known]; a language model's numbers never get here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum

from remembr_ros.intent import asks_to_go
from remembr_ros.navigate.occupancy import Blocked
from remembr_ros.navigate.surroundings import Surroundings
from remembr_ros.records import MAX_COORDINATE_M, NANOSECONDS, Answer, Memory, Navigate, Pose, Question

# Frames that move with the robot, or that start anew with every run: a place in them means nothing later.
_UNFIXED_FRAME = re.compile(r"(?:^|[/_])(?:odom\w*|base|base_footprint|\w*link|\w*optical_frame)$", re.IGNORECASE)


ROUNDING_M = 1e-6
ToFrame = Callable[[Pose, str], "Pose | str"]
"""A pose and the frame it is wanted in: the pose there, or why it cannot be had. Returns at once."""


def no_relation(pose: Pose, frame_id: str) -> str:
    """The ToFrame of who knows no frames."""
    return "how the two lie to each other is not known"


class NavigationMode(Enum):
    """Parameter navigation.mode: never drive, after Confirm, or at once when the user's own words ask for it."""

    OFF = "off"
    CONFIRM = "confirm"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A place that may be driven to. `pose` is that of `memory`, at most in another frame and in the nearest free cell.

    `at_once`: the user's own words allow driving without a confirmation. It holds while
    `created_ns <= now < expires_ns` (ROS time).
    """

    pose: Pose
    memory: Memory
    map_id: str
    at_once: bool
    created_ns: int
    expires_ns: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A goal was asked for and is not allowed; `reason` is a clause for people, `pose` what was refused if known."""

    reason: str
    pose: Pose | None = None


@dataclass(frozen=True, slots=True)
class GoalPolicy:
    """The rules. Lengths in metres.

    `goal_frame` is the frame that goals are in; empty: that of the map or costmap, and without one that of the memory.
    A memory's pose in another frame is moved there by `to_frame`, or refused; never relabelled. `trust_unnamed_map`
    says that the robot only ever has one map: then a memory without a map id may be a goal while the current map has
    none either. By default it may not, because two unnamed maps cannot be told apart.
    """

    mode: NavigationMode = NavigationMode.CONFIRM
    proposal_timeout_s: float = 60.0
    snap_radius_m: float = 0.5
    keep_out_m: float = 0.0
    goal_frame: str = ""
    trust_unnamed_map: bool = False
    to_frame: ToFrame = no_relation

    def propose(
        self,
        answer: Answer,
        question: Question,
        current_map_id: str,
        now_ns: int,
        surroundings: Surroundings | None = None,
    ) -> Proposal | Refusal | None:
        """The goal that `answer` allows. None: nobody asked to go anywhere. Never raises for any answer.

        With `surroundings`, the place must be free in them, or have a free cell within `snap_radius_m`.
        """
        in_own_words = question.navigate is Navigate.ALWAYS or asks_to_go(question.text)
        if question.navigate is Navigate.NEVER or not (in_own_words or answer.wants_goal):
            return None
        if self.mode is NavigationMode.OFF:
            return Refusal("navigation is off (parameter navigation.mode)")
        refusal = Refusal(answer.error_msg or "no usable position: the answer rests on no memory with a place")
        for memory in _places(answer):
            place = self._goal_pose(memory, current_map_id, surroundings)
            if isinstance(place, Pose):
                place = self._free(place, surroundings, now_ns, self.snap_radius_m)
            if isinstance(place, Pose):
                expires_ns = now_ns + round(self.proposal_timeout_s * NANOSECONDS)
                at_once = self.mode is NavigationMode.AUTO and in_own_words
                return Proposal(place, memory, current_map_id, at_once, now_ns, expires_ns)
            if refusal.pose is None:  # the reason that counts is that of the best evidence
                refusal = Refusal(place, memory.pose)
        if answer.pose is not None and refusal.pose is None:
            return Refusal("the answer's position is not that of a memory it cites", answer.pose)
        return refusal

    def check(
        self,
        proposal: Proposal,
        goal_pose: Pose,
        current_map_id: str,
        now_ns: int,
        confirmed: bool,
        surroundings: Surroundings | None = None,
    ) -> Refusal | None:
        """The guard that stands right before the send: everything again, on what is about to be sent. None: allowed."""
        if self.mode is NavigationMode.OFF:
            return Refusal("navigation is off (parameter navigation.mode)", goal_pose)
        if not confirmed and not (proposal.at_once and self.mode is NavigationMode.AUTO):
            return Refusal("it was not confirmed", goal_pose)
        if not proposal.created_ns <= now_ns < proposal.expires_ns:
            return Refusal("the proposal has expired", goal_pose)
        if proposal.map_id != current_map_id:
            return Refusal(f"the map changed from {proposal.map_id!r} to {current_map_id!r}", goal_pose)
        if fault := unusable(goal_pose):
            return Refusal(fault, goal_pose)
        place = self._goal_pose(proposal.memory, current_map_id, surroundings)
        if isinstance(place, str):
            return Refusal(place, goal_pose)
        if goal_pose != proposal.pose or replace(goal_pose, x=place.x, y=place.y) != place:
            return Refusal("the goal is not the place of the memory it was proposed for", goal_pose)
        if goal_pose.distance_to(place.x, place.y) > self.snap_radius_m + ROUNDING_M:
            return Refusal(f"the goal is further than {self.snap_radius_m:g} m from where the robot stood", goal_pose)
        free = self._free(goal_pose, surroundings, now_ns, 0.0)
        return Refusal(free, goal_pose) if isinstance(free, str) else None

    def _goal_pose(self, memory: Memory, current_map_id: str, surroundings: Surroundings | None) -> Pose | str:
        """Where the robot stood, in the frame of goals, or why that is no goal."""
        if memory.pose is None:
            return "the memory has no position"
        if not memory.localized:
            return "the robot did not know well enough where it was when it saw that"
        if memory.map_id != current_map_id:
            return f"it was seen on the map {memory.map_id!r}, the robot is on {current_map_id!r} (empty: no name)"
        if not current_map_id and not self.trust_unnamed_map:
            return "the map has no name, so it cannot be told from another (parameter map_id)"
        if fault := unusable(memory.pose):
            return fault
        frame_id = normalize_frame(memory.pose.frame_id)
        if _UNFIXED_FRAME.search(frame_id):
            return f"its position is in the frame {frame_id!r}, which is not fixed to the map"
        pose = replace(memory.pose, frame_id=frame_id)
        wanted = normalize_frame(self.goal_frame or (surroundings.frame_id if surroundings else "")) or frame_id
        if wanted == frame_id:
            return pose
        moved = self.to_frame(pose, wanted)
        if isinstance(moved, str):
            return f"its position is in the frame {frame_id!r}, goals are in {wanted!r}: {moved}"
        return unusable(moved) or moved

    def _free(self, pose: Pose, surroundings: Surroundings | None, now_ns: int, snap_radius_m: float) -> Pose | str:
        """`pose`, at most moved to the nearest free place, or why it is blocked."""
        if surroundings is None:
            return pose
        frame_id = normalize_frame(surroundings.frame_id)
        if frame_id and frame_id != pose.frame_id:
            return f"goals are in the frame {pose.frame_id!r}, the map is in {frame_id!r}"
        free = surroundings.free_place(pose.x, pose.y, now_ns, snap_radius_m=snap_radius_m, keep_out_m=self.keep_out_m)
        return free.reason if isinstance(free, Blocked) else replace(pose, x=free[0], y=free[1])


def normalize_frame(frame_id: str) -> str:
    """tf2's form of a frame name: ROS 1 wrote '/map', ROS 2 writes 'map'."""
    return frame_id.strip().lstrip("/")


def unusable(pose: Pose) -> str:
    """Why these numbers may not reach a robot; empty: they may. Judges anything that calls itself a pose."""
    for name in ("x", "y", "z", "yaw"):
        value = getattr(pose, name, None)
        if name == "yaw" and value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            return f"no usable position: {name} is {value!r}"
        if abs(value) > MAX_COORDINATE_M:
            return f"no usable position: {name} is {value!r}"
    if not isinstance(pose.frame_id, str) or not normalize_frame(pose.frame_id):
        return "no usable position: it has no frame"
    return ""


def _places(answer: Answer) -> Iterable[Memory]:
    """The cited memories that the answer's position may come from; all with a place where it states none."""
    for hit in answer.evidence:
        pose = hit.memory.pose
        if pose is not None and (answer.pose is None or _same_place(pose, answer.pose)):
            yield hit.memory


def _same_place(one: Pose, other: Pose) -> bool:
    return (one.x, one.y, one.z, one.yaw) == (other.x, other.y, other.z, other.yaw) and normalize_frame(
        one.frame_id
    ) == normalize_frame(other.frame_id)
