"""Whisper behind its seam: languages, GPUs that fail, the lazy generator (field faults 49, 55, E5)."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from remembr_ros.errors import ConfigurationError, ModelFailed, UnknownBackend
from remembr_ros.hear.transcribers import create_transcriber, gpu_probe
from remembr_ros.hear.transcribers.faster_whisper import packaged_model
from remembr_ros.hear.transcribers.language import LANGUAGES, normalized_language

SOUND = np.zeros(16_000, np.float32)
CUBLAS = "Library libcublas.so.12 is not found or cannot be loaded"


class Model:
    """A Whisper model whose GPU may fail when it is loaded, or when a transcription is fetched."""

    made: list[Model]
    fail_load: Callable[[str], None]
    fail_use: Callable[[str], None]
    multilingual = True

    def __init__(self, path: str, *, device: str, device_index: int, compute_type: str) -> None:
        self.device, self.compute_type = device, compute_type
        self.calls: list[dict[str, Any]] = []
        self.threads: list[str] = []
        self.model = SimpleNamespace(is_multilingual=self.multilingual)
        type(self).fail_load(device)
        self.made.append(self)

    def transcribe(self, samples: np.ndarray, **settings: Any) -> tuple[Iterator[Any], Any]:
        self.calls.append(settings)
        info = SimpleNamespace(language=settings["language"] or "en", language_probability=0.4)
        return self._lazy(), info

    def _lazy(self) -> Iterator[Any]:
        self.threads.append(threading.current_thread().name)
        type(self).fail_use(self.device)
        yield SimpleNamespace(text=" Hello ", tokens=[1], no_speech_prob=0.1, avg_logprob=-0.2, compression_ratio=1.1)
        yield SimpleNamespace(text="there.", tokens=[2], no_speech_prob=0.3, avg_logprob=-0.4, compression_ratio=0.9)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> type[Model]:
    faster_whisper = pytest.importorskip("faster_whisper", reason="pip install -r requirements-voice.txt")

    class Fresh(Model):
        made: list[Model] = []  # noqa: RUF012
        fail_load = staticmethod(lambda device: None)
        fail_use = staticmethod(lambda device: None)

    monkeypatch.setattr(faster_whisper, "WhisperModel", Fresh)
    monkeypatch.setattr(gpu_probe, "failure", lambda *model: "")
    return Fresh


def on_gpu(message: str) -> Callable[[str], None]:
    def fail(device: str) -> None:
        if device == "cuda":
            raise RuntimeError(message)

    return fail


@pytest.mark.parametrize(
    "message", [CUBLAS, "cuBLAS failed with status CUBLAS_STATUS_ALLOC_FAILED", "CUDA failed: out of memory"]
)
@pytest.mark.parametrize("when", ["fail_load", "fail_use"])
def test_field_fault_49_a_gpu_that_fails_is_given_up_for_the_cpu(model: type[Model], message: str, when: str) -> None:
    setattr(model, when, staticmethod(on_gpu(message)))
    warnings: list[str] = []
    transcriber = create_transcriber("faster_whisper:tiny", device="cuda", on_warning=warnings.append)
    assert transcriber.transcribe(SOUND).text == transcriber.transcribe(SOUND).text == "Hello there."
    assert len(warnings) == 1 and message in warnings[0] and "CPU" in warnings[0]
    assert (model.made[-1].device, model.made[-1].compute_type) == ("cpu", "int8") and "cpu" in transcriber.name


def test_the_warm_up_finds_a_gpu_that_fails_at_the_first_transcription(model: type[Model]) -> None:
    model.fail_use = staticmethod(on_gpu(CUBLAS))
    warnings: list[str] = []
    create_transcriber("faster_whisper:tiny", device="cuda", on_warning=warnings.append).warm_up()
    assert len(warnings) == 1


def test_field_fault_49_a_gpu_that_aborts_the_process_aborts_a_child_only(
    model: type[Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    dies = "import os, sys; print('Unable to load libcudnn_ops.so.9', file=sys.stderr, flush=True); os.abort()"
    monkeypatch.undo()
    monkeypatch.setattr("faster_whisper.WhisperModel", model)
    monkeypatch.setattr(gpu_probe, "COMMAND", (sys.executable, "-c", dies))
    warnings: list[str] = []
    transcriber = create_transcriber("faster_whisper:tiny", device="cuda", on_warning=warnings.append)
    assert "libcudnn_ops.so.9 (SIGABRT)" in warnings[0] and transcriber.transcribe(SOUND).text == "Hello there."
    assert [made.device for made in model.made] == ["cpu"]


@pytest.mark.voice
def test_the_probe_finds_no_gpu_where_there_is_none() -> None:
    ctranslate2 = pytest.importorskip("ctranslate2")
    if ctranslate2.get_cuda_device_count():
        pytest.skip("there is a GPU")
    assert "exit code 1" in gpu_probe.failure(packaged_model(), 0, "int8")


def test_without_fall_back_the_error_names_the_library(model: type[Model]) -> None:
    model.fail_use = staticmethod(on_gpu(CUBLAS))
    transcriber = create_transcriber("faster_whisper:tiny", device="cuda", cpu_fallback=False)
    with pytest.raises(ModelFailed, match=r"libcublas\.so\.12.*asr\.cpu_fallback"):
        transcriber.transcribe(SOUND)


def test_a_cpu_that_fails_is_an_error_not_a_loop(model: type[Model]) -> None:
    def fail(device: str) -> None:
        raise RuntimeError("no memory")

    model.fail_use = staticmethod(fail)
    with pytest.raises(ModelFailed, match="no memory"):
        create_transcriber("faster_whisper:tiny", device="cpu").transcribe(SOUND)
    with pytest.raises(ModelFailed, match="no memory"):
        create_transcriber("faster_whisper:tiny", device="cuda").transcribe(SOUND)


@pytest.mark.parametrize(
    ("given", "passed"), [("de", "de"), ("German", "de"), ("DE-at", "de"), ("", None), ("auto", None)]
)
def test_field_fault_55_the_language_is_passed_on_and_nothing_is_translated(
    model: type[Model], given: str, passed: str | None
) -> None:
    transcriber = create_transcriber("faster_whisper:tiny", device="cpu", language=given)
    for _ in range(3):
        transcriber.transcribe(SOUND)
    assert [(call["language"], call["task"]) for call in model.made[0].calls] == [(passed, "transcribe")] * 3


def test_field_fault_55_a_language_that_is_none_is_refused_before_anything_is_loaded(model: type[Model]) -> None:
    with pytest.raises(ConfigurationError, match=r"asr\.language: 'xx'"):
        create_transcriber("faster_whisper:tiny", language="xx")
    assert model.made == []


def test_an_english_model_refuses_another_language(model: type[Model]) -> None:
    model.multilingual = False
    with pytest.raises(ConfigurationError, match=r"de .german. given.*English only"):
        create_transcriber("faster_whisper:tiny.en", device="cpu", language="de")


def test_every_code_and_name_is_normalized() -> None:
    assert len(LANGUAGES) >= 99
    for code, name in LANGUAGES.items():
        assert (
            normalized_language(code)
            == normalized_language(name.title())
            == normalized_language(f" {code.upper()} ")
            == code
        )
    assert normalized_language("Deutsch") == "de" and normalized_language("pt_BR") == "pt"


def test_field_fault_e5_the_generator_is_consumed_where_transcribe_is_called(model: type[Model]) -> None:
    transcriber = create_transcriber("faster_whisper:tiny", device="cpu")
    thread = threading.Thread(target=transcriber.transcribe, args=(SOUND,), name="worker")
    thread.start()
    thread.join(5.0)
    assert model.made[0].threads == ["worker"]


def test_segments_are_joined_and_the_most_doubtful_figures_kept(model: type[Model]) -> None:
    transcript = create_transcriber("faster_whisper:tiny", device="cpu").transcribe(SOUND)
    assert (transcript.text, transcript.no_speech_prob, transcript.compression_ratio) == ("Hello there.", 0.3, 1.1)
    assert transcript.avg_logprob == pytest.approx(-0.3)


@pytest.mark.parametrize("wrong", [{"device": "tpu"}, {"device": "cuda:x"}, {"compute_type": "int4"}])
def test_settings_that_cannot_be_are_named(model: type[Model], wrong: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=r"asr\.(device|compute_type)"):
        create_transcriber("faster_whisper:tiny", **wrong)  # type: ignore[arg-type]


@pytest.mark.voice
def test_a_folder_that_holds_no_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match="faster_whisper"):
        create_transcriber(f"faster_whisper:{tmp_path}", device="cpu")


@pytest.mark.parametrize("folder", ["/no/such/folder", "~/no_such_folder", "./no_such_folder", "models/whisper/none"])
def test_a_folder_that_is_missing_is_named_with_its_parameter_before_any_hub_is_asked(folder: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^asr\.model: .*there is no folder .*no"):
        create_transcriber(f"faster_whisper:{folder}", device="cpu")


def test_a_vocabulary_that_fails_costs_no_words(model: type[Model]) -> None:
    model.encode = None  # type: ignore[attr-defined]
    warnings: list[str] = []
    transcriber = create_transcriber("packaged", device="cpu", names=("lobby",), on_warning=warnings.append)
    assert transcriber.transcribe(SOUND).text == transcriber.transcribe(SOUND).text == "Hello there."
    assert len(warnings) == 1 and "asr.vocabulary" in warnings[0]


def test_scripts(tmp_path: Path) -> None:
    script = tmp_path / "said.yaml"
    script.write_text("transcripts: [one, {text: two, no_speech_prob: 0.9}]\n")
    transcriber = create_transcriber(f"scripted:{script}")
    assert [transcriber.transcribe(SOUND).text for _ in range(3)] == ["one", "two", "one"]
    assert create_transcriber("scripted:take me there").transcribe(SOUND).text == "take me there"
    script.write_text("nothing: here\n")
    with pytest.raises(ConfigurationError, match="not a script"):
        create_transcriber(f"scripted:{script}")
    with pytest.raises(UnknownBackend, match="vosk"):
        create_transcriber("vosk:small")


@pytest.mark.parametrize(
    ("multilingual", "prompt", "told"),
    [(True, "Hey robot.", "loading dock, whiteboard"), (True, "", None), (False, "Hey robot.", None)],
)
def test_names_of_the_site_are_told_to_a_model_that_gains_by_it_and_only_where_a_wake_phrase_is_wanted(
    model: type[Model], multilingual: bool, prompt: str, told: str | None
) -> None:
    model.multilingual = multilingual
    model.encode = lambda self, features: features
    create_transcriber("faster_whisper:tiny", prompt=prompt, names=("loading dock", "whiteboard")).transcribe(SOUND)
    assert model.made[-1].calls[-1]["hotwords"] == told
