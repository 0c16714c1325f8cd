"""What the whisper node hears with, made from its parameters, and what it heard as a message. No node in here.

Times inside are int nanoseconds of a monotonic clock: sound takes as long as it takes, whatever /clock does.
"""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from remembr_interfaces.msg import Speech
from remembr_ros.hear.audio import AudioSource, create_source
from remembr_ros.hear.expectation import expected_speech
from remembr_ros.hear.gate import Gate, GateSettings, VerdictKind
from remembr_ros.hear.listener import Heard, Listener, ListenerStats
from remembr_ros.hear.push import PushSource
from remembr_ros.hear.segmenter import Segmenter, SegmenterSettings
from remembr_ros.hear.transcribers import Transcriber, create_transcriber
from remembr_ros.hear.transcribers.language import normalized_language
from remembr_ros.hear.vad import SileroVad
from remembr_ros.hear.vocabulary import names_of_site
from remembr_ros.hear.wake import Wake
from remembr_ros.records import NANOSECONDS
from remembr_ros.ros import diagnostics
from remembr_ros.ros.audio_topic import AudioTopic
from remembr_ros.ros.conversions import duration_message, time_message
from remembr_ros.ros.parameters import Parameters

CLOSE_S = 1.0
VERDICTS = {
    VerdictKind.REJECTED: Speech.REJECTED,
    VerdictKind.QUESTION: Speech.QUESTION,
    VerdictKind.CONFIRM: Speech.CONFIRM,
    VerdictKind.DECLINE: Speech.DECLINE,
    VerdictKind.STOP: Speech.STOP,
}
now_ns = time.monotonic_ns


@dataclass(frozen=True, slots=True)
class Hearing:
    """Everything that is loaded while the node is active. `topic` is None unless the sound comes by messages."""

    source: AudioSource
    topic: AudioTopic | None
    transcriber: Transcriber
    gate: Gate
    listener: Listener

    def close(self) -> None:
        """Returns within about CLOSE_S, also in the middle of a transcription; that one is then nobody's."""
        self.listener.close(CLOSE_S)
        self.transcriber.close()
        _return_memory()


def _return_memory() -> None:
    """glibc keeps what a model used (80 MB of tiny.en) for later; on a Jetson the captioner may need it now."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        gc.collect()
        trim(0)


def create_hearing(
    parameters: Parameters,
    on_heard: Callable[[Heard], None],
    on_speech_start: Callable[[int], None],
    on_problem: Callable[[str], None],
) -> Hearing:
    """Loads and warms up the speech model: takes seconds. Not started yet. Raises RemembrError naming the parameter."""
    names = names_of_site(
        parameters["asr.vocabulary"],
        calls=Wake(parameters["gate.wake_phrase"], parameters["gate.wake_similarity"]).is_named,
        on_problem=on_problem,
    )
    source, topic = _source(parameters, on_problem)
    transcriber = create_transcriber(
        parameters["asr.model"],
        device=parameters["asr.device"],
        compute_type=parameters["asr.compute_type"],
        language=parameters["asr.language"],
        beam_size=parameters["asr.beam_size"],
        prompt=expected_speech(parameters["gate.wake_phrase"], normalized_language(parameters["asr.language"])),
        names=names,
        cpu_fallback=parameters["asr.cpu_fallback"],
        on_warning=on_problem,
        parameter="asr.model",
    )
    try:
        transcriber.warm_up()
        segmenter = Segmenter(SileroVad(), _segmenter_settings(parameters), on_speech_start=on_speech_start)
        gate = Gate(_gate_settings(parameters))
        listener = Listener(source, segmenter, transcriber, gate, on_heard, on_problem, now_ns=now_ns)
    except BaseException:
        transcriber.close()
        raise
    return Hearing(source, topic, transcriber, gate, listener)


def _source(parameters: Parameters, on_problem: Callable[[str], None]) -> tuple[AudioSource, AudioTopic | None]:
    channel, rate_hz = parameters["audio.channel"], parameters["audio.rate_hz"]
    if parameters["audio.source"] != "topic":
        source = create_source(
            parameters["audio.source"], channel=channel, rate_hz=rate_hz, now_ns=now_ns, on_problem=on_problem,
            parameter="audio.source",
        )  # fmt: skip
        return source, None
    pushed = PushSource(channel=channel, on_problem=on_problem)
    topic = AudioTopic(
        pushed,
        now_ns,
        rate_hz=rate_hz,
        channels=parameters["audio.channels"],
        message=parameters["audio.message"],
        sample_type=parameters["audio.sample_type"],
    )
    return pushed, topic


def _segmenter_settings(parameters: Parameters) -> SegmenterSettings:
    return SegmenterSettings(
        threshold=parameters["vad.threshold"],
        pre_roll_s=parameters["vad.pre_roll_s"],
        max_pause_s=parameters["vad.max_pause_s"],
        min_speech_s=parameters["vad.min_speech_s"],
        max_length_s=parameters["vad.max_length_s"],
    )


def _gate_settings(parameters: Parameters) -> GateSettings:
    prefix = "gate."
    return GateSettings(
        **{name.removeprefix(prefix): parameters[name] for name in parameters if name.startswith(prefix)}
    )


def speech_message(heard: Heard, ros_now_ns: int) -> Speech:
    """`ros_now_ns`: ROS time of now, to which the stamps of the sound are related."""
    utterance, transcript, verdict = heard.utterance, heard.transcript, heard.verdict
    message = Speech(
        text=transcript.text,
        language=transcript.language,
        language_probability=transcript.language_probability,
        no_speech_prob=transcript.no_speech_prob,
        avg_logprob=transcript.avg_logprob,
        verdict=VERDICTS[verdict.kind],
        reason=verdict.reason,
        question=verdict.question_text,
        latency=heard.latency_s,
        duration=duration_message((utterance.speech_end_ns - utterance.speech_start_ns) / NANOSECONDS),
    )
    message.header.stamp = time_message(max(0, ros_now_ns - (now_ns() - utterance.speech_start_ns)))
    return message


def health(
    problem: str, source_problem: str, silent_s: float, warn_after_s: float, speaker_problem: str, stats: ListenerStats
) -> tuple[bytes, str]:
    """Level and sentence for /diagnostics. `problem`: why it is not active. `silent_s`: since sound last came."""
    if problem:
        return diagnostics.ERROR, problem
    if source_problem:
        return diagnostics.WARN, source_problem
    if stats.ended:
        return diagnostics.OK, "the file has ended"
    if silent_s > warn_after_s:
        return diagnostics.WARN, f"no sound for {silent_s:.0f} s, not even silence"
    if speaker_problem:
        return diagnostics.WARN, speaker_problem
    return diagnostics.OK, "listening"


def values(hearing: Hearing | None, heard: dict[str, int], silent_s: float) -> dict[str, Any]:
    """Every counter under a name that says what it counts. `heard`: utterances by verdict."""
    shown: dict[str, Any] = {"source": "none", "speech model": "none loaded"}
    if hearing is not None:
        shown = {
            "source": hearing.source.name,
            "device": getattr(hearing.source, "device_name", ""),
            "speech model": hearing.transcriber.name,
            "last sound [s ago]": silent_s,
        }
        for name, value in asdict(hearing.listener.stats()).items():
            if name not in ("last_block_ns", "ended"):
                shown[f"utterances {name}" if name != "utterances" else name] = value
        if hearing.topic is not None:
            shown["audio messages"] = hearing.topic.messages
    return shown | {f"heard {kind}": count for kind, count in heard.items()}
