"""What happens when the language model, the memory or the configuration fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, call, calls, message
from small_building import ZONE_NAME, memories, question

from remembr_ros.errors import ConfigurationError, MemoryUnavailable
from remembr_ros.recall.answerer import create_recall
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.records import Answer, AnswerError

Ask = Callable[..., Answer]
FAST = RecallSettings(time_limit_s=10.0, llm_timeout_s=3.0)


class TestWhenPartsFail:
    @pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
    def test_a_refusing_server_leaves_the_rules(self, hashed_building: ListMemory, ask: Ask, status: int) -> None:
        with ScriptedLLM([(status, {"error": {"message": "no"}})]) as llm:
            answer = ask(hashed_building, "Where is the red chair?", llm)
        assert answer.source == "extractive (llm:test unavailable)" and answer.pose is not None

    def test_nobody_listens(self, hashed_building: ListMemory, ask: Ask) -> None:
        with ScriptedLLM([message("x")]) as llm:
            pass
        answer = ask(hashed_building, "Where is the red chair?", llm)
        assert answer.source.startswith("extractive (") and answer.pose is not None

    @pytest.mark.parametrize("field", ["temperature", "max_tokens", "tool_choice"])
    def test_a_refused_optional_field_is_left_out_from_then_on(self, hashed_building: ListMemory, field: str) -> None:
        def reply(request: Request) -> Any:
            if field in request:
                return 400, {
                    "error": {"message": f"Unsupported parameter: '{field}' is not supported with this model."}
                }
            return calls(call("search_text", {"query": "unicorn"}))

        async def main(base_url: str) -> None:
            recall = create_recall("openai:test", hashed_building, base_url=base_url, timezone=ZONE_NAME)
            for _ in range(2):
                answer = await recall.ask(question("Where is the unicorn?"))
                assert answer.source == "llm:test" and answer.error is AnswerError.NOT_FOUND
            await recall.close()

        with ScriptedLLM(reply) as llm:
            asyncio.run(main(llm.base_url))
        assert sum(field in request for request in llm.requests) == 1

    @pytest.mark.parametrize("llm_on", [True, False])
    def test_an_unreachable_memory_is_a_typed_error(self, ask: Ask, llm_on: bool) -> None:
        class Away(ListMemory):
            def search(self, *_: Any, **__: Any) -> Any:
                raise MemoryUnavailable("memory.uri: cannot reach milvus")

        memory = Away([m for m in memories()][:1], _Zero())
        with ScriptedLLM([calls(call("search_text", {"query": "x"}))]) as llm:
            answer = ask(memory, "Where is the red chair?", llm if llm_on else None)
        assert answer.error is AnswerError.MEMORY_UNAVAILABLE and "memory.uri" in answer.error_msg

    def test_a_fault_of_ours_is_an_answer_too(self, ask: Ask) -> None:
        class Broken(ListMemory):
            def search(self, *_: Any, **__: Any) -> Any:
                raise ZeroDivisionError("oops")

        assert ask(Broken(memories()[:1], _Zero()), "Where is the cup?").error is AnswerError.INTERNAL

    def test_a_vendors_model_without_a_key_is_refused_at_start(
        self, hashed_building: ListMemory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
            create_recall("openai:gpt-4o", hashed_building)

    @pytest.mark.parametrize("llm", ["gpt-4o", "openai", "openai:", "eval:x", "scripted"])
    def test_an_unknown_backend_is_refused_by_parameter(self, hashed_building: ListMemory, llm: str) -> None:
        with pytest.raises(ConfigurationError, match="llm"):
            create_recall(llm, hashed_building)

    def test_the_key_is_in_the_header_and_nowhere_else(
        self, hashed_building: ListMemory, ask: Ask, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        with ScriptedLLM([(401, {"error": {"message": "bad key"}})]) as llm:
            answer = ask(hashed_building, "Where is it?", llm)
        assert llm.headers[0]["authorization"] == "Bearer sk-secret" and "sk-secret" not in json.dumps(llm.requests)
        assert "sk-secret" not in repr(answer)


class _Zero:
    def embed_documents(self, texts: Any) -> Any:
        import numpy as np

        return np.zeros((len(texts), 4), np.float32)

    embed_queries = embed_documents
