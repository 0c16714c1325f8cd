"""What a question reports while it is being answered (AskQuestion.action's feedback)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`stage`: "queued", "thinking", "searching" or "answering". `round`: retrieval round from 1, 0 before the first.
    `tool` and `detail`: the search that ran and its arguments in words. `hits`: memories it returned, -1 unknown."""

    stage: str
    round: int = 0
    tool: str = ""
    detail: str = ""
    hits: int = -1
