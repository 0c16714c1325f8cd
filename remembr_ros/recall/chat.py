"""One request to a language model over the OpenAI-compatible chat API. In: messages and tools; out: a `Reply`.

Works with OpenAI, NVIDIA NIM, vLLM, Ollama and llama.cpp (vendors.py); what a server does not take is learned from its
refusals (dialect.py). Retries honour Retry-After and end with the time limit. The key comes from the environment only.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol

from remembr_ros.errors import ConfigurationError, LanguageModelUnavailable, MissingDependency
from remembr_ros.legible import legible
from remembr_ros.recall.bounded_http import MAX_REDIRECTS, NO_COMPRESSION, ReplyTooLarge, bound
from remembr_ros.recall.dialect import Dialect, Message, ToolSchema
from remembr_ros.recall.replies import Reply, read_reply
from remembr_ros.recall.vendors import VENDORS

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MAX_RETRIES = 2
FIRST_PAUSE_S = 0.25
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window|limit)|maximum context|prompt is too long|too many (?:input |prompt )?tokens"
)
_WORTH_A_RETRY = (408, 409, 425, 429, 500, 502, 503, 504, 529)


class PromptTooLong(LanguageModelUnavailable):
    """The server says that the prompt does not fit into the model's context; a shorter one may."""


class ChatClient(Protocol):
    """A language model that can be asked for its next message."""

    name: str
    """Named in Answer.source."""

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], *, must_call: str = "", max_tokens: int = 1024
    ) -> Reply:
        """The model's reply. `must_call` names the one tool it has to use now. Raises LanguageModelUnavailable, of
        which PromptTooLong."""
        ...

    async def close(self) -> None: ...


class OpenAIChat:
    """The real client. Make it anywhere; use it from one event loop."""

    def __init__(
        self,
        model: str,
        *,
        vendor: str = "openai",
        base_url: str = "",
        api_key_env: str = "",
        timeout_s: float = 30.0,
        parameter: str = "llm",
    ) -> None:
        """`vendor`: a key of VENDORS; `base_url` and `api_key_env` empty: as that vendor has it. `timeout_s`: one
        reply, retries included. Raises ConfigurationError when a key is needed and not set, MissingDependency without
        openai.
        """
        known = VENDORS[vendor]
        self.name = f"llm:{model}"
        self._base_url = base_url or known.base_url
        self._timeout_s = timeout_s
        # Only the vendor itself is known to enforce schemas; whoever else listens at a base_url may choke on them.
        self._dialect = Dialect(model, strict=known.strict and not base_url)
        variable = api_key_env or known.api_key_env
        self._key = os.environ.get(variable, "") if variable else ""
        if variable and not self._key and not base_url:
            raise ConfigurationError(
                f"{parameter}: {vendor}:{model} needs a key in the environment variable {variable}, "
                f"or the base_url of a server that wants none"
            )
        try:
            import openai  # noqa: F401
        except ImportError as error:
            raise MissingDependency(
                "openai", "pip install 'openai>=1.60'", needed_for=f"{parameter} {vendor}"
            ) from error
        self._client: AsyncOpenAI | None = None

    async def complete(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], *, must_call: str = "", max_tokens: int = 1024
    ) -> Reply:
        import openai

        until = time.monotonic() + self._timeout_s
        retries = 0
        while True:  # each turn learns one of a few refusals, uses up a retry, or ends
            request = self._dialect.request(messages, tools, must_call, max_tokens)
            try:
                body = await self._send(request, until - time.monotonic())
                return read_reply(body, [tool["function"]["name"] for tool in tools], f"c{len(messages):04d}")
            except openai.APIStatusError as error:
                if error.status_code not in _WORTH_A_RETRY[:4] and _TOO_LONG.search(_words(error).lower()):
                    raise PromptTooLong(f"{self.name} failed: {self._short(error)}") from error
                if self._dialect.learn(error.status_code, _words(error), request):
                    continue
                again = error.status_code in _WORTH_A_RETRY and "insufficient_quota" not in _words(error)
                pause_s = _retry_after_s(error.response.headers)
                failed = LanguageModelUnavailable(f"{self.name} failed: {self._short(error)}")
                cause: Exception = error
            except openai.APITimeoutError as error:
                failed = LanguageModelUnavailable(f"{self.name} gave no reply within {self._timeout_s:g} s")
                again, pause_s, cause = False, None, error
            except openai.APIConnectionError as error:
                where = self._base_url or "the vendor's endpoint"
                why = error if error.__cause__ is None else error.__cause__
                failed = LanguageModelUnavailable(f"{self.name} cannot be reached at {where}: {self._short(why)}")
                again, pause_s, cause = True, None, error
            except (openai.OpenAIError, ReplyTooLarge) as error:
                failed = LanguageModelUnavailable(f"{self.name} failed: {self._short(error)}")
                again, pause_s, cause = False, None, error
            if pause_s is None:
                pause_s = FIRST_PAUSE_S * 2**retries
            if not again or retries >= MAX_RETRIES or time.monotonic() + pause_s >= until:
                raise failed from cause
            retries += 1
            await asyncio.sleep(pause_s)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _short(self, error: BaseException) -> str:
        text = legible(str(error) or type(error).__name__)[:300]
        return text.replace(self._key, "***") if self._key else text

    async def _send(self, request: Mapping[str, Any], timeout_s: float) -> object:
        """The decoded body; None when it is no JSON, which is an empty reply."""
        import openai

        if self._client is None:
            self._client = openai.AsyncOpenAI(
                api_key=self._key or "none",
                base_url=self._base_url or None,
                max_retries=0,
                default_headers=NO_COMPRESSION,
                http_client=openai.DefaultAsyncHttpxClient(
                    event_hooks={"response": [bound]}, max_redirects=MAX_REDIRECTS
                ),
            )
        # post(), not chat.completions.create(): that checks each nested field against its types, half of our own time.
        limit_s = max(0.01, timeout_s)
        call = self._client.post("/chat/completions", cast_to=object, body=dict(request), options={"timeout": limit_s})
        try:
            # The client's own limit is for each read; a server that trickles must end, too.
            body: object = await asyncio.wait_for(call, limit_s)
        except asyncio.TimeoutError as error:
            raise openai.APITimeoutError(request=None) from error  # type: ignore[arg-type]
        except (ValueError, RecursionError):
            return None
        return body


def _words(error: Any) -> str:
    """All that a refusal says: status text, message, the name of the parameter."""
    body = error.body if isinstance(error.body, Mapping) else {}
    return " ".join(
        str(part) for part in (error, body.get("param"), body.get("code"), error.response.text[:2000]) if part
    )


def _retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that the server asks to wait, from either form of Retry-After; None: it does not say."""
    given = headers.get("retry-after", "").strip()
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000.0)
        if given.replace(".", "", 1).isdigit():
            return float(given)
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time()) if given else None
    except (ValueError, TypeError):
        return None
