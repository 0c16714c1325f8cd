"""What is acknowledged is never lost: processes killed with SIGKILL in the middle of writing, a Milvus that is away.

In: nothing. Out: for each victim how many acknowledged memories were missing or there twice afterwards (0 is wanted),
and for the outage whether the order was kept and how much was waiting at most. What still waits on the disk when the
patience of this benchmark ends is late, not lost; 0 is wanted of that, too.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from bench._deployment import CAMERA, ROBOT, START_NS, WINDOW_NS
from bench._milvus_server import MilvusServer
from bench.report import Figure, Result
from remembr_ros.errors import MemoryUnavailable
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.runtime_folder import RuntimeFolder
from remembr_ros.memory.schema import memory_id
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import Frame, Memory, Window
from remembr_ros.remember.builder import MemoryBuilder
from remembr_ros.remember.captioners.scripted import ScriptedCaptioner
from remembr_ros.remember.outbox import Outbox

WRITES, KILLS, SERVER_KILLS, OUTAGE_S = 1000, 20, 5, 60.0
EMBEDDER = HashingEmbedder(32)
_PICTURE = np.zeros((16, 16, 3), np.uint8)
_GIVE_UP_S = 120.0
_DRAIN_S = 300.0
"""For the outbox to empty: the writer pauses up to 30 s between two attempts, and a busy machine is slow."""


@dataclass(frozen=True)
class Outcome:
    """Of what was acknowledged, `lost`: neither stored nor in the outbox; `twice`: stored more than once; `late`: still
    in the outbox."""

    kills: int
    lost: int
    twice: int
    late: int = 0


def run(quick: bool) -> Result:
    """About a quarter of an hour, most of it for the server, which takes a minute to come back from each kill; `quick`
    kills twice and leaves the server out."""
    writes, kills, outage_s = (60, 2, 4.0) if quick else (WRITES, KILLS, OUTAGE_S)
    figures = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        outcomes = {
            "lite": kill_lite(folder / "lite.db", writes, kills),
            "captioner": kill_captioner(folder, writes, kills),
        }
        if not quick and importlib.util.find_spec("milvus"):
            with MilvusServer(folder) as server:
                outcomes["server"] = kill_server(server, writes, SERVER_KILLS)
        for victim, outcome in outcomes.items():
            figures += [
                Figure(f"{victim}_kills", outcome.kills, ""),
                Figure(f"{victim}_lost", outcome.lost, "memories", f"of {writes} acknowledged"),
                Figure(f"{victim}_twice", outcome.twice, "memories"),
            ]
            if victim == "captioner":
                figures.append(Figure(f"{victim}_late", outcome.late, "memories", "still in the outbox"))
        figures += outage(folder / "outage.db", folder / "outage_outbox.db", outage_s)
    return Result(tuple(figures))


# --- the victims ---


def kill_lite(db_file: Path, writes: int, kills: int) -> Outcome:
    """Single writes; at random ones the host of the file, or the Milvus Lite under it, is killed while they run."""
    with MemoryStore.open(str(db_file), EMBEDDER) as store:
        return _write_under_fire(store, writes, kills, lambda number: _kill_host(db_file, milvus=number % 2 == 1))


def kill_server(server: MilvusServer, writes: int, kills: int) -> Outcome:
    """Single writes; at random ones the Milvus server is killed and started again."""

    def kill(_: int) -> None:
        server.kill()
        server.start()

    with MemoryStore.open(server.uri, EMBEDDER, collection="kills") as store:
        return _write_under_fire(store, writes, kills, kill)


def kill_captioner(folder: Path, writes: int, kills: int) -> Outcome:
    """Windows through the whole writing path in a process of its own, which is killed at random acknowledgements."""
    targets = [*sorted(random.Random(5).sample(range(5, writes - 1), kills)), writes + 1]
    uri, outbox = str(folder / "captioner.db"), str(folder / "outbox.db")
    acknowledged: set[str] = set()
    first = 0
    with MemoryStore.open(uri, EMBEDDER) as store:  # so that the host lives on between the victims
        for target in targets:
            with _remembering(uri, outbox, first, writes) as process:
                assert process.stdout is not None
                for line in process.stdout:
                    number, memory = line.split()
                    acknowledged.add(memory)
                    first = int(number) + 1
                    if first >= target:
                        process.kill()
                        break
        return _judge(store, acknowledged, kills, _in(Path(outbox)))


def outage(db_file: Path, outbox_file: Path, outage_s: float, per_s: float = 10.0) -> list[Figure]:
    """Steady captions while Milvus is killed and cannot come back for `outage_s`."""
    written: list[str] = []
    most_waiting = most_outbox = 0
    caught_up_s: float | None = None
    outbox = Outbox(outbox_file)
    with MemoryStore.open(str(db_file), EMBEDDER, timeout_s=2.0) as store:

        def write(memories: Sequence[Memory]) -> None:
            store.write(memories)
            written.extend(memory.id for memory in memories)

        acknowledged: list[str] = []
        builder = MemoryBuilder(
            ScriptedCaptioner("I see a door"), outbox, write, robot_id=ROBOT, camera=CAMERA,
            on_memory=lambda memory, _: acknowledged.append(memory.id),
        )  # fmt: skip
        steady_s = max(1.0, outage_s / 20)
        ends = [steady_s, steady_s + outage_s, 2 * steady_s + outage_s]
        began, away, number = time.monotonic(), None, 0
        while (elapsed_s := time.monotonic() - began) < ends[2]:
            if away is None and ends[0] <= elapsed_s < ends[1]:
                away = RuntimeFolder.of(db_file).open_lock("spawn")
                _hold(away, lambda: _kill_host(db_file, milvus=False))
            elif away is not None and elapsed_s >= ends[1]:
                away.close()
                away = None
            builder.submit(_window(number), None)
            number += 1
            stats = builder.stats()
            most_waiting, most_outbox = max(most_waiting, stats.waiting), max(most_outbox, stats.outbox)
            if caught_up_s is None and elapsed_s >= ends[1] and stats.outbox <= 1:
                caught_up_s = elapsed_s - ends[1]
            time.sleep(max(0.0, began + number / per_s - time.monotonic()))
        builder.drain(_DRAIN_S)
        if caught_up_s is None:
            caught_up_s = time.monotonic() - began - ends[1]
        builder.close()
        outbox.close()
        outcome = _judge(store, set(acknowledged), 1, _in(outbox_file))
    in_order = list(dict.fromkeys(written))
    return [
        Figure("outage_s", outage_s, "s", f"{number} windows, {len(acknowledged)} acknowledged"),
        Figure("outage_lost", outcome.lost + number - len(acknowledged), "memories"),
        Figure("outage_late", outcome.late, "memories", f"still in the outbox {_DRAIN_S:g} s later"),
        Figure("outage_caught_up_s", caught_up_s, "s", "from the end of the outage until all that waited was stored"),
        Figure("outage_twice", outcome.twice, "memories"),
        Figure("outage_out_of_order", float(sum(a > b for a, b in pairwise(in_order))), ""),
        Figure("outage_most_waiting", float(most_waiting), "windows", "in memory"),
        Figure("outage_most_outbox", float(most_outbox), "memories", "on disk"),
    ]


def _hold(lock: object, then: Callable[[], None]) -> None:
    """Take the lock under which a host is started, so that none can be; then act."""
    import fcntl

    fcntl.flock(lock, fcntl.LOCK_EX)  # type: ignore[arg-type]
    then()


# --- the writers ---


def remember(uri: str, outbox_file: str, first: int, last: int) -> None:
    """The writing path in this process: prints the number and id of each memory that it acknowledges."""
    outbox = Outbox(outbox_file)
    with MemoryStore.open(uri, EMBEDDER) as store:

        def acknowledge(memory: Memory, _: int) -> None:
            print((memory.start_ns - START_NS) // WINDOW_NS, memory.id, flush=True)

        builder = MemoryBuilder(
            ScriptedCaptioner("I see a door"), outbox, store.write, robot_id=ROBOT, camera=CAMERA, on_memory=acknowledge
        )
        for number in range(first, last):
            while builder.stats().waiting >= 3:
                time.sleep(0.001)
            builder.submit(_window(number), None)
        builder.drain(_DRAIN_S)
        builder.close()
    outbox.close()


def _remembering(uri: str, outbox: str, first: int, last: int) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parent.parent
    code = f"from bench.kills import remember; remember({uri!r}, {outbox!r}, {first}, {last})"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment)


def _write_under_fire(store: MemoryStore, writes: int, kills: int, kill: Callable[[int], None]) -> Outcome:
    """Write one by one, again after a failure as the outbox does; beside it, kill at random moments."""
    chance = random.Random(3)
    moments = sorted(chance.sample(range(2, writes - 1), kills))
    acknowledged: set[str] = set()
    killers: list[threading.Thread] = []
    for number in range(writes):
        if moments and number == moments[0]:
            del moments[0]
            for killer in killers:
                killer.join()
            killers = [threading.Timer(chance.uniform(0.0, 0.01), kill, (len(moments),))]
            killers[0].start()
        memory = _memory(number)
        deadline = time.monotonic() + _GIVE_UP_S
        while True:
            try:
                store.write([memory])
                break
            except MemoryUnavailable:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        acknowledged.add(memory.id)
    for killer in killers:
        killer.join()
    return _judge(store, acknowledged, kills)


def _in(outbox_file: Path) -> set[str]:
    """The ids in an outbox. Read before the store: what leaves the outbox meanwhile is stored by then."""
    with contextlib.closing(Outbox(outbox_file)) as outbox:  # what it had set aside is pending again
        return {memory.id for memory in outbox.pending(limit=10**6)}


def _judge(store: MemoryStore, acknowledged: set[str], kills: int, waiting: Collection[str] = frozenset()) -> Outcome:
    """Compare with what is stored, read without this package's own removal of doubles, and with what is `waiting`."""
    deadline = time.monotonic() + _GIVE_UP_S
    while True:
        try:
            rows = store._connection.call(
                "query", store.collection, filter="start_ns >= 0", output_fields=["id"], limit=16384
            )
            break
        except MemoryUnavailable:
            if time.monotonic() > deadline:
                raise
    there = Counter(row["id"] for row in rows)
    missing = acknowledged - there.keys()
    late = len(missing.intersection(waiting))
    return Outcome(kills, len(missing) - late, sum(count > 1 for count in there.values()), late)


def _kill_host(db_file: Path, *, milvus: bool) -> None:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        is_milvus = command[0].endswith("/milvus")
        if str(db_file) in command and (is_milvus if milvus else "remembr_ros.memory.host" in command):
            os.kill(int(folder.name), signal.SIGKILL)


def _window(number: int) -> Window:
    start_ns = START_NS + number * WINDOW_NS
    return Window(start_ns, start_ns + WINDOW_NS, (Frame(start_ns, _PICTURE),))


def _memory(number: int) -> Memory:
    start_ns = START_NS + number * WINDOW_NS
    id_ = memory_id(ROBOT, CAMERA, start_ns)
    return Memory(id_, start_ns, start_ns + WINDOW_NS, start_ns, f"I see door {number}", robot_id=ROBOT, camera=CAMERA)
