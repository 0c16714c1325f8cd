"""The query node: questions in, typed answers out, goals proposed and, with permission, driven to.

Services `remembr/ask`, `remembr/search`, `remembr/forget`, `remembr/confirm`, `remembr/cancel`; action
`remembr/ask_question`; subscribes `question`, `amcl_pose`, `map`, `global_costmap/costmap`, `/tf_static`; publishes
`answer`, `answer_text`, `remembr/goal`, `remembr/markers`, `remembr/navigation`, `/diagnostics`. "Now" is ROS time. No
callback waits: work runs on `Worker`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from remembr_interfaces.action import AskQuestion
from remembr_interfaces.msg import Answer as AnswerMsg
from remembr_interfaces.srv import Ask
from remembr_ros.errors import InvalidInput
from remembr_ros.memory.query import Order, Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.recall.answerer import Recall
from remembr_ros.recall.progress import Progress
from remembr_ros.records import Answer, AnswerError, Hit, Pose
from remembr_ros.ros import diagnostics, qos
from remembr_ros.ros.asking import CANCELED, Places, feedback_message, load_recall, no_answer, why_inactive
from remembr_ros.ros.backends import load_embedder, open_memory
from remembr_ros.ros.conversions import answer_message, pose_from_message, question_from
from remembr_ros.ros.goals import Goals
from remembr_ros.ros.lifecycle import NO_CLOCK, ManagedNode, run
from remembr_ros.ros.markers import memory_markers
from remembr_ros.ros.memory_services import MemoryServices
from remembr_ros.ros.parameter_tables import QUERY
from remembr_ros.ros.surroundings import FollowedSurroundings
from remembr_ros.ros.worker import Job, Worker

MARKERS_EVERY_S = 10.0
WARN_EVERY_S = 5.0
SPOKEN = "topic question"
"""The conversation of what comes by the topic `question`: speech has no other way to say "take me there"."""


class QueryNode(ManagedNode):
    """See the module and config/remembr.yaml."""

    def __init__(self) -> None:
        super().__init__("query", QUERY)
        self._memory: MemoryStore | None = None
        self._recall: Recall | None = None
        self._pose: Pose | None = None
        self._evidence: tuple[Hit, ...] = ()
        self._counts = {"questions": 0, "answered": 0, "failed": 0, "bad messages": 0}
        self._places = Places(self.parameters["agent.max_questions"], self.parameters["agent.max_waiting"])
        self._jobs: dict[bytes, Job] = {}
        self._worker = Worker(self)
        self._make_interfaces()

    def _make_interfaces(self) -> None:
        # Reentrant: an async callback that awaits its answer must not keep the others from starting.
        group = ReentrantCallbackGroup()
        self._answer_publisher = self.create_publisher(AnswerMsg, "answer", qos.RELIABLE)
        self._text_publisher = self.create_publisher(String, "answer_text", qos.RELIABLE)
        self._marker_publisher = self.create_publisher(MarkerArray, "remembr/markers", qos.LATCHED)
        self._diagnostics_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", qos.RELIABLE)
        self._surroundings = FollowedSurroundings(self, self.parameters, self._bad_message, self._tell_map)
        qos.subscribe_pose(self, PoseWithCovarianceStamped, "amcl_pose", self._on_pose)
        self.create_subscription(String, "question", self._on_question, qos.RELIABLE, callback_group=group)
        self._goals = Goals(self, group)
        self._memory_services = MemoryServices(
            self, self._worker, group, lambda: self._memory, lambda: self._surroundings.map_id
        )
        self.create_service(Ask, "remembr/ask", self._on_ask, qos_profile=qos.SERVICE, callback_group=group)
        self._action_server = ActionServer(
            self,
            AskQuestion,
            "remembr/ask_question",
            self._on_ask_action,
            cancel_callback=self._on_cancel_action,
            callback_group=group,
            goal_service_qos_profile=qos.SERVICE,
            result_service_qos_profile=qos.SERVICE,
            cancel_service_qos_profile=qos.SERVICE,
        )
        self.create_timer(1.0, self._watch, clock=self.steady_clock)
        self.create_timer(MARKERS_EVERY_S, self._show_markers, callback_group=group, clock=self.steady_clock)

    def load(self) -> None:
        parameters = self.parameters
        memory = self._memory = open_memory(parameters, load_embedder(parameters))
        self.get_logger().info(f"memory: {parameters['memory.uri']}")
        self._recall = load_recall(parameters, memory)
        self._goals.load()
        self._tell_map()

    def release(self) -> None:
        self._places.give_up()
        for job in list(self._jobs.values()):
            job.cancel()
        recall, self._recall = self._recall, None
        if recall is not None:
            self._worker.run_unwatched(recall.close())
        self._goals.release()
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()

    def close(self) -> None:
        super().close()
        self._worker.close()

    def destroy_node(self) -> None:
        self._action_server.destroy()
        super().destroy_node()

    def parameter_changed(self, name: str) -> None:
        if name == "navigation.mode":
            self._goals.policy_changed()
        if name == "map_id":
            self._tell_map()

    # ---- what the robot is and where

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        try:
            self._pose = pose_from_message(message)
        except InvalidInput as error:
            self._bad_message("amcl_pose", error)

    def _tell_map(self) -> None:
        self._goals.set_map(self._surroundings.map_id, self._surroundings.now)

    # ---- questions

    async def _on_ask(self, request: Ask.Request, response: Ask.Response) -> Ask.Response:
        response.answer = await self._answer(request)
        return response

    async def _on_question(self, message: String) -> None:
        await self._answer(Ask.Request(question=message.data, conversation=SPOKEN))

    async def _on_ask_action(self, goal: Any) -> AskQuestion.Result:
        def on_progress(progress: Progress) -> None:  # on the worker's thread
            if goal.is_active and self.executor is not None:
                self.executor.create_task(goal.publish_feedback, feedback_message(progress))

        try:
            answer = await self._answer(goal.request, on_progress, goal)
        finally:
            self._jobs.pop(bytes(goal.goal_id.uuid), None)
        if goal.is_cancel_requested:
            goal.canceled()
        elif answer.error_code in (AnswerMsg.NONE, AnswerMsg.NOT_FOUND):
            goal.succeed()
        else:
            goal.abort()
        return AskQuestion.Result(answer=answer)

    def _on_cancel_action(self, goal: Any) -> CancelResponse:
        key = bytes(goal.goal_id.uuid)
        self._places.give_up(key)
        job = self._jobs.get(key)
        if job is not None:
            job.cancel()
        return CancelResponse.ACCEPT

    async def _answer(
        self, request: Any, on_progress: Callable[[Progress], None] | None = None, action: Any = None
    ) -> AnswerMsg:
        """Answer, decide about the goal, publish, return. `request`: Ask.Request or AskQuestion.Goal; `action`: the
        handle of the action's goal."""
        self._counts["questions"] += 1
        key = b"" if action is None else bytes(action.goal_id.uuid)
        no_place = await self._places.take(key, self.executor, on_progress)
        if no_place is None:
            try:
                message = await self._answer_in_place(request, on_progress, action)
            finally:
                self._places.leave()
        else:
            message = self._message(no_answer(request.question, *no_place))
        self._counts["answered" if message.error_code == AnswerMsg.NONE else "failed"] += 1
        self._answer_publisher.publish(message)
        self._text_publisher.publish(String(data=message.text))
        if message.evidence or message.proposal_id:
            self.executor.create_task(self._show_markers)
        return message

    async def _answer_in_place(
        self, request: Any, on_progress: Callable[[Progress], None] | None, action: Any
    ) -> AnswerMsg:
        recall = self._recall
        if not self.active or recall is None:
            return self._message(no_answer(request.question, *why_inactive(self)))
        if self.now_ns() == 0:  # every memory would lie in the future
            return self._message(no_answer(request.question, AnswerError.NOT_ACTIVE, NO_CLOCK))
        try:
            question = question_from(request, self.now_ns(), self._pose, self._surroundings.map_id)
            job = self._worker.run(recall.ask(question, on_progress))
            if action is not None:
                self._jobs[bytes(action.goal_id.uuid)] = job
            answer = await job
            if action is not None and action.is_cancel_requested:  # before the work began, or just after it ended
                raise CancelledError
        except InvalidInput as error:
            return self._message(no_answer(request.question, AnswerError.INVALID_QUESTION, str(error)))
        except CancelledError:
            return self._message(no_answer(request.question, AnswerError.CANCELED, CANCELED))
        except Exception as error:  # whatever it is, who asked must not wait for ever
            return self._message(no_answer(request.question, AnswerError.INTERNAL, self._unexpected(error)))
        self._evidence = answer.evidence
        message = self._message(answer)
        self._goals.consider(answer, question, message)
        return message

    def _message(self, answer: Answer) -> AnswerMsg:
        return answer_message(answer, self.now_ns())

    # ---- to be looked at

    async def _show_markers(self) -> None:
        memory = self._memory
        if memory is None or self._marker_publisher.get_subscription_count() == 0:
            return
        latest = Query(
            order=Order.LAST,
            limit=self.parameters["markers.max"],
            map_id=self._surroundings.map_id,
            robot_id=self.parameters["robot_id"],
        )
        try:
            hits = await self._worker.call(memory.search, latest)
            shown = [hit.memory for hit in reversed(hits)]
            self._marker_publisher.publish(memory_markers(shown, self._evidence, self._goals.shown))
        except Exception as error:  # a picture of the memory is not worth a node
            self.get_logger().warning(f"markers: {error}", throttle_duration_sec=WARN_EVERY_S)

    def _unexpected(self, error: Exception) -> str:
        text = f"unexpected {type(error).__name__}: {error}"
        self.get_logger().error(text, throttle_duration_sec=WARN_EVERY_S)
        return text

    def _bad_message(self, topic: str, error: Exception) -> None:
        self._counts["bad messages"] += 1
        self.get_logger().warning(
            f"{self.resolve_topic_name(topic)}: message dropped: {error}", throttle_duration_sec=WARN_EVERY_S
        )

    def _watch(self) -> None:
        self._goals.tick()
        level, text = (diagnostics.OK, "answering") if self.active else (diagnostics.ERROR, self.problem)
        values = {
            **self._counts,
            "under way": self._places.taken,
            "map_id": self._surroundings.map_id,
            "llm": self.parameters["llm.model"],
            "navigation.mode": self.parameters["navigation.mode"],
        }
        stamp = self.get_clock().now().to_msg()
        message = diagnostics.diagnostic(stamp, self.get_fully_qualified_name(), level, text, values)
        self._diagnostics_publisher.publish(message)


def main(args: list[str] | None = None) -> int:
    """`ros2 run remembr_ros query`."""
    return run("query", QueryNode, args)


if __name__ == "__main__":
    sys.exit(main())
