"""An error that nobody thought of is an answer, too: a caller of a service never waits for ever."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from remembr_interfaces.srv import Search  # noqa: E402
from remembr_ros.nodes.query_node import QueryNode  # noqa: E402
from remembr_ros.records import AnswerError  # noqa: E402

pytestmark = pytest.mark.ros


class Stub:
    """What `_with_memory` needs of a node."""

    active = True
    _memory = object()

    def _unexpected(self, error: Exception) -> str:
        return f"unexpected {type(error).__name__}: {error}"


def test_a_service_answers_whatever_its_memory_raises():
    async def work(_: object) -> None:
        raise OSError("the disk has gone")

    response = asyncio.run(QueryNode._with_memory(Stub(), work, Search.Response()))
    assert response.error_code == AnswerError.INTERNAL.value
    assert response.error_msg == "unexpected OSError: the disk has gone"
