"""A tree of transforms read from a bag: where the base is in the map. In: tf2_msgs/TFMessage. Out: `Pose` in the map.

What tf2's buffer does at `Time(0)`, without ROS: the latest instant that every moving part of the chain has reached;
between two samples positions are interpolated linearly, orientations along the shorter arc (as tf2's TimeCache).
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from remembr_ros.errors import InvalidInput
from remembr_ros.records import NANOSECONDS, Pose
from remembr_ros.ros.reading import frame_name, nanoseconds, yaw_of

HISTORY_NS = 10 * NANOSECONDS
"""What tf2 keeps by default."""

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Transform = tuple[Vector, Quaternion]
"""Translation [m] and rotation (x, y, z, w) that take a point from the child's frame to the parent's."""
IDENTITY: Transform = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


@dataclass(slots=True)
class _Link:
    """From a frame to its parent: one sample when static, else some seconds of them in the order of their stamps."""

    parent: str
    static: bool
    stamps: list[int] = field(default_factory=list)
    samples: list[Transform] = field(default_factory=list)


class TransformTree:
    """Transforms by child frame."""

    def __init__(self) -> None:
        self._links: dict[str, _Link] = {}

    def add(self, message: Any, static: bool) -> None:
        """Take a TFMessage. Raises InvalidInput naming the first transform that cannot be used; the others count."""
        problem = None
        for number, moved in enumerate(message.transforms):
            try:
                self._add(moved, static)
            except InvalidInput as error:
                problem = problem or InvalidInput(f"transforms[{number}]: {error}")
        if problem is not None:
            raise problem

    def clear(self) -> None:
        """The clock was set back: forget what moves."""
        self._links = {child: link for child, link in self._links.items() if link.static}

    def pose(self, map_frame: str, base_frame: str) -> Pose | None:
        """The base in the map at the latest instant that all links on the way know; None when there is none."""
        up, down = self._to_root(base_frame), self._to_root(map_frame)
        if up[-1] != down[-1]:
            return None
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        moving = [link for frame in up[:-1] + down[:-1] if not (link := self._links[frame]).static]
        if not moving:
            return None
        stamp_ns = min(link.stamps[-1] for link in moving)
        if any(link.stamps[0] > stamp_ns for link in moving):
            return None
        (x, y, z), rotation = _product(_inverse(self._along(down, stamp_ns)), self._along(up, stamp_ns))
        yaw = yaw_of(SimpleNamespace(**dict(zip("xyzw", rotation, strict=True))))
        return Pose(stamp_ns, map_frame, x, y, z, yaw)

    def _add(self, moved: Any, static: bool) -> None:
        parent, child = frame_name(moved.header.frame_id), frame_name(moved.child_frame_id)
        if parent == child:
            raise InvalidInput(f"{child} is its own parent")
        shift, turn = moved.transform.translation, moved.transform.rotation
        vector, rotation = (shift.x, shift.y, shift.z), (turn.x, turn.y, turn.z, turn.w)
        norm = math.sqrt(sum(part * part for part in rotation))
        if not (math.isfinite(sum(vector)) and math.isfinite(norm) and norm > 1e-6):
            raise InvalidInput(f"{parent} to {child} is not finite, or its rotation is zero")
        sample: Transform = (vector, tuple(part / norm for part in rotation))
        stamp_ns = nanoseconds(moved.header.stamp)
        link = self._links.get(child)
        if static or link is None or link.parent != parent or link.static:
            self._links[child] = _Link(parent, static, [stamp_ns], [sample])
            return
        at = bisect.bisect_left(link.stamps, stamp_ns)
        if at < len(link.stamps) and link.stamps[at] == stamp_ns:
            link.samples[at] = sample
        else:
            link.stamps.insert(at, stamp_ns)
            link.samples.insert(at, sample)
        old = bisect.bisect_left(link.stamps, link.stamps[-1] - HISTORY_NS)
        del link.stamps[:old], link.samples[:old]

    def _to_root(self, frame: str) -> list[str]:
        """The frame, its parent, and so on. A loop ends where it closes."""
        frames = [frame]
        while (link := self._links.get(frames[-1])) is not None and link.parent not in frames:
            frames.append(link.parent)
        return frames

    def _along(self, frames: Sequence[str], stamp_ns: int) -> Transform:
        """From the first frame to the last."""
        total = IDENTITY
        for frame in frames[:-1]:
            total = _product(_sample(self._links[frame], stamp_ns), total)
        return total


def _sample(link: _Link, stamp_ns: int) -> Transform:
    after = bisect.bisect_left(link.stamps, stamp_ns)
    if link.static or after == 0:
        return link.samples[0]
    if after == len(link.stamps) or link.stamps[after] == stamp_ns:
        return link.samples[min(after, len(link.stamps) - 1)]
    first, second = link.samples[after - 1], link.samples[after]
    share = (stamp_ns - link.stamps[after - 1]) / (link.stamps[after] - link.stamps[after - 1])
    vector = tuple(a + share * (b - a) for a, b in zip(first[0], second[0], strict=True))
    return vector, _slerp(first[1], second[1], share)  # type: ignore[return-value]


def _slerp(first: Quaternion, second: Quaternion, share: float) -> Quaternion:
    cosine = sum(a * b for a, b in zip(first, second, strict=True))
    sign = -1.0 if cosine < 0.0 else 1.0  # q and -q are the same rotation
    angle = math.acos(min(1.0, abs(cosine)))
    if angle < 1e-6:
        return first
    near, far = math.sin((1.0 - share) * angle) / math.sin(angle), sign * math.sin(share * angle) / math.sin(angle)
    return tuple(near * a + far * b for a, b in zip(first, second, strict=True))  # type: ignore[return-value]


def _turned(rotation: Quaternion, vector: Vector) -> Vector:
    """v + 2 w (u x v) + 2 u x (u x v), u: the vector part of the unit quaternion."""
    x, y, z, w = rotation
    a, b, c = vector
    p, q, r = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * p + y * r - z * q, b + w * q + z * p - x * r, c + w * r + x * q - y * p


def _product(outer: Transform, inner: Transform) -> Transform:
    """First `inner`, then `outer`."""
    (ax, ay, az, aw), (bx, by, bz, bw) = outer[1], inner[1]
    rotation = (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
    x, y, z = _turned(outer[1], inner[0])
    return (x + outer[0][0], y + outer[0][1], z + outer[0][2]), rotation


def _inverse(transform: Transform) -> Transform:
    x, y, z, w = transform[1]
    back: Quaternion = (-x, -y, -z, w)
    a, b, c = _turned(back, transform[0])
    return (-a, -b, -c), back
