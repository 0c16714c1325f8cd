"""The small building as a memory for evaluations, by words, without a model."""

from __future__ import annotations

import pytest
from list_memory import ListMemory
from small_building import memories

from remembr_ros.memory.embedders.hashing import HashingEmbedder


@pytest.fixture
def building() -> ListMemory:
    return ListMemory(memories(), HashingEmbedder(256))
