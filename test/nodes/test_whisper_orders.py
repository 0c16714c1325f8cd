"""Yes, no and stop by voice against a query node that refuses, is late, or is not there. Real Whisper, real DDS."""

from __future__ import annotations

import pytest
from processes import Nodes, wait_until
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_srvs.srv import Trigger
from voice_robot import VoiceRobot

from remembr_interfaces.msg import NavigationStatus, Speech
from remembr_interfaces.srv import Confirm

pytestmark = [pytest.mark.ros, pytest.mark.voice]
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    nodes = Nodes(tmp_path_factory.mktemp("orders"))
    with VoiceRobot(nodes.namespace) as robot:
        try:
            nodes.whisper().wait_for("active", 40.0)
            robot.wait_for_listener()
            yield robot
        finally:
            nodes.close()


class FakeQuery:
    """The query node's side of goals: what it answers is set, what it was asked is kept."""

    def __init__(self, robot: VoiceRobot) -> None:
        self.error_code, self.error_msg = 0, ""
        self.confirmed: list[tuple[str, bool]] = []
        self.cancelled = 0
        self._robot = robot
        self._status = robot.node.create_publisher(NavigationStatus, "remembr/navigation", LATCHED)
        self._services = [
            robot.node.create_service(Confirm, "remembr/confirm", self._on_confirm),
            robot.node.create_service(Trigger, "remembr/cancel", self._on_cancel),
        ]
        self.tell(NavigationStatus.IDLE, "")
        robot.received["answer_text"].clear()
        self.knows("proposal", "")

    def tell(self, state: int, proposal_id: str = "p1") -> None:
        self._status.publish(NavigationStatus(state=state, proposal_id=proposal_id))

    def propose(self) -> None:
        self.tell(NavigationStatus.PROPOSED)
        self.knows("proposal", "p1")

    def knows(self, key: str, value: str) -> None:
        wait_until(lambda: self._robot.diagnostics.get(key) == value, f"the node to know of the {key} {value!r}")

    def close(self) -> None:
        """As if the query node ended."""
        for service in self._services:
            self._robot.node.destroy_service(service)
        self._services.clear()

    def _on_confirm(self, request, response):
        self.confirmed.append((request.proposal_id, request.accept))
        response.success, response.error_code, response.error_msg = not self.error_code, self.error_code, self.error_msg
        return response

    def _on_cancel(self, _, response):
        self.cancelled += 1
        response.success = True
        return response


@pytest.fixture
def query(robot):
    query = FakeQuery(robot)
    yield query
    query.close()


def replied(robot: VoiceRobot, text: str) -> None:
    wait_until(lambda: text in robot.texts, f"{text!r}; it said {robot.texts}")


def test_without_the_query_node_yes_and_stop_are_answered(robot, query):
    query.propose()
    replied(robot, "Shall I go there?")
    query.close()
    wait_until(lambda: not robot.node.count_services(robot.clients["confirm"].srv_name), "the services to go")
    assert robot.say("Yes.", live=True).verdict == Speech.CONFIRM
    replied(robot, "I cannot reach my navigation.")
    assert robot.say("Robot, stop.").verdict == Speech.STOP
    wait_until(lambda: "emergency stop" in robot.last_text, "the reply")


@pytest.mark.parametrize(
    ("code", "message", "reply"),
    [
        (Confirm.Request.EXPIRED, "expired", "That came too late. Please ask me again."),
        (Confirm.Request.REFUSED, "the goal is occupied", "I may not go there: the goal is occupied."),
    ],
)
def test_a_yes_that_fails_is_explained(robot, query, code, message, reply):
    query.error_code, query.error_msg = code, message
    query.propose()
    assert robot.say("Yes.", live=True).verdict == Speech.CONFIRM
    replied(robot, reply)
    assert query.confirmed == [("p1", True)]


def test_a_drive_that_was_confirmed_aloud_is_told_to_its_end(robot, query):
    query.propose()
    assert robot.say("Yes.", live=True).verdict == Speech.CONFIRM
    replied(robot, "All right, I am going there.")
    query.tell(NavigationStatus.ACTIVE)
    query.knows("goal", "p1")
    query.knows("proposal", "")
    assert robot.say("Stop!", live=True).verdict == Speech.STOP, "while driving no wake phrase is needed"
    wait_until(lambda: query.cancelled, "the stop")
    replied(robot, "I am stopping.")
    query.tell(NavigationStatus.SUCCEEDED)
    replied(robot, "I am there.")
    query.knows("goal", "")
    assert robot.say("Stop!", live=True).verdict == Speech.REJECTED and query.cancelled == 1, "nothing to stop"


def test_another_goal_is_told_nothing_about(robot, query):
    """Somebody confirmed it by service: whoever asks by voice hears of their own goals only."""
    for state, key, value in (
        (NavigationStatus.PROPOSED, "proposal", "other"),
        (NavigationStatus.ACTIVE, "goal", "other"),
        (NavigationStatus.SUCCEEDED, "goal", ""),
    ):
        query.tell(state, "other")
        query.knows(key, value)
    assert "I am there." not in robot.texts


def test_a_yes_said_before_the_proposal_is_not_for_it(robot, query):
    query.propose()
    assert robot.say("Yes.", ago_s=8.0).verdict == Speech.REJECTED, "the node knows of the proposal a second or two"
    assert not query.confirmed


def test_a_second_whisper_node_is_noticed(robot, query):
    other = robot.node.create_publisher(Speech, "speech", 1)
    try:
        wait_until(lambda: "2 nodes publish" in robot.diagnostics.get("message", ""), "a warning")
    finally:
        robot.node.destroy_publisher(other)
