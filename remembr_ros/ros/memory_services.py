"""The memory itself on the graph: services `remembr/search` and `remembr/forget`, without a language model.

In: requests. Out: memories, or how many were deleted; every error in the response. The work runs on `Worker`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

from rclpy.callback_groups import CallbackGroup

from remembr_interfaces.srv import Forget, Search
from remembr_ros.errors import InvalidInput, MemoryUnavailable, RemembrError
from remembr_ros.memory import maintenance
from remembr_ros.memory.query import Query
from remembr_ros.memory.store import MemoryStore
from remembr_ros.records import AnswerError
from remembr_ros.ros import qos
from remembr_ros.ros.asking import why_inactive
from remembr_ros.ros.conversions import memory_message, query_from, selection_from
from remembr_ros.ros.lifecycle import ManagedNode
from remembr_ros.ros.worker import Worker

WARN_EVERY_S = 5.0


class MemoryServices:
    """The two services of `node`. `memory` gives the open memory or None, `map_id` the map that the robot is on."""

    def __init__(
        self,
        node: ManagedNode,
        worker: Worker,
        group: CallbackGroup,
        memory: Callable[[], MemoryStore | None],
        map_id: Callable[[], str],
    ) -> None:
        self._node = node
        self._worker = worker
        self._memory = memory
        self._map_id = map_id
        for kind, name, callback in ((Search, "search", self._on_search), (Forget, "forget", self._on_forget)):
            node.create_service(kind, f"remembr/{name}", callback, qos_profile=qos.SERVICE, callback_group=group)

    async def _on_search(self, request: Search.Request, response: Search.Response) -> Search.Response:
        async def search(memory: MemoryStore) -> None:
            map_id = self._map_id()
            query = query_from(request, map_id, self._node.parameters["robot_id"])
            until_ns = self._node.now_ns() or None
            hits = await self._worker.call(lambda: memory.search(query, visible_before_ns=until_ns))
            response.memories = [memory_message(hit) for hit in hits]
            if request.use_position and not hits:
                response.error_msg = _nothing_near(map_id)

        return await self._with_memory(search, response)

    async def _on_forget(self, request: Forget.Request, response: Forget.Response) -> Forget.Response:
        async def forget(memory: MemoryStore) -> None:
            selection = (
                None if request.ids else selection_from(request, self._map_id(), self._node.parameters["robot_id"])
            )
            response.count = await self._worker.call(_forget, memory, list(request.ids), selection, request.dry_run)

        return await self._with_memory(forget, response)

    async def _with_memory(self, work: Callable[[MemoryStore], Any], response: Any) -> Any:
        memory = self._memory()
        try:
            if memory is None or not self._node.active:
                error, response.error_msg = why_inactive(self._node)
                response.error_code = error.value
            else:
                await work(memory)
        except InvalidInput as error:
            response.error_code, response.error_msg = AnswerError.INVALID_QUESTION.value, str(error)
        except MemoryUnavailable as error:
            response.error_code, response.error_msg = AnswerError.MEMORY_UNAVAILABLE.value, str(error)
        except (RemembrError, CancelledError) as error:
            response.error_code, response.error_msg = AnswerError.INTERNAL.value, str(error)
        except Exception as error:  # whatever it is, who called must not wait for ever
            text = f"unexpected {type(error).__name__}: {error}"
            self._node.get_logger().error(text, throttle_duration_sec=WARN_EVERY_S)
            response.error_code, response.error_msg = AnswerError.INTERNAL.value, text
        return response


def _nothing_near(map_id: str) -> str:
    """Why a search near a place may have found nothing, which is no error: places of other maps are not compared."""
    searched = f"the map {map_id}" if map_id else "the unnamed map (the query node knows no map)"
    return f"only places on {searched} are compared; for those of another map set map_id of the query node"


def _forget(memory: MemoryStore, ids: list[str], selection: Query | None, dry_run: bool) -> int:
    """How many memories were (with `dry_run`: would be) deleted, with their pictures on this machine."""
    found = [found.id for found in memory.get(ids)] if selection is None else memory.select(selection)
    return len(found) if dry_run else maintenance.forget(memory, found)
