"""`remembr build`: bags become memories without ROS, the same as a live run makes, and an interrupted run goes on."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from processes import Nodes, wait_until
from typer.testing import CliRunner

from remembr_ros.cli.main import app
from remembr_ros.errors import ConfigurationError
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory
from remembr_ros.ros.bag import Bag

pytest.importorskip("rosbags", reason="rosbags is missing: pip install -r requirements.txt")
T0 = 1_796_061_600 * NANOSECONDS
COLOURS = [(255, 0, 0), (0, 0, 255), (255, 255, 0), (0, 200, 0), (0, 0, 0)]


def write_bag(path: Path, windows: int = 5, storage: str = "sqlite3", image: str = "sensor_msgs/msg/Image") -> None:
    """Ten pictures a second, each window of another colour; the robot moves 1 m a window; one message is cut short."""
    import cv2
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    types = get_typestore(Stores.ROS2_JAZZY)
    make = {name.rpartition("/")[2]: kind for name, kind in types.types.items()}

    def header(stamp_ns: int, frame: str = ""):
        return make["Header"](make["Time"](stamp_ns // NANOSECONDS, stamp_ns % NANOSECONDS), frame)

    with Writer(path, version=9, storage_plugin=StoragePlugin[storage.upper()]) as writer:
        names = {"/camera/image": image, "/amcl_pose": "geometry_msgs/msg/PoseWithCovarianceStamped",
                 "/chatter": "std_msgs/msg/String"}  # fmt: skip
        connections = {topic: writer.add_connection(topic, kind, typestore=types) for topic, kind in names.items()}

        def write(topic: str, message, stamp_ns: int, cut: int | None = None) -> None:
            raw = types.serialize_cdr(message, names[topic])
            writer.write(connections[topic], stamp_ns, bytes(raw[:cut]))

        for step in range(30 * windows):
            stamp_ns = T0 + step * NANOSECONDS // 10
            if step % 5 == 0:
                point, turn = make["Point"](step / 30, 2.0, 0.0), make["Quaternion"](0.0, 0.0, 0.0, 1.0)
                placed = make["PoseWithCovariance"](make["Pose"](point, turn), np.full(36, 0.01))
                write("/amcl_pose", make["PoseWithCovarianceStamped"](header(stamp_ns, "map"), placed), stamp_ns)
            picture = np.full((16, 16, 3), COLOURS[step // 30 % len(COLOURS)], np.uint8)
            if image.endswith("CompressedImage"):
                data = cv2.imencode(".png", picture[:, :, ::-1])[1].reshape(-1)
                message = make["CompressedImage"](header(stamp_ns), "png", data)
            else:
                message = make["Image"](header(stamp_ns), 16, 16, "rgb8", 0, 48, picture.reshape(-1))
            write("/camera/image", message, stamp_ns, 40 if step == 10 else None)
        write("/chatter", make["String"]("hello"), T0)


def run(*arguments: object):
    return CliRunner().invoke(app, ["build", *map(str, arguments)], catch_exceptions=False)


def options(folder: Path) -> list[str]:
    return ["--uri", str(folder / "memory.db"), "--embedder", "hashing", "--captioner", "scripted"]


def memories(uri: str) -> list[Memory]:
    with MemoryStore.open_existing(uri) as store:
        return store.between(0, 2 * T0, 1000)


@pytest.mark.parametrize("storage", ["sqlite3", "mcap"])
@pytest.mark.parametrize("image", ["sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"])
def test_a_bag_becomes_its_memories(tmp_path, storage, image):
    write_bag(tmp_path / "run", storage=storage, image=image)
    result = run(tmp_path / "run", *options(tmp_path), "-p", "robot_id:=carter", "-p", "map_id:=floor1")
    assert result.exit_code == 0, result.output
    assert "5 windows: 5 new memories, 0 there already; 1 messages could not be used" in result.stdout
    found = memories(str(tmp_path / "memory.db"))
    assert [memory.start_ns for memory in found] == [T0 + 3 * NANOSECONDS * n for n in range(5)]
    assert [memory.caption.split()[-1] for memory in found] == ["red.", "blue.", "yellow.", "green.", "black."]
    # Placed at each window's middle; the last pose lies 0.5 s before the bag's end.
    assert [memory.pose.x for memory in found] == pytest.approx([0.5, 1.5, 2.5, 3.5, 4.5], abs=0.01)
    assert {(m.robot_id, m.map_id, m.localized, m.session_id) for m in found} == {("carter", "floor1", True, "bag run")}


def test_a_second_run_describes_nothing_again(tmp_path):
    write_bag(tmp_path / "run")
    assert run(tmp_path / "run", *options(tmp_path)).exit_code == 0
    before = memories(str(tmp_path / "memory.db"))
    script = tmp_path / "never.yaml"
    script.write_text("captions: [null]\n")
    result = run(tmp_path / "run", *options(tmp_path)[:4], "--captioner", f"scripted:{script}")
    assert "5 windows: 0 new memories, 5 there already" in result.stdout, result.output
    assert memories(str(tmp_path / "memory.db")) == before


def test_a_run_that_was_killed_goes_on(tmp_path):
    write_bag(tmp_path / "run", windows=8)
    slow = tmp_path / "slow.yaml"
    slow.write_text("captions: [a slow caption]\ndelay_s: 0.4\n")
    arguments = [str(tmp_path / "run"), *options(tmp_path)[:4], "--captioner", f"scripted:{slow}"]
    process = subprocess.Popen([sys.executable, "-m", "remembr_ros.cli.main", "build", *arguments])
    try:
        wait_until(lambda: (tmp_path / "memory.db").exists() and _count(tmp_path) >= 2, "two memories", 20.0)
    finally:
        process.kill()
        process.wait()
    there = _count(tmp_path)
    assert there < 8
    result = run(*arguments)
    assert f"{there} there already" in result.stdout and _count(tmp_path) == 8, result.output
    found = memories(str(tmp_path / "memory.db"))
    assert len({memory.start_ns for memory in found}) == 8


def _count(folder: Path) -> int:
    try:
        with MemoryStore.open_existing(str(folder / "memory.db")) as store:
            return store.count()
    except Exception:  # being made
        return 0


def test_captions_in_a_bag_are_enough(tmp_path):
    """The topic `caption`, recorded without pictures."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    types, name = get_typestore(Stores.ROS2_JAZZY), "remembr_interfaces/msg/Caption"
    definition = Path(__file__).parents[2] / "remembr_interfaces" / "msg" / "Caption.msg"
    types.register(get_types_from_msg(definition.read_text(), name))
    make = {kind.rpartition("/")[2]: of for kind, of in types.types.items()}
    nobody = make["PoseWithCovarianceStamped"](
        make["Header"](make["Time"](0, 0), ""),
        make["PoseWithCovariance"](
            make["Pose"](make["Point"](0.0, 0.0, 0.0), make["Quaternion"](0.0, 0.0, 0.0, 0.0)), np.zeros(36)
        ),
    )
    with Writer(tmp_path / "run", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/carter/caption", name, typestore=types)
        for number in range(4):
            start, end = (make["Time"](T0 // NANOSECONDS + 3 * number + rest, 0) for rest in (0, 3))
            message = make["Caption"](
                make["Header"](end, ""), start, end, f"I see door {number // 2}", nobody, False, "rear", "tagger", 6
            )
            writer.write(connection, T0 + (3 * number + 4) * NANOSECONDS, bytes(types.serialize_cdr(message, name)))
    arguments = [tmp_path / "run", "--captions", *options(tmp_path)[:4]]
    assert "4 windows: 4 new memories" in run(*arguments).stdout
    found = memories(str(tmp_path / "memory.db"))
    assert [memory.caption for memory in found] == ["I see door 0"] * 2 + ["I see door 1"] * 2
    assert {(m.camera, m.captioner, m.pose, m.localized) for m in found} == {("rear", "tagger", None, False)}
    assert [(m.episode_start_ns - T0) // NANOSECONDS for m in found] == [0, 0, 6, 6]
    assert "0 new memories, 4 there already" in run(*arguments).stdout


def test_topics_are_listed_and_chosen(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    write_bag(tmp_path / "run", windows=1)
    listed = run(tmp_path / "run", "--topics")
    lines = {line.split()[0]: line.split() for line in listed.stdout.splitlines() if line.strip()}
    assert lines["/camera/image"][2:] == ["30", "image"] and lines["/amcl_pose"][3] == "pose"
    assert lines["/chatter"][2:] == ["1"]
    with Bag([tmp_path / "run"]) as bag:
        assert bag.choose("image", "camera/image").name == "/camera/image"
        assert bag.choose("map") is None
        with pytest.raises(ConfigurationError, match=r"--image /rear: no such topic.*/camera/image"):
            bag.choose("image", "/rear")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--image", "/rear"], "--image /rear"),
        (["--captions"], "no topic with captions"),
        (["-p", "window:=3"], "window:=3"),
        (["-p", "window_s:=soon"], "window_s"),
        (["-p", "robot_id:=[a"], "-p robot_id:=[a: its value is no YAML"),
        (["-p", "robot_id:=2026-02-31"], "-p robot_id:=2026-02-31: its value is no YAML"),
        (["--captioner", "vila"], "--captioner"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(tmp_path, arguments, words):
    write_bag(tmp_path / "run", windows=1)
    result = run(tmp_path / "run", *options(tmp_path), *arguments)
    assert result.exit_code == 1 and words in result.stderr and "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/**: {ros__parameters: {1: 2}}", "unknown parameters 1"),
        ("/**: {ros__parameters: [1]}", "ros__parameters of /** holds no parameters"),
        ("/**: {ros__parameters: {robot_id: [a}}", "no file of ROS parameters"),
        ("/**: {ros__parameters: &a {b: *a}}", "nested too deeply"),
        ("\x89PNG", "no text in UTF-8"),
        ("", "parameters of no node"),
        ("carter1: {query: {ros__parameters: {robot_id: a}}}", "parameters of /carter1/query; read are those of /**"),
        (
            "{a: {captioner: {ros__parameters: {robot_id: a}}}, /b/captioner: {ros__parameters: {robot_id: b}}}",
            "parameters of /a/captioner, /b/captioner; read are those of /**",
        ),
    ],
)
def test_a_file_of_other_parameters_is_refused_in_a_sentence(tmp_path, text, words):
    file = tmp_path / "file.yaml"
    file.write_bytes(text.encode("latin-1"))
    result = run(tmp_path / "run", "--params-file", file)
    assert result.exit_code == 1 and f"--params-file {file}" in result.stderr and words in result.stderr, result.output


@pytest.mark.parametrize(
    "text",
    [
        "captioner: {ros__parameters: {robot_id: carter}}",
        "/captioner: {ros__parameters: {robot_id: carter}}",
        "/**: {ros__parameters: {robot_id: carter}}",
        "carter1: {captioner: {ros__parameters: {robot_id: carter}}}",
        "{/carter1/captioner: {ros__parameters: {robot_id: carter}}, /**: {ros__parameters: {robot_id: other}}}",
        "/carter1: {query: {ros__parameters: {robot_id: other}}, '**': {ros__parameters: {robot_id: carter}}}",
    ],
)
def test_a_file_speaks_to_the_captioner_of_any_namespace(tmp_path, text):
    write_bag(tmp_path / "run", windows=1)
    (tmp_path / "file.yaml").write_text(text)
    result = run(tmp_path / "run", *options(tmp_path), "--params-file", tmp_path / "file.yaml")
    assert result.exit_code == 0, result.output
    assert [memory.robot_id for memory in memories(str(tmp_path / "memory.db"))] == ["carter"]


def test_what_is_no_bag_is_named(tmp_path):
    (tmp_path / "notes").mkdir()
    for path in (tmp_path / "notes", tmp_path / "nowhere"):
        result = run(path, *options(tmp_path))
        assert result.exit_code == 1 and str(path) in result.stderr


def test_no_ros_is_needed(tmp_path):
    """Neither rclpy nor a message package is imported on the way."""
    write_bag(tmp_path / "run", windows=1)
    code = (
        "import sys\n"
        "for name in 'rclpy geometry_msgs sensor_msgs nav_msgs remembr_interfaces builtin_interfaces'.split():\n"
        "    sys.modules[name] = None\n"
        "from remembr_ros.cli.main import app\napp()\n"
    )
    command = [sys.executable, "-c", code, "build", str(tmp_path / "run"), *options(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50)
    assert done.returncode == 0 and "1 new memories" in done.stdout, done.stderr


@pytest.mark.ros
@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("skimage", "sklearn", "matplotlib")),
    reason="photographs are missing: pip install -r requirements-demo.txt",
)
def test_a_bag_of_the_demo_gives_the_memories_of_the_live_run(tmp_path):
    """Played to the real captioner over DDS, and built offline: times, places, captions and map are the same."""
    from rosbags.highlevel import AnyReader
    from rosgraph_msgs.msg import Clock
    from sim_robot import SimRobot, stamp

    from demo.bag import write_bag as write_demo

    write_demo(tmp_path / "run", seed=1, visits=1, start_ns=T0)
    arguments = ["--uri", str(tmp_path / "offline.db"), "--embedder", "hashing", "--captioner", "scripted"]
    result = run(tmp_path / "run", *arguments)
    assert result.exit_code == 0, result.output
    offline = memories(str(tmp_path / "offline.db"))

    nodes = Nodes(tmp_path)
    try:
        nodes.captioner(use_sim_time=True, queue_windows=100, map_id="", image_reliability="reliable").wait_for(
            "active"
        )
        with SimRobot(nodes.namespace, image_reliability="reliable") as robot:
            from nav_msgs.msg import OccupancyGrid
            from sim_robot import LATCHED

            maps = robot.node.create_publisher(OccupancyGrid, "map", LATCHED)
            robot.wait_for_camera_listener()
            wait_until(
                lambda: maps.get_subscription_count() and robot.clock.get_subscription_count()
                and robot.poses.get_subscription_count() >= 2, "the listeners",
            )  # fmt: skip
            publishers = {"/map": maps, "/amcl_pose": robot.poses, "/image": robot.images}
            with AnyReader([tmp_path / "run"]) as reader:
                last_ns = T0
                for connection, received_ns, raw in reader.messages():
                    if received_ns != last_ns:
                        robot.clock.publish(Clock(clock=stamp(received_ns / 1e9)))
                        time.sleep((received_ns - last_ns) / 1e9 / 12)
                        last_ns = received_ns
                        # A busy computer is waited for, or the camera's queue of ten runs over.
                        begun = (received_ns - T0) // (3 * NANOSECONDS)
                        wait_until(lambda: len(robot.captions) >= begun - 1, "the captions so far")  # noqa: B023
                    publishers[connection.topic].publish(bytes(raw))
                    if connection.topic == "/map":
                        time.sleep(0.3)
            robot.play(last_ns / 1e9 + 0.1, last_ns / 1e9 + 5.0, colour=None)
            wait_until(lambda: len(robot.captions) >= len(offline), "the captions of the live run")
            wait_until(lambda: _stored(nodes.memory_uri) >= len(offline), "the memories of the live run")
        live = memories(nodes.memory_uri)
    finally:
        nodes.close()

    def facts(memory: Memory):
        return memory.id, memory.start_ns, memory.end_ns, memory.episode_start_ns, memory.caption, memory.map_id

    assert len(offline) >= 10 and [facts(memory) for memory in live] == [facts(memory) for memory in offline]
    for one, other in zip(live, offline, strict=True):
        assert (one.pose.x, one.pose.y, one.pose.yaw) == pytest.approx((other.pose.x, other.pose.y, other.pose.yaw))
        assert one.localized == other.localized


def _stored(uri: str) -> int:
    try:
        with MemoryStore.open_existing(uri) as store:
            return store.count()
    except Exception:  # being made
        return 0
