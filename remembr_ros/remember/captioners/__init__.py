"""Captioners: the frames of one window to a sentence. Backends are picked by a `provider:model` string."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from remembr_ros.errors import ConfigurationError, UnknownBackend
from remembr_ros.records import Frame
from remembr_ros.remember.captioners.options import CaptionerOptions

PROVIDERS = ("tagger", "openai", "transformers", "nano_llm", "scripted")


class Captioner(Protocol):
    """One loaded vision-language model. Used by one thread at a time."""

    name: str
    """`provider:model`, stored with every memory."""

    def caption(self, frames: Sequence[Frame]) -> str:
        """A sentence about the frames, which are in time order. Raises ModelFailed."""
        ...

    def warm_up(self) -> None:
        """Do what makes the first caption slower than the others. Raises ModelFailed, ConfigurationError."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...


def create_captioner(
    spec: str, options: CaptionerOptions | None = None, *, parameter: str = "captioner.model"
) -> Captioner:
    """Load the captioner that `spec` (`provider:model`) names. Takes seconds to minutes for a real model.

    Raises UnknownBackend, ConfigurationError, MissingDependency, ModelFailed.
    """
    provider, _, model = spec.partition(":")
    options = options or CaptionerOptions()
    if options.quantization and provider not in ("transformers", "nano_llm"):
        raise ConfigurationError(f"captioner.quantization: {provider} has none, {options.quantization!r} given")
    if provider == "tagger":
        from remembr_ros.remember.captioners.tagger import TaggerCaptioner

        return TaggerCaptioner(device=options.device)
    if provider == "openai":
        from remembr_ros.remember.captioners.openai import OpenAICaptioner

        return OpenAICaptioner(model, options, parameter=parameter)
    if provider == "transformers":
        from remembr_ros.remember.captioners.transformers import TransformersCaptioner

        return TransformersCaptioner(model, options, parameter=parameter)
    if provider == "nano_llm":
        from remembr_ros.remember.captioners.nano_llm import NanoLLMCaptioner

        return NanoLLMCaptioner(model, options, parameter=parameter)
    if provider == "scripted":
        from remembr_ros.remember.captioners.scripted import ScriptedCaptioner

        return ScriptedCaptioner(model)
    raise UnknownBackend(parameter, spec, PROVIDERS)
