"""What may change while the node runs: the map, its name, the mode of navigation. Field fault 27 at node level."""

from __future__ import annotations

import importlib.util
import math
import time

import pytest
from action_msgs.msg import GoalStatus
from nav_msgs.msg import OccupancyGrid
from processes import Nodes, wait_until
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sim_robot import LATCHED, SimRobot

from remembr_interfaces.action import AskQuestion
from remembr_interfaces.msg import Answer
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory, Pose
from remembr_ros.ros.maps import map_name

pytestmark = pytest.mark.ros


def grid(cells: int = 100, occupied: tuple[int, int] | None = None) -> OccupancyGrid:
    """A square of `cells` x `cells` of 0.1 m from the origin, free but for one cell (column, row)."""
    message = OccupancyGrid()
    message.header.frame_id = "map"
    message.info.width = message.info.height = cells
    message.info.resolution = 0.1
    message.info.origin.orientation.w = 1.0
    data = [0] * (cells * cells)
    if occupied is not None:
        data[occupied[1] * cells + occupied[0]] = 100
    message.data = data
    return message


def remember(nodes: Nodes, map_id: str) -> None:
    start = time.time_ns() - 60 * 10**9
    memory = Memory(
        "m1",
        start,
        start + 3 * 10**9,
        start,
        "I see a red door.",
        Pose(start, "map", 2.0, 1.0, yaw=0.0),
        True,
        map_id,
        "robot",
        "front",
    )
    with MemoryStore.open(nodes.memory_uri, create_embedder("hashing")) as store:
        store.write([memory])


def set_parameter(robot: SimRobot, name: str, text: str) -> str:
    """Empty: set; else why not."""
    client = robot.node.create_client(SetParameters, "query/set_parameters")
    assert client.wait_for_service(10.0)
    value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=text)
    future = client.call_async(SetParameters.Request(parameters=[Parameter(name=name, value=value)]))
    wait_until(future.done, "set_parameters")
    (result,) = future.result().results
    return "" if result.successful else result.reason


def test_the_map_names_itself_and_a_new_map_refuses_the_old_ones_places(nodes: Nodes, robot: SimRobot):
    first, second = grid(), grid(occupied=(80, 80))
    remember(nodes, map_name(first))
    maps = robot.node.create_publisher(OccupancyGrid, "map", LATCHED)
    maps.publish(first)
    query = nodes.query(map_id="")
    query.wait_for("active")
    query.wait_for(map_name(first))
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_PROPOSED, (answer.text, answer.goal_msg)

    maps.publish(second)
    query.wait_for(map_name(second))
    refused = robot.call("confirm", proposal_id=answer.proposal_id, accept=True)
    assert not refused.success, "drove to a place of another map"
    again = robot.ask("take me to the red door")
    assert again.goal_state == Answer.GOAL_REFUSED and "map" in again.goal_msg
    assert query.running


def test_the_mode_of_navigation_changes_at_run_time_and_only_to_what_there_is(nodes: Nodes, robot: SimRobot):
    remember(nodes, "office")
    nodes.query().wait_for("active")
    assert robot.ask("take me to the red door").goal_state == Answer.GOAL_PROPOSED
    assert "off, confirm, auto" in set_parameter(robot, "navigation.mode", "always")
    assert set_parameter(robot, "navigation.mode", "off") == ""
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_REFUSED and "navigation.mode" in answer.goal_msg
    assert "read-only" in set_parameter(robot, "llm.model", "openai:x")
    assert set_parameter(robot, "navigation.mode", "confirm") == "" and set_parameter(robot, "map_id", "garage") == ""
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_REFUSED and "garage" in answer.goal_msg


def broken(fault: str) -> OccupancyGrid:
    message = grid(10)
    if fault == "map.data":
        message.info.width = 99
    elif fault == "resolution":
        message.info.resolution = 0.0
    else:
        message.header.frame_id = ""
    return message


@pytest.mark.parametrize("fault", ["map.data", "resolution", "frame_id"])
def test_a_map_that_is_no_grid_is_dropped_with_a_warning_and_the_map_stays(nodes: Nodes, robot: SimRobot, fault: str):
    """Also its name: memories would be filed under a map that nobody ever sees again."""
    remember(nodes, map_name(grid()))
    maps = robot.node.create_publisher(OccupancyGrid, "map", LATCHED)
    maps.publish(grid())
    started = [nodes.query(map_id=""), nodes.captioner(map_id="")]
    for node in started:
        node.wait_for(map_name(grid()))
    nodes.started[0].wait_for("active")
    maps.publish(broken(fault))
    for node in started:
        log = node.wait_for("map: message dropped")
        assert fault in log and map_name(broken(fault)) not in log
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_PROPOSED, (answer.text, answer.goal_msg)


def test_a_canceled_question_never_drives(nodes: Nodes, robot: SimRobot):
    """Also where the cancel comes before the work begins, or after it ended and before the goal is decided."""
    remember(nodes, "office")
    query = nodes.query(navigation__mode="auto", navigation__navigator="topic", agent__max_questions=64)
    query.wait_for("active")
    assert robot.action.wait_for_server(10.0)
    results = []
    for number in range(60):
        sent = robot.action.send_goal_async(AskQuestion.Goal(question="take me to the red door"))
        wait_until(sent.done, "acceptance")
        results.append(sent.result().get_result_async())
        time.sleep(0.0005 * (number % 30))  # when it comes decides what it meets
        sent.result().cancel_goal_async()
    wait_until(lambda: all(result.done() for result in results), "the results")
    ends = {(r.result().status, r.result().result.answer.goal_state) for r in results}
    assert ends <= {(GoalStatus.STATUS_SUCCEEDED, Answer.GOAL_SENT), (GoalStatus.STATUS_CANCELED, Answer.GOAL_NONE)}


def test_without_a_clock_the_answer_is_not_that_nothing_was_seen(nodes: Nodes, robot: SimRobot):
    remember(nodes, "office")
    query = nodes.query(use_sim_time=True)
    query.wait_for("active")
    answer = robot.ask("where is the red door?")
    assert answer.error_code == Answer.NOT_ACTIVE and "/clock" in answer.error_msg
    query.wait_for("nobody publishes /clock")
    robot.tick(time.time())
    wait_until(lambda: robot.ask("where is the red door?").error_code == Answer.NONE, "the answer")


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ({}, "the map has no name"),
        ({"navigation__trust_unnamed_map": True, "navigation__goal_frame": "building"}, "'building'"),
        ({"navigation__trust_unnamed_map": True, "navigation__goal_frame": "map"}, ""),
    ],
)
def test_which_memories_become_goals_is_a_matter_of_parameters(nodes: Nodes, robot: SimRobot, parameters, why):
    remember(nodes, "")
    nodes.query(map_id="", **parameters).wait_for("active")
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == (Answer.GOAL_REFUSED if why else Answer.GOAL_PROPOSED), answer.goal_msg
    assert why in answer.goal_msg


def test_a_goal_keeps_its_distance_from_what_is_occupied(nodes: Nodes, robot: SimRobot):
    """The memory is 0.5 m from an occupied cell."""
    remember(nodes, "office")
    maps = robot.node.create_publisher(OccupancyGrid, "map", LATCHED)
    maps.publish(grid(occupied=(25, 10)))
    nodes.query(navigation__keep_out=0.8, navigation__snap_radius=0.1).wait_for("active")
    wait_until(
        lambda: "nearer than 0.8 m to an obstacle" in robot.ask("take me to the red door").goal_msg, "the map to count"
    )


def test_what_stands_in_nav2_s_costmap_today_is_no_goal(nodes: Nodes, robot: SimRobot):
    """The costmap as Nav2 publishes it: latched, 99 inscribed, 100 lethal; free in the map."""
    remember(nodes, "office")
    robot.node.create_publisher(OccupancyGrid, "map", LATCHED).publish(grid())
    costs = robot.node.create_publisher(OccupancyGrid, "global_costmap/costmap", LATCHED)
    query = nodes.query(navigation__snap_radius=0.3)
    query.wait_for("active")

    def told(value: int, around: int, age_s: float = 0.0) -> str:
        """What becomes of the goal when the cells up to `around` from the memory's hold `value`."""
        message = grid()
        message.header.stamp = robot.node.get_clock().now().to_msg()
        message.header.stamp.sec -= round(age_s)
        for row in range(10 - around, 11 + around):
            for column in range(20 - around, 21 + around):
                message.data[row * 100 + column] = value
        costs.publish(message)
        return robot.ask("take me to the red door").goal_msg

    wait_until(lambda: "occupied in Nav2's costmap" in told(99, 6), "the costmap to count")
    wait_until(lambda: "waits" in told(99, 1), "the goal to move to a free cell")
    wait_until(lambda: "waits" in told(98, 6), "costs to be no obstacle")
    wait_until(lambda: "occupied in Nav2's costmap" in told(100, 6), "the costmap to count again")
    wait_until(lambda: "waits" in told(100, 6, age_s=60.0), "an old costmap not to count")


def test_where_the_costmap_decides_there_is_no_goal_without_one(nodes: Nodes, robot: SimRobot):
    remember(nodes, "office")
    nodes.query(navigation__occupancy_source="costmap").wait_for("active")
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_REFUSED and "no costmap has come" in answer.goal_msg


def test_a_costmap_that_is_no_grid_is_dropped_with_a_warning(nodes: Nodes, robot: SimRobot):
    remember(nodes, "office")
    query = nodes.query()
    query.wait_for("active")
    robot.node.create_publisher(OccupancyGrid, "global_costmap/costmap", LATCHED).publish(broken("resolution"))
    assert "resolution" in query.wait_for("global_costmap/costmap: message dropped")
    assert robot.ask("take me to the red door").goal_state == Answer.GOAL_PROPOSED


def test_without_tf2_a_memory_in_another_frame_is_refused_and_what_to_install_is_said(nodes: Nodes, robot: SimRobot):
    if importlib.util.find_spec("tf2_ros") is not None:
        pytest.skip("tf2_ros is installed")
    remember(nodes, "office")
    nodes.query(navigation__goal_frame="building").wait_for("active")
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_REFUSED and "tf2-ros-py" in answer.goal_msg


@pytest.mark.overlay("tf2_ros", "tf2_msgs")
def test_a_memory_in_another_frame_is_moved_by_tf_static(nodes: Nodes, robot: SimRobot):
    """The building's frame is turned by a quarter, and its origin lies at (10, 20) of it: (2, 1) becomes (9, 22)."""
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage

    remember(nodes, "office")
    query = nodes.query(navigation__goal_frame="building")
    query.wait_for("active")
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_REFUSED and "/tf_static does not tell" in answer.goal_msg
    relation = TransformStamped()
    relation.header.frame_id, relation.child_frame_id = "building", "map"
    relation.transform.translation.x, relation.transform.translation.y = 10.0, 20.0
    relation.transform.rotation.z = relation.transform.rotation.w = math.sqrt(0.5)
    moving = TFMessage(transforms=[relation])
    robot.node.create_publisher(TFMessage, "/tf", 10).publish(moving)
    assert robot.ask("take me to the red door").goal_state == Answer.GOAL_REFUSED
    robot.node.create_publisher(TFMessage, "/tf_static", LATCHED).publish(moving)

    def proposed() -> str:
        answer = robot.ask("take me to the red door")
        return str(answer.proposal_id) if answer.goal_state == Answer.GOAL_PROPOSED else ""

    proposal = wait_until(proposed, "the transform")
    goal = wait_until(lambda: robot.drives(proposal), "the proposal's status")[-1].goal
    assert goal.header.frame_id == "building"
    assert (goal.pose.position.x, goal.pose.position.y) == (pytest.approx(9.0), pytest.approx(22.0))
    assert 2.0 * math.atan2(goal.pose.orientation.z, goal.pose.orientation.w) == pytest.approx(math.pi / 2)
