"""The settings of the reading path: one frozen record, the one place of their defaults."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How questions are answered.

    `max_rounds`: retrieval rounds of the agent (the paper's 3). `memories_per_query`: results of one search, 1 to 20.
    `prefetch`: put the hits for the question itself into the first prompt. `time_limit_s`: one question, all included.
    `llm_timeout_s`: one reply, retries included. `prompt_characters`: budget of one prompt; memories are trimmed to
    fit, nothing else. `reply_tokens`: length of one reply; twice and three times that when one has to be mended.
    `api_key_env`: the environment variable that holds the key; empty = the vendor's own, see vendors.py.
    `vision_model`: a model of the same vendor that sees, for the tool `inspect`; empty = none. `trace_path`: a file
    that gets one line of JSON per question; empty = none. `words_file`: a file of the site's own words that mean the
    same, see same_words.py; empty = none.
    """

    max_rounds: int = 3
    memories_per_query: int = 5
    prefetch: bool = True
    time_limit_s: float = 60.0
    llm_timeout_s: float = 30.0
    prompt_characters: int = 24_000
    reply_tokens: int = 1024
    api_key_env: str = ""
    vision_model: str = ""
    trace_path: str = ""
    words_file: str = ""
