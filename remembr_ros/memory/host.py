"""The host process (`python -m remembr_ros.memory.host FILE`): owns one Milvus Lite file and serves it while it is
needed.

In: the database file. Out: one line of JSON on standard output when it is ready, or why it is not; then silence.
It stops, cleanly, on SIGTERM, or `IDLE_S` after the last lease is gone. If the Milvus process under it dies, or neither
answers nor computes for `HANG_S`, the host ends it and itself: a client that has the file open starts a new one at once
(`host_watch.py`), and the file has everything that was acknowledged.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import logging
import os
import signal
import sqlite3
import struct
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from remembr_ros.memory.runtime_folder import RuntimeFolder, try_lock

IDLE_S = 3.0
"""How long the host outlives its last lease: restarting one node must not restart the database."""
HANG_S = 12.0
"""Without an answer for so long, and without using the processor: busy (loading a large file takes minutes) is not
hung."""
_ASK_S, _ANSWER_S = 3.0, 1.0
_POLL_S = 0.2
_START_S = 20.0
_PAGE_BYTES = 16384
_MILVUS_TABLE = "collection_meta"
"""Milvus Lite makes it before any other."""
_TOUCH_S = 3600.0
"""Cleaners of /tmp remove what has been untouched for days."""
_LOG_BYTES = 10_000_000
"""The log begins anew when it is larger: a host runs for months."""

logger = logging.getLogger("remembr_ros.memory.host")


def main(argv: Sequence[str]) -> int:
    """Host the file until idle. Exit status 0 after a clean stop, 1 if it could not start or lost its Milvus."""
    parser = argparse.ArgumentParser(prog="remembr_ros.memory.host", description="Serves one Milvus Lite file.")
    parser.add_argument("db_file", type=Path)
    parser.add_argument("--idle-s", type=float, default=IDLE_S)
    arguments = parser.parse_args(argv)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    reports = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Milvus inherits standard output; only the report may go to the one who waits for it
    folder = RuntimeFolder.of(arguments.db_file)
    with folder.open_lock("host") as host_lock:
        if not try_lock(host_lock):
            _report(reports, "failed", "another host has just started")
            return 1
        host_lock.truncate(0)
        host_lock.write(str(os.getpid()))
        host_lock.flush()
        return _serve(arguments.db_file, folder, arguments.idle_s, stopping, reports)


def _serve(db_file: Path, folder: RuntimeFolder, idle_s: float, stopping: threading.Event, reports: IO[str]) -> int:
    holder = _foreign_holder(db_file)
    if holder:
        _report(reports, "held", holder)
        return 1
    _end_orphan(db_file)
    folder.socket.unlink(missing_ok=True)
    with folder.open_lock("lease") as lease:
        try:
            _make(db_file)
            server = _start_milvus(db_file, folder)
        except (RuntimeError, OSError, sqlite3.Error) as error:
            _report(reports, "failed", str(error))
            return 1
        try:
            if not _wait_until(folder.answers, lambda: _has_ended(server) or stopping.is_set()):
                _report(reports, "failed", "Milvus Lite ended while starting; is the disk full, or the file damaged?")
                return 1
            _report(reports, "ready", "")
            return _watch(server, folder, lease, idle_s, stopping)
        finally:
            server.stop()  # before the lease is dropped: who comes now waits, and then starts a new host
            folder.socket.unlink(missing_ok=True)


def _make(db_file: Path) -> None:
    """An empty database in a new file, with pages that waste little: a row of 384 dimensions takes 2.3 kB, of which a
    page of SQLite's usual 4 kB holds one. Raises RuntimeError for a database that is not Milvus Lite's, and
    sqlite3.Error for one that is damaged: neither is written to."""
    if db_file.exists() and db_file.stat().st_size > 0:
        with contextlib.closing(sqlite3.connect(db_file)) as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        if tables and _MILVUS_TABLE not in tables:
            raise RuntimeError(f"it is the database of another program, which has the tables {', '.join(tables)[:100]}")
        return
    with contextlib.closing(sqlite3.connect(db_file)) as database:
        database.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        database.execute("VACUUM")


def _start_milvus(db_file: Path, folder: RuntimeFolder) -> Any:
    """A milvus_lite Server on our socket, started or already ended again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # milvus-lite imports pkg_resources
        from milvus_lite.server import Server

    # Given an address, Server would leave out the lock file by which Milvus notices that its host was killed;
    # so it gets none, and the socket in our private folder instead of its own in the temporary folder.
    server = Server(str(db_file))
    server._uds_path = str(folder.socket)
    if not (server.init() and server.start()) and server._p is None:
        # Somebody else took the file in this instant. stop() would delete their lock; give it another name to delete.
        server._lock_path = str(folder.path / "nothing")
    return server


def _has_ended(server: Any) -> bool:
    return server._p is None or server._p.poll() is not None


def _wait_until(done: Callable[[], bool], failed: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and not failed():
        if done():
            return True
        time.sleep(0.02)
    return False


def _watch(server: Any, folder: RuntimeFolder, lease: IO[str], idle_s: float, stopping: threading.Event) -> int:
    idle_since: float | None = None
    touched = time.monotonic()
    health = _Health(folder, server._p.pid)
    while not stopping.wait(_POLL_S):
        if _has_ended(server):
            logger.error("Milvus Lite ended with status %s", server._p.returncode)
            return 1
        if health.hangs():
            logger.error("Milvus Lite has not answered for %g s and does nothing: it is ended", HANG_S)
            server._p.kill()
            server._p.wait(5.0)
            return 1
        if not folder.socket.exists():  # a cleaner of /tmp took the folder: nobody can find this server any more
            logger.error("%s is gone", folder.socket)
            return 1
        now = time.monotonic()
        with contextlib.suppress(OSError):
            if folder.log.stat().st_size > _LOG_BYTES:
                os.truncate(folder.log, 0)
        if now - touched > _TOUCH_S:
            for path in (folder.path, *folder.path.iterdir()):
                os.utime(path)
            touched = now
        if not try_lock(lease):
            idle_since = None
            continue
        idle_since = now if idle_since is None else idle_since
        if now - idle_since >= idle_s:
            return 0
        fcntl.flock(lease, fcntl.LOCK_UN)
    return 0


class _Health:
    """Asks Milvus every few seconds for a sign of life."""

    def __init__(self, folder: RuntimeFolder, pid: int) -> None:
        self._address = f"unix:{folder.socket}"
        self._stat = Path(f"/proc/{pid}/stat")
        self._asked = self._well = time.monotonic()
        self._used = -1

    def hangs(self) -> bool:
        """Whether it has neither answered nor computed for `HANG_S`."""
        now = time.monotonic()
        if now - self._asked >= _ASK_S:
            used = self._processor_ticks()
            if self._answers() or used != self._used:
                self._well = time.monotonic()
            self._asked, self._used = time.monotonic(), used
        return now - self._well >= HANG_S

    def _answers(self) -> bool:
        import grpc

        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(self._address, options=options) as channel:
            connect = channel.unary_unary("/milvus.proto.milvus.MilvusService/Connect")
            try:
                connect(b"", timeout=_ANSWER_S)
            except grpc.RpcError as error:
                return bool(error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED)  # refusals are answers
        return True

    def _processor_ticks(self) -> int:
        """User and system time of the process so far (proc(5), fields 14 and 15)."""
        try:
            fields = self._stat.read_text().rpartition(")")[2].split()
        except OSError:
            return -1
        return int(fields[11]) + int(fields[12])


def _report(reports: IO[str], state: str, message: str) -> None:
    try:
        with reports:
            reports.write(json.dumps({"state": state, "message": message}) + "\n")
    except BrokenPipeError:
        logger.warning("nobody waited for: %s %s", state, message)


def _lock_file(db_file: Path) -> Path:
    return db_file.parent / f".{db_file.name}.lock"


def _foreign_holder(db_file: Path) -> str:
    """Who has the file open in a Milvus Lite of its own, for people; empty when nobody has."""
    try:
        with _lock_file(db_file).open("r+") as file:
            # struct flock of 64-bit Linux: type, whence, start, length, pid
            layout = "hhqqi4x"
            wanted = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            kind, _, _, _, pid = struct.unpack(layout, fcntl.fcntl(file, fcntl.F_GETLK, wanted))
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"an unknown process ({error})"
    if kind == fcntl.F_UNLCK:
        return ""
    command = _command(pid)
    return f"process {pid} ({' '.join(command)[:120]})" if command else f"process {pid}"


def _end_orphan(db_file: Path) -> None:
    """End the Milvus of a host that was killed, which takes up to 2 s to notice: two on one file would damage it.

    Called when nobody holds the lock of the file, so that whoever still serves it with that lock is an orphan.
    """
    for process in Path("/proc").glob("[0-9]*"):
        command = _command(int(process.name))
        if len(command) > 4 and command[0].endswith("/milvus") and command[1] == str(db_file):
            pid = int(process.name)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            deadline = time.monotonic() + 5.0
            while _command(pid) and time.monotonic() < deadline:
                time.sleep(0.01)


def _command(pid: int) -> list[str]:
    """The command line of a process, empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
