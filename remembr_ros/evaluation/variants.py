"""What is compared: named ways to answer. In: a name and a language model; out: a `Variant`, and from it what answers.

`extractive` and the `retrieval_` ones need no language model. The others differ from `agent` in one thing each, which
their name says.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol
from zoneinfo import ZoneInfo

from remembr_ros.errors import ConfigurationError, UnknownBackend
from remembr_ros.evaluation.all_captions import AllCaptions
from remembr_ros.evaluation.kept_replies import KeepingChat, KeptReplies
from remembr_ros.evaluation.retrieval_only import RetrievalOnly
from remembr_ros.evaluation.within import Lesser, embedder_of
from remembr_ros.recall.agent import Agent
from remembr_ros.recall.answerer import Recall
from remembr_ros.recall.pictures import Pictures
from remembr_ros.recall.same_words import with_own
from remembr_ros.recall.searchable import SearchableMemory
from remembr_ros.recall.settings import RecallSettings
from remembr_ros.recall.vendors import VENDORS
from remembr_ros.records import Answer, Question

ALL_CAPTIONS_CHARACTERS = 400_000
"""About 100,000 tokens: the context of the large models of today."""


class Way(Enum):
    """Who makes the answer."""

    AGENT = "agent"
    ALL_CAPTIONS = "all captions"
    RULES = "rules"
    RETRIEVAL = "retrieval"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to answer. `llm`: `<vendor>:<model>`, empty for RULES and RETRIEVAL. `distinct`, `words`: see
    within.Lesser. `time_aware` is for RETRIEVAL."""

    name: str
    way: Way
    says: str
    llm: str = ""
    base_url: str = ""
    settings: RecallSettings = field(default_factory=RecallSettings)
    distinct: bool = True
    words: bool = True
    time_aware: bool = False

    @property
    def asks_a_model(self) -> bool:
        return self.way in (Way.AGENT, Way.ALL_CAPTIONS)


_AGENT = Variant("agent", Way.AGENT, "the agent as shipped")
_RULES = Variant("extractive", Way.RULES, "rules and retrieval, no language model")
_RETRIEVAL = Variant("retrieval", Way.RETRIEVAL, "one search for the question; its first memory is the answer")


def _with(variant: Variant, name: str, says: str, **settings: object) -> Variant:
    changed = dataclasses.replace(variant.settings, **settings)  # type: ignore[arg-type]
    return dataclasses.replace(variant, name=name, says=says, settings=changed)


_VARIANTS = (
    _AGENT,
    _with(_AGENT, "agent_no_prefetch", "the first prompt holds no hits: the model has to search", prefetch=False),
    _with(_AGENT, "agent_prefetch_only", "one retrieval only: hits for the question, then the answer", max_rounds=0),
    _with(_AGENT, "agent_one_round", "one round of the model's own searches", prefetch=False, max_rounds=1),
    dataclasses.replace(_AGENT, name="agent_no_words", says="by meaning alone, names are not matched", words=False),
    dataclasses.replace(
        _AGENT, name="agent_plain_vector", says="the agent on a plain vector store", words=False, distinct=False
    ),
    _with(
        dataclasses.replace(_AGENT, way=Way.ALL_CAPTIONS),
        "all_captions",
        "every caption in one prompt, no retrieval",
        prompt_characters=ALL_CAPTIONS_CHARACTERS,
    ),
    _RULES,
    dataclasses.replace(_RULES, name="extractive_no_words", says="extractive, by meaning alone", words=False),
    dataclasses.replace(
        _RULES, name="extractive_plain_vector", says="extractive on a plain vector store", words=False, distinct=False
    ),
    dataclasses.replace(
        _RETRIEVAL, name="retrieval_plain", says="nearest vectors, as stored", words=False, distinct=False
    ),
    dataclasses.replace(_RETRIEVAL, name="retrieval_distinct", says="one hit per stay, by meaning alone", words=False),
    dataclasses.replace(_RETRIEVAL, name="retrieval_words", says="the same, names matched by word as well"),
    dataclasses.replace(
        _RETRIEVAL, name="retrieval_time_aware", says="the same; times, first and last are criteria", time_aware=True
    ),
)
VARIANTS = {variant.name: variant for variant in _VARIANTS}
KEYFRAMES = "agent_keyframes"
"""Only where a model that sees is named and memories have pictures."""


def variants(
    names: str,
    *,
    llm: str = "",
    base_url: str = "",
    vision_model: str = "",
    time_limit_s: float = 120.0,
    words_file: str = "",
) -> list[Variant]:
    """The variants of a comma-separated list, each once; `all`: all that can run. Empty: `extractive`, and `agent` if
    there is a model. `words_file`: of the site's own words, for all of them. Raises ConfigurationError."""
    with_own(words_file, "--words-file")
    known = dict(VARIANTS)
    if vision_model:
        known[KEYFRAMES] = _with(_AGENT, KEYFRAMES, "the agent may look at pictures again", vision_model=vision_model)
    chosen = [name.strip() for name in names.split(",") if name.strip()]
    if chosen == ["all"]:
        chosen = [name for name, variant in known.items() if llm or not variant.asks_a_model]
    found = []
    for name in dict.fromkeys(chosen or (["extractive", "agent"] if llm else ["extractive"])):
        if name not in known:
            missing = " (it needs --vision-model)" if name == KEYFRAMES else ""
            raise ConfigurationError(f"--variants: no variant {name!r}{missing}; there is: all, {', '.join(known)}")
        variant = _with(known[name], name, known[name].says, words_file=words_file)
        if variant.asks_a_model:
            if not llm:
                raise ConfigurationError(f"--variants: {name} needs a language model: name one with --llm")
            settings = dataclasses.replace(variant.settings, time_limit_s=time_limit_s, llm_timeout_s=time_limit_s)
            variant = dataclasses.replace(variant, llm=llm, base_url=base_url, settings=settings)
        found.append(variant)
    return found


class Answerer(Protocol):
    """What answers the questions of one memory."""

    async def ask(self, question: Question) -> Answer: ...

    async def close(self) -> None: ...


def open_chat(llm: str, kept: KeptReplies, base_url: str, settings: RecallSettings, parameter: str) -> KeepingChat:
    """The client of `<vendor>:<model>`. Raises UnknownBackend, ConfigurationError, MissingDependency."""
    vendor, _, model = llm.partition(":")
    if vendor not in VENDORS or not model:
        raise UnknownBackend(parameter, llm, tuple(f"{name}:<model>" for name in VENDORS))
    return KeepingChat(
        model,
        kept,
        vendor=vendor,
        base_url=base_url,
        api_key_env=settings.api_key_env,
        timeout_s=settings.llm_timeout_s,
        parameter=parameter,
    )


def chats_of(variant: Variant, kept: KeptReplies) -> list[KeepingChat]:
    """The clients that `variant` asks: none, the model, or the model and the one that sees."""
    if not variant.asks_a_model:
        return []
    models = [variant.llm]
    if variant.settings.vision_model:
        models.append(f"{variant.llm.partition(':')[0]}:{variant.settings.vision_model}")
    return [open_chat(model, kept, variant.base_url, variant.settings, "--llm") for model in models]


def answerer(variant: Variant, memory: SearchableMemory, zone: ZoneInfo, chats: list[KeepingChat]) -> Answerer:
    """What answers from `memory` as `variant` says; `chats` from `chats_of`. No other way answers in its stead: a model
    that is away is an error here, not the answer of the rules."""
    if not (variant.words and variant.distinct):
        memory = Lesser(memory, words=variant.words, distinct=variant.distinct)
    if variant.way is Way.RETRIEVAL:
        return RetrievalOnly(memory, zone, time_aware=variant.time_aware)
    if variant.way is Way.RULES:
        return Recall(
            memory,
            zone,
            time_limit_s=variant.settings.time_limit_s,
            embedder=embedder_of(memory),
            same_words=with_own(variant.settings.words_file),
        )
    if variant.way is Way.ALL_CAPTIONS:
        return AllCaptions(memory, chats[0], zone, variant.settings)
    pictures = Pictures(chats[1]) if len(chats) > 1 else None
    return Agent(memory, chats[0], zone, variant.settings, pictures, with_own(variant.settings.words_file))
