"""`remembr doctor` against a robot on real DDS: what is well is said to be, what is wrong is named with its remedy."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.ros
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")
pytest.importorskip("nav2_msgs", reason="nav2_msgs not importable: . scripts/environment.sh builds the fixture")
pytest.importorskip("typer", reason="typer not installed: pip install -r requirements.txt")

from fake_nav2 import FakeNav2Node  # noqa: E402
from geometry_msgs.msg import PoseWithCovarianceStamped  # noqa: E402
from journeys import Spinner  # noqa: E402
from nav2_msgs.action import NavigateToPose  # noqa: E402
from nav_msgs.msg import OccupancyGrid  # noqa: E402
from processes import Nodes  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from rclpy.node import Node  # noqa: E402
from sensor_msgs.msg import CompressedImage, Image  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from remembr_ros.cli.doctor_backends import check_embedder, check_endpoint, check_memory, check_words  # noqa: E402
from remembr_ros.cli.finding import Finding, Level  # noqa: E402
from remembr_ros.cli.main import app  # noqa: E402
from remembr_ros.memory.embedders.hashing import HashingEmbedder  # noqa: E402
from remembr_ros.memory.store import MemoryStore  # noqa: E402
from remembr_ros.ros.parameter_tables import TABLES  # noqa: E402
from remembr_ros.ros.qos import LATCHED  # noqa: E402

DEFAULTS = {parameter.name: parameter.default for table in TABLES.values() for parameter in table}


class Robot(Node):
    """A camera, a localization and a map, each as well or as ill as a test wants it."""

    def __init__(
        self, context: Any, namespace: str, *, image_type: type = Image, image: str = "image", std_m: float = 0.1,
        late_s: float = 0.0, map_frame: str = "map",
    ) -> None:  # fmt: skip
        super().__init__("robot", namespace=namespace, context=context)
        self._late_s, self._image_type = late_s, image_type
        self._camera = self.create_publisher(image_type, image, 5)
        self._poses = self.create_publisher(PoseWithCovarianceStamped, "amcl_pose", LATCHED)
        self._map = self.create_publisher(OccupancyGrid, "map", LATCHED)
        grid = OccupancyGrid(data=[0] * 100)
        grid.header.frame_id, grid.info.width, grid.info.height, grid.info.resolution = map_frame, 10, 10, 0.05
        grid.info.origin.orientation.w = 1.0
        self._map.publish(grid)
        pose = PoseWithCovarianceStamped()
        pose.header.frame_id, pose.header.stamp = "map", self.get_clock().now().to_msg()
        pose.pose.pose.orientation.w = 1.0
        pose.pose.covariance[0] = pose.pose.covariance[7] = std_m**2
        self._poses.publish(pose)
        self.create_timer(0.1, self._see)

    def _see(self) -> None:
        picture = self._image_type()
        now = time.time() - self._late_s
        picture.header.stamp.sec, picture.header.frame_id = int(now), "camera"
        if self._image_type is Image:
            picture.width, picture.height, picture.encoding, picture.step = 2, 2, "rgb8", 6
            picture.data = bytes(12)
        self._camera.publish(picture)


@pytest.fixture
def namespace() -> str:
    return f"/t{uuid.uuid4().hex[:8]}"


@pytest.fixture
def running() -> Iterator[Callable[[Callable[[Any], Any]], Any]]:
    """Starts nodes, each in a context of its own."""
    spinners: list[Spinner] = []

    def start(make: Callable[[Any], Any]) -> Any:
        spinners.append(Spinner(make))
        return spinners[-1].node

    yield start
    for spinner in spinners:
        spinner.close()


def examine(namespace: str, tmp_path: Path, *arguments: str, **parameters: Any) -> tuple[int, str]:
    """Exit code and output."""
    values = {"memory.uri": str(tmp_path.resolve() / "memory.db"), "navigation.mode": "off", **parameters}
    params_file = tmp_path / "params.yaml"
    lines = [f"    {name}: {value}" for name, value in values.items()]
    params_file.write_text("\n".join(["/**:", "  ros__parameters:", *lines]) + "\n")
    command = ["doctor", "--namespace", namespace, "--params-file", str(params_file), "--seconds", "1", *arguments]
    result = CliRunner().invoke(app, command, env={"COLUMNS": "300", "TERM": "dumb"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_a_robot_in_order(namespace, running, tmp_path) -> None:
    running(lambda context: Robot(context, namespace))
    running(
        lambda context: FakeNav2Node(
            namespace=namespace, context=context, states={"bt_navigator": "active", "amcl": "active"}
        )
    )
    code, output = examine(namespace, tmp_path, **{"navigation.mode": "confirm"})
    assert code == 0, output
    for words in ("2 x 2 rgb8, ", "standard deviation 0.1", "10 x 10 cells of 0.050 m", "navigate_to_pose is served"):
        assert words in output, output


@pytest.mark.parametrize(
    ("robot", "complaints"),
    [
        (
            {"image": "left/image_raw", "std_m": 0.0},
            ["publishing that type: {ns}/left/image_raw", "covariance is zero"],
        ),
        ({"image_type": CompressedImage}, ["is sensor_msgs/msg/CompressedImage, wanted sensor_msgs/msg/Image"]),
        (
            {"std_m": 0.9, "late_s": 30.0, "map_frame": "building"},
            [
                "standard deviation 0.90 m is above max_position_std (0.5 m)",
                "behind this computer's clock",
                "poses are in 'map', the map in 'building'",
            ],
        ),
    ],
    ids=["elsewhere", "type", "values"],
)
def test_what_is_wrong_with_a_robot_is_named(namespace, running, tmp_path, robot, complaints) -> None:
    running(lambda context: Robot(context, namespace, **robot))
    _, output = examine(namespace, tmp_path)
    for words in complaints:
        assert words.format(ns=namespace) in output, output


def test_nav2_that_is_absent_elsewhere_or_not_active(namespace, running, tmp_path) -> None:
    navigation = {"navigation.mode": "confirm"}

    def asking(context: Any) -> Node:  # like the query node, which offers nothing
        node = Node("asking", namespace=namespace, context=context)
        ActionClient(node, NavigateToPose, "navigate_to_pose")
        return node

    running(asking)
    code, output = examine(namespace, tmp_path, **navigation)
    assert code == 1 and f"nobody serves the action {namespace}/navigate_to_pose" in output
    assert "start Nav2" in output
    running(
        lambda context: FakeNav2Node(
            namespace=namespace, context=context, action_name="carter/navigate_to_pose", states={"amcl": "inactive"}
        )
    )
    code, output = examine(namespace, tmp_path, **navigation)
    assert code == 1 and f"-> navigation.navigator action:{namespace}/carter/navigate_to_pose" in output
    assert "amcl is inactive" in output


def test_running_nodes_tell_their_parameters_and_their_troubles(running, tmp_path) -> None:
    nodes = Nodes(tmp_path)
    try:
        nodes.captioner(use_sim_time=True).wait_for("memory")
        nodes.query(llm__model="openai:nonsuch").wait_for("needs a key")
        code, output = examine(nodes.namespace, tmp_path)
        assert code == 1
        assert "captioner has use_sim_time, and nobody publishes /clock" in output, output
        assert "FIX  query: inactive: " in output and "llm: openai:nonsuch needs a key" in output, output
    finally:
        nodes.close()


def test_the_memory_and_its_model(tmp_path) -> None:
    uri = str(tmp_path.resolve() / "memory.db")
    values = {**DEFAULTS, "memory.uri": uri, "embedder.model": "hashing"}
    (finding,) = check_memory(values)
    assert finding.level is Level.WARN and "does not exist yet" in finding.what
    MemoryStore.open(uri, HashingEmbedder(32)).close()
    assert [finding.level for finding in check_memory(values)] == [Level.OK]
    _, mismatch = check_memory({**values, "embedder.model": "packaged"})
    assert mismatch.level is Level.FAIL and "set embedder.model to hashing:32" in mismatch.fix
    (away,) = check_memory({**values, "memory.uri": "http://127.0.0.1:1"})
    assert away.level is Level.FAIL and "memory.uri" in away.fix
    assert check_embedder(values, load=True).level is Level.OK
    assert check_embedder({**values, "embedder.model": "nonsuch"}, load=True).level is Level.FAIL


def test_the_sites_words_are_tried(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("bertha, forklift\n")
    assert list(check_words(DEFAULTS)) == []
    assert [finding.level for finding in check_words({**DEFAULTS, "recall.words_file": str(file)})] == [Level.OK]
    file.write_text("bertha, forklift\nroom 101\n")
    (wrong,) = check_words({**DEFAULTS, "recall.words_file": str(file)})
    assert wrong.level is Level.FAIL and "recall.words_file" in wrong.what and "line 2" in wrong.what


@pytest.fixture
def endpoint() -> Iterator[tuple[str, dict[str, Any]]]:
    """A server's base_url, and what it answers: status and body."""
    answer: dict[str, Any] = {"status": 200, "body": b'{"data": [{"id": "llama3.1:latest"}]}', "authorization": ""}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer["authorization"] = self.headers.get("Authorization", "")
            self.send_response(answer["status"] if self.path == "/v1/models" else 404)
            self.end_headers()
            self.wfile.write(answer["body"])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", answer
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_language_model_s_endpoint(endpoint, monkeypatch) -> None:
    base_url, answer = endpoint
    monkeypatch.setenv("SECRET_KEY", "sk-very-secret")

    def llm(model: str = "openai:llama3.1", url: str = base_url, variable: str = "SECRET_KEY") -> Finding:
        finding = check_endpoint(
            {**DEFAULTS, "llm.model": model, "llm.base_url": url, "llm.api_key_env": variable}, "llm"
        )
        assert "very-secret" not in f"{finding}"
        return finding

    assert llm().level is Level.OK and answer["authorization"] == "Bearer sk-very-secret"
    assert "llama3.1:latest" in llm("openai:gpt-9").fix
    assert "/v1" in llm(url=base_url.removesuffix("/v1")).fix
    answer["status"] = 401
    assert llm().level is Level.FAIL and "SECRET_KEY" in llm().fix
    answer.update(status=200, body=b"<html>")
    assert llm().level is Level.WARN
    assert "cannot be reached" in llm(url="http://127.0.0.1:1/v1").what
    assert "wanted: http" in llm(url="localhost:11434/v1").fix
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert "export OPENAI_API_KEY" in llm(url="", variable="").fix
    assert llm("extractive").level is Level.OK
