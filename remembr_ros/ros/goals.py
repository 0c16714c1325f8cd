"""Goals on the graph: services `remembr/confirm`, `remembr/cancel`; topics `remembr/goal`, `remembr/navigation`.

In: answers, the map, and what people decide. Out: what becomes of the one goal (navigate/dispatcher.py), published for
people and RViz; poses in the goal's frame. Nothing here waits.
"""

from __future__ import annotations

from geometry_msgs.msg import PoseStamped
from rclpy.callback_groups import CallbackGroup
from std_srvs.srv import Trigger

from remembr_interfaces.msg import Answer as AnswerMsg
from remembr_interfaces.msg import NavigationStatus
from remembr_interfaces.srv import Confirm
from remembr_ros.navigate.dispatcher import GoalDispatcher
from remembr_ros.navigate.navigator import NavigationUpdate
from remembr_ros.navigate.policy import GoalPolicy, NavigationMode
from remembr_ros.navigate.surroundings import Surroundings
from remembr_ros.records import Answer, Pose, Question
from remembr_ros.ros import qos
from remembr_ros.ros.asking import why_inactive
from remembr_ros.ros.conversions import GOAL_STATES, navigation_message, pose_message
from remembr_ros.ros.lifecycle import ManagedNode
from remembr_ros.ros.navigators import create_navigator
from remembr_ros.ros.static_frames import StaticFrames


class Goals:
    """The goals of `node`, with a navigator between `load` and `release`. `shown`: the goal proposed or driven to."""

    def __init__(self, node: ManagedNode, group: CallbackGroup) -> None:
        self._node = node
        self._dispatcher: GoalDispatcher | None = None
        self._frames = StaticFrames(node)
        self.shown: Pose | None = None
        self._goal_publisher = node.create_publisher(PoseStamped, "remembr/goal", qos.LATCHED)
        self._status_publisher = node.create_publisher(NavigationStatus, "remembr/navigation", qos.LATCHED)
        for kind, name, callback in ((Confirm, "confirm", self._on_confirm), (Trigger, "cancel", self._on_cancel)):
            node.create_service(kind, f"remembr/{name}", callback, qos_profile=qos.SERVICE, callback_group=group)
        self._status_publisher.publish(NavigationStatus(distance_remaining=float("nan")))

    def load(self) -> None:
        """Raises RemembrError naming navigation.navigator."""
        navigator = create_navigator(self._node.parameters["navigation.navigator"], self._node)
        self._dispatcher = GoalDispatcher(self._policy(), navigator, self._on_update, self._node.now_ns)

    def release(self) -> None:
        """Every goal ends, and the navigator with it."""
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.close()

    def consider(self, answer: Answer, question: Question, message: AnswerMsg) -> None:
        """Propose, send or refuse the goal that `answer` asks for; what came of it goes into `message`."""
        dispatcher = self._dispatcher
        if dispatcher is not None:
            outcome = dispatcher.consider(answer, question)
            message.goal_state = GOAL_STATES[outcome.state.value]
            message.goal_msg, message.proposal_id = outcome.message, outcome.proposal_id

    def set_map(self, map_id: str, surroundings: Surroundings) -> None:
        """The map that the robot is on now, and where on it the robot may stand."""
        if self._dispatcher is not None:
            self._dispatcher.set_map(map_id, surroundings)

    def policy_changed(self) -> None:
        """A parameter of the policy was set."""
        if self._dispatcher is not None:
            self._dispatcher.set_policy(self._policy())

    def tick(self) -> None:
        """Call about once a second: ends what has waited too long."""
        if self._dispatcher is not None:
            self._dispatcher.tick()

    def _policy(self) -> GoalPolicy:
        parameters = self._node.parameters
        return GoalPolicy(
            mode=NavigationMode(parameters["navigation.mode"]),
            proposal_timeout_s=parameters["navigation.proposal_timeout_s"],
            snap_radius_m=parameters["navigation.snap_radius"],
            keep_out_m=parameters["navigation.keep_out"],
            goal_frame=parameters["navigation.goal_frame"],
            trust_unnamed_map=parameters["navigation.trust_unnamed_map"],
            to_frame=self._frames.to_frame,
        )

    def _on_confirm(self, request: Confirm.Request, response: Confirm.Response) -> Confirm.Response:
        dispatcher = self._dispatcher
        if dispatcher is None or not self._node.active:
            response.error_code, response.error_msg = Confirm.Request.NOT_ACTIVE, why_inactive(self._node)[1]
            return response
        result = dispatcher.confirm(request.proposal_id, request.accept)
        response.success, response.error_code, response.error_msg = result.success, result.error.value, result.message
        return response

    def _on_cancel(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        dispatcher = self._dispatcher
        response.success = dispatcher is not None
        response.message = why_inactive(self._node)[1] if dispatcher is None else dispatcher.cancel()
        return response

    def _on_update(self, update: NavigationUpdate) -> None:  # on any thread
        self._status_publisher.publish(navigation_message(update, self._node.now_ns()))
        goal = None if update.state.final else update.goal.pose
        if goal is not None and goal != self.shown:
            self._goal_publisher.publish(pose_message(goal))
        self.shown = goal
        if update.state.final:
            state = update.state.name.lower()
            self._node.get_logger().info(f"goal {update.goal.id}: {state} {update.error_msg}".rstrip())
