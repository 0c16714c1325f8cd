"""The query node drives through the real BasicNavigator: a goal to its end, a cancel, and a clean stop on the way."""

from __future__ import annotations

import time

import pytest
from processes import Nodes, wait_until
from sim_robot import SimRobot

from remembr_interfaces.msg import Answer, NavigationStatus
from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory, Pose

pytestmark = [pytest.mark.ros, pytest.mark.overlay("nav2_simple_commander")]


def remember(nodes: Nodes) -> None:
    start = time.time_ns() - 60 * NANOSECONDS
    pose = Pose(start, "map", 2.0, 1.0, yaw=0.0)
    end = start + 3 * NANOSECONDS
    memory = Memory("m1", start, end, start, "I see a red door.", pose, True, "office", "robot", "front")
    with MemoryStore.open(nodes.memory_uri, create_embedder("hashing")) as store:
        store.write([memory])


def propose_and_confirm(robot: SimRobot) -> str:
    answer = robot.ask("take me to the red door")
    assert answer.goal_state == Answer.GOAL_PROPOSED, answer.goal_msg
    assert robot.call("confirm", proposal_id=answer.proposal_id, accept=True).success
    return str(answer.proposal_id)


@pytest.mark.parametrize("navigator", ["nav2_simple_commander", "auto"])
def test_there_and_back(nodes: Nodes, robot: SimRobot, navigator: str) -> None:
    remember(nodes)
    nodes.fixture("fake_nav2.py", "--speed", "10", "--behaviour", "{}", "--behaviour", '{"outcome": "hang"}')
    query = nodes.query(navigation__navigator=navigator)
    query.wait_for("active")
    first = propose_and_confirm(robot)
    wait_until(lambda: NavigationStatus.SUCCEEDED in robot.states(first), f"the arrival; {query.log}")
    second = propose_and_confirm(robot)
    wait_until(lambda: NavigationStatus.ACTIVE in robot.states(second), f"the second drive; {query.log}")
    assert robot.call("cancel").success
    wait_until(lambda: NavigationStatus.CANCELED in robot.states(second), f"the cancel; {query.log}")


def test_ctrl_c_on_the_way_cancels_and_stops_the_node(nodes: Nodes, robot: SimRobot) -> None:
    remember(nodes)
    nodes.fixture("fake_nav2.py", "--behaviour", '{"outcome": "hang"}')
    query = nodes.query(navigation__navigator="nav2_simple_commander")
    query.wait_for("active")
    goal = propose_and_confirm(robot)
    wait_until(lambda: NavigationStatus.ACTIVE in robot.states(goal), f"the drive; {query.log}")
    query.stop()
    wait_until(lambda: robot.states(goal)[-1] == NavigationStatus.CANCELED, f"the end of the drive; {query.log}")
