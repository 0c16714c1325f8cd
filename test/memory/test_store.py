"""The contract of the memory store, on every engine: what is written is found, by text, place and time."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError, MemoryUnavailable, ModelFailed, ModelMismatch
from remembr_ros.memory.collections import unindexed
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.query import Order, Query
from remembr_ros.memory.schema import CollectionInfo, memory_id
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import NANOSECONDS, Memory

START_NS = 1_796_061_600_250_000_000
WINDOW_NS = 3 * NANOSECONDS

Remember = Callable[..., Memory]


def indices(store: MemoryStore, query: Query, visible_before_ns: int | None = None) -> list[float]:
    """Which windows a search returns, as their number."""
    return [
        (hit.memory.start_ns - START_NS) / WINDOW_NS for hit in store.search(query, visible_before_ns=visible_before_ns)
    ]


# --- writing and reading back ---


def test_what_is_written_reads_back_equal(store: MemoryStore, remember: Remember) -> None:
    memories = [
        remember(0),
        remember(1, "a caf\u00e9 \u6f22 \U0001f600", at=(1.5, -2.25), image_uri="file:/k/1.jpg"),
        remember(2),
    ]
    store.write(memories)
    assert store.get([memories[2].id, "unknown", memories[1].id]) == [memories[2], memories[1]]
    assert store.count() == 3
    assert store.bounds() == (START_NS, START_NS + 3 * WINDOW_NS)


def test_an_empty_memory_answers_nothing(store: MemoryStore) -> None:
    assert store.count() == 0 and store.bounds() is None and store.get([]) == [] and store.between(None, None, 5) == []
    for query in (Query(), Query(text="cup"), Query(near=(0, 0)), Query(at_ns=5), Query(text="cup", order=Order.FIRST)):
        assert store.search(query) == []


def test_writing_twice_stores_once_and_the_first_stays(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(0, "a cup"), remember(0, "a cup")])
    store.write([remember(0, "something else"), remember(1)])
    assert store.count() == 2
    assert store.get([remember(0).id])[0].caption == "a cup"


def test_deleting_forgets_for_good(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(i, "a cup") for i in range(5)])
    assert store.delete([remember(1).id, remember(4).id, "unknown"]) == 2
    assert store.delete([remember(1).id]) == 0
    assert sorted(indices(store, Query(text="cup"))) == [0, 2, 3]
    assert store.bounds() == (START_NS, START_NS + 4 * WINDOW_NS)


def test_select_finds_all_however_many(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(i, at=(float(i), 0.0)) for i in range(2500)])
    assert store.select(Query()) == [remember(i).id for i in range(2500)]
    assert store.select(Query(near=(100.0, 0.0), within_m=2.5, map_id="floor")) == [
        remember(i).id for i in range(98, 103)
    ]


def test_captions_longer_than_the_field_are_cut(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(0, "\u6f22" * 10_000)])
    assert 8000 < len(store.get([remember(0).id])[0].caption.encode()) <= 8192


def test_fault_e3_lone_surrogate_in_a_caption_is_stored_replaced(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(0, "a sign \ud83d")])
    assert [hit.memory.caption for hit in store.search(Query(text="sign \ud83d"))] == ["a sign \ufffd"]


def test_fault_61_a_vector_that_is_not_finite_is_never_stored(
    store: MemoryStore, remember: Remember, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(store.embedder, "embed_documents", lambda texts: np.full((len(texts), 64), np.nan), raising=False)
        with pytest.raises(ModelFailed, match="hashing:64"):
            store.write([remember(0)])
    assert store.count() == 0
    store.write([remember(0)])
    assert store.count() == 1


@pytest.mark.parametrize("length", [1e-30, 100.0, 3e37])
def test_a_vector_of_another_length_is_found_by_its_direction(
    store: MemoryStore, remember: Remember, length: float
) -> None:
    """Of an import, say; Milvus Lite never finds one whose square is beyond a float."""
    vectors = store.embedder.embed_documents(["a red door"]) * np.float32(length)
    store.write([remember(0, "a red door"), remember(1, "a lift")], np.vstack([vectors, vectors[:, ::-1]]))
    (hit,) = store.search(Query(text="a red door", limit=1))
    assert hit.memory == remember(0, "a red door") and hit.score == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(ModelFailed, match="no direction"):
        store.write([remember(2)], np.zeros((1, 64), dtype=np.float32))
    assert store.count() == 2


def test_fault_e7_every_row_is_found_after_many_single_writes(store: MemoryStore, remember: Remember) -> None:
    with ThreadPoolExecutor(12) as pool:  # on a server each write waits until it is visible
        list(pool.map(lambda i: store.write([remember(i, f"object {i}")]), range(120)))
    assert store.count() == 120
    assert len(store.search(Query(text="object", limit=1000))) == 120
    assert len(store.search(Query(limit=1000))) == 120


# --- time ---


def test_fault_5_times_are_exact_and_neighbouring_windows_distinct(store: MemoryStore, remember: Remember) -> None:
    second = NANOSECONDS
    store.write([remember(i, end_ns=START_NS + i * WINDOW_NS + second) for i in range(4)])  # 18:00:00.25, +3, +6, +9
    six = START_NS - 250_000_000 + 6 * second
    assert indices(store, Query(at_ns=six, limit=1)) == [2]
    assert indices(store, Query(after_ns=six - 4 * second, before_ns=six - second)) == [1]
    assert [memory.start_ns for memory in store.between(None, None, 10)] == [START_NS + i * WINDOW_NS for i in range(4)]


def test_a_range_takes_the_windows_that_overlap_it(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(i) for i in range(10)])
    middle = START_NS + 4 * WINDOW_NS + WINDOW_NS // 2
    assert indices(store, Query(after_ns=middle, before_ns=middle + 1, order=Order.FIRST)) == [4]
    assert indices(
        store, Query(after_ns=START_NS + 3 * WINDOW_NS, before_ns=START_NS + 5 * WINDOW_NS, order=Order.FIRST)
    ) == [3, 4]


def test_first_and_last_over_days(store: MemoryStore, remember: Remember) -> None:
    day = 28_800
    numbers = [0, 1, 2, 5 * day, 5 * day + 1, 30 * day]
    store.write([remember(i) for i in numbers])
    assert indices(store, Query(order=Order.FIRST, limit=4)) == [0, 1, 2, 5 * day]
    assert indices(store, Query(order=Order.LAST, limit=3)) == [30 * day, 5 * day + 1, 5 * day]
    assert indices(store, Query(limit=1)) == [30 * day]
    assert indices(store, Query(at_ns=START_NS + 20 * day * WINDOW_NS, limit=2)) == [30 * day, 5 * day + 1]
    assert indices(store, Query(order=Order.LAST, before_ns=START_NS + 5 * day * WINDOW_NS + 1, limit=2)) == [
        5 * day,
        2,
    ]


def test_rows_older_and_newer_than_what_was_known_are_found(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(1000)])
    assert indices(store, Query(order=Order.LAST)) == [1000]
    store.write([remember(i) for i in (-500_000, 3, 900_000)])
    assert indices(store, Query(order=Order.FIRST, limit=2)) == [-500_000, 3]
    assert indices(store, Query(order=Order.LAST, limit=2)) == [900_000, 1000]
    assert store.bounds() == (START_NS - 500_000 * WINDOW_NS, START_NS + 900_001 * WINDOW_NS)


def test_nothing_from_the_future_is_visible(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(i, "a cup", at=(float(i), 0.0)) for i in range(6)])
    now_ns = START_NS + 3 * WINDOW_NS
    for query in (
        Query(text="cup", limit=10),
        Query(limit=10),
        Query(order=Order.FIRST, limit=10),
        Query(near=(5.0, 0.0), map_id="floor", limit=10),
        Query(at_ns=START_NS + 5 * WINDOW_NS, limit=10),
        Query(text="cup", order=Order.LAST, limit=10),
    ):
        assert sorted(indices(store, query, now_ns)) == [0, 1, 2]


def test_neighbours_are_of_the_same_camera_in_time_order(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(i) for i in range(9)] + [remember(i, camera="rear") for i in range(9)])
    found = store.neighbours(remember(4).id, 2, 3)
    assert found == [remember(i) for i in (2, 3, 4, 5, 6, 7)]
    assert store.neighbours(remember(0).id, 2, 0) == [remember(0)]
    assert store.neighbours("unknown", 1, 1) == []


def test_the_first_and_the_last_instant_there_is(store: MemoryStore, remember: Remember) -> None:
    last_ns = 2**63 - 1
    first = remember(0, id="first", start_ns=0, end_ns=1, episode_start_ns=0)
    last = remember(0, id="last", start_ns=last_ns - 1, end_ns=last_ns, episode_start_ns=last_ns - 1)
    store.write([last, first, remember(1)])
    assert store.bounds() == (0, last_ns)
    assert [memory.id for memory in store.between(None, None, 5)] == ["first", remember(1).id, "last"]
    assert [hit.memory.id for hit in store.search(Query(limit=2))] == ["last", remember(1).id]
    for at_ns, expected in ((0, "first"), (last_ns, "last"), (-(2**70), "first"), (2**70, "last")):
        assert [hit.memory.id for hit in store.search(Query(at_ns=at_ns, limit=1))] == [expected]
    assert len(store.search(Query(after_ns=-(2**80), before_ns=2**80, limit=9))) == 3
    assert store.search(Query(text="corridor", after_ns=2**63)) == []


# --- place ---


def test_a_radius_is_a_circle_on_one_map(store: MemoryStore, remember: Remember) -> None:
    store.write(
        [
            remember(0, at=(0.0, 0.0)),
            remember(1, at=(0.0, 2.0)),
            remember(2, at=(1.9, 1.9)),
            remember(3, at=(-1.0, -1.0)),
            remember(4, at=(0.0, 0.0), map_id="cellar"),
            remember(5),
        ]
    )
    assert sorted(indices(store, Query(near=(0.0, 0.0), within_m=2.0, map_id="floor"))) == [0, 1, 3]
    assert indices(store, Query(near=(0.0, 0.0), within_m=2.0, map_id="cellar")) == [4]
    assert indices(store, Query(near=(0.0, 0.0), within_m=2.0)) == []
    assert indices(store, Query(near=(0.1, 1.9), map_id="floor")) == [1, 2, 0, 3]


def test_nearest_place_is_exact_at_any_distance(store: MemoryStore, remember: Remember) -> None:
    random = np.random.default_rng(3)
    places = [tuple(place) for place in random.uniform(-300, 300, (400, 2)).tolist()]
    store.write([remember(i, at=place) for i, place in enumerate(places)])
    for near in ((0.0, 0.0), (1000.0, -50.0), places[17]):
        expected = sorted(range(400), key=lambda i: float(np.hypot(places[i][0] - near[0], places[i][1] - near[1])))[:7]
        assert indices(store, Query(near=near, map_id="floor", limit=7)) == expected


def test_localized_only(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(0, at=(0.0, 0.0)), remember(1, at=(0.0, 0.0), localized=False), remember(2)])
    assert indices(store, Query(localized_only=True)) == [0]
    assert sorted(indices(store, Query(near=(0.0, 0.0), map_id="floor"))) == [0, 1]


# --- text, and everything together ---


def test_text_ranks_by_meaning_with_scores(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(0, "a red cup on a table"), remember(1, "a blue suitcase"), remember(2, "a red door")])
    hits = store.search(Query(text="where is the blue suitcase?", limit=2))
    assert hits[0].memory.caption == "a blue suitcase"
    assert 1.0 >= hits[0].score > 0.5 > hits[1].score


def test_a_number_finds_its_plate_among_many(store: MemoryStore, remember: Remember) -> None:
    around = "a long hallway with white walls and a wooden floor, lamps on the ceiling and a person far away"
    store.write(
        [remember(i, f"{around} and a plate room {180 + i}") for i in range(60)] + [remember(90, "a room with lamps")]
    )
    assert indices(store, Query(text="where is room 204?", limit=1)) == [24]


def test_first_last_and_nearest_consider_only_what_is_relevant(store: MemoryStore, remember: Remember) -> None:
    captions = [
        "a long corridor",
        "a blue suitcase",
        "a red cup",
        "a blue suitcase",
        "a door",
        "a blue suitcase",
        "a door",
    ]
    store.write([remember(i, caption, at=(float(i), 0.0)) for i, caption in enumerate(captions)])
    assert indices(store, Query(text="blue suitcase", order=Order.FIRST)) == [1, 3, 5]
    assert indices(store, Query(text="blue suitcase", order=Order.LAST, limit=2)) == [5, 3]
    nearest = Query(text="blue suitcase", order=Order.NEAREST, near=(3.4, 0.0), map_id="floor")
    assert indices(store, nearest) == [3, 5, 1]
    assert indices(
        store, Query(text="blue suitcase", order=Order.NEAREST, at_ns=START_NS + 5 * WINDOW_NS, limit=1)
    ) == [5]


def test_first_and_last_among_more_than_one_pool(store: MemoryStore, remember: Remember) -> None:
    """The earliest of 1500 equally relevant memories is not among the 400 that the engine returns first."""
    order = np.random.default_rng(5).permutation(1500).tolist()
    store.write([remember(i, "a blue suitcase") for i in order])
    assert indices(store, Query(text="blue suitcase", order=Order.FIRST, limit=3)) == [0, 1, 2]
    assert indices(store, Query(text="blue suitcase", order=Order.LAST, limit=3)) == [1499, 1498, 1497]


def test_one_parked_night_never_hides_the_rest(store: MemoryStore, remember: Remember) -> None:
    parked = [remember(i, "a blue suitcase", at=(0.0, 0.0), episode_start_ns=START_NS) for i in range(3000)]
    later = [remember(5000 + i, "a suitcase in blue", at=(0.5 + i, 0.0)) for i in range(4)]
    store.write(parked + later)
    expected = {0.0, 5000.0, 5001.0, 5002.0, 5003.0}
    for query in (
        Query(text="blue suitcase"),
        Query(text="blue suitcase", order=Order.FIRST),
        Query(text="blue suitcase", order=Order.LAST),
        Query(near=(0.0, 0.0), map_id="floor"),
        Query(order=Order.FIRST),
        Query(order=Order.LAST),
        Query(at_ns=START_NS + 100 * WINDOW_NS),
    ):
        found = store.search(query)
        assert len({hit.memory.episode_start_ns for hit in found}) == len(found) == 5, query
        assert {(hit.memory.episode_start_ns - START_NS) / WINDOW_NS for hit in found} == expected, query
    assert len(store.search(Query(text="blue suitcase", limit=1000, collapse=False))) == 1000
    assert indices(store, Query(order=Order.LAST, before_ns=START_NS + 4000 * WINDOW_NS)) == [2999]


def test_episodes_of_two_cameras_that_start_together_stay_apart(store: MemoryStore, remember: Remember) -> None:
    store.write([remember(0, "a cup", camera=camera) for camera in ("front", "rear")])
    assert {hit.memory.camera for hit in store.search(Query(text="cup"))} == {"front", "rear"}


def test_every_mix_of_criteria_agrees_with_a_plain_filter(store: MemoryStore, remember: Remember) -> None:
    random = np.random.default_rng(11)
    memories = [
        remember(
            i,
            ["a blue suitcase", "a red cup", "a door"][i % 3],
            at=tuple(random.uniform(0, 20, 2).tolist()) if i % 5 else None,
            robot_id=f"r{i % 2}",
            camera=f"c{i % 4 // 2}",
            map_id="floor" if i % 7 else "cellar",
            episode_start_ns=START_NS + (i // 6 * 6 if i > 40 else i) * WINDOW_NS,
        )
        for i in range(200)
    ]
    store.write(memories)
    after, before = START_NS + 20 * WINDOW_NS, START_NS + 160 * WINDOW_NS
    for text in ("", "suitcase"):
        for order in Order:
            for robot_id in ("", "r1"):
                for within_m in (None, 6.0):
                    query = Query(
                        text=text,
                        near=(10.0, 10.0),
                        within_m=within_m,
                        map_id="floor",
                        after_ns=after,
                        before_ns=before,
                        robot_id=robot_id,
                        order=order,
                        limit=1000,
                        collapse=False,
                    )
                    placed = within_m is not None or order is Order.NEAREST or (order is Order.RELEVANCE and not text)
                    expected = {
                        memory.id
                        for memory in memories
                        if memory.end_ns > after and memory.start_ns < before and memory.map_id == "floor"
                        and robot_id in ("", memory.robot_id)
                        and (not placed or memory.pose is not None)
                        and (within_m is None or memory.pose.distance_to(10.0, 10.0) <= within_m)
                        and (not text or order is Order.RELEVANCE or text in memory.caption)
                    }  # fmt: skip
                    assert {hit.memory.id for hit in store.search(query)} == expected, query
                    if within_m is not None and not text:
                        assert {memory.id for memory in memories if query.matches(memory)} == expected, query


# --- between processes; other models; what cannot be opened ---


READER = (
    "import sys\nfrom remembr_ros.memory.embedders.hashing import HashingEmbedder\n"
    "from remembr_ros.memory.query import Query\nfrom remembr_ros.memory.store import MemoryStore\n"
    "store = MemoryStore.open(sys.argv[1], HashingEmbedder(64), collection=sys.argv[2])\n"
    "print('open', flush=True)\n"
    "for line in sys.stdin:\n"
    "    print([hit.memory.caption for hit in store.search(Query(text=line.strip(), limit=1))], flush=True)\n"
    "store.close()\n"
)


@pytest.fixture
def ask_elsewhere(store: MemoryStore, memory_uri: str, collection: str) -> Iterator[Callable[[str], str]]:
    """Ask another process, which has the memory open, for the caption nearest to a text."""
    with subprocess.Popen(
        [sys.executable, "-c", READER, memory_uri, collection], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout and process.stdout.readline() == "open\n"

        def ask(text: str) -> str:
            assert process.stdin and process.stdout
            process.stdin.write(f"{text}\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        yield ask
        process.stdin.close()


def test_fault_43_what_was_just_written_or_deleted_is_so_in_another_process(
    store: MemoryStore, ask_elsewhere: Callable[[str], str], remember: Remember, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    call = store._connection.call
    monkeypatch.setattr(store._connection, "call", lambda name, *a, **k: calls.append(name) or call(name, *a, **k))
    for i in range(10):
        store.write([remember(i, f"thing{i} here")])
        assert ask_elsewhere(f"thing{i}") == f"['thing{i} here']"
    for i in range(9, 0, -2):
        store.delete([remember(i).id])
        assert ask_elsewhere(f"thing{i} here") != f"['thing{i} here']"
    assert "flush" not in calls


def test_a_stream_of_writes_is_found_elsewhere_once_it_has_settled(
    store: MemoryStore, ask_elsewhere: Callable[[str], str], remember: Remember
) -> None:
    for i in range(8):
        store.write([remember(i, f"thing{i} here")], settle=False)
    store.settle()
    assert ask_elsewhere("thing7") == "['thing7 here']"
    assert ask_elsewhere("thing0") == "['thing0 here']"


def test_another_model_is_refused_with_both_names_and_the_ways_out(
    store: MemoryStore, memory_uri: str, collection: str, remember: Remember
) -> None:
    store.write([remember(0)])
    with pytest.raises(ModelMismatch) as refusal:
        MemoryStore.open(memory_uri, HashingEmbedder(128), collection=collection)
    for part in ("hashing:64", "hashing:128", "memory.collection", "import", collection):
        assert part in str(refusal.value)
    assert store.count() == 1


def test_a_collection_that_only_says_it_is_ours_is_refused(memory_uri: str, collection: str) -> None:
    from pymilvus import DataType, MilvusClient

    with MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as store:
        store._connection.call("drop_collection", collection)
        schema = MilvusClient.create_schema(description=CollectionInfo(1, "hashing:64", 64).to_description())
        schema.add_field("id", DataType.VARCHAR, is_primary=True, max_length=64)
        schema.add_field("embedding", DataType.FLOAT_VECTOR, dim=64)
        store._connection.call("create_collection", collection, schema=schema)
    with pytest.raises(MemoryUnavailable, match=f"'{collection}'.*has no field camera.*Nothing was changed"):
        MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection)


def test_a_server_that_came_back_empty_is_named_and_the_next_memory_is_kept(
    memory_uri: str, collection: str, remember: Remember
) -> None:
    with (
        MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as writer,
        MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as reader,
    ):
        writer.write([remember(0)])
        assert reader.count() == 1
        reader._connection.call("drop_collection", collection)
        with pytest.raises(
            MemoryUnavailable, match=rf"memory\.collection.*no longer has the collection '{collection}'"
        ):
            reader.count()
        writer.write([remember(1), remember(2)])
        for store in (writer, reader):
            assert [hit.memory for hit in store.search(Query(order=Order.FIRST))] == [remember(1), remember(2)]
            assert len(store.search(Query(text="a corridor"))) == 2 == store.count()
        writer._connection.call("drop_collection", collection)


def test_a_collection_of_somebody_else_is_refused(store: MemoryStore, memory_uri: str, collection: str) -> None:
    store._connection.call("create_collection", f"{collection}_other", dimension=64)
    with pytest.raises(MemoryUnavailable, match=r"not made by remembr_ros.*memory\.collection"):
        MemoryStore.open(memory_uri, HashingEmbedder(64), collection=f"{collection}_other")
    with pytest.raises(ConfigurationError, match=r"memory\.collection"):
        MemoryStore.open(memory_uri, HashingEmbedder(64), collection="1; drop")


def test_an_unreachable_server_is_named_within_the_time_limit() -> None:
    with pytest.raises(MemoryUnavailable, match=r"memory\.uri.*http://127\.0\.0\.1:9"):
        MemoryStore.open("http://127.0.0.1:9", HashingEmbedder(64), timeout_s=1.0)


def test_a_closed_store_says_so(memory_uri: str, collection: str) -> None:
    store = MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection)
    store.close()
    store.close()
    with pytest.raises(MemoryUnavailable, match="closed"):
        store.count()


def test_ids_are_those_of_the_schema(remember: Remember) -> None:
    assert remember(0).id == memory_id("carter", "front", START_NS)


def test_two_who_write_the_same_at_the_same_time_store_it_once(
    memory_uri: str, collection: str, remember: Remember
) -> None:
    """Two imports of one file, say. Milvus Lite would store a row twice that both found missing."""
    memories = [remember(number) for number in range(1500)]
    vectors = HashingEmbedder(64).embed_documents([memory.caption for memory in memories])
    together = threading.Barrier(3)

    def write(_: int) -> None:
        with MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as store:
            together.wait(30.0)
            for start in range(0, len(memories), 100):
                store.write(memories[start : start + 100], vectors[start : start + 100])

    with MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as store:
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(write, range(3)))
        assert store.count() == len(store.select(Query())) == 1500
        store._connection.call("drop_collection", collection)


def test_fault_9_nodes_that_start_together_make_one_collection(
    memory_uri: str, collection: str, remember: Remember
) -> None:
    together = threading.Barrier(6)

    def open_and_write(index: int) -> int:
        together.wait()
        with MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as store:
            store.write([remember(index)])
            return len(store.search(Query(text="a corridor", limit=10)))

    with ThreadPoolExecutor(6) as pool:
        assert all(found >= 1 for found in pool.map(open_and_write, range(6)))
    with MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as store:
        assert store.count() == 6


def test_a_collection_whose_maker_was_killed_half_way_is_completed(
    store: MemoryStore, memory_uri: str, collection: str, remember: Remember
) -> None:
    store._connection.call("release_collection", collection)
    store._connection.call("drop_index", collection, index_name="embedding")
    assert unindexed(store._connection, collection) == ["embedding"]
    with MemoryStore.open(memory_uri, HashingEmbedder(64), collection=collection) as other:
        other.write([remember(1)])
        assert len(other.search(Query(text="a corridor"))) == 1
