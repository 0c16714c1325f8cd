"""Random questions, decisions and cancels against an action server that delays, rejects, aborts and forgets, over DDS.

Whatever happens: no goal without permission, no goal that never ends, and no call that makes its caller wait.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")

from fake_nav2 import Behaviour, FakeNav2Node  # noqa: E402
from journeys import Journey, Spinner, wait_for  # noqa: E402

from remembr_ros.navigate.dispatcher import GoalDispatcher, GoalState  # noqa: E402
from remembr_ros.navigate.navigator import NavigationState  # noqa: E402
from remembr_ros.navigate.policy import GoalPolicy, NavigationMode  # noqa: E402
from remembr_ros.records import Answer, AnswerKind, Hit, Memory, Pose, Question  # noqa: E402
from remembr_ros.ros.navigators.action import ActionNavigator  # noqa: E402
from remembr_ros.ros.navigators.nav2 import Limits  # noqa: E402

SEQUENCES = 50
LONGEST_CALL_S = 0.1


def hostile(rng: random.Random) -> Behaviour:
    return Behaviour(
        accept=rng.random() > 0.2,
        accept_delay_s=rng.choice([0.0, 0.0, 0.05, 0.2, 0.7]),
        never_answer=rng.random() < 0.05,
        outcome=rng.choice(["succeed", "abort", "unknown", "hang"]),
        drive_s=rng.choice([0.0, 0.02, 0.2]),
        result_delay_s=rng.choice([0.0, 0.0, 0.3]),
        allow_cancel=rng.random() > 0.1,
        preemptible=rng.random() > 0.3,
    )


def ask(dispatcher: GoalDispatcher, rng: random.Random):
    now_ns = time.time_ns()
    pose = Pose(now_ns - 10**9, "map", rng.uniform(-5, 5), rng.uniform(-5, 5), 0.0, 0.0)
    memory = Memory("m", now_ns - 2 * 10**9, now_ns - 10**9, now_ns - 2 * 10**9, "a printer", pose, True, "floor1")
    text = rng.choice(["take me to the printer", "where is the printer?"])
    answer = Answer(text, AnswerKind.POSITION, "There.", pose=pose, evidence=(Hit(memory),), wants_goal=True)
    return dispatcher.consider(answer, Question(text, now_ns, map_id="floor1"))


@pytest.fixture(
    params=["action", pytest.param("nav2_simple_commander", marks=pytest.mark.overlay("nav2_simple_commander"))]
)
def navigator_class(request: pytest.FixtureRequest) -> Iterator[Any]:
    if request.param == "action":
        yield ActionNavigator
        return
    from remembr_ros.ros.navigators.nav2_simple_commander import CommanderNavigator

    rclpy.init()  # BasicNavigator knows no other context than the default one
    yield CommanderNavigator
    rclpy.try_shutdown()


@pytest.mark.parametrize("seed", range(2))
def test_random_sequences_against_a_hostile_server(seed: int, navigator_class: Any) -> None:
    rng = random.Random(seed)
    namespace = f"/fire{uuid.uuid4().hex[:8]}"
    server = Spinner(lambda context: FakeNav2Node(namespace=namespace, context=context, speed=20.0))
    client = Spinner(lambda context: rclpy.create_node("client", namespace=namespace, context=context))
    navigator = navigator_class(
        client.node, limits=Limits(server=5.0, accept=0.5, cancel=0.5, preempt_grace=0.1, settle=0.3)
    )
    journey, slowest_s, permitted = Journey(), 0.0, set()
    policy = GoalPolicy(NavigationMode.AUTO)
    dispatcher = GoalDispatcher(policy, navigator, journey, time.time_ns, cancel_timeout_s=1.0)
    try:
        wait_for(navigator._client.server_is_ready)
        for _ in range(SEQUENCES // 2):
            server.node.nav2.then(hostile(rng))
            for _ in range(rng.randint(1, 4)):
                step, started = rng.choice(["ask", "ask", "confirm", "decline", "cancel", "tick"]), time.perf_counter()
                if step == "ask":
                    outcome = ask(dispatcher, rng)
                    if outcome.state is GoalState.SENT:
                        permitted.add(outcome.proposal_id)
                elif step in ("confirm", "decline"):
                    waiting = dispatcher.waiting
                    if dispatcher.confirm("", step == "confirm").success and step == "confirm" and waiting:
                        permitted.add(waiting.id)
                elif step == "cancel":
                    dispatcher.cancel()
                else:
                    dispatcher.tick()
                slowest_s = max(slowest_s, time.perf_counter() - started)
                time.sleep(rng.choice([0.0, 0.0, 0.02, 0.1, 0.4]))  # part of the attack: how events interleave
        dispatcher.cancel()

        def ended() -> bool:
            dispatcher.tick()
            return dispatcher.driving is None and dispatcher.waiting is None

        wait_for(ended, 5.0)
    finally:
        dispatcher.close()
        client.close()
        server.close()
    assert slowest_s < LONGEST_CALL_S
    states: dict[str, list[NavigationState]] = {}
    for update in journey.updates:
        states.setdefault(update.goal.id, []).append(update.state)
    for goal_id, seen in states.items():
        assert seen[-1].final and not any(state.final for state in seen[:-1]), (goal_id, seen)
        assert all(one.value <= other.value for one, other in pairwise(seen)), (goal_id, seen)
        assert NavigationState.SENT not in seen or goal_id in permitted
    assert 0 < len(server.node.nav2.goals) <= len(permitted)
