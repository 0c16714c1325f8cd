"""Messages to records and back, without a node."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, PoseWithCovarianceStamped, Quaternion
from hypothesis import given
from hypothesis import strategies as st
from nav_msgs.msg import OccupancyGrid
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import Image

from remembr_interfaces.msg import Answer as AnswerMsg
from remembr_interfaces.msg import Memory as MemoryMsg
from remembr_interfaces.msg import NavigationStatus
from remembr_interfaces.srv import Ask, Forget, Search
from remembr_ros.errors import InvalidInput
from remembr_ros.memory.query import Order
from remembr_ros.navigate.dispatcher import GoalState
from remembr_ros.navigate.navigator import Goal, NavigationState, NavigationUpdate
from remembr_ros.records import Answer, AnswerError, AnswerKind, Hit, Memory, Navigate, Pose
from remembr_ros.ros import conversions
from remembr_ros.ros.maps import map_name

T0 = 1_796_061_600_250_000_000
POSE = Pose(T0, "map", 2.0, -1.0, 0.1, math.pi / 2, 0.04, 0.01)


def memory(pose: Pose | None = POSE, **fields) -> Memory:
    values = {
        "id": "robot/front/1",
        "start_ns": T0,
        "end_ns": T0 + 3 * 10**9,
        "episode_start_ns": T0,
        "caption": "a door",
    }
    return Memory(**values, pose=pose, localized=pose is not None, map_id="office", **fields)


def amcl(**changes) -> PoseWithCovarianceStamped:
    message = PoseWithCovarianceStamped()
    message.header.frame_id, message.header.stamp = "map", Time(sec=5, nanosec=7)
    message.pose.pose.orientation = Quaternion(z=math.sin(0.5), w=math.cos(0.5))
    for name, value in changes.items():
        setattr(message.pose.pose.position, name, value)
    return message


@given(st.integers(min_value=0, max_value=(2**31 - 1) * 10**9))
def test_times_survive_to_the_nanosecond(time_ns):
    assert conversions.nanoseconds(conversions.time_message(time_ns)) == time_ns


def test_a_time_that_no_message_holds_is_refused():
    with pytest.raises(InvalidInput, match="time"):
        conversions.time_message(2**31 * 10**9)


@given(st.floats(min_value=-3.14159, max_value=3.14159))
def test_a_heading_survives_the_quaternion(yaw):
    assert conversions.yaw_of(conversions.quaternion(yaw)) == pytest.approx(yaw, abs=1e-9)


def test_an_unnormalised_quaternion_is_normalised_and_zero_means_unknown():
    assert conversions.yaw_of(Quaternion(z=2.0, w=2.0)) == pytest.approx(math.pi / 2)
    assert conversions.yaw_of(Quaternion(x=0.0, y=0.0, z=0.0, w=0.0)) is None
    with pytest.raises(InvalidInput, match="orientation"):
        conversions.yaw_of(Quaternion(w=math.nan))


def test_a_pose_takes_the_larger_variance_and_drops_the_slash():
    message = amcl(x=1.0, y=2.0)
    message.header.frame_id = "/map"
    message.pose.covariance[0], message.pose.covariance[7], message.pose.covariance[35] = 0.1, 0.3, 0.02
    pose = conversions.pose_from_message(message)
    assert (pose.stamp_ns, pose.frame_id, pose.x, pose.y) == (5_000_000_007, "map", 1.0, 2.0)
    assert (pose.yaw, pose.position_var, pose.yaw_var) == (pytest.approx(1.0), 0.3, 0.02)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda m: setattr(m.pose.pose.position, "x", math.nan), "pose.x"),
        (lambda m: setattr(m.pose.pose.position, "y", 1e256), "pose.y"),
        (lambda m: setattr(m.header, "frame_id", ""), "frame_id"),
        (lambda m: setattr(m.header, "frame_id", "/"), "frame_id"),
        (lambda m: setattr(m.header, "frame_id", "m" * 300), "frame_id"),
        (lambda m: m.pose.covariance.__setitem__(7, math.nan), "variance"),
        (lambda m: m.pose.covariance.__setitem__(0, math.nan), "variance"),
        (lambda m: m.pose.covariance.__setitem__(35, -1.0), "variance"),
        (lambda m: setattr(m.pose.pose.orientation, "w", math.inf), "orientation"),
    ],
)
def test_a_pose_that_cannot_be_used_names_the_field(change, field):
    message = amcl()
    change(message)
    with pytest.raises(InvalidInput, match=field):
        conversions.pose_from_message(message)


def test_the_stamp_of_a_serialized_image_is_read_without_deserializing():
    image = Image(height=2, width=2, step=6, encoding="rgb8", data=bytes(12))
    image.header.stamp = Time(sec=1796061600, nanosec=123456789)
    data = serialize_message(image)
    assert conversions.stamp_of_serialized(data) == 1796061600_123456789
    assert deserialize_message(data, Image).header.stamp == image.header.stamp
    big_endian = bytes([0, 0, 0, 0]) + (17).to_bytes(4, "big") + (18).to_bytes(4, "big")
    assert conversions.stamp_of_serialized(big_endian) == 17_000_000_018
    with pytest.raises(InvalidInput, match="header"):
        conversions.stamp_of_serialized(data[:8])


def test_a_memory_without_pose_or_heading_says_so():
    assert conversions.memory_message(Hit(memory(None))).pose_state == MemoryMsg.POSE_NONE
    no_heading = conversions.memory_message(Hit(memory(Pose(T0, "map", 1.0, 1.0))))
    assert no_heading.pose_state == MemoryMsg.POSE_POSITION and no_heading.pose.pose.orientation.w == 1.0
    full = conversions.memory_message(Hit(memory(), 0.5))
    assert full.pose_state == MemoryMsg.POSE_FULL and full.score == 0.5 and full.map_id == "office"
    assert math.isnan(conversions.memory_message(Hit(memory())).score)


def test_a_caption_carries_pose_and_covariance_or_an_empty_frame():
    message = conversions.caption_message(memory(), 6)
    assert message.header.stamp == message.window_end and message.frame_count == 6
    assert message.pose.pose.covariance[0] == message.pose.pose.covariance[7] == 0.04
    nowhere = conversions.caption_message(memory(None))
    assert nowhere.header.frame_id == nowhere.pose.header.frame_id == "" and not nowhere.localized
    unknown_heading = conversions.caption_message(memory(Pose(T0, "map", 1.0, 1.0))).pose.pose.pose.orientation
    assert (unknown_heading.x, unknown_heading.y, unknown_heading.z, unknown_heading.w) == (0.0, 0.0, 0.0, 0.0)


def test_an_answer_with_everything_and_one_with_nothing():
    full = Answer(
        "q", AnswerKind.DURATION, "t", True, POSE, T0, 90.5, 3, (Hit(memory()),), "extractive", False, 2, 3, 0.25
    )
    message = conversions.answer_message(full, T0)
    assert (message.kind, message.yes_no, message.count, message.rounds, message.llm_calls) == (
        AnswerMsg.DURATION,
        1,
        3,
        2,
        3,
    )
    assert message.has_pose and message.pose.pose.position.x == 2.0 and message.pose.header.frame_id == "map"
    assert message.has_time and conversions.nanoseconds(message.time) == T0
    assert message.has_duration and (message.duration.sec, message.duration.nanosec) == (90, 500_000_000)
    assert message.error_code == AnswerMsg.NONE and len(message.evidence) == 1
    empty = conversions.answer_message(Answer("q", AnswerKind.TEXT, "t", error=AnswerError.BUSY, error_msg="m"), T0)
    assert not (empty.has_pose or empty.has_time or empty.has_duration)
    assert (empty.yes_no, empty.count, empty.error_code, empty.error_msg) == (-1, -1, AnswerMsg.BUSY, "m")


def test_constants_of_messages_and_enums_agree():
    for error in AnswerError:
        assert getattr(AnswerMsg, error.name) == error.value
    for kind in AnswerKind:
        assert conversions.answer_message(Answer("q", kind, "t"), T0).kind == getattr(AnswerMsg, kind.name)
    for state in NavigationState:
        assert getattr(NavigationStatus, state.name) == state.value
    for goal_state in GoalState:
        assert conversions.GOAL_STATES[goal_state.value] == getattr(AnswerMsg, f"GOAL_{goal_state.name}")


def test_a_navigation_update():
    update = NavigationUpdate(Goal("p1", POSE), NavigationState.ABORTED, error_code=204, error_msg="stuck")
    message = conversions.navigation_message(update, T0)
    assert (message.state, message.proposal_id, message.error_code) == (NavigationStatus.ABORTED, "p1", 204)
    assert math.isnan(message.distance_remaining) and message.goal.header.frame_id == "map"


def test_questions():
    question = conversions.question_from(
        Ask.Request(question="where?", navigate=Ask.Request.ALWAYS), T0, POSE, "office"
    )
    assert (question.text, question.navigate, question.map_id, question.pose) == (
        "where?",
        Navigate.ALWAYS,
        "office",
        POSE,
    )
    with pytest.raises(InvalidInput, match="navigate"):
        conversions.question_from(Ask.Request(navigate=9), T0, None, "")


def test_queries():
    assert conversions.query_from(Search.Request(), "office").limit == 5
    here = Search.Request(use_position=True, position=Point(x=1.0, y=2.0), radius=3.0, after=Time(sec=7), limit=9)
    query = conversions.query_from(here, "office", "carter")
    assert (query.near, query.within_m, query.map_id, query.robot_id) == ((1.0, 2.0), 3.0, "office", "carter")
    assert (query.after_ns, query.before_ns, query.limit) == (7_000_000_000, None, 9)
    nearest = conversions.query_from(Search.Request(use_position=True, order=Search.Request.NEAREST), "")
    assert nearest.order is Order.NEAREST and nearest.within_m is None


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (Search.Request(order=77), "order"),
        (Search.Request(order=Search.Request.NEAREST), "NEAREST"),
        (Search.Request(use_position=True), "radius"),
        (Search.Request(use_position=True, radius=-1.0), "radius"),
        (Search.Request(use_position=True, radius=math.nan), "radius"),
        (Search.Request(use_position=True, radius=1.0, position=Point(x=math.nan)), "near"),
        (Search.Request(limit=5000), "limit"),
        (Search.Request(after=Time(sec=9), before=Time(sec=3)), "after"),
    ],
)
def test_a_query_that_makes_no_sense_names_the_field(request_, field):
    with pytest.raises(InvalidInput, match=field):
        conversions.query_from(request_, "office")


def test_forgetting_needs_a_selection():
    with pytest.raises(InvalidInput, match="selected"):
        conversions.selection_from(Forget.Request(), "office")
    with pytest.raises(InvalidInput, match="radius"):
        conversions.selection_from(Forget.Request(use_position=True), "office")
    assert conversions.selection_from(Forget.Request(before=Time(sec=3)), "office").map_id == ""


def grid(**changes) -> OccupancyGrid:
    message = OccupancyGrid()
    message.header.frame_id = "/map"
    message.info.width, message.info.height, message.info.resolution = 3, 2, 0.5
    message.info.origin.orientation.w = 1.0
    message.data = [0, 0, 100, -1, 0, 0]
    for name, value in changes.items():
        setattr(message.info, name, value)
    return message


def test_a_map_has_its_rows_at_the_origin_and_a_size_that_fits():
    occupancy = conversions.occupancy_map(grid())
    assert occupancy.frame_id == "map" and occupancy.cells.tolist() == [[0, 0, 100], [-1, 0, 0]]
    with pytest.raises(InvalidInput, match=r"map\.data"):
        conversions.occupancy_map(grid(width=4))
    with pytest.raises(InvalidInput, match="resolution"):
        conversions.occupancy_map(grid(resolution=0.0))


def test_a_map_is_named_by_its_content_alone():
    later = grid()
    later.header.stamp = Time(sec=99)
    later.info.map_load_time = Time(sec=99)
    assert map_name(grid()) == map_name(later)
    changed = grid()
    changed.data[0] = 100
    assert len({map_name(grid()), map_name(changed), map_name(grid(resolution=0.25))}) == 3
