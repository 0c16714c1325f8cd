"""Replies of language models kept on disk, so that an evaluation that is run again asks and pays only for what is new.

In: the request of one chat completion; out: its body, from the folder if the same bytes were sent to the same endpoint
before. The key of a reply is the hash of endpoint and request; API keys are part of neither. What a reply cost (tokens,
seconds) is kept with it, so that a repeated run reports the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remembr_ros.recall.chat import OpenAIChat


@dataclass(slots=True)
class Spent:
    """Summed over the calls of one client. `kept_s`: what calls took that were answered from the disk this time [s]."""

    calls: int = 0
    kept: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    kept_s: float = 0.0


class KeptReplies:
    """One file a reply under `folder`, written whole or not at all. None keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def get(self, key: str) -> tuple[object, float] | None:
        """(body, seconds it took) or None; a file that is damaged counts as none."""
        if self._folder is None:
            return None
        try:
            kept = json.loads(self._path(key).read_text(encoding="utf-8"))
            return kept["body"], float(kept["took_s"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, key: str, body: object, took_s: float) -> None:
        if self._folder is None:
            return
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps({"took_s": round(took_s, 4), "body": body}), encoding="utf-8")
        os.replace(part, path)

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key}.json"


class KeepingChat(OpenAIChat):
    """The client of recall/chat.py, which looks into `kept` before it asks. `spent` grows with every call."""

    def __init__(self, model: str, kept: KeptReplies, **options: Any) -> None:
        """`options` as OpenAIChat takes them."""
        super().__init__(model, **options)
        self._kept = kept
        self.spent = Spent()

    async def _send(self, request: Mapping[str, Any], timeout_s: float) -> object:
        key = hashlib.sha256(f"{self._base_url}\n{json.dumps(request, sort_keys=True)}".encode()).hexdigest()
        found = self._kept.get(key)
        if found is None:
            began = time.monotonic()
            body = await super()._send(request, timeout_s)
            if isinstance(body, Mapping) and body.get("choices"):
                self._kept.put(key, body, time.monotonic() - began)
        else:
            body, took_s = found
            self.spent.kept += 1
            self.spent.kept_s += took_s
        self.spent.calls += 1
        usage = body.get("usage") if isinstance(body, Mapping) else None
        if isinstance(usage, Mapping):
            self.spent.prompt_tokens += int(usage.get("prompt_tokens") or 0)
            self.spent.completion_tokens += int(usage.get("completion_tokens") or 0)
        return body
