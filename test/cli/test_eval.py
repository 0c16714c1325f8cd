"""`remembr eval` from the files to the report: real Milvus Lite, words for meaning, the agent over HTTP."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import navqa_like
import pytest
from scripted_llm import Request, ScriptedLLM, answers, call, calls, shown_ids, tool_results
from small_building import ZONE_NAME, memories
from typer.testing import CliRunner

from remembr_ros.cli.main import app
from remembr_ros.memory.embedders.hashing import HashingEmbedder
from remembr_ros.memory.server import ensure_server
from remembr_ros.memory.store import MemoryStore

SEEN = {
    "mailbox": ("position", "blue mailbox"),
    "fountain": ("time", "fountain"),
    "greenhouse": ("duration", "greenhouse"),
    "ladder": ("yes_no", "ladder"),
    "wheelbarrow": ("text", "green wheelbarrow"),
    "kiosk": ("text", "marbles"),
    "tram": ("time", "red tram"),
}


def knows(request: Request) -> object:
    """A model that cites what the question names, after one search of its own for stays."""
    asked = json.loads(request["messages"][1]["content"].rpartition("Question: ")[2])
    thing = next((name for name in SEEN if name in asked), None)
    if thing is None:
        return answers(kind="yes_no" if asked.startswith("Did") else "not_found", text="No.", yes_no=False)
    kind, words = SEEN[thing]
    if kind == "duration" and not any(m["role"] == "assistant" for m in request["messages"][4:]):
        orders = [{"query": words, "order": order, "limit": 1} for order in ("first", "last")]
        return calls(*(call("search_text", arguments) for arguments in orders))
    if kind == "duration":
        first, last = (shown_ids({"messages": [result]}, words)[0] for result in tool_results(request)[-2:])
        return answers(kind=kind, text="So long.", evidence=[first, last], frm=first, until=last)
    shown = shown_ids(request, words)
    return answers(kind=kind, text="It is green and trades marbles.", evidence=shown[:1], yes_no=True)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    monkeypatch.setenv("COLUMNS", "200")
    files = navqa_like.write(tmp_path / "navqa")
    runner = CliRunner()

    def invoke(*arguments: object, code: int = 0) -> str:
        given = ["eval", "navqa", "--questions", tmp_path / "navqa", "--embedder", "hashing:64", *arguments]
        result = runner.invoke(app, [str(argument) for argument in given])
        assert result.exit_code == code, result.output
        return result.output

    invoke.files, invoke.out = files, tmp_path / "out"  # type: ignore[attr-defined]
    (tmp_path / "out").mkdir()
    with ensure_server((tmp_path / "out").resolve() / "memory.db"):
        yield invoke


def read(out: Path) -> dict:
    return json.loads((out / "report.json").read_text())


def test_listing_needs_no_captions(run) -> None:
    said = run("--list")
    assert "9 questions of 2 sequences" in said and "1 clock times lie outside" in said
    assert re.search(r"SHORT +position +9:40:00 +Where is the bench\? +9:40:00 is 1740 s before", said)


def test_the_rules_and_the_agent_from_files_to_report(run) -> None:
    with ScriptedLLM(knows) as llm:
        options = ["--llm", "openai:test", "--base-url", llm.base_url, "--variants", "extractive,agent,all_captions"]
        said = run("--captions", *run.files, "--out", run.out, *options, "--prices", 1000, 2000, "--currency", "EUR")
        assert not llm.problems
        asked = len(llm.requests)
        again = run("--captions", *run.files, "--out", run.out, *options, "--prices", 1000, 2000, "--currency", "EUR")
        assert len(llm.requests) == asked, "a second run asks nothing"
    assert "agent" in said and again == said
    report = read(run.out)
    assert list(report["left_out"]) == ["SHORT_1"]
    agent, everything = report["variants"]["agent"], report["variants"]["all_captions"]
    assert agent["clean"]["correct"]["right"] == agent["clean"]["correct"]["total"] == 8
    assert agent["all"]["correct"]["total"] == 9
    assert everything["all"]["costs"]["llm_calls"] == 1.0 and agent["all"]["costs"]["cost_in_all"] > 0
    text = (run.out / "report.md").read_text()
    assert "duration error [min]" in text and "cost [EUR]" in text and "word overlap" in text
    assert "SHORT_1: 9:40:00 is 1740 s before its stretch" in text
    assert not any(row[2] in text for row in navqa_like.ROWS), "reports name questions by their id"


def test_a_model_judges_words_where_one_is_named(run) -> None:
    def verdict(request: Request) -> object:
        material = json.loads(request["messages"][-1]["content"])
        return calls(call("verdict", {"right": "marbles" in material["truth"]}))

    with ScriptedLLM(verdict) as llm:
        run("--captions", *run.files, "--out", run.out, "--judge", "openai:judge", "--judge-base-url", llm.base_url)
    report = read(run.out)
    outcomes = {o["case"]: o for o in report["variants"]["extractive"]["outcomes"]}
    assert report["judged_by"] == "language model judge" and llm.requests
    assert outcomes["12_LONG_1"]["text_score"] in (1.0, None) and outcomes["MEDIUM_2"]["text_score"] in (0.0, None)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "--captions: name the caption files"),
        (["--captions", "FILE", "--variants", "agent"], "agent needs a language model"),
        (["--captions", "FILE", "--embedder", "clever"], "--embedder"),
    ],
)
def test_what_is_missing_is_said(run, options: list[str], complaint: str) -> None:
    given = [run.files[0] if option == "FILE" else option for option in options]
    assert complaint in run(*given, "--out", run.out, code=1)


def test_own_questions_about_a_robots_own_memory(tmp_path: Path) -> None:
    questions = tmp_path / "questions.yaml"
    questions.write_text(
        """
- question: Where is the red chair?
  asked_at: 2026-11-30 15:00:00
  map: floor1
  answer: {position: [15.0, 3.0]}
- question: When did you see the Egyptian cat?
  asked_at: 2026-11-30 15:00:00
  answer: {time: 2026-11-30 14:15:00}
- question: Where is the walrus?
  asked_at: 2026-11-30 15:00:00
  answer: {found: false}
"""
    )
    database = tmp_path.resolve() / "own.db"
    with ensure_server(database), MemoryStore.open(str(database), HashingEmbedder(256)) as store:
        store.write(memories())
        options = ["--uri", str(database), "--embedder", "hashing:256", "--timezone", ZONE_NAME, "--out", str(tmp_path)]
        result = CliRunner().invoke(app, ["eval", "own", str(questions), *options])
    assert result.exit_code == 0, result.output
    assert read(tmp_path)["variants"]["extractive"]["all"]["correct"] == {
        "right": 3, "total": 3, "share": 1.0, "low": pytest.approx(0.4385, abs=1e-3), "high": 1.0,
    }  # fmt: skip


@pytest.mark.parametrize("option", ["--within", "--minutes", "--time-limit"])
@pytest.mark.parametrize("number", ["inf", "nan"])
def test_a_tolerance_is_finite(tmp_path: Path, option: str, number: str) -> None:
    (tmp_path / "questions.yaml").write_text("[]")
    result = CliRunner().invoke(app, ["eval", "own", str(tmp_path / "questions.yaml"), option, number])
    assert result.exit_code == 2 and f"'{option}': " in result.output, result.output
    assert number == "nan" or "inf is not a finite number" in result.output


def test_a_memory_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    questions = tmp_path / "questions.yaml"
    questions.write_text("- {question: 'Is there a dog?', asked_at: 2026-11-30 15:00:00, answer: {yes_no: false}}")
    options = ["--uri", str(tmp_path / "nosuch.db"), "--embedder", "hashing:256", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, ["eval", "own", str(questions), *options])
    assert result.exit_code == 1 and "there is no memory at" in result.output, result.output
    assert list(tmp_path.iterdir()) == [questions]


def test_a_memory_with_other_captions_at_the_same_place_is_asked_anew(tmp_path: Path) -> None:
    questions = tmp_path / "questions.yaml"
    questions.write_text(
        "- {question: 'Where is the red chair?', asked_at: 2026-11-30 15:00:00, map: floor1, "
        "answer: {position: [15, 3]}}"
    )
    database = tmp_path.resolve() / "own.db"
    options = ["--uri", str(database), "--embedder", "hashing:256", "--timezone", ZONE_NAME, "--out", str(tmp_path)]
    rights = []
    with ensure_server(database), MemoryStore.open(str(database), HashingEmbedder(256)) as store:
        for written in (memories(), [dataclasses.replace(one, caption="A grey wall.") for one in memories()]):
            store.delete([one.id for one in memories()])
            store.write(written)
            result = CliRunner().invoke(app, ["eval", "own", str(questions), *options])
            assert result.exit_code == 0, result.output
            rights.append(read(tmp_path)["variants"]["extractive"]["all"]["correct"]["right"])
    assert rights == [1, 0]


def test_a_simulated_deployment_in_small(tmp_path: Path) -> None:
    with ensure_server(tmp_path.resolve() / "memory.db"):
        size = ["--days", "2", "--windows", "1000", "--count", "10"]
        options = [*size, "--embedder", "hashing:64", "--out", str(tmp_path)]
        result = CliRunner().invoke(app, ["eval", "sim", "--variants", "extractive,retrieval_words", *options])
    assert result.exit_code == 0, result.output
    report = read(tmp_path)
    assert list(report["variants"]) == ["extractive", "retrieval_words"] and "This is not NaVQA." in report["about"][0]
    outcomes = report["variants"]["extractive"]["outcomes"]
    assert len(outcomes) >= 8 and not any(outcome["error"] for outcome in outcomes)
