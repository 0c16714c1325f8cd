"""Records to messages, and requests to records: pure functions. What is received is read by reading.py.

Times are int nanoseconds since the epoch. A request that cannot be used raises `InvalidInput` that names the field.
"""

from __future__ import annotations

import math
from typing import Any

from builtin_interfaces.msg import Duration as DurationMsg
from builtin_interfaces.msg import Time as TimeMsg
from geometry_msgs.msg import PoseStamped, Quaternion
from std_msgs.msg import Header

from remembr_interfaces.msg import Answer as AnswerMsg
from remembr_interfaces.msg import Caption as CaptionMsg
from remembr_interfaces.msg import Memory as MemoryMsg
from remembr_interfaces.msg import NavigationStatus
from remembr_interfaces.srv import Ask, Forget, Search
from remembr_ros.errors import InvalidInput
from remembr_ros.memory.query import Order, Query
from remembr_ros.navigate.navigator import NavigationUpdate
from remembr_ros.records import (
    NANOSECONDS,
    Answer,
    AnswerKind,
    Hit,
    Memory,
    Navigate,
    Pose,
    Question,
)
from remembr_ros.ros.reading import (  # the other direction, found here as well
    frame_name as frame_name,
)
from remembr_ros.ros.reading import (
    memory_from_caption as memory_from_caption,
)
from remembr_ros.ros.reading import (
    nanoseconds as nanoseconds,
)
from remembr_ros.ros.reading import (
    occupancy_map as occupancy_map,
)
from remembr_ros.ros.reading import (
    pose_from_message as pose_from_message,
)
from remembr_ros.ros.reading import (
    stamp_of_serialized as stamp_of_serialized,
)
from remembr_ros.ros.reading import (
    yaw_of as yaw_of,
)

DEFAULT_LIMIT = 5
_MAX_TIME_NS = (2**31 - 1) * NANOSECONDS
_KINDS = {
    AnswerKind.TEXT: AnswerMsg.TEXT,
    AnswerKind.BINARY: AnswerMsg.BINARY,
    AnswerKind.POSITION: AnswerMsg.POSITION,
    AnswerKind.TIME: AnswerMsg.TIME,
    AnswerKind.DURATION: AnswerMsg.DURATION,
    AnswerKind.COUNT: AnswerMsg.COUNT,
}
_NAVIGATE = {Ask.Request.AUTO: Navigate.AUTO, Ask.Request.NEVER: Navigate.NEVER, Ask.Request.ALWAYS: Navigate.ALWAYS}
_ORDERS = {
    Search.Request.RELEVANCE: Order.RELEVANCE,
    Search.Request.FIRST: Order.FIRST,
    Search.Request.LAST: Order.LAST,
    Search.Request.NEAREST: Order.NEAREST,
}
GOAL_STATES = {
    "none": AnswerMsg.GOAL_NONE,
    "proposed": AnswerMsg.GOAL_PROPOSED,
    "sent": AnswerMsg.GOAL_SENT,
    "refused": AnswerMsg.GOAL_REFUSED,
}


def time_message(time_ns: int) -> TimeMsg:
    """Raises InvalidInput beyond what the message can hold (years 1901 to 2038)."""
    if not -_MAX_TIME_NS <= time_ns <= _MAX_TIME_NS:
        raise InvalidInput(f"{time_ns} ns is no time that a message can hold")
    seconds, rest = divmod(time_ns, NANOSECONDS)
    return TimeMsg(sec=seconds, nanosec=rest)


def duration_message(seconds: float) -> DurationMsg:
    whole, rest = divmod(round(seconds * NANOSECONDS), NANOSECONDS)
    return DurationMsg(sec=whole, nanosec=rest)


def quaternion(yaw: float | None) -> Quaternion:
    """Unit quaternion about z; the identity for an unknown heading."""
    half = (yaw or 0.0) / 2.0
    return Quaternion(x=0.0, y=0.0, z=math.sin(half), w=math.cos(half))


def pose_message(pose: Pose) -> PoseStamped:
    """Unit quaternion always (Nav2 and RViz refuse others); whether the heading is known is said elsewhere."""
    message = PoseStamped()
    message.header.stamp = time_message(pose.stamp_ns)
    message.header.frame_id = pose.frame_id
    message.pose.position.x, message.pose.position.y, message.pose.position.z = pose.x, pose.y, pose.z
    message.pose.orientation = quaternion(pose.yaw)
    return message


def memory_message(hit: Hit) -> MemoryMsg:
    memory = hit.memory
    message = MemoryMsg(
        id=memory.id,
        caption=memory.caption,
        window_start=time_message(memory.start_ns),
        window_end=time_message(memory.end_ns),
        episode_start=time_message(memory.episode_start_ns),
        localized=memory.localized,
        map_id=memory.map_id,
        robot_id=memory.robot_id,
        camera=memory.camera,
        image_uri=memory.image_uri,
        score=hit.score,
    )
    if memory.pose is not None:
        message.pose = pose_message(memory.pose)
        message.pose_state = MemoryMsg.POSE_POSITION if memory.pose.yaw is None else MemoryMsg.POSE_FULL
    return message


def caption_message(memory: Memory, frame_count: int = 0) -> CaptionMsg:
    message = CaptionMsg(
        window_start=time_message(memory.start_ns),
        window_end=time_message(memory.end_ns),
        text=memory.caption,
        localized=memory.localized,
        camera=memory.camera,
        captioner=memory.captioner,
        frame_count=frame_count,
    )
    message.header.stamp = time_message(memory.end_ns)
    if memory.pose is not None:
        pose = memory.pose
        message.header.frame_id = pose.frame_id
        message.pose.header.frame_id = pose.frame_id
        message.pose.header.stamp = time_message(pose.stamp_ns)
        position = message.pose.pose.pose.position
        position.x, position.y, position.z = pose.x, pose.y, pose.z
        message.pose.pose.pose.orientation = Quaternion(w=0.0) if pose.yaw is None else quaternion(pose.yaw)
        message.pose.pose.covariance[0] = message.pose.pose.covariance[7] = pose.position_var
        message.pose.pose.covariance[35] = pose.yaw_var
    return message


def question_from(request: Any, now_ns: int, pose: Pose | None, map_id: str) -> Question:
    """`request` is Ask.Request or AskQuestion.Goal. The text is not judged here (recall does). Raises InvalidInput."""
    if request.navigate not in _NAVIGATE:
        raise InvalidInput(f"navigate must be 0 (AUTO), 1 (NEVER) or 2 (ALWAYS), not {request.navigate}")
    return Question(
        text=request.question,
        now_ns=now_ns,
        pose=pose,
        map_id=map_id,
        conversation=request.conversation,
        navigate=_NAVIGATE[request.navigate],
    )


def query_from(request: Search.Request, map_id: str, robot_id: str = "") -> Query:
    """Raises InvalidInput naming the field."""
    if request.order not in _ORDERS:
        raise InvalidInput(f"order must be 0 to 3, not {request.order}")
    near = within_m = None
    order = _ORDERS[request.order]
    if request.use_position:
        near = (request.position.x, request.position.y)
        if request.radius < 0.0 or not math.isfinite(request.radius):
            raise InvalidInput(f"radius must be a distance [m], not {request.radius}")
        if request.radius == 0.0 and order is not Order.NEAREST:
            raise InvalidInput("radius 0 (no limit) is only allowed with order NEAREST")
        within_m = request.radius or None
    elif order is Order.NEAREST:
        raise InvalidInput("order NEAREST needs use_position and position")
    return Query(
        text=request.text,
        near=near,
        within_m=within_m,
        after_ns=nanoseconds(request.after) or None,
        before_ns=nanoseconds(request.before) or None,
        map_id=map_id if request.use_position else "",
        robot_id=robot_id,
        order=order,
        limit=request.limit or DEFAULT_LIMIT,
    )


def selection_from(request: Forget.Request, map_id: str, robot_id: str = "") -> Query:
    """What to forget by place and time. Raises InvalidInput naming the field, also when nothing restricts it."""
    near = within_m = None
    if request.use_position:
        if not request.radius > 0.0:
            raise InvalidInput(f"radius must be above 0 m, not {request.radius}")
        near, within_m = (request.position.x, request.position.y), request.radius
    after_ns, before_ns = nanoseconds(request.after) or None, nanoseconds(request.before) or None
    if near is None and after_ns is None and before_ns is None:
        raise InvalidInput("nothing is selected: give ids, or use_position, position and radius, or after, or before")
    return Query(
        near=near,
        within_m=within_m,
        after_ns=after_ns,
        before_ns=before_ns,
        map_id=map_id if request.use_position else "",
        robot_id=robot_id,
    )


def answer_message(answer: Answer, stamp_ns: int) -> AnswerMsg:
    """Everything but the goal fields, which the goal policy decides."""
    message = AnswerMsg(
        header=Header(stamp=time_message(stamp_ns)),
        question=answer.question,
        kind=_KINDS[answer.kind],
        text=answer.text,
        yes_no=-1 if answer.yes_no is None else int(answer.yes_no),
        count=-1 if answer.count is None else answer.count,
        evidence=[memory_message(hit) for hit in answer.evidence],
        source=answer.source,
        error_code=0 if answer.error is None else answer.error.value,
        error_msg=answer.error_msg,
        rounds=min(answer.rounds, 255),
        llm_calls=min(answer.llm_calls, 255),
        elapsed=float(answer.elapsed_s),
    )
    if answer.pose is not None:
        message.has_pose, message.pose = True, pose_message(answer.pose)
    if answer.time_ns is not None:
        message.has_time, message.time = True, time_message(answer.time_ns)
    if answer.duration_s is not None:
        message.has_duration, message.duration = True, duration_message(answer.duration_s)
    return message


def navigation_message(update: NavigationUpdate, stamp_ns: int) -> NavigationStatus:
    return NavigationStatus(
        header=Header(stamp=time_message(stamp_ns)),
        state=update.state.value,
        proposal_id=update.goal.id,
        goal=pose_message(update.goal.pose),
        distance_remaining=update.distance_remaining_m,
        estimated_time_remaining=update.time_remaining_s,
        error_code=update.error_code,
        error_msg=update.error_msg,
    )
