"""`remembr build`: places from tf, as the node takes them, and the pictures that the node keeps."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from remembr_ros.cli.main import app
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory

pytest.importorskip("rosbags", reason="rosbags is missing: pip install -r requirements.txt")
T0 = 1_796_061_600 * NANOSECONDS
WINDOWS = 4


def write_bag(path: Path, *, map_to_odom: bool = True, amcl: bool = False) -> None:
    """Five pictures a second. The robot drives 1 m a window along odom's x; odom is turned by 90 degrees in the map and
    lies at (5, 1); its correction is published ten times a second and, as AMCL does, stamped a second ahead."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    types = get_typestore(Stores.ROS2_JAZZY)
    if "tf2_msgs/msg/TFMessage" not in types.types:
        types.register(get_types_from_msg("geometry_msgs/TransformStamped[] transforms", "tf2_msgs/msg/TFMessage"))
    make = {name.rpartition("/")[2]: kind for name, kind in types.types.items()}
    names = {"/image": "sensor_msgs/msg/Image", "/tf": "tf2_msgs/msg/TFMessage", "/tf_static": "tf2_msgs/msg/TFMessage",
             "/amcl_pose": "geometry_msgs/msg/PoseWithCovarianceStamped"}  # fmt: skip

    def header(stamp_ns: int, frame: str):
        return make["Header"](make["Time"](stamp_ns // NANOSECONDS, stamp_ns % NANOSECONDS), frame)

    def moved(stamp_ns: int, parent: str, child: str, x: float, y: float, yaw: float = 0.0):
        turn = make["Quaternion"](0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
        shift = make["Vector3"](x, y, 0.0)
        return make["TransformStamped"](header(stamp_ns, parent), child, make["Transform"](shift, turn))

    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        used = [topic for topic in names if amcl or topic != "/amcl_pose"]
        connections = {topic: writer.add_connection(topic, names[topic], typestore=types) for topic in used}

        def write(topic: str, message, stamp_ns: int) -> None:
            writer.write(connections[topic], stamp_ns, bytes(types.serialize_cdr(message, names[topic])))

        def tf(stamp_ns: int, *transforms) -> None:
            write("/tf", make["TFMessage"](list(transforms)), stamp_ns)

        base = moved(T0, "base_footprint", "base_link", 0.5, 0.0)
        write("/tf_static", make["TFMessage"]([base]), T0)
        for step in range(30 * WINDOWS):
            stamp_ns = T0 + step * NANOSECONDS // 10
            if map_to_odom:
                tf(stamp_ns, moved(stamp_ns + NANOSECONDS, "map", "odom", 5.0, 1.0, math.pi / 2))
            tf(stamp_ns, moved(stamp_ns, "odom", "base_footprint", step / 30, 0.0))
            if amcl and step % 5 == 0:
                point, turn = make["Point"](-7.0, 0.0, 0.0), make["Quaternion"](0.0, 0.0, 0.0, 1.0)
                placed = make["PoseWithCovariance"](make["Pose"](point, turn), np.full(36, 0.01))
                write("/amcl_pose", make["PoseWithCovarianceStamped"](header(stamp_ns, "map"), placed), stamp_ns)
            if step % 2 == 0:
                picture = np.full(16 * 16 * 3, 60 * (step // 30), np.uint8)
                write("/image", make["Image"](header(stamp_ns, ""), 16, 16, "rgb8", 0, 48, picture), stamp_ns)


def build(folder: Path, *arguments: str) -> tuple[list[Memory], str]:
    """The memories and what was said."""
    options = ["--uri", str(folder / "memory.db"), "--embedder", "hashing", "--captioner", "scripted"]
    result = CliRunner().invoke(app, ["build", str(folder / "run"), *options, *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    with MemoryStore.open_existing(str(folder / "memory.db")) as store:
        return store.between(0, 2 * T0, 100), result.output


@pytest.mark.parametrize(
    ("amcl", "arguments"), [(False, []), (True, ["-p", "pose_source:=tf"]), (True, ["--pose", "tf"])]
)
def test_the_place_is_that_of_the_base_in_the_map(tmp_path, amcl, arguments):
    write_bag(tmp_path / "run", amcl=amcl)
    memories, _ = build(tmp_path, *arguments)
    middles = [0.5, 1.5, 2.5, 3.5]  # metres along odom at each window's middle; base_link half a metre ahead
    assert [memory.pose.y for memory in memories] == pytest.approx([1.0 + x + 0.5 for x in middles], abs=1e-3)
    assert [memory.pose.x for memory in memories] == pytest.approx([5.0] * WINDOWS)
    assert [memory.pose.yaw for memory in memories] == pytest.approx([math.pi / 2] * WINDOWS)
    assert all(memory.localized and memory.pose.frame_id == "map" for memory in memories)


def test_poses_are_preferred_where_the_bag_has_both(tmp_path):
    write_bag(tmp_path / "run", amcl=True)
    memories, _ = build(tmp_path)
    assert {memory.pose.x for memory in memories} == {-7.0}


def test_a_bag_whose_transforms_do_not_reach_the_map_says_so(tmp_path):
    write_bag(tmp_path / "run", map_to_odom=False)
    memories, said = build(tmp_path)
    assert len(memories) == WINDOWS and not any(memory.pose for memory in memories)
    assert "no transform from map to base_link" in " ".join(said.split())


def test_the_pictures_are_kept_as_the_node_keeps_them(tmp_path):
    import cv2

    write_bag(tmp_path / "run")
    folder = tmp_path / "pictures"
    memories, _ = build(tmp_path, "-p", "keyframes.budget_mb:=5", "-p", f"keyframes.folder:={folder}")
    paths = [Path(memory.image_uri.removeprefix("file:")) for memory in memories]
    assert [path.stem for path in paths] == [memory.id for memory in memories]
    levels = [cv2.imread(str(path)).mean() for path in paths]
    assert levels == pytest.approx([0, 60, 120, 180], abs=2)
