"""Captioners: the frames of one window to a sentence. Backends are picked by a `provider:model` string."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from remembr_ros.errors import UnknownBackend
from remembr_ros.records import Frame

PROVIDERS = ("tagger", "scripted")


class Captioner(Protocol):
    """One loaded vision-language model. Used by one thread at a time."""

    name: str
    """`provider:model`, stored with every memory."""

    def caption(self, frames: Sequence[Frame]) -> str:
        """A sentence about the frames, which are in time order. Raises ModelFailed."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...


def create_captioner(spec: str, *, device: str = "", parameter: str = "captioner") -> Captioner:
    """Load the captioner that `spec` (`provider:model`) names. Takes seconds for a real model.

    Raises UnknownBackend, MissingDependency, ModelFailed.
    """
    provider, _, model = spec.partition(":")
    if provider == "tagger":
        from remembr_ros.remember.captioners.tagger import TaggerCaptioner

        return TaggerCaptioner(device=device)
    if provider == "scripted":
        from remembr_ros.remember.captioners.scripted import ScriptedCaptioner

        return ScriptedCaptioner(model)
    raise UnknownBackend(parameter, spec, PROVIDERS)
