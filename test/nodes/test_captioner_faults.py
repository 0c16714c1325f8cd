"""What cameras, localizers and clocks do to a captioner. Field faults 1, 3, 7, 19, 41 at node level.

Simulated time runs faster than real time: pictures, poses and /clock are published as in a bag played at speed.
"""

from __future__ import annotations

import time

import pytest
from processes import Nodes, wait_until
from sim_robot import SimRobot

pytestmark = pytest.mark.ros

T0 = 1796061600.0  # 2026-11-30 18:00 UTC
BLUE = (0, 0, 255)


def window_starts(robot: SimRobot) -> list[int]:
    return sorted(caption.window_start.sec for caption in robot.captions)


def places(robot: SimRobot) -> set[tuple[float, float]]:
    return {(c.pose.pose.pose.position.x, c.pose.pose.pose.position.y) for c in robot.captions}


@pytest.fixture
def captioner(nodes: Nodes, robot: SimRobot):
    """On simulated time, listening."""
    process = nodes.captioner(use_sim_time=True, queue_windows=100)
    process.wait_for("active")
    robot.wait_for_camera_listener()
    wait_until(
        lambda: robot.clock.get_subscription_count() and robot.poses.get_subscription_count() >= 2, "the listeners"
    )
    return process


def test_a_parked_robot_keeps_its_place_and_its_memories_keep_their_time(nodes, robot, captioner):
    """Field fault 1: one pose, then a minute of pictures without another."""
    robot.play(T0, T0 + 60.0, poses={T0: (2.0, 1.0)}, speed=15.0)
    robot.play(T0 + 60.0, T0 + 66.0, colour=None, speed=15.0)
    wait_until(lambda: len(robot.captions) >= 19, "about 20 captions")
    starts = window_starts(robot)
    assert 19 <= len(starts) <= 21 and starts[0] <= T0 + 3 and starts[-1] >= T0 + 54, starts
    assert all((start - starts[0]) % 3 == 0 for start in starts) and len(set(starts)) == len(starts)
    assert places(robot) == {(2.0, 1.0)}

    query = nodes.query(use_sim_time=True)
    query.wait_for("active")
    robot.tick(T0 + 66.0)
    wait_until(lambda: "10 seconds ago" not in robot.ask("what did you see 10 seconds ago?").error_msg, "an answer")
    answer = robot.ask("what did you see 10 seconds ago?")
    assert answer.error_code == 0 and "red" in answer.text, (answer.text, answer.error_msg)


def test_a_pose_that_comes_after_its_window_still_places_it(robot, captioner):
    """A slow robot's AMCL speaks every few seconds: the pose after the window's middle comes when it has closed."""
    robot.play(T0, T0 + 3.3, poses={T0 + 1.0: (0.0, 0.0)})
    robot.stand(T0 + 2.5, 1.5, 0.0)  # the clock stands at T0 + 3.2: the window waits until T0 + 3.5
    wait_until(lambda: robot.captions, "the first window")
    (caption,) = robot.captions
    assert caption.pose.pose.pose.position.x == pytest.approx(0.5), (
        "a third of the way, half a second after the first pose"
    )


def test_an_unplugged_camera_leaves_a_gap_and_no_picture_at_a_later_place(robot, captioner):
    """Field fault 3: pictures at A, none while driving to B, pictures again."""
    robot.play(T0, T0 + 6.0, poses={T0: (0.0, 0.0)})
    drive = {T0 + 6.0 + second: (8.0 * second / 30.0, 0.0) for second in range(31)}
    robot.play(T0 + 6.0, T0 + 36.0, colour=None, poses=drive)
    wait_until(lambda: len(robot.captions) >= 2, "the captions before the gap")
    captioner.wait_for("no images for", 10.0)
    assert "/image" in captioner.log and "sensor_msgs" in captioner.log and "best_effort" in captioner.log
    robot.play(T0 + 36.0, T0 + 42.0, colour=BLUE)
    robot.play(T0 + 42.0, T0 + 46.0, colour=None)
    wait_until(lambda: any("blue" in caption.text for caption in robot.captions), "captions after the gap")
    captioner.wait_for("images are coming", 5.0)
    for caption in robot.captions:
        assert caption.window_start.sec < T0 + 6 or caption.window_start.sec >= T0 + 36, "a memory without a picture"
        if "red" in caption.text:
            assert caption.pose.pose.pose.position.x == 0.0, "an old picture at a new place"
        else:
            assert caption.pose.pose.pose.position.x == pytest.approx(8.0, abs=0.3)


def test_a_clock_set_back_starts_anew(robot, captioner):
    """Field fault 41: a bag in a loop."""
    robot.play(T0 + 100.0, T0 + 112.0)
    wait_until(lambda: len(robot.captions) >= 3, "the first loop")
    first = len(robot.captions)
    robot.play(T0 + 100.0, T0 + 112.0, colour=BLUE)
    robot.play(T0 + 112.0, T0 + 116.0, colour=None)
    wait_until(
        lambda: sum("blue" in c.text for c in robot.captions) >= 3,
        f"the second loop, got {len(robot.captions) - first}",
    )
    assert all(c.window_end.sec - c.window_start.sec == 3 for c in robot.captions)
    assert "memory.collection" in captioner.wait_for("ROS time was set back")


@pytest.mark.parametrize("reliability", ["best_effort", "reliable"])
def test_a_camera_of_either_reliability_is_heard(nodes, reliability):
    """Field fault 7, first half."""
    nodes.captioner().wait_for("active")
    with SimRobot(nodes.namespace, image_reliability=reliability) as robot:
        robot.wait_for_camera_listener()
        until = time.monotonic() + 12.0
        while not robot.captions and time.monotonic() < until:
            robot.watch_live(0.5)
        assert robot.captions


def test_a_reliable_subscription_to_a_best_effort_camera_is_warned_about(nodes, robot):
    """Field fault 7: nothing would ever arrive, so topic and policy are named."""
    captioner = nodes.captioner(image_reliability="reliable", no_image_warning_s=1.0)
    captioner.wait_for("active")
    robot.see(time.time())
    log = captioner.wait_for("no images for")
    assert f"{nodes.namespace}/image" in log and "reliable" in log and "BEST_EFFORT" in log
    assert not robot.captions


@pytest.mark.parametrize("durability", ["transient_local", "volatile"])
def test_poses_are_heard_from_latched_and_volatile_publishers(nodes, durability):
    """Field fault 19: AMCL has spoken once before the node starts; a bag's player is volatile and goes on."""
    with SimRobot(nodes.namespace, pose_durability=durability) as robot:
        if durability == "transient_local":
            robot.stand(time.time(), 2.0, 1.0)
        nodes.captioner().wait_for("active")
        robot.wait_for_camera_listener()
        until = time.monotonic() + 15.0
        while (2.0, 1.0) not in places(robot) and time.monotonic() < until:
            if durability == "volatile":
                robot.stand(time.time(), 2.0, 1.0)
            robot.watch_live(0.5)
        assert (2.0, 1.0) in places(robot)


def test_a_pose_that_is_no_pose_is_dropped_with_a_warning(nodes, robot):
    captioner = nodes.captioner()
    captioner.wait_for("active")
    robot.wait_for_camera_listener()

    def warned() -> bool:
        robot.stand(time.time(), float("nan"), 0.0)
        return "amcl_pose: message dropped" in captioner.log and "pose.x" in captioner.log

    wait_until(warned, "a warning about the pose")
    assert captioner.running
