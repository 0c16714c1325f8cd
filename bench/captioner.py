"""The captioner on real cameras' streams over DDS, with models of 0 to 8 s; and what the tagger says of photographs.

In: a camera process and a captioner process. Out: windows stored of those that there were, CPU of the captioner's
process in % of one core, its lag, skipped windows, growth of its resident memory; a verdict a photograph.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench._photographs import verdicts
from bench.report import Figure, Result

WINDOW_S, SECONDS, QUICK_SECONDS, QUEUE = 3.0, 120.0, 12.0, 4
STREAMS = {"vga_30hz": (640, 480, 30.0), "1920x1200_15hz": (1920, 1200, 15.0)}
SLOW_MODELS_S = (2.0, 4.0, 8.0)
SLOW_STREAM = (320, 240, 10.0)
ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Watched:
    """One captioner process: its counters from /diagnostics once a second, its CPU time and memory."""

    namespace: str
    process: subprocess.Popen[bytes]
    uri: str
    reports: list[dict[str, float]] = field(default_factory=list)
    resident_mb: list[float] = field(default_factory=list)

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def sample(self) -> None:
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        self.resident_mb.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)

    def value(self, name: str) -> float:
        return self.reports[-1].get(name, 0.0) if self.reports else 0.0

    def grown_mb(self) -> float:
        """Mean of the last third less mean of the second: the first is warming up."""
        third = max(1, len(self.resident_mb) // 3)
        last, middle = self.resident_mb[-third:], self.resident_mb[-2 * third : -third] or self.resident_mb[:1]
        return sum(last) / len(last) - sum(middle) / len(middle)


def run(quick: bool) -> Result:
    """Eight minutes; `quick` one and a half."""
    seconds = QUICK_SECONDS if quick else SECONDS
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="remembr_bench_") as name, _diagnostics() as watch:
        folder = Path(name)
        for stream, size in STREAMS.items():
            (one,), cpu = _observe(folder, watch, {stream: 0.0}, size, seconds)
            figures += _counts(stream, one, seconds)
            figures.append(Figure(f"{stream}_cpu_percent", 100.0 * cpu[0] / seconds, "%", "of one core"))
        models = {f"model_{model_s:g}s": model_s for model_s in (SLOW_MODELS_S[:2] if quick else SLOW_MODELS_S)}
        watched, _ = _observe(folder, watch, models, SLOW_STREAM, seconds)
        for (title, model_s), one in zip(models.items(), watched, strict=True):
            figures += _counts(title, one, seconds)
            lags = [report["windows lag [s]"] for report in one.reports if "windows lag [s]" in report]
            bound_s = (QUEUE + 1) * model_s
            figures += [
                Figure(f"{title}_skipped", one.value("windows skipped"), "windows", "counted in /diagnostics"),
                Figure(
                    f"{title}_most_lag_s", max(lags, default=0.0), "s", f"bound {bound_s:g} s: (queue + 1) captions"
                ),
                Figure(f"{title}_lag_of_bound", max(lags, default=0.0) / bound_s, ""),
            ]
    return Result((*figures, *verdicts()))


def _counts(title: str, one: Watched, seconds: float) -> list[Figure]:
    from remembr_ros.memory.store import MemoryStore

    windows = round(seconds / WINDOW_S)
    with MemoryStore.open_existing(one.uri) as store:
        stored = store.count()
    skipped = one.value("windows skipped")
    return [
        Figure(f"{title}_stored", stored, "windows", f"of {windows}"),
        Figure(
            f"{title}_unaccounted", abs(windows - stored - skipped), "windows", "neither stored nor counted as skipped"
        ),
        Figure(f"{title}_rss_mb", one.resident_mb[-1], "MB", "resident memory at the end"),
        Figure(f"{title}_rss_grown_mb", one.grown_mb(), "MB", "last third less the one before"),
    ]


def _observe(
    folder: Path, watch: dict[str, Watched], models: dict[str, float], size: tuple[int, int, float], seconds: float
) -> tuple[list[Watched], list[float]]:
    """Captioners for `models` (name: seconds a caption) side by side on one camera; their CPU time while it ran."""
    started = [_start(folder, title, model_s, watch) for title, model_s in models.items()]
    try:
        _wait(lambda: all(one.value("active") for one in started), 60.0, "the captioners to be active")
        start_s = (time.time() + 4.0) // WINDOW_S * WINDOW_S + WINDOW_S  # discovered by then; on the windows' grid
        width, height, hz = size
        names = ",".join(one.namespace for one in started)
        arguments = [str(value) for value in (width, height, hz, start_s, seconds)]
        camera = subprocess.Popen([sys.executable, "-m", "bench._captioner_camera", names, *arguments], cwd=ROOT)
        time.sleep(max(0.0, start_s - time.time()))
        before = [one.cpu_s() for one in started]
        while time.time() < start_s + seconds:
            for one in started:
                one.sample()
            time.sleep(1.0)
        cpu = [one.cpu_s() - was for one, was in zip(started, before, strict=True)]
        camera.wait(30.0)
        _wait(lambda: all(_is_done(one, start_s + seconds) for one in started), 60.0, "the last windows")
    finally:
        for one in started:
            one.process.send_signal(signal.SIGINT)
        for one in started:
            try:
                one.process.wait(10.0)
            except subprocess.TimeoutExpired:
                one.process.kill()
    return started, cpu


def _is_done(one: Watched, end_s: float) -> bool:
    """Every window is closed (1 s after the last picture) and captioned, and the outbox is empty, in a later report."""
    return time.time() > end_s + 3.0 and not any(
        one.value(name) for name in ("windows waiting", "windows busy [s]", "windows outbox")
    )


def _start(folder: Path, title: str, model_s: float, watch: dict[str, Watched]) -> Watched:
    namespace = f"/bench_{uuid.uuid4().hex[:8]}"
    script, uri = folder / f"{title}.yaml", str(folder / f"{title}.db")
    script.write_text(f"captions: [I see a long corridor with doors on both sides]\ndelay_s: {model_s}\n")
    parameters = {
        "captioner.model": f"scripted:{script}", "memory.uri": uri, "embedder.model": "hashing", "map_id": "bench",
        "outbox_path": str(folder / f"{title}_outbox.db"), "window_s": WINDOW_S, "queue_windows": QUEUE,
    }  # fmt: skip
    command = [sys.executable, "-m", "remembr_ros.nodes.captioner_node", "--ros-args", "-r", f"__ns:={namespace}"]
    for name, value in parameters.items():
        command += ["-p", f"{name}:={value}"]
    log = (folder / f"{title}.log").open("w")
    one = Watched(namespace, subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log), uri)
    watch[namespace] = one
    return one


@contextmanager
def _diagnostics() -> Iterator[dict[str, Watched]]:
    """Fills in the reports of whoever is put into the dictionary under its namespace."""
    import rclpy
    from diagnostic_msgs.msg import DiagnosticArray
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node

    watched: dict[str, Watched] = {}

    def keep(message: Any) -> None:
        for status in message.status:
            one = watched.get(status.name.rpartition("/")[0])
            if one is not None:
                numbers = {pair.key: _number(pair.value) for pair in status.values}
                one.reports.append(numbers | {"active": float("windows windows" in numbers)})

    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node("bench_captioner", context=context)
    node.create_subscription(DiagnosticArray, "/diagnostics", keep, 100)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    thread = threading.Thread(target=executor.spin)
    thread.start()
    try:
        yield watched
    finally:
        executor.shutdown(2.0)
        thread.join(2.0)
        node.destroy_node()
        rclpy.try_shutdown(context=context)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _wait(condition: Any, seconds: float, what: str) -> None:
    until_s = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until_s:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.1)
