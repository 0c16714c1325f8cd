"""A language model that plays replies from a list: for tests and demonstrations, selectable as `scripted:<file>`.

The file is a JSON list; each item is the `message` of a chat completion (`{"content": ...}` or `{"tool_calls":
[...]}`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remembr_ros.errors import ConfigurationError, LanguageModelUnavailable
from remembr_ros.recall.dialect import Message, ToolSchema
from remembr_ros.recall.replies import Reply, read_reply


class ScriptedChat:
    """Plays its replies in order, over all questions; when they are used up it is unavailable."""

    name = "scripted"

    def __init__(self, replies: Sequence[Mapping[str, Any]]) -> None:
        self._replies = list(replies)
        self.requests: list[list[Message]] = []

    @classmethod
    def from_file(cls, path: str) -> ScriptedChat:
        """Raises ConfigurationError for a file that is not a JSON list of objects."""
        try:
            replies = json.loads(Path(path).expanduser().read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"llm: scripted:{path} cannot be read: {error}") from error
        if not isinstance(replies, list) or not all(isinstance(reply, dict) for reply in replies):
            raise ConfigurationError(f"llm: scripted:{path} must hold a JSON list of messages")
        return cls(replies)

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], *, must_call: str = "", max_tokens: int = 1024
    ) -> Reply:
        self.requests.append([dict(message) for message in messages])
        if not self._replies:
            raise LanguageModelUnavailable("scripted: the script has no more replies")
        body = {"choices": [{"message": self._replies.pop(0), "finish_reason": "stop"}]}
        return read_reply(body, [tool["function"]["name"] for tool in tools], id_prefix=f"c{len(messages):04d}")

    async def close(self) -> None:
        pass
