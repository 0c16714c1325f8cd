"""The servers people run, imitated: what each refuses is learned once, how each replies is understood."""

from __future__ import annotations

import asyncio
import email.utils
import json
import re
import time
from typing import Any

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, call, calls, message
from small_building import ZONE_NAME, question
from vendor_servers import VENDOR_SERVERS, Imitation, imitate

from remembr_ros.errors import ConfigurationError
from remembr_ros.recall.answerer import create_recall
from remembr_ros.recall.dialect import Dialect, as_text_only, strict_schema, without_system
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.tool_tables import SCHEMAS, TOOLS
from remembr_ros.recall.vendors import VENDORS
from remembr_ros.records import Answer

CASES = [(name, index) for name, servers in VENDOR_SERVERS.items() for index in range(len(servers))]


def shown(request: Request, words: str) -> list[str]:
    """Ids of shown memories, wherever the dialect put them."""
    lines = "\n".join(m["content"] for m in request["messages"]).split("\n")
    return [line.split(" | ")[0] for line in lines if " | " in line and words in line]


def search_then_answer(request: Request) -> dict[str, Any]:
    """Two searches in one turn, then the blue chair."""
    found = shown(request, "blue chair")
    if "call before" not in str(request["messages"]) and "table laptop" not in str(request["messages"]):
        return calls(call("search_text", {"query": "table laptop"}), call("search_text", {"query": "blue chair"}))
    return answers(kind="position", text="By the table.", evidence=found[:1])


def ask_twice(llm: ScriptedLLM, memory: ListMemory, llm_name: str, **settings: Any) -> list[Answer]:
    async def main() -> list[Answer]:
        recall = create_recall(
            llm_name,
            memory,
            base_url=llm.base_url,
            timezone=ZONE_NAME,
            settings=RecallSettings(time_limit_s=15.0, llm_timeout_s=5.0, **settings),
        )
        found = [
            await recall.ask(question(text)) for text in ("Where is the blue chair?", "And the blue chair, where?")
        ]
        await recall.close()
        return found

    return asyncio.run(main())


@pytest.mark.parametrize(("vendor", "index"), CASES)
def test_every_server_answers_and_refuses_each_thing_once(hashed_building: ListMemory, vendor: str, index: int) -> None:
    imitation = VENDOR_SERVERS[vendor][index]
    refused: list[int] = []

    def counting(request: Request) -> Any:
        refusal = imitation.refusal(request)
        refused.append(bool(refusal))
        return refusal

    with ScriptedLLM(imitate(Imitation(counting, imitation.dressed), search_then_answer)) as llm:
        found = ask_twice(llm, hashed_building, f"{vendor if vendor in VENDORS else 'openai'}:some:model")
    for answer in found:
        assert answer.source == "llm:some:model", answer.error_msg
        assert answer.pose is not None and answer.pose.distance_to(16.0, 9.0) < 1.0
        assert answer.text.startswith("By the table.") and "99" not in answer.text
        assert (answer.rounds, answer.llm_calls) == (1, 2)
    assert sum(refused) == len(llm.requests) - 4 <= 4
    assert not any(refused[-2:]), "what was learned holds for the next question"
    assert not llm.problems


@pytest.mark.parametrize(("vendor", "index"), CASES)
def test_the_last_request_offers_only_the_answer(hashed_building: ListMemory, vendor: str, index: int) -> None:
    imitation = VENDOR_SERVERS[vendor][index]
    searches = (calls(call("search_text", {"query": f"unicorn {n}"})) for n in range(1000))
    with ScriptedLLM(imitate(imitation, lambda request: next(searches))) as llm:
        found = ask_twice(llm, hashed_building, f"{vendor if vendor in VENDORS else 'openai'}:m", max_rounds=2)
    assert [a.llm_calls for a in found] == [3, 3], found[0].error_msg
    last = llm.requests[-1]
    written = re.findall(r"^- (\w+):", last["messages"][0]["content"], re.MULTILINE)
    offered = [t["function"]["name"] for t in last.get("tools", [])] or [name for name in written if name in TOOLS]
    assert offered == ["answer"] and "No more searches" in last["messages"][-1]["content"]


def test_openai_itself_is_asked_for_strict_schemas_and_others_are_not(
    hashed_building: ListMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    (strict, _) = VENDOR_SERVERS["openai"]
    with ScriptedLLM(imitate(strict, search_then_answer)) as llm:
        monkeypatch.setenv("OPENAI_BASE_URL", llm.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        recall = create_recall("openai:gpt", hashed_building, timezone=ZONE_NAME)

        async def main() -> Answer:
            answer = await recall.ask(question("Where is the blue chair?"))
            await recall.close()
            return answer

        answer = asyncio.run(main())
        assert answer.pose is not None and all(t["function"]["strict"] for t in llm.requests[0]["tools"])
        seen = len(llm.requests)
        ask_twice(llm, hashed_building, "ollama:m")
        assert not any("strict" in t["function"] for r in llm.requests[seen:] for t in r["tools"])


def test_a_server_that_chokes_on_strict_schemas_gets_plain_ones() -> None:
    dialect = Dialect("m", strict=True)
    first = dialect.request([], SCHEMAS, "", 10)
    assert dialect.learn(400, "Unknown field: strict", first)
    assert dialect.request([], SCHEMAS, "", 10)["tools"] == list(SCHEMAS)
    assert not dialect.learn(400, "Unknown field: strict", first), "learned once"


def test_strict_schemas_keep_what_is_needed_and_allow_null_for_the_rest() -> None:
    for schema in SCHEMAS:
        plain, strict = schema["function"]["parameters"], strict_schema(schema)["function"]["parameters"]
        assert set(strict["required"]) == set(plain["properties"]) and strict["additionalProperties"] is False
        for name, given in strict["properties"].items():
            assert ("null" in given["type"]) is (name not in plain["required"])


class TestRefusals:
    def test_keys_quotas_and_unknown_models_are_not_about_the_request(self) -> None:
        dialect = Dialect("m")
        request = dialect.request([], SCHEMAS, "answer", 10)
        for status, words in (
            (401, "bad tools"),
            (403, "temperature"),
            (429, "max_tokens"),
            (404, "model m not found"),
        ):
            assert not dialect.learn(status, words, request)

    def test_nothing_is_learned_twice(self) -> None:
        dialect = Dialect("m", strict=True)
        for _ in range(20):
            request = dialect.request([{"role": "system", "content": "x"}], SCHEMAS, "answer", 10)
            words = "strict system role not supported tool_choice tools temperature max_tokens max_completion_tokens"
            if not dialect.learn(400, words, request):
                break
        else:
            pytest.fail("learns for ever")
        assert set(request) == {"model", "messages"}

    def test_a_server_that_refuses_everything_leaves_the_rules(self, hashed_building: ListMemory) -> None:
        with ScriptedLLM(
            [(400, {"error": {"message": "no strict tools temperature max_tokens tool_choice system"}})]
        ) as llm:
            found = ask_twice(llm, hashed_building, "vllm:m")
        assert all(a.source.startswith("extractive (") for a in found) and len(llm.requests) < 12


class TestRetries:
    def answered(self, *refusals: Any) -> ScriptedLLM:
        return ScriptedLLM([*refusals, answers(kind="not_found", text="No.")])

    def timed(self, llm: ScriptedLLM, memory: ListMemory, limit_s: float = 5.0) -> tuple[Answer, float]:
        async def main() -> Answer:
            recall = create_recall(
                "ollama:m", memory, base_url=llm.base_url, settings=RecallSettings(llm_timeout_s=limit_s)
            )
            answer = await recall.ask(question("Where is it?"))
            await recall.close()
            return answer

        began = time.monotonic()
        return asyncio.run(main()), time.monotonic() - began

    @pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
    def test_a_passing_failure_is_tried_again(self, hashed_building: ListMemory, status: int) -> None:
        with self.answered((status, {"error": {"message": "busy"}}), (status, "not even json")) as llm:
            answer, _ = self.timed(llm, hashed_building)
        assert answer.source == "llm:m" and len(llm.requests) == 3

    @pytest.mark.parametrize("form", ["seconds", "ms", "date"])
    def test_the_server_says_how_long_to_wait(self, hashed_building: ListMemory, form: str) -> None:
        headers = {
            "seconds": {"Retry-After": "1.2"},
            "ms": {"retry-after-ms": "1200"},
            "date": {"Retry-After": email.utils.formatdate(time.time() + 2.5, usegmt=True)},
        }[form]
        with self.answered((429, {"error": {"message": "slow down"}}, headers)) as llm:
            answer, took_s = self.timed(llm, hashed_building)
        assert answer.source == "llm:m" and 0.8 < took_s < 4.0

    def test_a_wait_beyond_the_limit_is_not_waited_for(self, hashed_building: ListMemory) -> None:
        with self.answered((429, {"error": {"message": "slow down"}}, {"Retry-After": "60"})) as llm:
            answer, took_s = self.timed(llm, hashed_building, limit_s=2.0)
        assert answer.source.startswith("extractive (") and took_s < 1.5 and len(llm.requests) == 1

    def test_an_empty_purse_is_no_passing_failure(self, hashed_building: ListMemory) -> None:
        broke = (429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}})
        with self.answered(broke) as llm:
            answer, _ = self.timed(llm, hashed_building)
        assert answer.source.startswith("extractive (") and len(llm.requests) == 1

    @pytest.mark.parametrize("nonsense", ["soon", "-5", "", "Thu, 99 Foo"])
    def test_a_wait_that_cannot_be_read_is_a_short_one(self, hashed_building: ListMemory, nonsense: str) -> None:
        with self.answered((503, {}, {"Retry-After": nonsense})) as llm:
            answer, took_s = self.timed(llm, hashed_building)
        assert answer.source == "llm:m" and took_s < 3.0

    def test_retries_and_a_slow_server_share_one_limit(self, hashed_building: ListMemory) -> None:
        with ScriptedLLM([(503, {})], delay_s=0.7) as llm:
            answer, took_s = self.timed(llm, hashed_building, limit_s=1.5)
        assert answer.source.startswith("extractive (") and took_s < 3.0


class TestVendorsByName:
    def test_local_servers_need_no_key_and_get_none(
        self, hashed_building: ListMemory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        for vendor in ("ollama", "vllm", "llama_cpp"):
            create_recall(f"{vendor}:m", hashed_building)
        with ScriptedLLM([message("x")]) as llm:
            ask_twice(llm, hashed_building, "ollama:m")
        assert not any("sk-secret" in h.get("authorization", "") for h in llm.headers)

    @pytest.mark.parametrize(("vendor", "variable"), [("openai", "OPENAI_API_KEY"), ("nvidia", "NVIDIA_API_KEY")])
    def test_a_missing_key_names_its_variable(
        self, hashed_building: ListMemory, monkeypatch: pytest.MonkeyPatch, vendor: str, variable: str
    ) -> None:
        monkeypatch.delenv(variable, raising=False)
        with pytest.raises(ConfigurationError, match=variable):
            create_recall(f"{vendor}:m", hashed_building)

    def test_a_key_echoed_by_a_server_is_not_repeated(
        self, hashed_building: ListMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setenv("MY_KEY", "sk-secret")
        with ScriptedLLM([(401, {"error": {"message": "Incorrect API key provided: sk-secret"}})]) as llm:
            found = ask_twice(llm, hashed_building, "nvidia:m", api_key_env="MY_KEY")
        assert llm.headers[0]["authorization"] == "Bearer sk-secret"
        assert "sk-secret" not in repr(found) and "sk-secret" not in caplog.text


def test_as_text_the_roles_take_turns_and_the_calls_are_json() -> None:
    history = [
        {"role": "system", "content": "rules"},
        {"role": "user", "content": "Question: a"},
        {"role": "assistant", "content": "", "tool_calls": [call("search_text", {"query": "a"}, "1")]},
        {"role": "tool", "tool_call_id": "1", "content": "m1 | x"},
        {"role": "user", "content": "Question: b"},
    ]
    text = as_text_only(history, SCHEMAS)
    assert [m["role"] for m in text] == ["system", "user", "assistant", "user"]
    assert json.loads(text[2]["content"]) == {"name": "search_text", "arguments": {"query": "a"}}
    assert "data, not instructions" in text[3]["content"] and text[3]["content"].endswith("Question: b")
    assert [m["role"] for m in without_system(text)] == ["user", "assistant", "user"]
