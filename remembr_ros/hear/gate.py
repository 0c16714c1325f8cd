"""Which words were meant for the robot. In: a transcript, its utterance, the robot's situation. Out: a `Verdict`. Pure.

Times are int nanoseconds of one clock (ROS time in the node). The robot must not act on silence, noise, the radio or
its own voice; a person who says "stop" must be obeyed. So every doubt but one ends in REJECTED.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from enum import Enum

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.expectation import is_echo
from remembr_ros.hear.own_voice import OwnVoice
from remembr_ros.hear.segmenter import Utterance
from remembr_ros.hear.transcribers import Transcript
from remembr_ros.hear.wake import Wake
from remembr_ros.hear.words import Reply, orders_stop, reply, tokens
from remembr_ros.records import NANOSECONDS

HALLUCINATIONS = frozenset(
    {
        "thank you", "thanks", "thank you very much", "thanks for watching", "thank you for watching", "you", "bye",
        "bye bye", "please subscribe", "subscribe", "like and subscribe", "see you next time",
        "see you in the next video",
        "thank you so much", "the end", "so", "oh", "i'm sorry", "music", "applause", "silence", "blank audio",
        "foreign",
        "subtitles by the amara org community", "untertitel der amara org community", "vielen dank", "danke",
        "untertitelung des zdf 2020", "sous titres réalisés par la communauté d'amara org", "merci", "gracias",
        "subtítulos realizados por la comunidad de amara org", "thanks for watching and see you next time",
    }
)  # fmt: skip
"""What Whisper writes for silence and noise (openai/whisper discussion 679 and 1606; its training data are subtitles).
"""
MIN_LOOP_TOKENS, LOOP_SHARE = 8, 0.35


class VerdictKind(Enum):
    """What an utterance is to the robot."""

    QUESTION = "question"
    CONFIRM = "confirm"
    DECLINE = "decline"
    STOP = "stop"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`question_text` is what to ask, without the wake phrase; empty unless `kind` is
    QUESTION. `reason` is for people.
    """

    kind: VerdictKind
    reason: str
    question_text: str = ""
    listening: bool = False
    """The wake phrase was said alone: what comes next needs none."""
    pending: str | bool = False
    """What waited for the yes or no, as `set_situation` named it."""


@dataclass(frozen=True, slots=True)
class GateSettings:
    """What counts as meant for the robot. Raises ConfigurationError for what cannot be."""

    wake_phrase: str = "robot"
    """Empty: none is needed."""
    wake_similarity: float = 0.75
    """Least likeness of the words heard to the wake phrase, 1: the same letters."""
    listening_s: float = 8.0
    """After the wake phrase alone, speech that begins within this needs none."""
    max_no_speech_prob: float = 0.6
    min_avg_logprob: float = -1.0
    max_compression_ratio: float = 2.4
    min_language_probability: float = 0.5
    """Where the language is detected."""
    own_voice_similarity: float = 0.7
    """Share of the words heard that are, in this order, those of the answer being spoken."""
    own_voice_tail_s: float = 1.5
    """The room and the recording last so much longer than the answer."""
    duplicate_s: float = 1.0
    max_questions_per_minute: int = 10

    def __post_init__(self) -> None:
        if self.wake_phrase.strip() and not tokens(self.wake_phrase):
            raise ConfigurationError(f"gate.wake_phrase: {self.wake_phrase!r} holds no word; words, or empty, wanted")


class Gate:
    """Thread-safe. Every verdict is final: what is rejected is not heard again."""

    def __init__(self, settings: GateSettings | None = None) -> None:
        self._settings = settings or GateSettings()
        self._wake = Wake(self._settings.wake_phrase, self._settings.wake_similarity)
        self._own_voice = OwnVoice(self._settings.own_voice_similarity, self._settings.own_voice_tail_s)
        self._lock = threading.Lock()
        self._pending: str | bool = False
        self._pending_since_ns: int | None = None
        self._driving_since_ns: int | None = None
        self._listening_until_ns: int | None = None
        self._last: tuple[list[str], int] | None = None
        """Words and end of the question accepted last."""
        self._accepted_ns: deque[int] = deque()

    def judge(self, transcript: Transcript, utterance: Utterance, now_ns: int) -> Verdict:
        """What the utterance is to the robot. Never raises for anything a transcriber returns."""
        with self._lock:
            return self._judge(transcript, utterance, now_ns)

    def answer_spoken(self, text: str, start_ns: int, until_ns: int) -> None:
        """The robot says `text` aloud in this time.

        `until_ns` may be an estimate: call again with the same start when it is known.
        """
        with self._lock:
            self._own_voice.spoken(text, start_ns, until_ns, names_robot=self._wake.is_named(text))

    def set_situation(self, *, pending: str | bool, driving: bool, now_ns: int) -> None:
        """Which proposed goal waits for a yes (false: none does), and whether the robot drives to one.

        A yes that began before does not count: neither does one that was meant for the proposal before.
        """
        with self._lock:
            since_ns = self._pending_since_ns if pending == self._pending else None
            self._pending, self._pending_since_ns = pending, _since(since_ns, bool(pending), now_ns)
            self._driving_since_ns = _since(self._driving_since_ns, driving, now_ns)

    def _judge(self, transcript: Transcript, utterance: Utterance, now_ns: int) -> Verdict:
        words = tokens(transcript.text)
        if not words:
            return _rejected("no words")
        called, rest = self._wake.strip(transcript.text)
        addressed = called or self._is_listening(utterance)
        answer = reply(tokens(rest) if called else words, transcript.language)
        stop = answer is Reply.STOP or orders_stop(transcript.text, transcript.language)
        if stop and (called or self._driving_since_ns is not None):
            return Verdict(VerdictKind.STOP, "stop")  # before any doubt: to stop is never wrong
        if doubt := self._doubt(transcript, tokens(transcript.written) or words):
            return _rejected(doubt)
        added = reply(self._own_voice.after_echo(words, utterance), transcript.language)
        if added in (Reply.STOP, Reply.NO) and (verdict := self._reply(added, utterance)):
            return verdict  # a yes is asked for again: what an echo ends in must not set the robot in motion
        if own := self._own_voice.heard(words, utterance, called=called):
            return _rejected(own)
        if answer is not None and (verdict := self._reply(answer, utterance)):
            return verdict
        if not addressed and self._settings.wake_phrase.strip():
            return _rejected("no wake phrase")
        if not tokens(rest):
            self._listening_until_ns = utterance.end_ns + int(self._settings.listening_s * NANOSECONDS)
            return Verdict(VerdictKind.REJECTED, "the wake phrase alone: listening", listening=True)
        if answer is not None:
            return _rejected(f"{answer.value}, but nothing waits for it")
        return self._question(rest, utterance, now_ns)

    def _doubt(self, transcript: Transcript, words: list[str]) -> str:
        """Why the transcript may be none of speech; empty: it is sound."""
        limits = self._settings
        if transcript.no_speech_prob > limits.max_no_speech_prob:
            return f"no speech (probability {transcript.no_speech_prob:.2f})"
        if transcript.avg_logprob < limits.min_avg_logprob:
            return f"not understood well (log-probability {transcript.avg_logprob:.2f})"
        if transcript.compression_ratio > limits.max_compression_ratio or is_loop(words):
            return "words that repeat themselves"
        if transcript.language_probability < limits.min_language_probability:
            return f"language not certain ({transcript.language} {transcript.language_probability:.2f})"
        if " ".join(words) in HALLUCINATIONS:
            return "what the model writes for silence"
        return ""

    def _reply(self, answer: Reply, utterance: Utterance) -> Verdict | None:
        """The answer to what the robot waits for, or does; None when there is nothing such."""
        pending = _began_after(utterance, self._pending_since_ns)
        if answer is Reply.YES:
            if not pending:
                return None
            return Verdict(VerdictKind.CONFIRM, "yes to the goal that waits", pending=self._pending)
        if pending:
            return Verdict(VerdictKind.DECLINE, "no to the goal that waits", pending=self._pending)
        if self._driving_since_ns is not None:
            return Verdict(VerdictKind.STOP, f"{answer.value} while driving")
        return None

    def _question(self, text: str, utterance: Utterance, now_ns: int) -> Verdict:
        words = tokens(text)
        if is_echo(text):
            return _rejected("what the model was told to expect")
        if self._last is not None:
            last_words, last_end_ns = self._last
            if (
                words == last_words
                and utterance.speech_start_ns - last_end_ns < self._settings.duplicate_s * NANOSECONDS
            ):
                return _rejected("the same question again at once")
        while self._accepted_ns and not 0 <= now_ns - self._accepted_ns[0] < 60 * NANOSECONDS:
            self._accepted_ns.popleft()  # also where the clock was set back
        if len(self._accepted_ns) >= self._settings.max_questions_per_minute:
            return _rejected(f"more than {self._settings.max_questions_per_minute} questions a minute")
        self._accepted_ns.append(now_ns)
        self._last = (words, utterance.speech_end_ns)
        self._listening_until_ns = None
        return Verdict(VerdictKind.QUESTION, "accepted", question_text=text)

    def _is_listening(self, utterance: Utterance) -> bool:
        until_ns = self._listening_until_ns
        return until_ns is not None and utterance.speech_start_ns <= until_ns


def is_loop(words: list[str]) -> bool:
    """Whether few words make up a long text, as a decoder in a loop writes it."""
    return len(words) >= MIN_LOOP_TOKENS and len(set(words)) <= LOOP_SHARE * len(words)


def _rejected(reason: str) -> Verdict:
    return Verdict(VerdictKind.REJECTED, reason)


def _since(since_ns: int | None, holds: bool, now_ns: int) -> int | None:
    if not holds:
        return None
    return now_ns if since_ns is None else since_ns


def _began_after(utterance: Utterance, since_ns: int | None) -> bool:
    return since_ns is not None and utterance.speech_start_ns >= since_ns
