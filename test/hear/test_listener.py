"""The two threads of hearing: what was said comes out in order, a slow model loses the oldest, close ends both."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from processes import wait_until

from remembr_ros.hear.audio import AudioBlock, Samples
from remembr_ros.hear.gate import Gate, GateSettings, VerdictKind
from remembr_ros.hear.listener import Heard, Listener
from remembr_ros.hear.push import PushSource
from remembr_ros.hear.segmenter import Segmenter
from remembr_ros.hear.transcribers import Transcript

pytestmark = pytest.mark.voice


class Loudness:
    """A detector for test tones."""

    def __call__(self, frame: Samples) -> float:
        return 1.0 if np.abs(frame).max() > 0.1 else 0.0

    def reset(self) -> None:
        return


class Slow:
    """Says how loud it was, once it is let."""

    name = "slow"

    def __init__(self) -> None:
        self.may = threading.Event()
        self.fail = False

    def transcribe(self, samples: Samples) -> Transcript:
        self.may.wait(5.0)
        if self.fail:
            raise RuntimeError("out of memory")
        return Transcript(f"question {samples.max():.1f}")

    def warm_up(self) -> None:
        return

    def close(self) -> None:
        return


class Recorded:
    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.problems: list[str] = []
        self.transcriber = Slow()
        self.source = PushSource(queue_blocks=10_000)

    def say(self, *levels: float) -> None:
        for number, level in enumerate(levels):
            sound = np.concatenate((np.full(8_000, level), np.zeros(16_000))).astype(np.float32)
            self.source.push(sound, rate_hz=16_000, channels=1, sample_type="float32", stamp_ns=number * 1_500_000_000)


@contextmanager
def listening(recorded: Recorded, queue_utterances: int = 4) -> Iterator[Listener]:
    gate = Gate(GateSettings(wake_phrase=""))
    listener = Listener(
        recorded.source, Segmenter(Loudness()), recorded.transcriber, gate,
        recorded.heard.append, recorded.problems.append, queue_utterances=queue_utterances, now_ns=lambda: 20 * 10**9,
    )  # fmt: skip
    listener.start()
    try:
        yield listener
    finally:
        recorded.transcriber.may.set()
        listener.close()


def test_what_is_said_comes_out_in_order_with_its_verdict_and_latency() -> None:
    recorded = Recorded()
    recorded.transcriber.may.set()
    with listening(recorded) as listener:
        recorded.say(0.2, 0.4, 0.6)
        wait_until(lambda: len(recorded.heard) == 3, "the listener")
        assert listener.stats().transcribed == 3
    assert [one.verdict.question_text for one in recorded.heard] == ["question 0.2", "question 0.4", "question 0.6"]
    assert recorded.heard[0].verdict.kind is VerdictKind.QUESTION
    assert recorded.heard[0].latency_s == pytest.approx(20.0 - 0.512, abs=0.04)


def test_a_slow_model_skips_the_oldest_and_says_so() -> None:
    recorded = Recorded()
    with listening(recorded, queue_utterances=2) as listener:
        recorded.say(0.2)
        wait_until(lambda: listener.stats().utterances == 1 and listener.stats().waiting == 0, "the listener")
        recorded.say(*[level / 10 for level in (2, 3, 4, 5, 6)])
        wait_until(lambda: listener.stats().skipped == 3, "the listener")
        recorded.transcriber.may.set()
        wait_until(lambda: len(recorded.heard) == 3, "the listener")
    assert [one.transcript.text for one in recorded.heard] == ["question 0.2", "question 0.5", "question 0.6"]
    assert "3 utterances were skipped" in recorded.problems[-1]


def test_a_model_that_fails_costs_one_utterance() -> None:
    recorded = Recorded()
    recorded.transcriber.fail = True
    recorded.transcriber.may.set()
    with listening(recorded) as listener:
        recorded.say(0.2)
        wait_until(lambda: listener.stats().failed == 1, "the listener")
        recorded.transcriber.fail = False
        recorded.say(0.2, 0.4)
        wait_until(lambda: len(recorded.heard) >= 1, "the listener")
    assert "out of memory" in recorded.problems[0]


def live(recorded: Recorded, *parts: tuple[float, float], start_s: float = 0.0) -> None:
    """Sound of a level for so many seconds, in blocks of 32 ms, as a microphone brings it."""
    sound = np.concatenate([np.full(int(16_000 * seconds), level, np.float32) for level, seconds in parts])
    for at in range(0, len(sound), 512):
        stamp_ns = round(start_s * 1e9) + at * 62_500
        recorded.source.push(sound[at : at + 512], rate_hz=16_000, channels=1, sample_type="float32", stamp_ns=stamp_ns)


class Counting(Slow):
    def __init__(self) -> None:
        super().__init__()
        self.lengths: list[int] = []
        self.may.set()

    def transcribe(self, samples: Samples) -> Transcript:
        self.lengths.append(len(samples))
        return super().transcribe(samples)


def test_words_before_a_pause_are_understood_while_it_lasts_and_once() -> None:
    recorded = Recorded()
    recorded.transcriber = model = Counting()
    with listening(recorded) as listener:
        live(recorded, (0.5, 0.5), (0.0, 0.4))
        wait_until(lambda: len(model.lengths) == 1, "a transcription in the pause")
        assert not recorded.heard and listener.stats().utterances == 0, "it may be a pause"
        wait_until(lambda: listener._ahead is not None, "its words")
        live(recorded, (0.0, 0.6), start_s=0.9)
        wait_until(lambda: len(recorded.heard) == 1, "the listener")
    assert len(model.lengths) == 1, "not transcribed again"
    assert len(recorded.heard[0].utterance.samples) == model.lengths[0]


def test_who_goes_on_after_a_pause_is_understood_as_a_whole() -> None:
    recorded = Recorded()
    recorded.transcriber = model = Counting()
    with listening(recorded) as listener:
        live(recorded, (0.5, 0.5), (0.0, 0.4))
        wait_until(lambda: listener._ahead is not None, "a transcription in the pause")
        live(recorded, (0.7, 0.5), (0.0, 1.0), start_s=0.9)
        wait_until(lambda: len(recorded.heard) == 1, "the listener")
    assert recorded.heard[0].transcript.text == "question 0.7"
    assert len(recorded.heard[0].utterance.samples) == model.lengths[-1] > model.lengths[0]


def test_a_model_that_fails_in_a_pause_is_asked_again_and_reported_once() -> None:
    recorded = Recorded()
    recorded.transcriber = model = Counting()
    model.fail = True
    with listening(recorded) as listener:
        live(recorded, (0.5, 0.5), (0.0, 0.4))
        wait_until(lambda: len(model.lengths) == 1, "a transcription in the pause")
        live(recorded, (0.0, 0.6), start_s=0.9)
        wait_until(lambda: listener.stats().failed == 1, "the listener")
    assert len(recorded.problems) == 1


def test_close_ends_both_threads_at_once() -> None:
    recorded = Recorded()
    with listening(recorded) as listener:
        recorded.transcriber.may.set()
        listener.close(3.0)
        assert not [one for one in threading.enumerate() if one.name.startswith("hear_") and one in listener._threads]


def test_a_source_that_ends_is_heard_to_its_end() -> None:
    class File:
        name = "file"

        def blocks(self) -> Iterator[AudioBlock]:
            yield AudioBlock(0, np.full(16_000, 0.5, np.float32))

        def close(self) -> None:
            return

    recorded = Recorded()
    recorded.source = File()  # type: ignore[assignment]
    recorded.transcriber.may.set()
    with listening(recorded) as listener:
        wait_until(lambda: listener.stats().ended, "the listener")
    assert len(recorded.heard) == 1


def test_a_source_that_breaks_is_reported() -> None:
    class Broken:
        name = "broken"

        def blocks(self) -> Iterator[AudioBlock]:
            raise ValueError("boom")
            yield

        def close(self) -> None:
            return

    recorded = Recorded()
    recorded.source = Broken()  # type: ignore[assignment]
    with listening(recorded):
        wait_until(lambda: bool(recorded.problems), "the listener")
    assert "boom" in recorded.problems[0] and "hearing has stopped" in recorded.problems[0]
