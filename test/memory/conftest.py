"""One hosted Milvus for all tests of the memory, a fresh collection for each."""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench._milvus_server import MilvusServer
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.query import Query
from remembr_ros.memory.schema import memory_id
from remembr_ros.memory.server import ensure_server
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory, Pose

START_NS = 1_796_061_600_250_000_000
"""2026-11-30 18:00:00.25 UTC: not a value that a float32 holds."""
WINDOW_NS = 3 * NANOSECONDS
_numbers = itertools.count()


@pytest.fixture(scope="session")
def lite_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Milvus Lite that lives as long as the tests."""
    db_file = tmp_path_factory.mktemp("memory").resolve() / "contract.db"
    with ensure_server(db_file):
        yield str(db_file)


@pytest.fixture(scope="session")
def milvus_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusServer]:
    """A Milvus server that lives as long as the tests."""
    if importlib.util.find_spec("milvus") is None:
        pytest.skip("milvus not installed: pip install -r requirements-test.txt (x86_64 only)")
    with MilvusServer(tmp_path_factory.mktemp("milvus")) as server:
        yield server


@pytest.fixture(scope="session")
def server_uri(milvus_server: MilvusServer) -> str:
    return milvus_server.uri


@pytest.fixture(params=["lite", pytest.param("server", marks=pytest.mark.milvus)])
def memory_uri(request: pytest.FixtureRequest) -> str:
    """The URI of a Milvus; each engine runs the same contract."""
    return str(request.getfixturevalue(f"{request.param}_uri"))


@pytest.fixture
def collection(request: pytest.FixtureRequest) -> str:
    """A collection of this test alone; on a server, where loading one takes seconds, tests that use `store` share
    one."""
    shared = "store" in request.fixturenames and "server" in request.node.nodeid
    return "shared" if shared else f"test_{next(_numbers)}"


@pytest.fixture
def store(memory_uri: str, collection: str) -> Iterator[MemoryStore]:
    """An empty memory."""
    with MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as opened:
        yield opened
        if collection == "shared":
            opened.delete(opened.select(Query()))
        else:
            opened._connection.call("drop_collection", collection)


@pytest.fixture
def remember() -> Callable[..., Memory]:
    """A memory of window number `index` (3 s each), `at` (x, y) on map "floor"; other fields by name."""

    def make(
        index: float, caption: str = "I see a corridor", at: tuple[float, float] | None = None, **fields: object
    ) -> Memory:
        start_ns = START_NS + round(index * WINDOW_NS)
        robot, camera = str(fields.get("robot_id", "carter")), str(fields.get("camera", "front"))
        values: dict[str, object] = {
            "id": memory_id(robot, camera, start_ns),
            "start_ns": start_ns,
            "end_ns": start_ns + WINDOW_NS,
            "episode_start_ns": start_ns,
            "caption": caption,
            "robot_id": robot,
            "camera": camera,
        }
        if at is not None:
            values |= {"pose": Pose(start_ns, "map", *at, yaw=0.5), "localized": True, "map_id": "floor"}
        return Memory(**(values | fields))  # type: ignore[arg-type]

    return make


@pytest.fixture
def db_file(tmp_path: Path) -> Path:
    """A database file of this test alone."""
    return tmp_path.resolve() / "memory.db"
