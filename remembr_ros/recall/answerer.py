"""The one entry of the reading path: a Question to an Answer, whatever fails. What the query node and the tools call.

`create_recall("extractive" | "<vendor>:<model>" | "scripted:<file>", memory, ...)` picks who composes the answer
(vendors.py). A question that an unreachable language model leaves open is answered by the rules of extractive.py, and
marked so in `source`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
import unicodedata
from collections.abc import Callable, Sequence
from typing import Protocol
from zoneinfo import ZoneInfo

from remembr_ros.errors import MemoryUnavailable, RemembrError, UnknownBackend
from remembr_ros.legible import legible
from remembr_ros.recall.answer import Composer
from remembr_ros.recall.conversations import Conversations, Turn, still_remembered
from remembr_ros.recall.extractive import SOURCE, ExtractiveAnswerer
from remembr_ros.recall.progress import Progress
from remembr_ros.recall.same_words import SameWords, with_own
from remembr_ros.recall.searchable import OneRobot, SearchableMemory
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.similarity import MINILM, QueryEmbedder, measure
from remembr_ros.recall.trace import QuestionTrace, TraceFile
from remembr_ros.recall.vendors import VENDORS
from remembr_ros.recall.when import load_zone
from remembr_ros.records import Answer, AnswerError, Question

MAX_QUESTION = 2000
OnProgress = Callable[[Progress], None]


class LanguageModelAgent(Protocol):
    """What answers with a language model (agent.Agent)."""

    async def ask(
        self,
        question: Question,
        on_progress: OnProgress | None = None,
        earlier: Sequence[Turn] = (),
        trace: QuestionTrace | None = None,
    ) -> Answer: ...

    async def close(self) -> None: ...


class Recall:
    """Answers questions one after the other or side by side; keeps the last turns of each conversation between them."""

    def __init__(
        self,
        memory: SearchableMemory,
        zone: ZoneInfo,
        agent: LanguageModelAgent | None = None,
        *,
        time_limit_s: float = 60.0,
        trace: TraceFile | None = None,
        embedder: QueryEmbedder | None = None,
        same_words: SameWords | None = None,
    ) -> None:
        """`embedder`: the memory's, for the rules; how it spreads is measured here. `same_words`: for the rules, too;
        None = those of the package."""
        scale = MINILM if embedder is None else measure(embedder)
        self._memory = memory
        self._conversations = Conversations()
        self._extractive = ExtractiveAnswerer(memory, zone, scale, embedder, same_words)
        self._agent = agent
        self._zone = zone
        self._time_limit_s = time_limit_s
        self._trace = trace

    async def ask(self, question: Question, on_progress: OnProgress | None = None) -> Answer:
        """Always an Answer, with `elapsed_s` set, within the time limit. Only asyncio.CancelledError passes through."""
        began = time.monotonic()
        if len(question.text) <= MAX_QUESTION:
            question = dataclasses.replace(question, text=legible(question.text))
        trace = None if self._trace is None else QuestionTrace(question)
        answer = await self._ask(question, _both(on_progress, trace), trace)
        self._conversations.add(question, answer)
        answer = dataclasses.replace(answer, elapsed_s=time.monotonic() - began)
        if trace is not None and self._trace is not None:
            await asyncio.to_thread(self._trace.write, trace.line(answer))
        return answer

    async def close(self) -> None:
        """Release the language model's connections."""
        if self._agent is not None:
            await self._agent.close()

    async def _ask(self, question: Question, on_progress: OnProgress | None, trace: QuestionTrace | None) -> Answer:
        compose = Composer(question, self._zone, SOURCE)
        text = question.text.strip()
        if not any(unicodedata.category(character)[0] in "LNS" for character in text[:MAX_QUESTION]):
            return compose.failed(AnswerError.INVALID_QUESTION, "the question has no words", "Please ask a question.")
        if len(text) > MAX_QUESTION:
            message = f"the question has {len(text)} characters; at most {MAX_QUESTION} are answered"
            return compose.failed(AnswerError.INVALID_QUESTION, message, "That question is too long for me.")
        try:
            earlier = self._conversations.before(question)
            if earlier:
                earlier = await asyncio.wait_for(
                    asyncio.to_thread(still_remembered, earlier, self._memory), self._time_limit_s
                )
            unavailable: Answer | None = None
            if self._agent is not None:
                answer = await self._agent.ask(question, on_progress, earlier, trace)
                if answer.error is not AnswerError.LLM_UNAVAILABLE:
                    return answer
                unavailable = answer
            source = SOURCE if unavailable is None else f"{SOURCE} ({unavailable.source} unavailable)"
            if on_progress is not None:
                on_progress(Progress("thinking"))
            fallback = await asyncio.wait_for(
                asyncio.to_thread(self._extractive.answer, question, on_progress, earlier=earlier, source=source),
                self._time_limit_s,
            )
            if unavailable is None:
                return fallback
            return dataclasses.replace(fallback, llm_calls=unavailable.llm_calls, rounds=unavailable.rounds)
        except MemoryUnavailable as error:
            return compose.failed(AnswerError.MEMORY_UNAVAILABLE, str(error), "I cannot reach my memory.")
        except asyncio.TimeoutError:
            message = f"no answer within {self._time_limit_s:g} s"
            return compose.failed(AnswerError.TIMEOUT, message, "That took me too long.")
        except RemembrError as error:
            return compose.failed(AnswerError.INTERNAL, str(error))
        except Exception as error:  # the last line of defence before the node: a fault of ours is an answer, too
            message = f"{type(error).__name__}: {error}"
            return compose.failed(AnswerError.INTERNAL, message, "Something went wrong inside me.")


def _both(on_progress: OnProgress | None, trace: QuestionTrace | None) -> OnProgress | None:
    if trace is None or on_progress is None:
        return on_progress if trace is None else trace.progress

    def tell(progress: Progress) -> None:
        trace.progress(progress)
        on_progress(progress)

    return tell


def create_recall(
    llm: str,
    memory: SearchableMemory,
    *,
    base_url: str = "",
    timezone: str = "UTC",
    robot_id: str = "",
    settings: RecallSettings | None = None,
    parameter: str = "llm",
) -> Recall:
    """Recall with the composer that `llm` (`provider:model`) names.

    `base_url`: the OpenAI-compatible endpoint, empty = the vendor's usual one. `timezone`: IANA name in which people
    speak of times. `robot_id`: answer from the memories of this robot only, empty = of all. Raises UnknownBackend,
    ConfigurationError, MissingDependency.
    """
    settings = settings or RecallSettings()
    embedder = getattr(memory, "embedder", None)
    if robot_id:
        memory = OneRobot(memory, robot_id)
    zone = load_zone(timezone)
    same_words = with_own(settings.words_file)
    trace = TraceFile(settings.trace_path) if settings.trace_path else None
    provider, _, model = llm.partition(":")
    agent = None
    if provider in VENDORS and model:
        from remembr_ros.recall.agent import Agent
        from remembr_ros.recall.chat import OpenAIChat
        from remembr_ros.recall.pictures import Pictures

        def chat(name: str) -> OpenAIChat:
            return OpenAIChat(
                name,
                vendor=provider,
                base_url=base_url,
                api_key_env=settings.api_key_env,
                timeout_s=settings.llm_timeout_s,
                parameter=parameter,
            )

        pictures = Pictures(chat(settings.vision_model)) if settings.vision_model else None
        agent = Agent(memory, chat(model), zone, settings, pictures, same_words)
    elif provider == "scripted" and model:
        from remembr_ros.recall.agent import Agent
        from remembr_ros.recall.scripted_chat import ScriptedChat

        agent = Agent(memory, ScriptedChat.from_file(model), zone, settings, same_words=same_words)
    elif provider not in ("extractive", "") or model:
        raise UnknownBackend(parameter, llm, ("extractive", *(f"{v}:<model>" for v in VENDORS), "scripted:<file>"))
    return Recall(
        memory,
        zone,
        agent,
        time_limit_s=settings.time_limit_s,
        trace=trace,
        embedder=embedder,
        same_words=same_words,
    )
