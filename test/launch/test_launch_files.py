"""Every launch file through the real `ros2 launch`: nodes active, arguments honoured, nothing left after Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.overlay("launch_ros", "ros2launch", "ros2run")]
rclpy = pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from journeys import Spinner  # noqa: E402
from processes import wait_until  # noqa: E402

ROOT = Path(__file__).parents[2]
FILES = sorted(path.name for path in (ROOT / "launch").glob("*.launch.py"))
NODES = {
    "captioner.launch.py": {"captioner"},
    "query.launch.py": {"query"},
    "remembr.launch.py": {"captioner", "query"},
    "whisper.launch.py": {"whisper"},
}
ACTIVE = "active"
PARAMETERS = """
/**:
  ros__parameters:
    map_id: office
    memory: {{uri: {folder}/memory.db}}
    outbox_path: {folder}/outbox.db
    embedder: {{model: hashing}}
    captioner: {{model: scripted}}
    audio: {{source: topic}}
    asr: {{model: scripted}}
"""


class Launch:
    """`ros2 launch` in a session of its own, as in a terminal of its own."""

    def __init__(self, folder: Path, file: str, *arguments: str) -> None:
        self.folder = folder
        self.log_file = folder / "launch.log"
        self.namespace = f"/robot_{uuid.uuid4().hex[:8]}"
        params_file = folder / "params.yaml"
        params_file.write_text(PARAMETERS.format(folder=folder))
        command = ["ros2", "launch", "remembr_ros", file, f"params_file:={params_file}"]
        command += [f"namespace:={self.namespace}", *arguments]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "ROS_LOG_DIR": str(folder / "ros")}
        self.process = self.start(command, environment)

    def start(self, command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        with self.log_file.open("w") as output:
            return subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
                # Tests that run in the background of a script inherit that Ctrl-C is ignored.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )

    @property
    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    def until(self, text: str, times: int = 1) -> None:
        try:
            wait_until(
                lambda: self.log.count(text) >= times or self.process.poll() is not None, f"{text!r} {times} times", 30
            )
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{self.log}") from None
        assert self.log.count(text) >= times, self.log

    def processes(self) -> dict[int, str]:
        """Everything that this launch started and that still runs, also what left the session, by its files."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                session = (folder / "stat").read_text().rpartition(")")[2].split()[3]
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state != "Z" and (int(session) == self.process.pid or str(self.folder) in words):
                found[int(folder.name)] = words
        return found

    def interrupt(self) -> float:
        """Ctrl-C: SIGINT to all of the terminal's processes. Seconds until nothing was left."""
        started = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(15)
        wait_until(lambda: not self.processes(), f"the end of {self.processes()}", 15)
        return time.monotonic() - started

    def close(self) -> None:
        if self.process.poll() is None:
            self.interrupt()
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def launched(tmp_path: Path) -> Iterator[list[Launch]]:
    """Launches to be ended with the test."""
    started: list[Launch] = []
    yield started
    for launch in started:
        launch.close()


@pytest.fixture
def graph() -> Iterator[Spinner]:
    spinner = Spinner(lambda context: rclpy.create_node("onlooker", context=context))
    yield spinner
    spinner.close()


def ros2(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["ros2", *arguments], capture_output=True, text=True, timeout=50, check=False)


def state_of(graph: Spinner, node: str) -> str:
    from lifecycle_msgs.srv import GetState

    client = graph.node.create_client(GetState, f"{node}/get_state")
    assert client.wait_for_service(30.0), f"{node} offers no get_state"
    future = client.call_async(GetState.Request())
    wait_until(future.done, f"the state of {node}")
    graph.node.destroy_client(client)
    return str(future.result().current_state.label)


@pytest.mark.parametrize("file", FILES)
def test_nodes_come_up_active_in_their_namespace_and_ctrl_c_leaves_nothing(file, tmp_path, launched, graph) -> None:
    launch = Launch(tmp_path, file)
    launched.append(launch)
    for name in NODES[file]:
        node = f"{launch.namespace}/{name}"
        wait_until(lambda node=node: state_of(graph, node) == ACTIVE, f"{node} to be active; {launch.log}", 40)
    taken_s = launch.interrupt()
    assert taken_s < 5.0, f"{taken_s:.1f} s:\n{launch.log}"
    assert "Traceback" not in launch.log and "SIGTERM" not in launch.log and "SIGKILL" not in launch.log, launch.log
    assert launch.log.count("process has finished cleanly") == len(NODES[file]), launch.log


def test_arguments_reach_the_nodes(tmp_path, launched, graph) -> None:
    arguments = ("image:=/left/image_raw", "pose:=where_i_am", "map:=/floor_plan", "use_sim_time:=true")
    launch = Launch(tmp_path, "remembr.launch.py", *arguments, "log_level:=debug")
    launched.append(launch)
    ns = launch.namespace
    wanted = {
        "captioner": {"/left/image_raw", f"{ns}/where_i_am", "/floor_plan", "/clock"},
        "query": {f"{ns}/question", f"{ns}/where_i_am", "/floor_plan", "/clock"},
    }

    def heard(name: str) -> set[str]:
        try:
            return {topic for topic, _ in graph.node.get_subscriber_names_and_types_by_node(name, ns)}
        except rclpy.node.NodeNameNonExistentError:
            return set()

    for name, topics in wanted.items():
        wait_until(lambda name=name, topics=topics: topics <= heard(name), f"{name} to hear {topics}: {launch.log}", 40)
    launch.until("[DEBUG]")


def test_whisper_comes_where_it_is_wanted(tmp_path, launched, graph) -> None:
    launch = Launch(tmp_path, "remembr.launch.py", "whisper:=true", "captioner:=false", "audio:=/microphones/front")
    launched.append(launch)
    for name in ("query", "whisper"):
        wait_until(
            lambda name=name: state_of(graph, f"{launch.namespace}/{name}") == ACTIVE, f"{name}: {launch.log}", 40
        )
    heard = dict(graph.node.get_subscriber_names_and_types_by_node("whisper", launch.namespace))
    assert {"/microphones/front", f"{launch.namespace}/answer_text"} <= heard.keys()


def test_one_part_can_be_left_out(tmp_path, launched, graph) -> None:
    launch = Launch(tmp_path, "remembr.launch.py", "captioner:=false")
    launched.append(launch)
    wait_until(lambda: state_of(graph, f"{launch.namespace}/query") == ACTIVE, "the query node", 40)
    assert "captioner" not in " ".join(launch.processes().values()).replace("captioner:=false", "")


def test_a_node_that_is_killed_comes_back(tmp_path, launched, graph) -> None:
    launch = Launch(tmp_path, "query.launch.py")
    launched.append(launch)
    wait_until(lambda: state_of(graph, f"{launch.namespace}/query") == ACTIVE, "the query node", 40)
    (query,) = (pid for pid, words in launch.processes().items() if "/query " in words)
    os.kill(query, signal.SIGKILL)
    launch.until("process started with pid", times=2)


def test_without_respawn_it_does_not(tmp_path, launched, graph) -> None:
    launch = Launch(tmp_path, "query.launch.py", "respawn:=false")
    launched.append(launch)
    wait_until(lambda: state_of(graph, f"{launch.namespace}/query") == ACTIVE, "the query node", 40)
    (query,) = (pid for pid, words in launch.processes().items() if "/query " in words)
    os.kill(query, signal.SIGKILL)
    launch.process.wait(15)
    assert launch.log.count("process started with pid") == 1


@pytest.mark.parametrize("file", FILES)
def test_an_argument_that_nobody_declared_is_refused(file, tmp_path, launched) -> None:
    launch = Launch(tmp_path, file, "pararms_file:=x.yaml")
    launched.append(launch)
    assert launch.process.wait(20) != 0
    assert "unknown launch argument 'pararms_file': did you mean 'params_file'?" in launch.log
    assert "process started" not in launch.log


def test_another_launch_file_may_have_arguments_of_its_own(tmp_path, launched) -> None:
    launch = Launch(tmp_path, "query.launch.py")
    launch.close()
    robot = tmp_path / "robot.launch.py"
    robot.write_text(
        "from launch import LaunchDescription\n"
        "from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription\n"
        "from launch.launch_description_sources import PythonLaunchDescriptionSource\n"
        "def generate_launch_description():\n"
        f"    source = PythonLaunchDescriptionSource({str(ROOT / 'launch' / 'query.launch.py')!r})\n"
        "    return LaunchDescription([DeclareLaunchArgument('floor'), IncludeLaunchDescription(source)])\n"
    )
    command = ["ros2", "launch", str(robot), "floor:=3", f"params_file:={tmp_path / 'params.yaml'}"]
    launch.process = launch.start(command, dict(os.environ))
    launched.append(launch)
    launch.until("process started with pid")


@pytest.mark.parametrize("file", FILES)
def test_every_argument_is_described(file) -> None:
    shown = ros2("launch", "remembr_ros", file, "--show-args")
    assert shown.returncode == 0, shown.stderr
    described = dict(re.findall(r"^    '(\w+)':\*?\n        (.+)$", shown.stdout, re.MULTILINE))
    assert described.keys() >= {"namespace", "params_file", "use_sim_time", "log_level", "respawn"}
    assert all(text.strip().endswith(".") and "no description" not in text.lower() for text in described.values())


@pytest.mark.parametrize("program", ["captioner", "query", "whisper", "remembr"])
def test_ros2_run_finds_every_program_and_it_explains_itself(program) -> None:
    shown = ros2("run", "remembr_ros", program, "--help")
    assert shown.returncode == 0, shown.stderr
    assert "usage" in shown.stdout.lower(), shown.stdout
