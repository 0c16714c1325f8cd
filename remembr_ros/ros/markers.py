"""What RViz shows of the memory, as one MarkerArray: DELETEALL, then everything, so that a late RViz misses nothing.

Arrows where the robot stood (spheres where its heading is unknown), from blue (oldest) to red (newest); texts on the
evidence of the last answer; the goal as a green cylinder. Metres, in the frame of each memory's pose.
"""

from __future__ import annotations

from collections.abc import Sequence

from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from remembr_ros.records import Hit, Memory, Pose
from remembr_ros.ros.conversions import pose_message

TEXT_CHARACTERS = 60
EVIDENCE_COLOUR = ColorRGBA(r=1.0, g=0.85, b=0.1, a=1.0)
GOAL_COLOUR = ColorRGBA(r=0.1, g=0.8, b=0.2, a=0.8)


def memory_markers(memories: Sequence[Memory], evidence: Sequence[Hit] = (), goal: Pose | None = None) -> MarkerArray:
    """`memories` in time order; those without a pose are left out."""
    markers = [Marker(action=Marker.DELETEALL)]
    shown = [memory for memory in memories if memory.pose is not None]
    for index, memory in enumerate(shown):
        markers.append(_at(memory.pose, "memories", index, _age_colour(index / max(len(shown) - 1, 1))))
    for index, hit in enumerate(hit for hit in evidence if hit.memory.pose is not None):
        markers.append(_at(hit.memory.pose, "evidence", index, EVIDENCE_COLOUR, scale=1.5))
        text = _at(hit.memory.pose, "evidence_text", index, EVIDENCE_COLOUR)
        text.type, text.scale = Marker.TEXT_VIEW_FACING, Vector3(z=0.25)
        text.text = hit.memory.caption[:TEXT_CHARACTERS]
        text.pose.position.z += 0.6 + 0.3 * index
        markers.append(text)
    if goal is not None:
        marker = _at(goal, "goal", 0, GOAL_COLOUR)
        marker.type, marker.scale = Marker.CYLINDER, Vector3(x=0.6, y=0.6, z=0.05)
        markers.append(marker)
    return MarkerArray(markers=markers)


def _at(pose: Pose | None, namespace: str, index: int, colour: ColorRGBA, scale: float = 1.0) -> Marker:
    assert pose is not None
    stamped = pose_message(pose)
    marker = Marker(ns=namespace, id=index, pose=stamped.pose, color=colour, action=Marker.ADD)
    marker.header.frame_id = pose.frame_id  # stamp zero: always the latest transform, the map does not move
    if pose.yaw is None:
        marker.type, marker.scale = Marker.SPHERE, Vector3(x=0.15 * scale, y=0.15 * scale, z=0.15 * scale)
    else:
        marker.type, marker.scale = Marker.ARROW, Vector3(x=0.35 * scale, y=0.06 * scale, z=0.06 * scale)
    return marker


def _age_colour(youth: float) -> ColorRGBA:
    return ColorRGBA(r=youth, g=0.2, b=1.0 - youth, a=0.8)
