"""Programs that the demo starts, watches and ends. Each is a process of its own with its log in a file."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STOP_WITHIN_S = 5.0


class Program:
    """`python -m MODULE ARGUMENTS` in a session of its own, so that Ctrl-C reaches the demo first."""

    def __init__(self, name: str, module: str, arguments: Sequence[str], log_folder: Path) -> None:
        self.name = name
        self.log = log_folder / f"{name}.log"
        with self.log.open("a") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, "PYTHONUNBUFFERED": "1"}, cwd=ROOT,
            )  # fmt: skip

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def last_words(self, lines: int = 12) -> str:
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def ask_to_stop(self) -> None:
        if self.running:
            self._process.send_signal(signal.SIGINT)

    def stop(self) -> bool:
        """Ask, wait, and only then kill. Whether it went by itself."""
        self.ask_to_stop()
        try:
            self._process.wait(STOP_WITHIN_S)
            return True
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return False


def stop_all(programs: Sequence[Program]) -> list[str]:
    """Names of those that had to be killed."""
    for program in programs:
        program.ask_to_stop()
    return [program.name for program in programs if not program.stop()]


def memory_mb(pid: int) -> float:
    """Resident memory of a process [MB]; 0 if it is gone."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1000.0
    except OSError:
        pass
    return 0.0


def milvus_pids(db_file: Path) -> list[int]:
    """Processes of the server that hosts this database file (started by the first node that needed it)."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if os.fsencode(db_file) in command:
                found.append(int(entry.name))
    return found


def end_milvus(db_file: Path) -> None:
    """Its clients are gone: it would end by itself in some seconds, and the demo's database goes with it."""
    for pid in milvus_pids(db_file):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + STOP_WITHIN_S
    while milvus_pids(db_file) and time.monotonic() < until:
        time.sleep(0.05)
