"""The query node with a language model behind a scripted OpenAI-compatible server: slow, busy, cancelled, stopped."""

from __future__ import annotations

import threading
import time

import pytest
from processes import Nodes, wait_until
from scripted_llm import ScriptedLLM, answers
from sim_robot import SimRobot

from remembr_interfaces.action import AskQuestion
from remembr_interfaces.msg import Answer
from remembr_interfaces.srv import Ask

pytestmark = pytest.mark.ros
pytest.importorskip("openai", reason="openai not installed: pip install -r requirements.txt")

SLOW_S = 30.0


def start(nodes: Nodes, llm: ScriptedLLM, **parameters):
    query = nodes.query(llm__model="openai:scripted", llm__base_url=llm.base_url, llm__timeout_s=60.0, **parameters)
    query.wait_for("active")
    return query


def test_a_slow_model_blocks_nobody_and_a_question_too_many_is_told_so(nodes: Nodes, robot: SimRobot):
    with ScriptedLLM(["never read"], delay_s=SLOW_S) as llm:
        query = start(nodes, llm, agent__max_questions=1)
        client = robot.clients["ask"]
        assert client.wait_for_service(10.0)
        slow = client.call_async(Ask.Request(question="where is the door?"))
        wait_until(lambda: llm.requests, "the request to the model")
        began = time.monotonic()
        second = robot.ask("and the window?")
        assert second.error_code == Answer.BUSY and "agent.max_questions" in second.error_msg
        assert robot.call("search").error_code == Answer.NONE
        assert time.monotonic() - began < 3.0 and not slow.done()

        # Field fault E1: stopped in the middle of a call to the model.
        query.stop()
        wait_until(slow.done, "the asker to hear of it", 2.0)
        assert slow.result().answer.error_code == Answer.CANCELED


def test_a_question_asked_by_action_can_be_cancelled(nodes: Nodes, robot: SimRobot):
    with ScriptedLLM(["never read"], delay_s=SLOW_S) as llm:
        start(nodes, llm)
        assert robot.action.wait_for_server(10.0)
        sent = robot.action.send_goal_async(AskQuestion.Goal(question="where is the door?"))
        wait_until(sent.done, "acceptance")
        handle = sent.result()
        wait_until(lambda: llm.requests, "the request to the model")
        began = time.monotonic()
        handle.cancel_goal_async()
        result = handle.get_result_async()
        wait_until(result.done, "the result")
        assert time.monotonic() - began < 1.0
        from action_msgs.msg import GoalStatus

        assert result.result().status == GoalStatus.STATUS_CANCELED
        assert result.result().result.answer.error_code == Answer.CANCELED


def test_questions_wait_for_their_turn_and_can_be_called_off(nodes: Nodes, robot: SimRobot):
    release = threading.Event()

    def reply(request):
        release.wait(20.0)
        return answers(kind="not_found", text="No.")

    with ScriptedLLM(reply) as llm:
        start(nodes, llm, agent__max_questions=1, agent__max_waiting=2)
        assert robot.action.wait_for_server(10.0)
        stages: list[str] = []
        first = robot.action.send_goal_async(AskQuestion.Goal(question="first?"))
        wait_until(lambda: llm.requests, "the request to the model")
        second, third = (
            robot.action.send_goal_async(
                AskQuestion.Goal(question=text), feedback_callback=lambda message: stages.append(message.feedback.stage)
            )
            for text in ("second?", "third?")
        )
        wait_until(lambda: stages.count("queued") == 2, lambda: f"both to be queued, got {stages}")
        fourth = robot.ask("fourth?")
        assert fourth.error_code == Answer.BUSY and "agent.max_waiting" in fourth.error_msg

        began = time.monotonic()
        second.result().cancel_goal_async()
        called_off = second.result().get_result_async()
        wait_until(called_off.done, "the end of the second")
        assert called_off.result().result.answer.error_code == Answer.CANCELED and time.monotonic() - began < 1.0
        release.set()
        for sent in (first, third):
            result = sent.result().get_result_async()
            wait_until(result.done, "the answer")
            assert result.result().result.answer.text == "No."
        assert len(llm.requests) == 2, "what was called off was never asked"


def test_a_model_that_cannot_be_reached_leaves_the_rules_to_answer(nodes: Nodes, robot: SimRobot):
    query = nodes.query(llm__model="openai:scripted", llm__base_url="http://127.0.0.1:9/v1", llm__timeout_s=2.0)
    query.wait_for("active")
    answer = robot.ask("where did you see a door?")
    assert answer.error_code == Answer.NOT_FOUND and answer.source.startswith("extractive")
    assert query.running
