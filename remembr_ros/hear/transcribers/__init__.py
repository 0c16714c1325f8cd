"""Transcribers: the sound of one utterance to words. Backends are picked by a `provider:model` string."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from remembr_ros.errors import UnknownBackend
from remembr_ros.hear.audio import Samples
from remembr_ros.hear.transcribers.language import normalized_language

PROVIDERS = ("faster_whisper", "packaged", "scripted")


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was understood, and how sure the model is of it.

    `no_speech_prob` [0, 1] and `compression_ratio` are the largest, `avg_logprob` (0 is certain) the mean over the
    segments. `language` is a code such as "en"; `language_probability` is 1 where the language was given.
    """

    text: str
    language: str = "en"
    language_probability: float = 1.0
    no_speech_prob: float = 0.0
    avg_logprob: float = 0.0
    compression_ratio: float = 1.0
    elapsed_s: float = 0.0
    written: str = ""
    """What the model wrote before names of the site were put in; empty: `text`."""


class Transcriber(Protocol):
    """One loaded speech model. Used by one thread at a time."""

    @property
    def name(self) -> str:
        """`provider:model (device, compute type)`, for logs and diagnostics."""
        ...

    def transcribe(self, samples: Samples) -> Transcript:
        """Words of (n,) float32 mono at 16 kHz, in the language spoken. Raises ModelFailed."""
        ...

    def warm_up(self) -> None:
        """Do what makes the first transcription slower, or fail, later. Raises ModelFailed."""
        ...

    def close(self) -> None:
        """Free the model."""
        ...


def create_transcriber(
    spec: str,
    *,
    device: str = "auto",
    compute_type: str = "default",
    language: str = "en",
    beam_size: int = 5,
    prompt: str = "",
    names: Sequence[str] = (),
    cpu_fallback: bool = True,
    on_warning: Callable[[str], None] = lambda text: None,
    parameter: str = "asr.model",
) -> Transcriber:
    """Load the transcriber that `spec` names: faster_whisper:<size or folder>, packaged (tiny.en from a wheel),
    scripted[:<text or file>].

    `language`: a code or English name, empty: detect it. `prompt`: what might be said (expectation.py). `names`: what
    stands at the site (vocabulary.py). `cpu_fallback`:
    where the GPU's libraries fail, now or at the first transcription, go on with the CPU in int8 and say so once to
    `on_warning`. Raises UnknownBackend, ConfigurationError, MissingDependency, ModelFailed.
    """
    provider, _, model = spec.partition(":")
    code = normalized_language(language)
    if provider in ("faster_whisper", "packaged"):
        from remembr_ros.hear.transcribers.faster_whisper import FasterWhisperTranscriber

        return FasterWhisperTranscriber(
            model if provider == "faster_whisper" else "",
            device=device,
            compute_type=compute_type,
            language=code,
            beam_size=beam_size,
            prompt=prompt,
            names=names,
            cpu_fallback=cpu_fallback,
            on_warning=on_warning,
            parameter=parameter,
        )
    if provider == "scripted":
        from remembr_ros.hear.transcribers.scripted import ScriptedTranscriber

        return ScriptedTranscriber(model)
    raise UnknownBackend(parameter, spec, PROVIDERS)
