"""Asking, keeping and resuming: with the rules, and with the agent over HTTP against a scripted server."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from list_memory import ListMemory
from scripted_llm import Request, ScriptedLLM, answers, shown_ids
from small_building import NOW_S, ZONE, ns

from remembr_ros.errors import ConfigurationError, LanguageModelUnavailable, UnknownBackend
from remembr_ros.evaluation.cases import Case, Outcome, Place, Truth
from remembr_ros.evaluation.kept_replies import KeptReplies
from remembr_ros.evaluation.run import Prices, evaluate
from remembr_ros.evaluation.variants import VARIANTS, Variant, variants
from remembr_ros.records import AnswerKind, Pose

HERE = Pose(ns(NOW_S), "map", 12.0, 1.0)
CHAIR = Truth(
    AnswerKind.POSITION,
    places=(Place(15.0, 3.0, "floor1"),),
    evidence_ids=frozenset(f"w{ns(s)}" for s in range(300, 312, 3)),
)


def case(identity: str = "chair", question: str = "Where is the red chair?", truth: Truth = CHAIR, **more: int) -> Case:
    return Case(identity, "all", question, more.pop("now_ns", ns(NOW_S)), truth, HERE, "floor1", **more)


CASES = [
    case(),
    case("cat", "When did you see the Egyptian cat?", Truth(AnswerKind.TIME, times=((ns(900), ns(906)),))),
    case("unicorn", "Where is the unicorn?", Truth(AnswerKind.POSITION, answerable=False)),
]


def cite(request: Request) -> object:
    words = "red chair" if "red chair" in request["messages"][1]["content"] else "Egyptian cat"
    if "unicorn" in request["messages"][1]["content"]:
        return answers(kind="not_found", text="I do not know.")
    kind = "position" if words == "red chair" else "time"
    return answers(kind=kind, text="There.", evidence=shown_ids(request, words)[:1])


def model(name: str, llm: ScriptedLLM) -> Variant:
    return variants(name, llm="openai:test", base_url=llm.base_url)[0]


class TestTheRules:
    def test_each_case_is_scored_in_order(self, building: ListMemory) -> None:
        chair, cat, unicorn = evaluate(CASES, building, VARIANTS["extractive"], zone=ZONE)
        assert (
            chair.correct and chair.position_error_m == pytest.approx(0.0, abs=0.5) and chair.evidence_rank is not None
        )
        assert cat.correct and cat.time_error_min == 0.0
        assert unicorn.correct and not unicorn.given.found
        assert chair.cost == 0.0 and chair.llm_calls == 0 and chair.elapsed_s > 0.0

    def test_nothing_before_or_after_a_cases_own_time_is_seen(self, building: ListMemory) -> None:
        late = case(not_before_ns=ns(600))
        early = case(now_ns=ns(200))
        seen = case(not_before_ns=ns(280), now_ns=ns(330))
        found = [
            outcome.given.found
            for outcome in evaluate([late, early, seen], building, VARIANTS["extractive"], zone=ZONE)
        ]
        assert found == [False, False, True]

    @pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if not variant.asks_a_model])
    def test_every_variant_without_a_model_answers(self, building: ListMemory, name: str) -> None:
        outcomes = evaluate(CASES[:1], building, VARIANTS[name], zone=ZONE)
        assert outcomes[0].given.place is not None and not outcomes[0].given.error

    def test_each_case_asks_its_own_memory(self, building: ListMemory) -> None:
        from remembr_ros.memory.embedders.hashing import HashingEmbedder

        empty = ListMemory([], HashingEmbedder(256))
        cases = [
            Case("a", "g", "Where is the red chair?", ns(NOW_S), CHAIR, HERE, "floor1", memory=name) for name in "xy"
        ]
        outcomes = evaluate(cases, {"x": building, "y": empty}, VARIANTS["extractive"], zone=ZONE)
        assert [outcome.given.found for outcome in outcomes] == [True, False]


class TestModels:
    @pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if variant.asks_a_model])
    def test_every_variant_with_a_model_asks_it(self, building: ListMemory, name: str) -> None:
        with ScriptedLLM(cite) as llm:
            outcome = evaluate(CASES[:1], building, model(name, llm), zone=ZONE)[0]
        assert outcome.llm_calls >= 1 and outcome.given.source.startswith("llm:test")
        if "prefetch" not in name or name == "agent_prefetch_only":
            assert outcome.correct or name == "agent_one_round"

    def test_all_captions_shows_every_window_of_the_cases_time(self, building: ListMemory) -> None:
        with ScriptedLLM(cite) as llm:
            outcome = evaluate([case(not_before_ns=ns(280))], building, model("all_captions", llm), zone=ZONE)[0]
        shown = shown_ids(llm.requests[0])
        assert len(llm.requests) == 1 and not llm.problems and outcome.correct
        assert len(shown) == sum(memory.end_ns > ns(280) for memory in building.memories)

    def test_all_captions_leaves_the_oldest_out_where_the_context_is_small(self, building: ListMemory) -> None:
        def small(request: Request) -> object:
            length = sum(len(m["content"]) for m in request["messages"])
            too_long = (400, {"error": {"message": "This model's maximum context length is 2048 tokens."}})
            return too_long if length > 6000 else answers(kind="not_found", text="No.")

        with ScriptedLLM(small) as llm:
            outcome = evaluate(CASES[:1], building, model("all_captions", llm), zone=ZONE)[0]
        assert not outcome.given.found and not outcome.given.error and len(llm.requests) > 1
        newest = f"m{len(building.memories)}"
        assert newest in shown_ids(llm.requests[-1]) and "m1" not in shown_ids(llm.requests[-1])
        assert "earlier memories left out" in llm.requests[-1]["messages"][3]["content"]

    def test_tokens_and_cost_are_counted(self, building: ListMemory) -> None:
        with ScriptedLLM(cite) as llm:
            outcome = evaluate(CASES[:1], building, model("agent", llm), zone=ZONE, prices=Prices(2e6, 3e6))[0]
        assert (outcome.prompt_tokens, outcome.completion_tokens, outcome.cost) == (1, 1, 5.0)

    def test_a_model_that_is_away_is_never_replaced_and_ends_the_run(
        self, building: ListMemory, tmp_path: Path
    ) -> None:
        results = tmp_path / "results.jsonl"
        refuses = ScriptedLLM([(401, {"error": {"message": "no such key"}})])
        with refuses as llm, pytest.raises(LanguageModelUnavailable, match=r"agent, 3 in a row"):
            evaluate(CASES, building, model("agent", llm), zone=ZONE, results=results)
        assert not results.exists()

    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ({"names": "agent"}, ConfigurationError),
            ({"names": "nonsense"}, ConfigurationError),
            ({"names": "agent_keyframes", "llm": "openai:x"}, ConfigurationError),
        ],
    )
    def test_what_cannot_run_is_said(self, given: dict[str, str], error: type[Exception]) -> None:
        with pytest.raises(error, match="--variants"):
            variants(**given)

    def test_an_unknown_vendor_is_named(self, building: ListMemory) -> None:
        with pytest.raises(UnknownBackend, match="clever"):
            evaluate(CASES, building, variants("agent", llm="clever:model")[0], zone=ZONE)


class TestResuming:
    def test_answers_are_read_again_and_replies_are_not_asked_for_twice(
        self, building: ListMemory, tmp_path: Path
    ) -> None:
        results, kept = tmp_path / "results.jsonl", KeptReplies(tmp_path / "replies")

        def run(cases: list[Case], llm: ScriptedLLM, file: Path) -> list[Outcome]:
            return evaluate(cases, building, model("agent", llm), zone=ZONE, results=file, kept=kept)

        with ScriptedLLM(cite) as llm:
            first = run(CASES[:2], llm, results)
            assert len(llm.requests) == 2
            with results.open("a") as file:
                file.write('{"key": "torn')
            again = run(CASES, llm, results)
            assert again[:2] == first and len(llm.requests) == 3
            assert run(CASES, llm, results) == again and len(llm.requests) == 3
            other = run(CASES, llm, tmp_path / "other.jsonl")
            assert len(llm.requests) == 3, "the replies are on the disk"
        assert [outcome.prompt_tokens for outcome in other] == [outcome.prompt_tokens for outcome in again]
        assert [outcome.llm_calls for outcome in other] == [1, 1, 1]
        lines = [line for line in results.read_text().splitlines() if "torn" not in line]
        assert [json.loads(line)["case"] for line in lines] == ["chair", "cat", "unicorn"]

    def test_another_question_or_memory_is_asked_anew(self, building: ListMemory, tmp_path: Path) -> None:
        results = tmp_path / "results.jsonl"
        for changed in (case(), case(question="Where is the blue chair?"), case(not_before_ns=1)):
            evaluate([changed], building, VARIANTS["extractive"], zone=ZONE, results=results)
        evaluate([case()], building, VARIANTS["extractive"], zone=ZONE, results=results, memory_name="other captions")
        assert len(results.read_text().splitlines()) == 4

    def test_side_by_side_the_outcomes_are_in_order_and_each_has_its_own_costs(
        self, building: ListMemory, tmp_path: Path
    ) -> None:
        results, many = (
            tmp_path / "results.jsonl",
            [dataclasses.replace(one, id=f"{one.id}{n}") for n in range(3) for one in CASES],
        )
        with ScriptedLLM(cite, delay_s=0.05) as llm:
            outcomes = evaluate(many, building, model("agent", llm), zone=ZONE, results=results, parallel=4)
        assert [outcome.case for outcome in outcomes] == many
        assert {(outcome.llm_calls, outcome.prompt_tokens) for outcome in outcomes} == {(1, 1)}
        assert len(results.read_text().splitlines()) == 9

    def test_no_key_is_kept(self, building: ListMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        with ScriptedLLM(cite) as llm:
            evaluate(CASES[:1], building, model("agent", llm), zone=ZONE, kept=KeptReplies(tmp_path))
            assert any("sk-secret" in value for value in llm.headers[0].values())
        files = list(tmp_path.rglob("*.json"))
        assert len(files) == 1 and "sk-secret" not in files[0].read_text()
