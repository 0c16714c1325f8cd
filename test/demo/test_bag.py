"""The demo's run as a bag that others read: rosbags decodes it without ROS."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.ros
START_NS = 1_780_304_400_000_000_000


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("skimage", "sklearn", "matplotlib")),
    reason="photographs are missing: pip install -r requirements-demo.txt",
)
def test_a_bag_holds_pictures_poses_and_the_map(tmp_path: Path) -> None:
    from rosbags.highlevel import AnyReader

    from demo.bag import write_bag

    written = write_bag(tmp_path / "run", seed=1, visits=1, start_ns=START_NS)
    with AnyReader([tmp_path / "run"]) as reader:
        assert reader.message_count == written
        counts = {connection.topic: connection.msgcount for connection in reader.connections}
        assert counts["/map"] == 1 and counts["/amcl_pose"] > 20 and counts["/image"] > 100
        stamps = []
        for connection, stamp_ns, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            header_ns = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
            assert header_ns == stamp_ns >= START_NS
            if connection.topic == "/image":
                stamps.append(stamp_ns)
                assert message.encoding == "rgb8" and message.data.size == 240 * 320 * 3
        assert set(np.diff(stamps)) == {200_000_000}


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    from demo.bag import write_bag

    (tmp_path / "run").mkdir()
    with pytest.raises(FileExistsError, match="--bag"):
        write_bag(tmp_path / "run", seed=1, visits=1, start_ns=START_NS)
