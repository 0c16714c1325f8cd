"""The baseline without retrieval: all captions of the question's time in one prompt, one request, one answer.

In: a Question and a memory; out: an Answer with cited memories, its numbers computed from them as everywhere. What does
not fit into `prompt_characters`, or into the model's context, is left out, oldest first.
"""

from __future__ import annotations

from zoneinfo import ZoneInfo

from remembr_ros.errors import LanguageModelUnavailable
from remembr_ros.recall import prompt
from remembr_ros.recall.answer import Composer
from remembr_ros.recall.arguments import ToolFault
from remembr_ros.recall.chat import ChatClient, PromptTooLong
from remembr_ros.recall.replies import Reply
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.tool_tables import ANSWER, ANSWER_SCHEMA
from remembr_ros.recall.tools import Toolbox
from remembr_ros.recall.understand import understand
from remembr_ros.records import Answer, AnswerError, AnswerKind, Hit, Memory, Question

_PAGE = 1000
MOST_REFUSALS = 6
"""Each halves the prompt: from 400,000 characters to what a context of some 2,000 tokens holds."""
MOST = 20_000
"""Memories that are read; more fit into no prompt."""


class AllCaptions:
    """Answers one question at a time."""

    def __init__(self, memory: SearchableMemory, chat: ChatClient, zone: ZoneInfo, settings: RecallSettings) -> None:
        self._memory = memory
        self._chat = chat
        self._zone = zone
        self._settings = settings

    async def ask(self, question: Question) -> Answer:
        """Raises MemoryUnavailable; a model that cannot be reached is an Answer with LLM_UNAVAILABLE."""
        compose = Composer(question, self._zone, f"{self._chat.name}, all captions")
        bounds = self._memory.bounds()
        if bounds is None:
            return compose.not_found(AnswerKind.TEXT)
        asked = understand(question, self._zone)
        tools = Toolbox(self._memory, question, asked, compose, bounds, self._settings.memories_per_query)
        lines = tools.show([Hit(memory) for memory in everything(self._memory, bounds)])
        try:
            reply = await self._complete(prompt.moment(question, self._zone, bounds), lines)
        except LanguageModelUnavailable as error:
            return compose.failed(AnswerError.LLM_UNAVAILABLE, str(error))
        for call in reply.calls:
            if call.name == ANSWER.name and call.arguments is not None:
                try:
                    return tools.answer(call.arguments, lenient=True)
                except ToolFault:
                    continue
        text = compose.spoken(reply.text)
        return compose.compose(AnswerKind.TEXT, (), text=text) if text else compose.not_found(AnswerKind.TEXT)

    async def close(self) -> None:
        await self._chat.close()

    async def _complete(self, asked: str, lines: list[str]) -> Reply:
        room = min(self._settings.prompt_characters, sum(len(line) + 1 for line in lines))
        for refusals_left in reversed(range(MOST_REFUSALS + 1)):
            messages = [
                {"role": "system", "content": prompt.RULES},
                {"role": "user", "content": asked},
                prompt.tool_request([("all000000", "search_time", {"at": "now", "after": "start", "order": "first"})]),
                prompt.tool_result("all000000", _latest(lines, room)),
                {"role": "user", "content": prompt.LAST_CHANCE},
            ]
            try:
                return await self._chat.complete(
                    messages, ANSWER_SCHEMA, must_call=ANSWER.name, max_tokens=self._settings.reply_tokens
                )
            except PromptTooLong:
                if not refusals_left:
                    raise
                room //= 2
        raise AssertionError("the last turn returns or raises")


def _latest(lines: list[str], room: int) -> list[str]:
    """The heading and as many of the last lines as fit into `room` characters."""
    heading, *rest = lines
    kept: list[str] = []
    for line in reversed(rest):
        room -= len(line) + 1
        if room < 0:
            kept.append(f"({len(rest) - len(kept)} earlier memories left out)")
            break
        kept.append(line)
    return [heading, *reversed(kept)]


def everything(memory: SearchableMemory, bounds: tuple[int, int]) -> list[Memory]:
    """All windows in time order, at most MOST, the latest."""
    found: dict[str, Memory] = {}
    after_ns = bounds[0]
    while page := memory.between(after_ns, bounds[1] + 1, _PAGE):
        found.update({row.id: row for row in page})
        if len(page) < _PAGE or page[-1].start_ns <= after_ns:
            break
        after_ns = page[-1].start_ns
    return list(found.values())[-MOST:]
