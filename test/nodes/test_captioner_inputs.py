"""Every way into a captioner, over DDS: compressed pictures, captions of others, odometry, tf, stamps that lie."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import cv2
import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from nav_msgs.msg import Odometry
from processes import Nodes, wait_until
from rclpy.node import Node
from scripted_llm import ScriptedLLM, says
from sensor_msgs.msg import CompressedImage, Image
from sim_robot import SimRobot, stamp

from remembr_interfaces.msg import Caption

pytestmark = pytest.mark.ros


def jpeg(time_s: float, rgb: tuple[int, int, int] = (255, 0, 0)) -> CompressedImage:
    picture = np.full((16, 16, 3), rgb[::-1], np.uint8)
    message = CompressedImage(format="jpeg", data=cv2.imencode(".jpg", picture)[1].tobytes())
    message.header.stamp = stamp(time_s)
    return message


def watch_until(robot: SimRobot, condition, publish, what: str, timeout_s: float = 14.0) -> None:
    """Publish ten times a second until it is so."""
    until = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < until, f"waited for {what}, captions: {[c.text for c in robot.captions]}"
        publish(time.time())
        time.sleep(0.1)


@pytest.fixture
def driver(nodes: Nodes) -> Iterator[Node]:
    """A node that publishes nothing yet."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node("odd_camera", namespace=nodes.namespace, context=context)
    yield node
    node.destroy_node()
    rclpy.try_shutdown(context=context)


def diagnostics_of(robot: SimRobot) -> list[dict[str, str]]:
    heard: list[dict[str, str]] = []

    def keep(message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name.startswith(robot.node.get_namespace()):
                heard.append({"message": status.message} | {pair.key: pair.value for pair in status.values})

    robot.node.create_subscription(DiagnosticArray, "/diagnostics", keep, 10)
    return heard


def test_compressed_pictures_are_described_and_counted(nodes: Nodes, robot: SimRobot):
    nodes.captioner(image_transport="compressed", window_s=1.0, sample_hz=4.0).wait_for("active")
    camera = robot.node.create_publisher(CompressedImage, "image/compressed", 10)
    heard = diagnostics_of(robot)
    # A broken one between the good ones costs itself (field fault E13).
    bad = [b"", cv2.imencode(".jpg", np.zeros((16, 16, 3), np.uint8))[1].tobytes()[:-40], b"no picture"]

    def publish(now_s: float) -> None:
        camera.publish(jpeg(now_s))
        if bad and robot.captions:
            broken = jpeg(time.time())
            broken.data = bad.pop()
            camera.publish(broken)

    watch_until(robot, lambda: len(robot.captions) >= 3 and not bad, publish, "captions")
    assert {caption.text for caption in robot.captions} == {"I see mostly red."}
    # The first window may have begun before the camera was heard.
    assert {caption.frame_count for caption in robot.captions[1:]} <= {2, 3, 4}
    wait_until(
        lambda: heard and int(heard[-1]["windows stored"]) >= 3 and heard[-1]["windows waiting"] == "0",
        "stored windows in the diagnostics, and none in work",
    )
    last = heard[-1]
    assert last["captioner"] == "scripted" and last["pose age [s]"] == "no pose"
    assert {"frames dropped late", "frames dropped old", "frames restamped", "windows lag [s]", "windows model [s]",
            "windows outbox", "windows skipped", "poses out of order", "images"} <= last.keys()  # fmt: skip


@pytest.mark.parametrize(
    ("transport", "advice"),
    [("raw", "set image_transport to compressed"), ("compressed", "set image_transport to raw")],
)
def test_a_topic_of_the_other_type_is_named_at_once(nodes: Nodes, driver, transport, advice):
    """Field fault E13: ROS itself says nothing."""
    captioner = nodes.captioner(image_transport=transport, no_image_warning_s=600.0)
    topic, kind = ("image", CompressedImage) if transport == "raw" else ("image/compressed", Image)
    driver.create_publisher(kind, topic, 10)
    log = captioner.wait_for(advice)
    assert f"odd_camera publishes sensor_msgs/msg/{kind.__name__} on {nodes.namespace}/{topic}" in log


def test_captions_of_somebody_else_are_stored_without_a_model(nodes: Nodes, robot: SimRobot):
    captioner = nodes.captioner(input="captions", captioner__model="nonsense:never-loaded")
    captioner.wait_for("active")
    other = robot.node.create_publisher(Caption, "captions", 10)
    wait_until(other.get_subscription_count, "the captioner to listen")
    now_s = int(time.time()) - 10

    def caption(start_s: float, text: str) -> Caption:
        message = Caption(text=text, localized=True, camera="rear", captioner="nano_llm:VILA1.5-3b", frame_count=6)
        message.window_start, message.window_end = stamp(start_s), stamp(start_s + 3.0)
        message.pose.header.frame_id, message.pose.header.stamp = "map", stamp(start_s + 1.5)
        message.pose.pose.pose.position.x = 4.0
        message.pose.pose.pose.orientation.z = math.sin(0.5)
        message.pose.pose.pose.orientation.w = math.cos(0.5)
        return message

    other.publish(caption(0.0, "since boot"))
    unended = caption(now_s, "ends before it starts")
    unended.window_end = stamp(now_s - 1)
    other.publish(unended)
    other.publish(caption(now_s, "<s> a yellow forklift </s>"))
    other.publish(caption(now_s, "<s> a yellow forklift </s>"))  # said twice, stored once
    other.publish(caption(now_s + 3, "   "))
    nodes.query().wait_for("active")
    wait_until(lambda: robot.call("search", text="forklift").memories, "the memory")
    (memory,) = robot.call("search", text="forklift").memories
    assert memory.caption == "a yellow forklift" and memory.camera == "rear" and memory.localized
    assert memory.window_start.sec == now_s and memory.pose.pose.position.x == 4.0 and memory.map_id == "office"
    assert memory.pose.pose.orientation.z == pytest.approx(math.sin(0.5))
    assert captioner.running and "captions: message dropped" in captioner.log and "window_start" in captioner.log
    assert not robot.captions, "what others publish is not published again"


def red_in(encoding: str, side: int = 16) -> tuple[bytes, int]:
    """Red pixels as a driver sends them, and the bytes of a row. Values of BT.601: Y 81, U 90, V 240."""
    pixel = {
        "rgb8": (255, 0, 0), "bgr8": (0, 0, 255), "rgba8": (255, 0, 0, 255), "bgra8": (0, 0, 255, 255),
        "8UC3": (0, 0, 255), "yuv422": (90, 81, 240, 81), "yuv422_yuy2": (81, 90, 81, 240),
        "rgb16": (255, 255, 0, 0, 0, 0),
    }  # fmt: skip
    if encoding == "nv12":
        return bytes([81]) * side * side + bytes([90, 240]) * (side * side // 4), side
    if encoding == "bayer_rggb8":
        return (bytes([255, 0]) * (side // 2) + bytes(side)) * (side // 2), side
    values = bytes(pixel[encoding])
    row = values * (side // 2 if encoding.startswith("yuv") else side)
    padding = bytes([0xEE]) * 5
    return (row + padding) * side, len(row) + len(padding)


def test_red_reaches_the_model_in_every_encoding_and_what_is_no_picture_costs_itself(nodes: Nodes, robot: SimRobot):
    """Field faults 37, 39 and 53 over DDS, each row padded; between them depth, short data and an odd width."""
    captioner = nodes.captioner(use_sim_time=True, queue_windows=100)
    captioner.wait_for("active")
    robot.wait_for_camera_listener()
    wait_until(robot.clock.get_subscription_count, "the clock's listener")
    encodings = ("rgb8", "bgr8", "rgba8", "bgra8", "8UC3", "yuv422", "yuv422_yuy2", "rgb16", "nv12", "bayer_rggb8")
    start_s = 1796061600.0
    for number, encoding in enumerate(encodings):
        data, step = red_in(encoding)
        for part in range(6):
            now_s = start_s + 3 * number + 0.5 * part
            robot.tick(now_s)
            message = robot.picture(now_s)
            message.encoding, message.step, message.data = encoding, step, data
            bad = robot.picture(now_s + 0.1)
            if part % 3 == 0:
                bad.encoding = "16UC1"
            elif part % 3 == 1:
                bad.data = bad.data[:31]
            else:
                bad.encoding, bad.width = "yuv422_yuy2", 5
            robot.images.publish(bad)
            robot.images.publish(message)
            time.sleep(0.02)
    end_s = start_s + 3 * len(encodings)
    robot.play(end_s, end_s + 2.0, colour=None)
    wait_until(lambda: len(robot.captions) >= len(encodings), "a caption an encoding")
    told = {encodings[round(c.window_start.sec - start_s) // 3]: c.text for c in robot.captions}
    assert told == dict.fromkeys(encodings, "I see mostly red."), told
    assert "message dropped" in captioner.log and captioner.running
    assert "taken as BGR" in captioner.log


def test_two_cameras_share_a_memory(nodes: Nodes, robot: SimRobot):
    """One captioner each, on the same pictures here: the camera is part of the key."""
    for camera in ("front", "rear"):
        process = nodes.captioner(camera, camera=camera, outbox_path=str(nodes.folder / f"{camera}.db"), window_s=1.0)
        process.wait_for("active")
    wait_until(lambda: robot.images.get_subscription_count() == 2, "both captioners")
    both = lambda: {"front", "rear"} <= {c.camera for c in robot.captions}  # noqa: E731
    watch_until(robot, both, robot.see, "captions of both")
    nodes.query().wait_for("active")
    found = lambda: {m.camera for m in robot.call("search", text="red", limit=50).memories}  # noqa: E731
    wait_until(lambda: found() == {"front", "rear"}, "memories of both")


def test_a_vision_endpoint_describes_and_its_failures_are_said(nodes: Nodes, robot: SimRobot):
    broken: list[bool] = []

    def reply(request):
        return (
            (500, {"error": {"message": "the GPU fell off"}}, {"Retry-After": "0"}) if broken else says("A red wall.")
        )

    with ScriptedLLM(reply) as server:
        captioner = nodes.captioner(
            captioner__model="openai:vila", captioner__base_url=server.base_url, captioner__image_px=64, window_s=1.0
        )
        captioner.wait_for("active")
        (warm_up,) = server.requests
        assert len(warm_up["messages"][0]["content"]) == 7, "as many pictures as a window has"
        robot.wait_for_camera_listener()
        heard = diagnostics_of(robot)
        watch_until(robot, lambda: len(robot.captions) >= 2, robot.see, "captions")
        assert {(c.text, c.captioner) for c in robot.captions} == {("A red wall.", "openai:vila")}
        broken.append(True)
        watch_until(robot, lambda: int(heard[-1]["windows failed"]) >= 1, robot.see, "a failure")
        captioner.wait_for("the GPU fell off")
        broken.clear()
        before = len(robot.captions)
        watch_until(robot, lambda: len(robot.captions) > before + 1, robot.see, "captions again")


def test_a_vision_endpoint_that_comes_later_is_waited_for(nodes: Nodes, robot: SimRobot):
    with ScriptedLLM([]) as server:
        address = server.base_url
    captioner = nodes.captioner(captioner__model="openai:vila", captioner__base_url=address, captioner__timeout_s=0.5)
    assert "cannot be reached" in captioner.wait_for("active")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("openai:gpt-4o-mini", "OPENAI_API_KEY"),
        ("nano_llm:Efficient-Large-Model/VILA1.5-3b", "jetson-containers run"),
    ],
)
def test_a_captioner_that_cannot_be_had_leaves_the_node_inactive_with_the_reason(
    nodes: Nodes, monkeypatch, model, words
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    captioner = nodes.captioner(captioner__model=model)
    log = captioner.wait_for("cannot activate")
    assert words in log and "captioner.model" in log and captioner.running and "Traceback" not in log


@pytest.mark.parametrize(("frame", "localized"), [("odom", False), ("map", True)])
def test_odometry_is_a_place_but_only_in_the_map_a_goal(nodes: Nodes, robot: SimRobot, frame, localized):
    nodes.captioner(pose_source="odometry", window_s=1.0).wait_for("active")
    robot.wait_for_camera_listener()
    odometry = robot.node.create_publisher(Odometry, "odom", 10)

    def publish(now_s: float) -> None:
        message = Odometry()
        message.header.stamp, message.header.frame_id = stamp(now_s), frame
        message.pose.pose.position.x, message.pose.pose.orientation.w = 3.0, 1.0
        odometry.publish(message)
        robot.see(now_s)

    placed = lambda: [c for c in robot.captions if c.pose.header.frame_id]  # noqa: E731
    watch_until(robot, lambda: len(placed()) >= 2, publish, "captions with a place")
    assert placed()[-1].pose.pose.pose.position.x == 3.0 and placed()[-1].pose.header.frame_id == frame
    assert placed()[-1].localized is localized


@pytest.mark.overlay("tf2_ros")
def test_a_place_comes_from_tf(nodes: Nodes, robot: SimRobot):
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage

    nodes.captioner(pose_source="tf", window_s=1.0).wait_for("active")
    robot.wait_for_camera_listener()
    transforms = robot.node.create_publisher(TFMessage, "/tf", 100)

    def publish(now_s: float) -> None:
        moved = TransformStamped(child_frame_id="base_link")
        moved.header.stamp, moved.header.frame_id = stamp(now_s), "map"
        moved.transform.translation.x, moved.transform.rotation.z = 5.0, 1.0
        transforms.publish(TFMessage(transforms=[moved]))
        robot.see(now_s)

    placed = lambda: [c for c in robot.captions if c.localized]  # noqa: E731
    watch_until(robot, lambda: len(placed()) >= 2, publish, "localized captions")
    assert placed()[-1].pose.pose.pose.position.x == 5.0 and placed()[-1].pose.header.frame_id == "map"


def test_tf_without_its_package_names_the_install_command(nodes: Nodes):
    import importlib.util

    if importlib.util.find_spec("tf2_ros") is not None:
        pytest.skip("tf2_ros is here")
    captioner = nodes.captioner(pose_source="tf")
    assert captioner.exit_code() != 0
    assert "tf2-ros-py" in captioner.log and "Traceback" not in captioner.log, captioner.log


@pytest.mark.parametrize("policy", ["drop", "receive_time"])
def test_a_camera_that_stamps_since_boot(nodes: Nodes, robot: SimRobot, policy):
    """Field fault 33: its clock says 37 s."""
    captioner = nodes.captioner(implausible_stamps=policy, window_s=1.0)
    captioner.wait_for("active")
    robot.wait_for_camera_listener()
    heard = diagnostics_of(robot)
    began_s = time.time()

    def publish(now_s: float) -> None:
        robot.see(37.2 + now_s - began_s)
        robot.see(0.0)

    if policy == "receive_time":
        watch_until(robot, lambda: len(robot.captions) >= 2, publish, "captions")
        assert all(abs(c.window_start.sec - began_s) < 20 for c in robot.captions)
        assert captioner.log.count("replaced by the time of receipt") == 1
    else:
        watch_until(robot, lambda: heard and int(heard[-1]["frames dropped old"]) > 10, publish, "dropped pictures")
        assert not robot.captions and captioner.log.count("is the camera's clock") == 1
        assert int(heard[-1]["frames dropped zero"]) > 0


def test_field_fault_33_the_odd_stamps_between_good_ones_go(nodes: Nodes, robot: SimRobot):
    captioner = nodes.captioner(use_sim_time=True, queue_windows=50)
    captioner.wait_for("active")
    robot.wait_for_camera_listener()
    wait_until(robot.clock.get_subscription_count, "the clock's listener")
    start_s = 1796061600.0
    for round_ in range(60):
        now_s = start_s + 0.1 * round_
        robot.tick(now_s)
        time.sleep(0.01)
        for offset in (0.0, -0.05, 900.0, -now_s, 37.2 - now_s):
            robot.see(now_s + offset)
    robot.play(start_s + 6.0, start_s + 8.0, colour=None)
    wait_until(lambda: len(robot.captions) >= 2, "two windows")
    starts = sorted(caption.window_start.sec - start_s for caption in robot.captions)
    assert starts in ([0, 3], [-3, 0, 3]), starts  # the very first -0.05 lies in the window before
    assert all(c.window_end.sec - c.window_start.sec == 3 and 1 <= c.frame_count <= 6 for c in robot.captions)
    told = [line for line in captioner.log.splitlines() if "image dropped" in line and "after its window" not in line]
    assert len(told) == 3, "zero, since boot, future: once each"


def test_poses_of_the_last_loop_are_not_those_of_this_one(nodes: Nodes, robot: SimRobot):
    """Field fault 41: the second time the bag's localizer is silent; nothing is placed by the first time."""
    nodes.captioner(use_sim_time=True, queue_windows=50).wait_for("active")
    robot.wait_for_camera_listener()
    wait_until(
        lambda: robot.clock.get_subscription_count() and robot.poses.get_subscription_count() >= 2, "the listeners"
    )
    start_s = 1796061600.0
    robot.play(start_s, start_s + 7.0, poses={start_s: (2.0, 1.0)})
    wait_until(lambda: len(robot.captions) >= 2, "the first loop")
    assert {c.pose.pose.pose.position.x for c in robot.captions} == {2.0}
    robot.play(start_s, start_s + 7.0, colour=(0, 0, 255))
    robot.play(start_s + 7.0, start_s + 9.0, colour=None)
    blue = lambda: [c for c in robot.captions if "blue" in c.text]  # noqa: E731
    wait_until(lambda: len(blue()) >= 2, "the second loop")
    assert not any(c.pose.header.frame_id for c in blue())
