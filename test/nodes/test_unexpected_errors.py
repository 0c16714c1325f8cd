"""An error that nobody thought of is an answer, too: a caller of a service never waits for ever."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from rclpy.logging import get_logger

from remembr_interfaces.srv import Search
from remembr_ros.records import AnswerError
from remembr_ros.ros.memory_services import MemoryServices

pytestmark = pytest.mark.ros


class ActiveNode:
    """What MemoryServices needs of a node here."""

    active = True

    def create_service(self, *_: object, **__: object) -> None:
        pass

    def get_logger(self) -> object:
        return get_logger("test")


def test_a_service_answers_whatever_its_memory_raises():
    async def work(_: object) -> None:
        raise OSError("the disk has gone")

    services = MemoryServices(ActiveNode(), None, None, object, str)
    response = asyncio.run(services._with_memory(work, Search.Response()))
    assert response.error_code == AnswerError.INTERNAL.value
    assert response.error_msg == "unexpected OSError: the disk has gone"
