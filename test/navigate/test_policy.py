"""What may become a goal, and what may not: pure, no ROS."""

import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from remembr_ros.navigate.occupancy import OccupancyMap
from remembr_ros.navigate.policy import GoalPolicy, NavigationMode, Proposal, Refusal, normalize_frame
from remembr_ros.navigate.surroundings import Surroundings
from remembr_ros.records import Answer, AnswerError, AnswerKind, Hit, Memory, Navigate, Pose, Question

NOW = 1_796_061_600_000_000_000
S = 1_000_000_000


def memory(x=5.0, y=5.0, *, frame="map", map_id="floor1", localized=True, yaw=0.5, name="m1", pose=True) -> Memory:
    place = Pose(NOW - 60 * S, frame, x, y, 0.0, yaw) if pose else None
    return Memory(name, NOW - 63 * S, NOW - 60 * S, NOW - 63 * S, "a printer", place, localized and pose, map_id)


def answer(*memories: Memory, wants_goal=True, pose: Pose | None = None, **more) -> Answer:
    first = next((m.pose for m in memories if m.pose), None)
    return Answer(
        "q",
        AnswerKind.POSITION,
        "There.",
        pose=pose or first,
        evidence=tuple(map(Hit, memories)),
        wants_goal=wants_goal,
        **more,
    )


def question(text="take me to the printer", navigate=Navigate.AUTO) -> Question:
    return Question(text, NOW, map_id="floor1", navigate=navigate)


def around(occupancy: OccupancyMap | None) -> Surroundings | None:
    return None if occupancy is None else Surroundings(occupancy)


def propose(given: Answer, policy=None, asked=None, map_id="floor1", occupancy=None):
    return (policy or GoalPolicy()).propose(given, asked or question(), map_id, NOW, around(occupancy))


def refused(verdict) -> str:
    assert isinstance(verdict, Refusal), verdict
    return verdict.reason


def test_the_goal_is_the_pose_of_the_cited_memory() -> None:
    cited = memory()
    proposal = propose(answer(cited))
    assert isinstance(proposal, Proposal)
    assert proposal.pose == cited.pose
    assert proposal.memory is cited
    assert not proposal.at_once


@pytest.mark.parametrize(
    ("text", "navigate", "wants_goal", "expected"),
    [
        ("where is the printer?", Navigate.AUTO, False, False),
        ("where is the printer?", Navigate.AUTO, True, True),
        ("where is the printer?", Navigate.ALWAYS, False, True),
        ("take me to the printer", Navigate.AUTO, False, True),
        ("take me to the printer", Navigate.NEVER, True, False),
    ],
)
def test_a_goal_exists_only_if_somebody_asked_for_it(text, navigate, wants_goal, expected) -> None:
    verdict = propose(answer(memory(), wants_goal=wants_goal), asked=question(text, navigate))
    assert isinstance(verdict, Proposal) is expected
    assert expected or verdict is None


@pytest.mark.parametrize(
    ("mode", "text", "navigate", "at_once"),
    [
        (NavigationMode.AUTO, "take me to the printer", Navigate.AUTO, True),
        (NavigationMode.AUTO, "where is the printer?", Navigate.ALWAYS, True),
        (NavigationMode.AUTO, "where is the printer?", Navigate.AUTO, False),
        (NavigationMode.CONFIRM, "take me to the printer", Navigate.ALWAYS, False),
    ],
)
def test_only_the_users_own_words_drive_at_once(mode, text, navigate, at_once) -> None:
    """The model says wants_goal in every case: that alone proposes."""
    proposal = propose(answer(memory()), GoalPolicy(mode), question(text, navigate))
    assert isinstance(proposal, Proposal)
    assert proposal.at_once is at_once


def test_mode_off_refuses_with_the_parameter_s_name() -> None:
    assert "navigation.mode" in refused(propose(answer(memory()), GoalPolicy(NavigationMode.OFF)))


def test_fault_27_a_place_on_another_map_is_no_goal_and_the_reason_names_both_maps() -> None:
    reason = refused(propose(answer(memory(5, 5, map_id="floor1")), map_id="floor2"))
    assert "floor1" in reason and "floor2" in reason


@pytest.mark.parametrize(("stored", "current"), [("", "floor1"), ("floor1", ""), ("", "")])
def test_fault_27_a_map_without_a_name_cannot_be_told_from_another(stored, current) -> None:
    assert "name" in refused(propose(answer(memory(map_id=stored)), map_id=current))


def test_an_unnamed_map_is_good_enough_where_the_robot_only_has_one() -> None:
    policy = GoalPolicy(trust_unnamed_map=True)
    assert isinstance(propose(answer(memory(map_id="")), policy, map_id=""), Proposal)
    assert isinstance(propose(answer(memory(map_id="")), policy, map_id="floor1"), Refusal)


@pytest.mark.parametrize(
    ("stored", "sent"), [("warehouse_map", "warehouse_map"), ("/map", "map"), ("robot1/map", "robot1/map")]
)
def test_fault_13_the_goal_s_frame_is_the_stored_one_normalised(stored, sent) -> None:
    proposal = propose(answer(memory(frame=stored)))
    assert isinstance(proposal, Proposal)
    assert proposal.pose.frame_id == sent


@pytest.mark.parametrize(
    "frame",
    ["odom", "/odom", "robot1/odom", "base_link", "base_footprint", "robot1/base_link", "camera_optical_frame", "/"],
)
def test_fault_13_a_frame_that_is_not_fixed_is_refused_not_relabelled(frame) -> None:
    assert "frame" in refused(propose(answer(memory(frame=frame))))


def test_fault_13_another_frame_than_the_goal_frame_is_refused() -> None:
    policy = GoalPolicy(goal_frame="map")
    assert "warehouse_map" in refused(propose(answer(memory(frame="warehouse_map")), policy))
    assert isinstance(propose(answer(memory(frame="/map")), policy), Proposal)


def beside(pose: Pose, frame_id: str) -> Pose | str:
    """A building whose frame lies 2 m behind the warehouse's."""
    known = pose.frame_id == "warehouse_map" and frame_id == "map"
    return replace(pose, frame_id=frame_id, x=pose.x + 2.0) if known else "nobody knows"


def test_fault_13_a_place_in_another_frame_is_moved_there_where_the_relation_is_known() -> None:
    policy = GoalPolicy(goal_frame="/map", to_frame=beside)
    proposal = propose(answer(memory(5.0, frame="/warehouse_map")), policy)
    assert isinstance(proposal, Proposal)
    assert (proposal.pose.x, proposal.pose.frame_id) == (7.0, "map")
    assert policy.check(proposal, proposal.pose, "floor1", NOW + S, True) is None
    assert "nobody knows" in refused(propose(answer(memory(frame="garage_map")), policy))


def test_fault_13_without_a_goal_frame_goals_are_in_the_frame_of_the_map() -> None:
    policy = GoalPolicy(to_frame=beside)
    proposal = propose(answer(memory(5.0, frame="warehouse_map")), policy, occupancy=room())
    assert isinstance(proposal, Proposal) and (proposal.pose.x, proposal.pose.frame_id) == (7.0, "map")
    assert "outside the map" in refused(propose(answer(memory(9.0, frame="warehouse_map")), policy, occupancy=room()))
    assert "'warehouse_map'" in refused(propose(answer(memory(frame="warehouse_map")), occupancy=room()))


def test_fault_13_a_relation_that_changed_since_the_proposal_refuses() -> None:
    proposal = propose(answer(memory(5.0, frame="warehouse_map")), GoalPolicy(goal_frame="map", to_frame=beside))
    assert isinstance(proposal, Proposal)
    elsewhere = GoalPolicy(goal_frame="map", to_frame=lambda pose, frame: replace(pose, frame_id=frame, z=1.0))
    assert "not the place" in refused(elsewhere.check(proposal, proposal.pose, "floor1", NOW + S, True))
    assert "frame" in refused(GoalPolicy(goal_frame="map").check(proposal, proposal.pose, "floor1", NOW + S, True))


def test_an_unlocalized_memory_and_one_without_a_place_are_no_goals() -> None:
    assert "where it was" in refused(propose(answer(memory(localized=False))))
    assert "no usable position" in refused(propose(answer(memory(pose=False))))


def test_an_answer_without_evidence_says_no_usable_position() -> None:
    assert "no usable position" in refused(propose(answer()))
    nothing = answer(error=AnswerError.NOT_FOUND, error_msg="no memory of a unicorn")
    assert refused(propose(nothing)) == "no memory of a unicorn"


def test_a_position_that_no_cited_memory_has_is_refused() -> None:
    """An obedient model may have been told [99, 99] by a sign on a wall."""
    told = Pose(NOW, "map", 99.0, 99.0)
    assert "not that of a memory" in refused(propose(answer(memory(), pose=told)))


def test_the_goal_is_the_memory_that_the_answer_s_position_comes_from() -> None:
    first, second = memory(1, 1, name="a"), memory(7, 7, name="b")
    proposal = propose(answer(first, second, pose=second.pose))
    assert isinstance(proposal, Proposal)
    assert proposal.memory is second


# The guard.


def guard(sent=None, *, policy=None, confirmed=True, map_id="floor1", now=NOW + S, occupancy=None, **changes):
    proposal = propose(answer(memory()), GoalPolicy(NavigationMode.AUTO))
    assert isinstance(proposal, Proposal)
    proposal = replace(proposal, **changes)
    return (policy or GoalPolicy()).check(proposal, sent or proposal.pose, map_id, now, confirmed, around(occupancy))


def test_the_guard_lets_a_confirmed_goal_through() -> None:
    assert guard() is None


def test_the_guard_lets_an_unconfirmed_goal_through_only_in_auto() -> None:
    assert guard(policy=GoalPolicy(NavigationMode.AUTO), confirmed=False) is None
    assert "confirmed" in refused(guard(confirmed=False))
    assert "confirmed" in refused(guard(policy=GoalPolicy(NavigationMode.AUTO), confirmed=False, at_once=False))


@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, True, False, None, 1e9, "1.0"])
@pytest.mark.parametrize("field", ["x", "y", "z", "yaw"])
def test_fault_21_numbers_that_are_none_never_pass_the_guard(field, x) -> None:
    """Records refuse such numbers already; the guard does not rely on it. (A heading of None is another place.)"""
    good = memory().pose
    assert good is not None
    raw = SimpleNamespace(**{name: getattr(good, name) for name in Pose.__dataclass_fields__})
    setattr(raw, field, x)
    assert re.search("usable|not the place", refused(guard(raw)))


def test_the_guard_refuses_other_numbers_than_the_memory_s() -> None:
    good = memory().pose
    assert good is not None
    for other in (replace(good, x=5.1), replace(good, yaw=1.0), replace(good, frame_id="odom")):
        assert "not the place" in refused(guard(other))
    far = replace(good, x=6.0)
    assert "further than" in refused(guard(far, pose=far))


@pytest.mark.parametrize("later_s", [60, 3600, -1])
def test_the_guard_refuses_an_expired_proposal_also_when_time_went_back(later_s) -> None:
    assert "expired" in refused(guard(now=NOW + later_s * S))


def test_the_guard_refuses_after_a_change_of_map_and_when_switched_off() -> None:
    assert "map changed" in refused(guard(map_id="floor2"))
    assert "navigation.mode" in refused(guard(policy=GoalPolicy(NavigationMode.OFF)))


# With an occupancy map.


def room(x_occupied: int | None = None) -> OccupancyMap:
    """10 m x 10 m, 0.1 m cells, walls around; a column of cells may be occupied."""
    cells = np.zeros((100, 100), np.int8)
    cells[0], cells[-1], cells[:, 0], cells[:, -1] = 100, 100, 100, 100
    if x_occupied is not None:
        cells[:, x_occupied] = 100
    return OccupancyMap("map", 0.0, 0.0, 0.1, cells)


def test_a_free_place_is_taken_as_it_is_and_an_occupied_one_moved_or_refused() -> None:
    free = propose(answer(memory(5.0, 5.0)), occupancy=room())
    assert isinstance(free, Proposal) and (free.pose.x, free.pose.y) == (5.0, 5.0)
    moved = propose(answer(memory(5.0, 5.05)), occupancy=room(50))
    assert isinstance(moved, Proposal) and math.dist((moved.pose.x, moved.pose.y), (5.0, 5.05)) <= 0.5
    assert moved.pose.yaw == memory().pose.yaw
    assert "outside" in refused(propose(answer(memory(12.0, 5.0)), occupancy=room()))
    full = OccupancyMap("map", 0.0, 0.0, 0.1, np.full((100, 100), 100, np.int8))
    assert "occupied" in refused(propose(answer(memory()), occupancy=full))


def test_a_place_in_another_frame_than_the_map_s_is_refused() -> None:
    assert "warehouse" in refused(propose(answer(memory(frame="warehouse")), occupancy=room()))


def test_the_guard_looks_at_the_map_as_it_is_now() -> None:
    assert guard(occupancy=room()) is None
    assert "occupied" in refused(guard(occupancy=room(50)))


def test_frames_are_normalised_as_tf2_does() -> None:
    assert normalize_frame("/map") == "map"
