"""One server per file, however many processes; it comes back when killed and goes when nobody needs it."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remembr_ros.errors import MemoryHeld, MemoryUnavailable, MissingDependency
from remembr_ros.memory import host, server
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.host import IDLE_S
from remembr_ros.memory.query import Query
from remembr_ros.memory.runtime_folder import RuntimeFolder
from remembr_ros.memory.server import ensure_server
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Memory

JOIN = (
    "import sys\nfrom pathlib import Path\nfrom remembr_ros.memory.server import ensure_server\n"
    "handle = ensure_server(Path(sys.argv[1]))\nprint(handle.uri, flush=True)\nsys.stdin.read()\n"
)
FOREIGN = (
    "import sys\nfrom milvus_lite.server import Server\nserver = Server(sys.argv[1])\n"
    "print(server.init() and server.start(), flush=True)\nsys.stdin.read()\nserver.stop()\n"
)


def until(condition: Callable[[], object], timeout_s: float = 15.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.05)


def processes(name: str, db_file: Path) -> list[int]:
    """Process ids whose command line has `name` and the file as arguments."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if str(db_file) in command and any(part.endswith(name) for part in command):
            found.append(int(folder.name))
    return found


def hosts(db_file: Path) -> list[int]:
    return processes("remembr_ros.memory.host", db_file)


def milvuses(db_file: Path) -> list[int]:
    return processes("/milvus", db_file)


@pytest.fixture
def spawn() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts python with code and arguments; ends it with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code, *map(str, arguments)]
        started.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=10)


def open_store(db_file: Path) -> MemoryStore:
    return MemoryStore.open(str(db_file), HashingEmbedder(32))


def test_fault_9_processes_that_start_at_once_share_one_server(
    db_file: Path, spawn: Callable[..., subprocess.Popen[str]]
) -> None:
    joined = [spawn(JOIN, db_file) for _ in range(4)]
    uris = {process.stdout.readline().strip() for process in joined if process.stdout}
    assert len(uris) == 1 and uris.pop().startswith("unix:/")
    assert len(hosts(db_file)) == len(milvuses(db_file)) == 1
    with open_store(db_file) as store:
        assert store.count() == 0
    for process in joined[:2]:
        process.kill()  # a killed node leaves no lease behind
    for process in joined[2:]:
        process.communicate(timeout=10)
    until(lambda: not hosts(db_file) and not milvuses(db_file))


def test_the_server_stops_when_unneeded_and_the_file_has_everything(
    db_file: Path, remember: Callable[..., Memory]
) -> None:
    with open_store(db_file) as store:
        store.write([remember(i) for i in range(10)])
    until(lambda: not hosts(db_file) and not milvuses(db_file))
    assert db_file.exists() and not (db_file.parent / ".memory.db.lock").exists()
    with open_store(db_file) as store:
        assert store.count() == 10


def test_a_node_that_restarts_finds_the_same_server(db_file: Path) -> None:
    ensure_server(db_file).close()
    first = hosts(db_file)
    with ensure_server(db_file):
        assert hosts(db_file) == first and len(first) == 1


@pytest.mark.parametrize("victims", [hosts, milvuses], ids=["host", "milvus"])
def test_a_killed_server_comes_back_with_everything_acknowledged(
    db_file: Path, remember: Callable[..., Memory], victims: Callable[[Path], list[int]]
) -> None:
    with open_store(db_file) as store, open_store(db_file) as reader:
        for i in range(60):
            store.write([remember(i, f"thing{i}")])
            if i in (20, 40):
                os.kill(victims(db_file)[0], signal.SIGKILL)
        assert store.count() == 60
        assert [hit.memory for hit in reader.search(Query(text="thing59", limit=1))] == [remember(59, "thing59")]
        assert len(hosts(db_file)) == len(milvuses(db_file)) == 1


def test_a_server_told_to_stop_comes_back_for_the_next_call(db_file: Path, remember: Callable[..., Memory]) -> None:
    with open_store(db_file) as store:
        store.write([remember(0)])
        (told,), (milvus,) = hosts(db_file), milvuses(db_file)
        os.kill(told, signal.SIGTERM)
        until(lambda: told not in hosts(db_file))
        assert milvus not in milvuses(db_file)
        assert store.count() == 1


@pytest.mark.parametrize("victims", [hosts, milvuses], ids=["host", "milvus"])
def test_a_server_that_dies_while_nobody_asks_is_back_before_the_next_question(
    db_file: Path, remember: Callable[..., Memory], victims: Callable[[Path], list[int]]
) -> None:
    with open_store(db_file) as store:
        store.write([remember(0)])
        warm = threading.Event()
        store._connection.on_revived = warm.set
        (victim,) = victims(db_file)
        os.kill(victim, signal.SIGKILL)
        assert warm.wait(15.0)
        assert victim not in victims(db_file) and store.count() == 1
    until(lambda: not hosts(db_file) and not milvuses(db_file))


def test_a_host_that_dies_at_once_is_not_started_for_ever(db_file: Path, remember: Callable[..., Memory]) -> None:
    with open_store(db_file) as store:
        store.write([remember(0)])
        revived: list[None] = []
        store._connection.on_revived = lambda: revived.append(os.kill(hosts(db_file)[0], signal.SIGKILL))
        os.kill(hosts(db_file)[0], signal.SIGKILL)
        watch = store._connection._watch
        assert watch is not None and watch._thread is not None
        watch._thread.join(15.0)
        assert not watch._thread.is_alive()
        until(lambda: len(revived) == 1)
        store._connection.on_revived = None
        # Its Milvus may answer for 2 s more; the first call that it does not answer starts a host and the watch again.
        until(lambda: store.count() == 1 and watch._thread is not None and watch._thread.is_alive())


def test_a_host_that_starts_more_slowly_than_calls_may_take_comes_back_all_the_same(
    db_file: Path, remember: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(db_file) as store:
        store.write([remember(0)])
        started: list[None] = []
        gate = threading.Event()
        spawn = server._spawn

        def slow_spawn(*arguments: Any) -> None:
            started.append(None)
            gate.wait(10.0)
            spawn(*arguments)

        monkeypatch.setattr(server, "_spawn", slow_spawn)
        store._connection.timeout_s = 0.3  # milvus-lite alone waits 0.5 s when it starts
        for pid in hosts(db_file) + milvuses(db_file):
            os.kill(pid, signal.SIGKILL)
        began = time.monotonic()
        with pytest.raises(MemoryUnavailable, match="being started again"):
            store.count()
        assert time.monotonic() - began < 5.0
        gate.set()
        until(lambda: answers(store), 30.0)
        assert len(started) == 1


def test_after_an_outage_milvus_is_looked_for_every_half_second(db_file: Path, remember: Callable[..., Memory]) -> None:
    """gRPC by itself would try after 1, 1.6, 2.6, 4.1, 6.6, 11, 17, 27 s, and so on up to 2 min."""
    folder = RuntimeFolder.of(db_file)
    with MemoryStore.open(str(db_file), HashingEmbedder(32), timeout_s=1.0) as store:
        store.write([remember(0)])
        with folder.open_lock("spawn") as away, socket.socket(socket.AF_UNIX) as deaf:
            fcntl.flock(away, fcntl.LOCK_EX)
            for pid in hosts(db_file) + milvuses(db_file):
                os.kill(pid, signal.SIGKILL)
            folder.socket.unlink(missing_ok=True)
            deaf.bind(str(folder.socket))
            deaf.listen()
            deaf.settimeout(10.0)
            over = threading.Event()
            looked: list[float] = []
            asking = threading.Thread(target=lambda: until(lambda: answers(store) or over.is_set(), 60.0))
            asking.start()
            try:
                while len(looked) < 10:
                    with deaf.accept()[0] as connection:
                        if connection.recv(3) == b"PRI":  # HTTP/2, not this package that looks whether anybody listens
                            looked.append(time.monotonic())
                assert looked[-1] - looked[0] < 15.0
            finally:
                over.set()
                asking.join()
        until(lambda: answers(store), 30.0)


@pytest.mark.parametrize("lock", ["BEGIN EXCLUSIVE", "BEGIN; SELECT count(*) FROM memories"])
def test_a_write_that_the_disk_refused_is_not_taken_for_stored(
    db_file: Path, remember: Callable[..., Memory], lock: str
) -> None:
    """Milvus Lite acknowledges the first kind and shows the rows of both until it ends."""
    with MemoryStore.open(str(db_file), HashingEmbedder(32), timeout_s=2.0) as store:
        store.write([remember(0)])
        with contextlib.closing(sqlite3.connect(db_file)) as database:
            for statement in lock.split("; "):
                database.execute(statement).fetchall()
            with pytest.raises(MemoryUnavailable, match="insert"):
                store.write([remember(1)])
        store._connection.timeout_s = 30.0  # the server is started again, which a busy machine does not do in 2 s
        store.write([remember(1), remember(2)])
        assert store.count() == 3
        for pid in hosts(db_file) + milvuses(db_file):
            os.kill(pid, signal.SIGKILL)
        assert store.get([remember(i).id for i in range(3)]) == [remember(i) for i in range(3)]
        assert store.count() == 3


def test_a_full_disk_is_named_and_what_is_stored_stays_readable(
    db_file: Path, remember: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(db_file) as store:
        store.write([remember(0)])
        with monkeypatch.context() as patch:
            patch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 0))  # type: ignore[attr-defined]
            with pytest.raises(MemoryUnavailable, match=r"memory\.db: the disk is full \(0 MB free"):
                store.write([remember(1)])
            assert store.count() == 1
        store.write([remember(1)])
        assert store.count() == 2


def test_ctrl_c_for_the_nodes_does_not_reach_the_server(db_file: Path) -> None:
    with ensure_server(db_file):
        host = hosts(db_file)[0]
        assert os.getsid(host) != os.getsid(0)
        assert os.readlink(f"/proc/{host}/fd/0") == "/dev/null"


def test_fault_9_a_file_that_a_foreign_process_has_open_is_named(
    db_file: Path, spawn: Callable[..., subprocess.Popen[str]]
) -> None:
    foreign = spawn(FOREIGN, db_file)
    assert foreign.stdout and foreign.stdout.readline() == "True\n"
    until(db_file.exists)
    before = db_file.read_bytes()
    with pytest.raises(MemoryHeld) as held:
        ensure_server(db_file)
    for part in (str(db_file), f"process {foreign.pid}", "memory.uri", "http://"):
        assert part in str(held.value)
    assert db_file.read_bytes() == before and (db_file.parent / ".memory.db.lock").exists()
    foreign.communicate(timeout=10)
    with open_store(db_file) as store:
        assert store.count() == 0


def test_a_damaged_file_is_reported_and_left_as_it_is(db_file: Path) -> None:
    content = b"SQLite format 3\0" + b"damaged" * 1000
    db_file.write_bytes(content)
    with pytest.raises(MemoryUnavailable, match=r"memory\.db"):
        open_store(db_file).close()
    assert db_file.read_bytes() == content


def test_the_database_of_another_program_is_left_as_it_is(db_file: Path) -> None:
    with contextlib.closing(sqlite3.connect(db_file)) as database:
        database.execute("CREATE TABLE bookmarks (address TEXT)")
    content = db_file.read_bytes()
    with pytest.raises(MemoryUnavailable, match=r"memory\.db.*another program.*bookmarks"):
        open_store(db_file).close()
    assert db_file.read_bytes() == content


@pytest.mark.parametrize("kept", [0.3, 0.6, 0.9])
def test_a_truncated_file_is_reported_and_left_as_it_is(
    db_file: Path, remember: Callable[..., Memory], kept: float
) -> None:
    with open_store(db_file) as store:
        store.write([remember(i) for i in range(200)])
    until(lambda: not hosts(db_file))
    content = db_file.read_bytes()[: int(kept * db_file.stat().st_size)]
    db_file.write_bytes(content)
    with pytest.raises(MemoryUnavailable, match=r"memory\.db"):
        open_store(db_file).close()
    assert db_file.read_bytes() == content


def test_looking_at_a_memory_that_is_not_there_makes_none(db_file: Path) -> None:
    with pytest.raises(MemoryUnavailable, match=r"memory\.uri: there is no memory at .*memory\.db"):
        MemoryStore.open_existing(str(db_file))
    assert list(db_file.parent.iterdir()) == []


def test_fault_e11_without_milvus_lite_the_install_command_is_the_message(
    db_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match="pip install 'milvus-lite"):
        ensure_server(db_file)


def test_nothing_is_left_in_the_folder_for_temporary_files(db_file: Path, remember):
    """Milvus logs each search into files of its own there, for ever, unless told otherwise."""
    with MemoryStore.open(str(db_file), HashingEmbedder(64)) as store:
        store.write([remember(0)])
        store.search(Query(text="a corridor"))
        (milvus,) = milvuses(db_file)
        assert not list(Path("/tmp").glob(f"milvus.*.{milvus}"))


def test_a_folder_that_a_cleaner_took_is_made_again(db_file: Path, remember):
    """/tmp is cleaned by systemd and by people. Everybody meets again in the new folder."""
    with MemoryStore.open(str(db_file), HashingEmbedder(64)) as writer:
        writer.write([remember(0)])
        (lost,) = hosts(db_file)
        shutil.rmtree(RuntimeFolder.of(db_file).path)
        until(lambda: lost not in hosts(db_file))
        writer.write([remember(1)])
        with MemoryStore.open(str(db_file), HashingEmbedder(64)) as reader:
            assert len(reader.get([remember(0).id, remember(1).id])) == 2
        time.sleep(IDLE_S + 1.0)  # a lease on the old folder would not keep the new server
        assert len(hosts(db_file)) == len(milvuses(db_file)) == 1
        assert writer.get([remember(0).id])
    until(lambda: not milvuses(db_file))


def test_months_of_requests_leave_no_logs_behind(db_file: Path, remember: Callable[..., Memory]) -> None:
    with open_store(db_file) as store:
        folder = RuntimeFolder.of(db_file)
        os.truncate(folder.log, host._LOG_BYTES + 1)
        until(lambda: folder.log.stat().st_size < 1000)
        for i in range(30):
            store.write([remember(i)])
        milvus = f".{milvuses(db_file)[0]}"
        assert not [path for path in (*folder.path.iterdir(), *Path("/tmp").iterdir()) if path.name.endswith(milvus)]


def test_a_milvus_that_hangs_costs_one_time_limit_and_works_when_it_goes_on(db_file: Path, remember):
    with MemoryStore.open(str(db_file), HashingEmbedder(64), timeout_s=1.0) as store:
        store.write([remember(0)])
        (milvus,) = milvuses(db_file)
        os.kill(milvus, signal.SIGSTOP)
        try:
            began = time.monotonic()
            with pytest.raises(
                MemoryUnavailable, match=f"{db_file.name}.*no answer in time.*memory.timeout_s"
            ) as raised:
                store.search(Query(text="a corridor"))
            assert time.monotonic() - began < 3.0 and "\n" not in str(raised.value)
            began = time.monotonic()
            for _ in range(20):  # those that follow do not wait again
                with pytest.raises(MemoryUnavailable, match=r"no answer in time.*asked again within 2 s"):
                    store.search(Query(text="a corridor"))
            assert time.monotonic() - began < 0.8
        finally:
            os.kill(milvus, signal.SIGCONT)
        until(lambda: answers(store), 5.0)
        assert store.search(Query(text="a corridor"))


def answers(store: MemoryStore) -> bool:
    with contextlib.suppress(MemoryUnavailable):
        return store.count() >= 0
    return False


HASTY = (
    "import sys\nfrom remembr_ros.memory import host\nhost.HANG_S, host._ASK_S, host._ANSWER_S = 1.0, 0.2, 0.3\n"
    "sys.exit(host.main(sys.argv[1:]))\n"
)


def test_a_milvus_that_hangs_for_good_is_ended_by_its_host_and_comes_back(
    db_file: Path, remember: Callable[..., Memory], spawn: Callable[..., subprocess.Popen[str]]
) -> None:
    hasty = spawn(HASTY, db_file, "--idle-s", "30")
    assert hasty.stdout and "ready" in hasty.stdout.readline()
    with MemoryStore.open(str(db_file), HashingEmbedder(64), timeout_s=2.0) as store:
        store.write([remember(0)])
        (hung,) = milvuses(db_file)
        os.kill(hung, signal.SIGSTOP)
        assert hasty.wait(10) == 1
        until(lambda: answers(store), 10.0)
        assert milvuses(db_file) != [hung]
        store.write([remember(1)])
        assert store.count() == 2
