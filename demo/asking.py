"""The demo's questions, asked over the service remembr/ask or aloud, judged, and driven to where one asks for it.

In: the truth of the simulation. Out: answers with their verdicts, shown as they come.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from demo.asker import Asker
from demo.programs import Demo, console
from demo.questions import Asking, Truth, Verdict


@dataclass
class Asked:
    """One question with what came of it."""

    asking: Asking
    answer: Any
    verdict: Verdict
    goal: str = ""


def ask_all(demo: Demo, asker: Asker, truth: Truth, tell: bool) -> list[Asked]:
    """Ask every question over the service; drive where one asks for it, after confirming."""
    results = []
    began = time.monotonic()
    driving_s = 0.0
    for asking in truth.questions():
        answer = asker.ask(asking.text)
        goal, place = "", None
        if asking.kind == "go":
            drive_began = time.monotonic()
            if answer.proposal_id:
                goal = asker.drive(answer.proposal_id)
                place = asker.place
            else:
                goal = f"no goal proposed: {answer.goal_msg or answer.text}"
            driving_s += time.monotonic() - drive_began
        asked = Asked(asking, answer, truth.judge(asking, answer, place), goal)
        results.append(asked)
        if tell:
            show_answer(asked, truth)
    demo.figures.seconds["questions"] = time.monotonic() - began - driving_s
    demo.figures.seconds["drive"] = driving_s
    return results


def ask_aloud(demo: Demo, asker: Asker, truth: Truth) -> list[Asked]:
    """The questions where and "take me there" again, by voice, with a spoken yes."""
    began = time.monotonic()
    person = demo.start_voice(asker)
    console.print("\n[bold]By voice[/]: espeak-ng asks, Whisper understands, the robot answers aloud.")
    results = []
    where = next(asking for asking in truth.questions() if asking.kind == "where")
    for asking in (where, replace(where, kind="go", text=f"Take me to the {where.word}.")):
        heard, answer = person.ask(asking.text)
        goal, place = "", None
        if asking.kind == "go" and answer.proposal_id:
            goal = f"a spoken yes: {person.agree(answer.proposal_id)}"
            place = asker.place
        asked = Asked(asking, answer, truth.judge(asking, answer, place), goal)
        show_answer(asked, truth)
        console.print(f"  heard     {heard.text!r}, {heard.latency:.2f} s after its end", markup=False)
        results.append(asked)
    said = demo.folder / "spoken.wav"
    console.print(f"  its voice: {said}" if said.exists() and demo.options.keep else "  (--keep DIR keeps its voice)")
    demo.figures.seconds["voice"] = time.monotonic() - began
    return results


def show_answer(asked: Asked, truth: Truth) -> None:
    """One question and all that belongs to its answer."""
    answer, verdict = asked.answer, asked.verdict
    mark = "[green]right[/]" if verdict.right else "[red]WRONG[/]"
    error = f", off by {verdict.error}" if verdict.error else ""
    console.print(f"\n[bold]{asked.asking.text}[/]")
    console.print(f"  {answer.text}", markup=False)
    if answer.has_pose:
        position = answer.pose.pose.position
        console.print(
            f"  pose      ({position.x:.2f}, {position.y:.2f}) in {answer.pose.header.frame_id}: where the robot stood"
        )
    for memory in answer.evidence[:2]:
        age_s = _seconds(answer.header.stamp) - _seconds(memory.window_end)
        start = truth.clock(_seconds(memory.window_start) - truth.start_ns / 1e9)
        console.print(f"  evidence  {start}, {_age(age_s)} ago: {memory.caption}", markup=False)
    if asked.goal:
        console.print(
            f"  goal      proposed, confirmed: {asked.goal}" if answer.proposal_id else f"  goal      {asked.goal}",
            markup=False,
        )
    console.print(
        f"  {mark}     truth: {verdict.truth}{error}   [dim]({answer.elapsed * 1000:.0f} ms, {answer.source})[/]"
    )
    if answer.error_msg:
        console.print(f"  {answer.error_msg}", markup=False)


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec / 1e9)


def _age(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s" if seconds >= 60 else f"{int(seconds)} s"
