"""Answers and memories as text for a terminal."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from datetime import datetime

from rich.console import Console
from rich.markup import escape as _escape
from rich.table import Table

from remembr_interfaces.action import AskQuestion
from remembr_interfaces.msg import Answer, Memory
from remembr_ros.legible import legible
from remembr_ros.records import NANOSECONDS, AnswerError


def escape(text: str) -> str:
    """Words of a caption, a model or a server for `Console.print`: they neither command the terminal nor mark up."""
    return _escape(legible(text))


def error_name(code: int) -> str:
    """The constant of msg/Answer for an error code."""
    return next((error.name for error in AnswerError if error.value == code), str(code))


def clock(seconds: float) -> str:
    """Local date and time of day."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M:%S")


class ProgressLines:
    """One line for each search and each wait for the language model, with the seconds since the question."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began = time.monotonic()

    def __call__(self, feedback: AskQuestion.Feedback) -> None:
        what = f"{feedback.tool} {feedback.detail}" if feedback.tool else feedback.stage
        hits = f": {feedback.hits} memories" if feedback.tool and feedback.hits >= 0 else ""
        round_ = f" (round {feedback.round})" if feedback.round else ""
        after_s = time.monotonic() - self._began
        self._console.print(f"[dim]{after_s:6.2f} s  {escape(what)}{hits}{round_}[/dim]", highlight=False)


def show_answer(console: Console, answer: Answer, verbose: bool) -> None:
    console.print(f"[bold]{escape(answer.text)}[/bold]")
    if answer.error_code:
        console.print(f"[yellow]{error_name(answer.error_code)}[/yellow] {escape(answer.error_msg)}")
    if answer.has_pose:
        position = answer.pose.pose.position
        frame = escape(answer.pose.header.frame_id)
        console.print(f"  where the robot stood: x {position.x:.2f} m, y {position.y:.2f} m in {frame}")
    if answer.has_time:
        console.print(f"  when: {clock(answer.time.sec + answer.time.nanosec / NANOSECONDS)}")
    if answer.has_duration:
        console.print(f"  how long: {answer.duration.sec + answer.duration.nanosec / NANOSECONDS:.0f} s")
    if answer.goal_state:
        state = {1: "proposed", 2: "sent", 3: "refused"}.get(answer.goal_state, "?")
        console.print(f"  goal {state}{': ' if answer.goal_msg else ''}{escape(answer.goal_msg)}")
    if verbose:
        if answer.evidence:
            show_memories(console, answer.evidence, "evidence")
        source = f"{escape(answer.source)}, " if answer.source else ""
        calls = f"{answer.rounds} rounds, {answer.llm_calls} LLM calls, {answer.elapsed:.2f} s"
        console.print(f"[dim]{source}{calls}[/dim]")


def show_memories(console: Console, memories: Sequence[Memory], title: str) -> None:
    table = Table(title=title, title_justify="left")
    for column in ("when", "what", "x [m]", "y [m]", "match"):
        table.add_column(column, overflow="fold")
    for memory in memories:
        start = memory.window_start.sec + memory.window_start.nanosec / NANOSECONDS
        place = memory.pose.pose.position
        x, y = (f"{place.x:.2f}", f"{place.y:.2f}") if memory.pose_state != Memory.POSE_NONE else ("-", "-")
        match = "" if math.isnan(memory.score) else f"{memory.score:.2f}"
        table.add_row(clock(start), escape(memory.caption), x, y, match)
    console.print(table)
