"""One Milvus Lite server for a database file, shared by all nodes: `ensure_server` starts or joins it.

Milvus Lite allows one process per file, and our nodes are several. The first that needs the file starts a host
process (`python -m remembr_ros.memory.host FILE`) that owns it and serves it on a unix socket; the others join. Each
holds a lease; the host stops, cleanly, a few seconds after the last lease is gone, even if their holders were killed.

The processes meet in a `RuntimeFolder`.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from remembr_ros.errors import MemoryHeld, MemoryUnavailable, MissingDependency
from remembr_ros.memory.runtime_folder import RuntimeFolder, try_lock

_POLL_S, _TURN_POLL_S = 0.02, 0.002


class ServerHandle:
    """A lease on the server of one file: it runs at least until `close`, or until this process ends."""

    def __init__(self, db_file: Path, folder: RuntimeFolder, lease: IO[str]) -> None:
        self.db_file = db_file
        self.uri = f"unix:{folder.socket}"
        self._folder = folder
        self._lease: IO[str] | None = lease

    def is_alive(self) -> bool:
        """Whether the server accepts connections."""
        return self._folder.answers()

    def wait_for_end(self, closing: int) -> bool:
        """Block until the host process has ended (True), or until the file descriptor `closing` can be read (False).

        Needs Linux 5.3 and a Python built for it; without, it returns False at once, and the next call finds the death.
        """
        try:
            host = os.pidfd_open(int((self._folder.path / "host.lock").read_text()))
        except ProcessLookupError:
            return True
        except (OSError, ValueError, AttributeError):
            return False
        try:
            waiting = select.poll()  # select.select takes no descriptor above 1023
            for descriptor in (host, closing):
                waiting.register(descriptor, select.POLLIN)
            return closing not in dict(waiting.poll())
        finally:
            os.close(host)

    def log_mark(self) -> int:
        """Where the server's log ends now, for `refusal_since`."""
        try:
            return self._folder.log.stat().st_size
        except FileNotFoundError:  # a cleaner of /tmp took the folder; `revive` makes it again
            return 0

    def refusal_since(self, mark: int) -> str:
        """What SQLite said if it refused an insert since then, else empty. Milvus Lite 2.5 only logs it (seen with a
        file that another program had locked) and reports success."""
        if self.log_mark() in (0, mark):
            return ""
        with self._folder.log.open(errors="replace") as log:
            log.seek(mark if mark <= self.log_mark() else 0)
            lines = [line.strip() for line in log if "Insert data failed" in line]
        return lines[-1].rpartition("]")[2] if lines else ""

    @contextlib.contextmanager
    def writing(self, timeout_s: float) -> Iterator[None]:
        """Only one process at a time is in here. Raises MemoryUnavailable when another does not leave."""
        deadline = time.monotonic() + timeout_s
        with RuntimeFolder.of(self.db_file).open_lock("write") as lock:
            while not try_lock(lock):
                _wait(deadline, f"another process does not finish writing to {self.db_file}", _TURN_POLL_S)
            yield

    def revive(self, timeout_s: float) -> None:
        """Start the server again if it died. Raises like `ensure_server`."""
        deadline = time.monotonic() + timeout_s
        RuntimeFolder.of(self.db_file)  # a cleaner of /tmp may have taken it, and the lease with it
        if self._lease is not None and not self._folder.has_lock("lease", self._lease):
            self._lease.close()
            self._lease = _take_lease(self.db_file, self._folder, deadline)
        _find_or_start(self.db_file, self._folder, deadline)

    def stop(self, timeout_s: float) -> None:
        """End the server for everybody, cleanly, and wait for it; `revive` starts it again."""
        deadline = time.monotonic() + timeout_s
        with self._folder.open_lock("host") as host:
            if try_lock(host, shared=True):
                return
            with contextlib.suppress(ValueError, ProcessLookupError):
                os.kill(int((self._folder.path / "host.lock").read_text()), signal.SIGTERM)
            while not try_lock(host, shared=True):
                _wait(deadline, f"the server of {self.db_file} does not stop")

    def close(self) -> None:
        """Drop the lease. Idempotent."""
        if self._lease is not None:
            self._lease.close()
            self._lease = None

    def __enter__(self) -> ServerHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def ensure_server(db_file: Path, *, start_timeout_s: float = 30.0) -> ServerHandle:
    """Join the server of `db_file`, starting it if there is none. `db_file` as `uri.locate` gives it.

    Raises MissingDependency (Milvus Lite is not installed), MemoryHeld (a process that is not ours has the file open)
    or MemoryUnavailable (the server does not start; the message has its reason).
    """
    if importlib.util.find_spec("milvus_lite") is None:
        raise MissingDependency(
            "milvus-lite", "pip install 'milvus-lite>=2.5.1,<3' 'setuptools<81'", needed_for=f"memory.uri {db_file}"
        )
    deadline = time.monotonic() + start_timeout_s
    folder = RuntimeFolder.of(db_file)
    lease = _take_lease(db_file, folder, deadline)
    try:
        _find_or_start(db_file, folder, deadline)
    except BaseException:
        lease.close()
        raise
    return ServerHandle(db_file, folder, lease)


def _take_lease(db_file: Path, folder: RuntimeFolder, deadline: float) -> IO[str]:
    lease = folder.open_lock("lease")
    try:
        while not try_lock(lease, shared=True):  # a host that is just stopping
            _wait(deadline, f"the server of {db_file} does not finish stopping")
    except BaseException:
        lease.close()
        raise
    return lease


def _find_or_start(db_file: Path, folder: RuntimeFolder, deadline: float) -> None:
    with folder.open_lock("spawn") as spawn, folder.open_lock("host") as host:
        while not try_lock(spawn):
            _wait(deadline, f"another process has not finished starting the server of {db_file}")
        while not try_lock(host, shared=True):
            if folder.answers():
                return
            _wait(deadline, f"the server of {db_file} does not answer; see {folder.log}")
        fcntl.flock(host, fcntl.LOCK_UN)
        _spawn(db_file, folder, deadline)


def _wait(deadline: float, problem: str, pause_s: float = _POLL_S) -> None:
    if time.monotonic() > deadline:
        raise MemoryUnavailable(problem)
    time.sleep(pause_s)


def _spawn(db_file: Path, folder: RuntimeFolder, deadline: float) -> None:
    """Start a host and wait for its report: one line of JSON on its standard output."""
    import remembr_ros

    environment = dict(os.environ)
    package_root = str(Path(remembr_ros.__file__).resolve().parent.parent)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package_root, environment.get("PYTHONPATH", ""))))
    # Else Milvus logs 1 kB for each search, under names of its own in /tmp, and never deletes them.
    environment |= {"GLOG_logtostderr": "1", "GLOG_minloglevel": "2"}
    folder.log.write_text("")
    with folder.log.open("a") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "remembr_ros.memory.host", str(db_file)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd="/",
            env=environment,
            start_new_session=True,  # a Ctrl-C meant for the nodes must not end the server under them
        )
    _reap_later(process)
    assert process.stdout is not None
    with process.stdout as reports:
        ready, _, _ = select.select([reports], [], [], max(0.0, deadline - time.monotonic()))
        line = reports.readline() if ready else b""
    if not ready:
        process.terminate()
        raise MemoryUnavailable(f"the server of {db_file} was not ready in time; see {folder.log}")
    try:
        report = json.loads(line)
    except ValueError:
        reason = folder.log.read_text(errors="replace")[-500:].strip() or "it ended without a reason; was it killed?"
        report = {"state": "failed", "message": reason}
    if report["state"] == "ready":
        return
    if report["state"] == "held":
        raise MemoryHeld(
            f"{db_file} is open in {report['message']}, which is not a server of remembr_ros. Stop that process, or "
            "run a Milvus server and set memory.uri to its address (http://HOST:19530). The file was not touched."
        )
    raise MemoryUnavailable(f"the server of {db_file} did not start: {report['message']} (its log: {folder.log})")


def _reap_later(process: subprocess.Popen[bytes]) -> None:
    """The host outlives or dies before us; either way it must not stay behind as a zombie of this process."""
    threading.Thread(target=process.wait, name="milvus-host-reaper", daemon=True).start()
