"""A captioner behind any OpenAI-compatible vision endpoint: NIM, vLLM, Ollama, llama.cpp, OpenAI, a VILA server.

In: RGB frames, sent as JPEG data URLs in one user message. Out: the model's text. One caption takes at most
`timeout_s`, retries included: they honour Retry-After and are few, for the next window is waiting. The key comes from
the environment only.
"""

from __future__ import annotations

import base64
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from remembr_ros.errors import ConfigurationError, LanguageModelUnavailable, MissingDependency, ModelFailed
from remembr_ros.records import Frame
from remembr_ros.remember.captioners.frames import scaled, spread
from remembr_ros.remember.captioners.options import CaptionerOptions

KEY_VARIABLE = "OPENAI_API_KEY"
ATTEMPTS = 3
FIRST_PAUSE_S = 0.5
WORTH_A_RETRY = (408, 409, 425, 429, 500, 502, 503, 504, 529)
REFUSED_KEY = (401, 403)


class OpenAICaptioner:
    """Raises ConfigurationError where a key is needed and not set, MissingDependency without openai.

    Nothing is asked of the server before the first caption: it may be started after the robot.
    """

    def __init__(self, model: str, options: CaptionerOptions, *, parameter: str = "captioner.model") -> None:
        if not model:
            raise ConfigurationError(f"{parameter}: openai: names no model; wanted openai:<model>")
        try:
            import openai
        except ImportError as error:
            raise MissingDependency("openai", "pip install 'openai>=1.60'", needed_for=f"{parameter} openai") from error
        variable = options.api_key_env or KEY_VARIABLE
        key = os.environ.get(variable, "")
        if not key and (options.api_key_env or not options.base_url):
            raise ConfigurationError(
                f"{parameter}: openai:{model} needs a key in the environment variable {variable}, "
                f"or captioner.base_url of a server that wants none"
            )
        self.name = f"openai:{model}"
        self._model = model
        self._options = options
        self._openai: Any = openai
        self._tokens_field = "max_tokens"
        try:
            self._client: Any = openai.OpenAI(api_key=key or "none", base_url=options.base_url or None, max_retries=0)
        except Exception as error:  # the client checks the address in its own way
            raise ConfigurationError(f"captioner.base_url: {options.base_url!r} cannot be used: {error}") from error

    def caption(self, frames: Sequence[Frame]) -> str:
        """What the model says of at most `max_images` frames. Raises ModelFailed, LanguageModelUnavailable."""
        until_s = time.monotonic() + self._options.timeout_s
        request = self._request(frames)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._text(self._send(request, until_s))
            except LanguageModelUnavailable as error:
                pause_s = _pause_s(error.__cause__, attempt)
                if pause_s is None or attempt == ATTEMPTS or time.monotonic() + pause_s >= until_s:
                    raise
                time.sleep(pause_s)
        raise AssertionError("the last attempt returned or raised")

    def warm_up(self) -> None:
        """One caption of grey pictures: the server loads its model, or says that it takes fewer of them.

        Raises what `caption` raises.
        """
        grey = np.full((64, 64, 3), 128, np.uint8)
        self.caption([Frame(1 + number, grey) for number in range(self._options.max_images)])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request(self, frames: Sequence[Frame]) -> dict[str, Any]:
        options = self._options
        content: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": _data_url(frame.image, options)}}
            for frame in spread(frames, options.max_images)
        ]
        content.append({"type": "text", "text": options.words})
        return {"model": self._model, "messages": [{"role": "user", "content": content}]}

    def _send(self, request: dict[str, Any], until_s: float) -> Any:
        left_s = max(0.1, until_s - time.monotonic())
        try:
            limit = {self._tokens_field: self._options.max_tokens}
            return self._client.chat.completions.create(**request, **limit, timeout=left_s)
        except self._openai.BadRequestError as error:
            if self._tokens_field == "max_tokens" and "max_completion_tokens" in str(error):
                self._tokens_field = "max_completion_tokens"  # what OpenAI's newer models call it
                return self._send(request, until_s)
            raise ModelFailed(f"{self.name}: the server refuses the request: {_brief(error)}") from error
        except self._openai.APITimeoutError as error:
            raise LanguageModelUnavailable(f"{self.name}: no caption within {self._options.timeout_s:g} s") from error
        except self._openai.APIConnectionError as error:
            raise LanguageModelUnavailable(
                f"{self.name}: {self._client.base_url} cannot be reached: {error}"
            ) from error
        except self._openai.APIStatusError as error:
            if error.status_code in REFUSED_KEY:
                raise ConfigurationError(
                    f"{self.name}: the server refuses the key (HTTP {error.status_code}); "
                    f"it is read from {self._options.api_key_env or KEY_VARIABLE}"
                ) from error
            if error.status_code in WORTH_A_RETRY:
                raise LanguageModelUnavailable(f"{self.name}: HTTP {error.status_code}: {_brief(error)}") from error
            raise ModelFailed(f"{self.name}: HTTP {error.status_code}: {_brief(error)}") from error
        except Exception as error:  # a body that is no chat completion
            raise ModelFailed(f"{self.name}: the reply cannot be read: {type(error).__name__}: {error}") from error

    def _text(self, completion: Any) -> str:
        try:
            choice = completion.choices[0]
            message = choice.message
            refusal, text = getattr(message, "refusal", None), message.content
        except (AttributeError, IndexError, TypeError) as error:
            raise ModelFailed(f"{self.name}: the reply is no chat completion") from error
        if refusal or choice.finish_reason == "content_filter":
            raise ModelFailed(f"{self.name} refuses to describe the pictures: {str(refusal or 'content filter')[:200]}")
        if isinstance(text, str) and "</think>" in text:
            text = text.rpartition("</think>")[2]
        return text if isinstance(text, str) else ""


def _data_url(image: np.ndarray[Any, Any], options: CaptionerOptions) -> str:
    import cv2

    picture = np.ascontiguousarray(scaled(image, options.image_px)[:, :, ::-1])  # OpenCV writes BGR
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, options.jpeg_quality])
    if not done:
        raise ModelFailed("a picture cannot be encoded as JPEG")
    return "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode("ascii")


def _pause_s(error: BaseException | None, attempt: int) -> float | None:
    """How long the server wants us to wait; None for an unreadable wish (a date far off, say)."""
    response = getattr(error, "response", None)
    wish = response.headers.get("retry-after") if response is not None else None
    if wish is None:
        return float(FIRST_PAUSE_S * 2.0 ** (attempt - 1))
    try:
        return max(0.0, float(wish))
    except ValueError:
        return None


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:300]
