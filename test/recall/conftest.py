"""The small building, embedded for real: in a list for the rules and the loop, in Milvus Lite for the whole path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import ScriptedLLM
from small_building import ZONE_NAME, memories, question

from remembr_ros.memory.embedders import create_embedder
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.server import ensure_server
from remembr_ros.memory.store import MemoryStore
from remembr_ros.recall.answerer import create_recall
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer


@pytest.fixture(scope="session")
def sentence_embedder() -> Any:
    pytest.importorskip("sentence_transformers", reason="pip install -r requirements-models.txt")
    return create_embedder("packaged")


@pytest.fixture(scope="session")
def building(sentence_embedder: Any) -> ListMemory:
    return ListMemory(memories(), sentence_embedder)


@pytest.fixture
def hashed_building() -> ListMemory:
    """The same without a model: similar words, not similar meanings. Its own list, so a test may add to it."""
    return ListMemory(memories(), HashingEmbedder(256))


@pytest.fixture(scope="session")
def milvus_building(sentence_embedder: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryStore]:
    db_file = tmp_path_factory.mktemp("recall").resolve() / "building.db"
    with ensure_server(db_file), MemoryStore.open(str(db_file), sentence_embedder) as store:
        store.write(memories())
        yield store


@pytest.fixture
def ask() -> Callable[..., Answer]:
    """ask(memory, text, llm=None, settings=..., **question fields) -> Answer, through Recall.ask; `llm` a
    ScriptedLLM."""

    def ask_once(
        memory: Any,
        text: str,
        llm: ScriptedLLM | None = None,
        settings: RecallSettings | None = None,
        *,
        model: str = "test",
        **fields: Any,
    ) -> Answer:
        async def main() -> Answer:
            recall = create_recall(
                f"openai:{model}" if llm else "extractive",
                memory,
                base_url=llm.base_url if llm else "",
                timezone=ZONE_NAME,
                settings=settings or RecallSettings(time_limit_s=15.0, llm_timeout_s=5.0),
            )
            try:
                return await recall.ask(question(text, **fields))
            finally:
                await recall.close()

        return asyncio.run(main())

    return ask_once
