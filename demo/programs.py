"""Everything that runs in the demo, from its start to its end.

In: the options of demo.run. Out: the robot's simulator, a stand-in for Nav2 and the package's own nodes, each a process
of its own, and what they took [s, MB].
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from rich.console import Console

from demo.asker import Asker, DemoFailed
from demo.processes import Program, end_milvus, memory_mb, milvus_pids, stop_all

console = Console(highlight=False)


@dataclass
class Figures:
    """What the run measured: seconds per stage, MB per process; `tour_s` of simulated time."""

    tour_s: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    memory_mb: dict[str, float] = field(default_factory=dict)


class Demo:
    """Everything that runs, and its end. A context manager. Raises DemoFailed where another demo has the ROS domain."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._domain_lock = own_domain()
        self.options = options
        self.figures = Figures()
        self._temporary = not options.keep
        self.folder = (
            Path(tempfile.mkdtemp(prefix="remembr_demo_")) if self._temporary else Path(options.keep).resolve()
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.programs: dict[str, Program] = {}
        self.asker: Asker | None = None

    @property
    def db_file(self) -> Path:
        return self.folder / "memory.db"

    def __enter__(self) -> Demo:
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):  # a second Ctrl-C must not leave anything behind; this is short
            signal.signal(number, signal.SIG_IGN)
        for name in stop_all(list(self.programs.values())):
            console.print(f"[red]{name} did not stop by itself and was killed[/]")
        if self.asker is not None:
            self.asker.close()
        end_milvus(self.db_file)
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)
        self._domain_lock.close()

    def start_nodes(self) -> Asker:
        """The package's two nodes and Nav2's stand-in, and the node that asks."""
        llm, extra = language_model(self.options)
        common = ["--ros-args", "-p", "use_sim_time:=true", "-p", f"memory.uri:={self.db_file}"]
        outbox = ["-p", f"outbox_path:={self.folder / 'outbox.db'}"]
        # Simulated time runs fast: what is proposed must not expire before the demo confirms it.
        query = [
            "-p",
            f"llm.model:={llm}",
            *extra,
            "-p",
            "timezone:=UTC",
            "-p",
            "navigation.mode:=confirm",
            "-p",
            "navigation.proposal_timeout_s:=600.0",
        ]
        self._start("captioner", "remembr_ros.nodes.captioner_node", [*common, *outbox])
        self._start("query", "remembr_ros.nodes.query_node", [*common, *query])
        self._start("nav2", "demo.nav2", [])
        self.asker = Asker(self._watch)
        return self.asker

    def start_robot(self, seed: int, visits: int, start_ns: int) -> None:
        """A new building with the robot in it; the robot of the building before goes."""
        before = self.programs.pop("simulator", None)
        if before is not None:
            before.stop()
        speed = 1.0 if self.options.realtime else self.options.speed
        arguments = ["--seed", str(seed), "--visits", str(visits), "--start-ns", str(start_ns), "--speed", str(speed)]
        self._start("simulator", "demo.player", arguments)

    def start_voice(self, asker: Asker) -> Any:
        """The whisper node, and a person who talks to it (demo.voice.Person)."""
        from demo.voice import Person

        person = Person(asker)
        arguments = ["--ros-args", "-p", "use_sim_time:=true", *person.parameters(self.folder / "spoken.wav")]
        self._start("whisper", "remembr_ros.nodes.whisper_node", arguments)
        person.wait_for_listener()
        return person

    def measure_memory(self) -> None:
        for name, program in self.programs.items():
            self.figures.memory_mb[name] = memory_mb(program.pid)
        self.figures.memory_mb["milvus lite"] = sum(memory_mb(pid) for pid in milvus_pids(self.db_file))

    def _start(self, name: str, module: str, arguments: Sequence[str]) -> None:
        self.programs[name] = Program(name, module, arguments, self.folder)

    def _watch(self) -> None:
        for program in self.programs.values():
            if not program.running:
                raise DemoFailed(f"{program.name} ended. Its last words:\n{program.last_words()}")


def own_domain() -> IO[str]:
    """What keeps other demos out of this ROS domain until it is closed: /clock and /diagnostics are global names.

    Raises DemoFailed.
    """
    domain = os.environ.get("ROS_DOMAIN_ID", "0")
    lock = open(f"/tmp/remembr_ros_demo_{domain}", "a")  # noqa: SIM115 (as long as the demo runs)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise DemoFailed(
            f"another demo runs in ROS domain {domain}: name another with --domain, or unset ROS_DOMAIN_ID"
        ) from None
    return lock


def language_model(options: argparse.Namespace) -> tuple[str, list[str]]:
    """Parameter llm.model and further parameters, from the options and the environment."""
    base_url = options.llm_base_url or os.environ.get("OPENAI_BASE_URL", "")
    extra = ["-p", f"llm.base_url:={base_url}"] if base_url else []
    if options.llm:
        return options.llm, extra
    if os.environ.get("OPENAI_API_KEY"):
        return f"openai:{os.environ.get('OPENAI_MODEL', 'gpt-4o')}", extra
    return "extractive", []
