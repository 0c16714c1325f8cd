"""The agent: a language model that searches the memory in a few rounds and answers by citing it.

In: a Question; out: always an Answer (found, not found, or a typed error), within the limits on rounds, calls,
characters and seconds. The model picks evidence; code computes every number (answer.py). Nothing of a question is kept.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from remembr_ros.errors import LanguageModelUnavailable, MemoryUnavailable, RemembrError
from remembr_ros.recall import prompt
from remembr_ros.recall.answer import Composer
from remembr_ros.recall.arguments import ToolFault
from remembr_ros.recall.chat import ChatClient, PromptTooLong
from remembr_ros.recall.conversations import Turn
from remembr_ros.recall.dialect import Message
from remembr_ros.recall.follow_ups import follow_up
from remembr_ros.recall.occasions import Occasions
from remembr_ros.recall.pictures import Pictures
from remembr_ros.recall.prefetch import first_searches
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.replies import Reply, ToolCall
from remembr_ros.recall.same_words import SameWords
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.tool_tables import ANSWER, ANSWER_SCHEMA, INSPECT, SCHEMAS, SCHEMAS_WITH_PICTURES, TOOLS
from remembr_ros.recall.tools import Toolbox
from remembr_ros.recall.trace import QuestionTrace
from remembr_ros.recall.understand import in_english, understand
from remembr_ros.records import Answer, AnswerError, AnswerKind, Question

MAX_CALLS_PER_ROUND = 6
MAX_MENDED = 2
"""Requests beyond the rounds in which the model may mend an empty reply, prose, or a faulty call."""

OnProgress = Callable[[Progress], None]


class Agent:
    """Asks `chat` and searches `memory`; holds only those two, its settings, `same_words` for its first searches
    (None = those of the package), and how long a prompt the server takes."""

    def __init__(
        self,
        memory: SearchableMemory,
        chat: ChatClient,
        zone: ZoneInfo,
        settings: RecallSettings,
        pictures: Pictures | None = None,
        same_words: SameWords | None = None,
    ) -> None:
        self._memory = memory
        self._pictures = pictures
        self._chat = chat
        self._zone = zone
        self._settings = settings
        self._same_words = same_words
        self._budget = prompt.Budget(settings.prompt_characters)

    async def ask(
        self,
        question: Question,
        on_progress: OnProgress | None = None,
        earlier: Sequence[Turn] = (),
        trace: QuestionTrace | None = None,
    ) -> Answer:
        """One question, with the conversation before it. Cancel the task to stop it. Raises nothing else."""
        compose = Composer(question, self._zone, self._chat.name, neutral=not in_english(question.text))
        report = on_progress or (lambda progress: None)
        run = _Run(
            self._memory, self._chat, self._settings, self._budget, question, compose, report, earlier, trace,
            self._pictures, self._same_words,
        )  # fmt: skip
        try:
            answer = await asyncio.wait_for(run.answer(), self._settings.time_limit_s)
        except asyncio.TimeoutError:
            message = f"no answer within {self._settings.time_limit_s:g} s"
            answer = compose.failed(AnswerError.TIMEOUT, message, "That took me too long.")
        except LanguageModelUnavailable as error:
            answer = compose.failed(AnswerError.LLM_UNAVAILABLE, str(error), "I cannot reach my language model.")
        except MemoryUnavailable as error:
            answer = compose.failed(AnswerError.MEMORY_UNAVAILABLE, str(error), "I cannot reach my memory.")
        except RemembrError as error:
            answer = compose.failed(AnswerError.INTERNAL, str(error))
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            answer = compose.failed(AnswerError.INTERNAL, message, "Something went wrong inside me.")
        return dataclasses.replace(answer, rounds=run.rounds, llm_calls=run.llm_calls)

    async def close(self) -> None:
        await self._chat.close()
        if self._pictures is not None:
            await self._pictures.close()


class _Run:
    """The state of one question."""

    def __init__(
        self,
        memory: SearchableMemory,
        chat: ChatClient,
        settings: RecallSettings,
        budget: prompt.Budget,
        question: Question,
        compose: Composer,
        report: OnProgress,
        earlier: Sequence[Turn],
        trace: QuestionTrace | None,
        pictures: Pictures | None,
        same_words: SameWords | None,
    ) -> None:
        self._memory = memory
        self._chat = chat
        self._settings = settings
        self._budget = budget
        self._question = question
        self._compose = compose
        self._report = report
        self._earlier = earlier
        self._trace = trace
        self._pictures = pictures
        self._same_words = same_words
        self._results: dict[str, list[str]] = {}
        self.rounds = 0
        self.llm_calls = 0

    async def answer(self) -> Answer:
        messages = await self._first_prompt()
        mended = 0
        while True:  # every turn uses up a round or a repair, and the last turn returns
            last = self.rounds >= self._settings.max_rounds or mended >= MAX_MENDED
            if last:
                messages.append({"role": "user", "content": prompt.LAST_CHANCE})
            reply = await self._complete(messages, last, self._settings.reply_tokens * (1 + mended))
            answer = self._answer_in(reply, lenient=last)
            if answer is not None:
                return answer
            if last:
                return self._without_answer(reply)
            if await self._run_calls(reply, messages):
                self.rounds += 1
            else:
                mended += 1

    async def _first_prompt(self) -> list[Message]:
        self._report(Progress("thinking"))
        bounds = await asyncio.to_thread(self._memory.bounds)
        asked = understand(self._question, self._compose.zone)
        self._tools = Toolbox(
            self._memory, self._question, asked, self._compose, bounds, self._settings.memories_per_query
        )
        messages: list[Message] = [{"role": "system", "content": prompt.RULES}]
        for number, turn in enumerate(self._earlier):
            messages.extend(prompt.earlier_turn(number, turn, self._tools.show_earlier(turn)))
        messages.append({"role": "user", "content": prompt.moment(self._question, self._compose.zone, bounds)})
        if self._settings.prefetch and bounds is not None:
            asked, _ = follow_up(asked, self._earlier, self._compose.zone)
            await self._run_calls(Reply("", first_searches(asked, self._question, self._same_words)), messages)
        return messages

    async def _complete(self, messages: list[Message], last: bool, max_tokens: int) -> Reply:
        self._report(Progress("answering" if last else "thinking", self.rounds))
        searches = SCHEMAS if self._pictures is None else SCHEMAS_WITH_PICTURES
        schemas, must_call = (ANSWER_SCHEMA, ANSWER.name) if last else (searches, "")
        began = time.monotonic()
        for again in (True, False):
            self.llm_calls += 1
            fitted = prompt.fit(messages, self._budget.characters)
            try:
                reply = await self._chat.complete(fitted, schemas, must_call=must_call, max_tokens=max_tokens)
                break
            except PromptTooLong:
                if not (self._budget.halve(fitted) and again):
                    raise
        if self._trace is not None:
            self._trace.exchange(fitted, reply, time.monotonic() - began)
        return reply

    def _answer_in(self, reply: Reply, *, lenient: bool) -> Answer | None:
        """The first `answer` call that holds; on the last request also one with faults, as far as it can be used."""
        for call in reply.calls:
            if call.name == ANSWER.name and call.arguments is not None:
                try:
                    return self._tools.answer(call.arguments, lenient=lenient)
                except ToolFault:
                    continue  # the model is told in _run_calls
        return None

    async def _run_calls(self, reply: Reply, messages: list[Message]) -> bool:
        """Answer every call of `reply` with one tool message, searches side by side. False when none was a new
        search."""
        if not reply.calls:
            if reply.text:
                messages.append({"role": "assistant", "content": reply.text})
            messages.append({"role": "user", "content": prompt.NUDGE_PROSE if reply.text else prompt.NUDGE_EMPTY})
            return False
        known = set(self._results)
        lines = await self._lines_of(reply.calls)
        messages.append(prompt.tool_request([(c.id, c.name, dict(c.arguments or {})) for c in reply.calls], reply.text))
        messages.extend(prompt.tool_result(call.id, text) for call, text in zip(reply.calls, lines, strict=True))
        return bool(set(self._results) - known)

    async def _lines_of(self, calls: tuple[ToolCall, ...]) -> list[list[str]]:
        keys = [json.dumps([call.name, call.arguments], sort_keys=True, default=str) for call in calls]
        fresh: dict[str, asyncio.Task[Any]] = {}
        faults: dict[int, str] = {}
        for index, (call, key) in enumerate(zip(calls, keys, strict=True)):
            fault = self._fault_of(call) or (
                "" if len(fresh) < MAX_CALLS_PER_ROUND or key in fresh else "too many calls in one turn; not run"
            )
            if fault:
                faults[index] = fault
            elif key not in self._results and key not in fresh:
                assert call.arguments is not None
                fresh[key] = asyncio.ensure_future(self._run_one(call.name, call.arguments))
        results = dict(zip(fresh, await asyncio.gather(*fresh.values(), return_exceptions=True), strict=True))
        lines: list[list[str]] = []
        for index, (call, key) in enumerate(zip(calls, keys, strict=True)):
            if index in faults:
                lines.append([f"Error: {faults[index]}"])
            elif key in self._results:
                lines.append(["You made this same call before; its result again:", *self._results[key]])
            else:
                result = results[key]
                if isinstance(result, ToolFault):
                    lines.append([f"Error: {result}"])
                    continue
                if isinstance(result, BaseException):
                    raise result
                self._results[key] = self._tools.show(result)
                lines.append(self._results[key])
                hits = len(result) if isinstance(result, (list, Occasions)) else -1
                self._report(Progress("searching", self.rounds + 1, call.name, _in_words(call), hits))
        return lines

    async def _run_one(self, name: str, arguments: Mapping[str, Any]) -> Any:
        if name == INSPECT.name and self._pictures is not None:
            return await self._tools.look(arguments, self._pictures)
        return await asyncio.to_thread(self._tools.run, name, arguments)

    def _fault_of(self, call: ToolCall) -> str:
        """What is wrong with a call before it runs; for `answer`, why it was not accepted."""
        if call.fault or call.arguments is None:
            return call.fault or "the arguments cannot be read"
        known = [*TOOLS, *([INSPECT.name] if self._pictures is not None else [])]
        if call.name not in known:
            return f"there is no tool {call.name[:60]!r}; the tools are {', '.join(known)}"
        if call.name != ANSWER.name:
            return ""
        try:
            self._tools.answer(call.arguments, lenient=False)
        except ToolFault as fault:
            return str(fault)
        return ""

    def _without_answer(self, reply: Reply) -> Answer:
        """The model never called `answer`: its plain words if it said any, else an honest end."""
        if reply.text:
            text = self._compose.spoken(reply.text)
            if text:
                return self._compose.compose(AnswerKind.TEXT, (), text=text)
        if self.rounds == 0 and reply.empty:
            raise LanguageModelUnavailable(f"{self._chat.name} gave no usable reply in {self.llm_calls} requests")
        return self._compose.not_found(AnswerKind.TEXT)


def _in_words(call: ToolCall) -> str:
    return ", ".join(f"{key}={value}" for key, value in (call.arguments or {}).items())[:200]
