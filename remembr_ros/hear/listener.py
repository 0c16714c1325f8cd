"""Runs hearing: source to segmenter in one thread, transcriber and gate in another. Out: `Heard`, one an utterance.

What was said before a pause is transcribed while the pause lasts: if nobody goes on, the words are there when it is
certain that they were all; else they are thrown away.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from remembr_ros.errors import RemembrError
from remembr_ros.hear.audio import AudioSource
from remembr_ros.hear.gate import Gate, Verdict
from remembr_ros.hear.segmenter import Segmenter, Utterance
from remembr_ros.hear.transcribers import Transcriber, Transcript
from remembr_ros.records import NANOSECONDS


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance, what was understood, and what it is to the robot.

    `latency_s`: from the end of speech to this record.
    """

    utterance: Utterance
    transcript: Transcript
    verdict: Verdict
    latency_s: float


@dataclass(frozen=True, slots=True)
class ListenerStats:
    """Counters since start, for diagnostics."""

    utterances: int = 0
    transcribed: int = 0
    failed: int = 0
    skipped: int = 0
    """Utterances that the transcriber was too slow for."""
    waiting: int = 0
    last_block_ns: int = 0
    """End of the latest sound; 0: none yet."""
    ended: bool = False
    """The source has ended (a file) and everything was transcribed."""


class Listener:
    """Capturing never waits for the transcriber: at most `queue_utterances` wait, beyond that the oldest is skipped and
    counted.

    `on_heard` is called on the transcribing thread, `on_problem` on either; neither may raise.
    """

    def __init__(
        self,
        source: AudioSource,
        segmenter: Segmenter,
        transcriber: Transcriber,
        gate: Gate,
        on_heard: Callable[[Heard], None],
        on_problem: Callable[[str], None],
        *,
        queue_utterances: int = 4,
        now_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._source = source
        self._segmenter = segmenter
        self._transcriber = transcriber
        self._gate = gate
        self._on_heard = on_heard
        self._on_problem = on_problem
        self._queue_utterances = queue_utterances
        self._now_ns = now_ns
        self._waiting: deque[Utterance] = deque()
        self._changed = threading.Condition()
        self._paused: Utterance | None = None
        """What was said before the pause of now, while nobody has begun to transcribe it."""
        self._ahead: tuple[Utterance, Transcript] | None = None
        self._captured = False
        self._closing = False
        self._busy = False
        self._utterances = self._transcribed = self._failed = self._skipped = self._last_block_ns = 0
        self._threads = (
            threading.Thread(target=self._capture, name="hear_capture", daemon=True),
            threading.Thread(target=self._transcribe, name="hear_transcribe", daemon=True),
        )

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stats(self) -> ListenerStats:
        with self._changed:
            return ListenerStats(
                utterances=self._utterances,
                transcribed=self._transcribed,
                failed=self._failed,
                skipped=self._skipped,
                waiting=len(self._waiting),
                last_block_ns=self._last_block_ns,
                ended=self._captured and not self._waiting and not self._busy,
            )

    def close(self, timeout_s: float = 5.0) -> None:
        """End both threads and close the source; what waits is not transcribed any more.

        The transcriber stays the caller's.
        """
        with self._changed:
            self._closing = True
            self._waiting.clear()
            self._paused = None
            self._changed.notify_all()
        self._source.close()
        until_s = time.monotonic() + timeout_s
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, until_s - time.monotonic()))

    def _capture(self) -> None:
        try:
            for block in self._source.blocks():
                before = self._segmenter.pause
                self._put(self._segmenter.add(block))
                if self._segmenter.pause is not before:
                    self._offer(self._segmenter.pause)
                self._last_block_ns = block.end_ns
                if self._closing:
                    return
            self._put(self._segmenter.flush())
        except RemembrError as error:
            self._on_problem(f"{self._source.name}: {error}")
        except Exception as error:  # an end of hearing must be said, whatever it was
            self._on_problem(f"{self._source.name}: hearing has stopped: {error!r}")
        finally:
            with self._changed:
                self._captured = True
                self._changed.notify_all()

    def _put(self, utterances: list[Utterance]) -> None:
        for utterance in utterances:
            with self._changed:
                self._utterances += 1
                self._waiting.append(utterance)
                skipped = len(self._waiting) > self._queue_utterances
                if skipped:
                    self._waiting.popleft()
                    self._skipped += 1
                self._changed.notify_all()
            if skipped:
                self._on_problem(f"asr is slower than speech: {self._skipped} utterances were skipped")

    def _offer(self, paused: Utterance | None) -> None:
        """Only where nothing else is to be done: a pause must not delay what is certain."""
        with self._changed:
            self._paused = None if self._waiting or self._busy or self._closing else paused
            self._changed.notify_all()

    def _transcribe(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._paused or self._closing or self._captured)
                if self._closing or not (self._waiting or self._paused):
                    return
                certain, paused = bool(self._waiting), self._paused
                utterance = self._waiting.popleft() if certain or paused is None else paused
                self._paused, self._busy = None, True
            try:
                if certain:
                    self._handle(utterance)
                else:
                    self._transcribe_ahead(utterance)
            finally:
                with self._changed:
                    self._busy = False

    def _transcribe_ahead(self, paused: Utterance) -> None:
        try:
            self._ahead = paused, self._transcriber.transcribe(paused.samples)
        except Exception:  # reported where the utterance itself fails
            self._ahead = None

    def _words(self, utterance: Utterance) -> Transcript:
        ahead, self._ahead = self._ahead, None
        if ahead is not None and _same(ahead[0], utterance):
            return ahead[1]
        return self._transcriber.transcribe(utterance.samples)

    def _handle(self, utterance: Utterance) -> None:
        try:
            transcript = self._words(utterance)
            now_ns = self._now_ns()
            verdict = self._gate.judge(transcript, utterance, now_ns)
        except Exception as error:
            self._failed += 1
            self._on_problem(f"an utterance of {utterance.duration_s:.1f} s was not understood: {error}")
            return
        self._transcribed += 1
        latency_s = max(0.0, (now_ns - utterance.speech_end_ns) / NANOSECONDS)
        try:
            self._on_heard(Heard(utterance, transcript, verdict, latency_s))
        except Exception as error:
            self._on_problem(f"what was heard could not be handed on: {error!r}")


def _same(one: Utterance, other: Utterance) -> bool:
    """The same sound, sample for sample."""
    return (one.start_ns, len(one.samples)) == (other.start_ns, len(other.samples))
