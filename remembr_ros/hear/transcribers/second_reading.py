"""Which of two readings was said: Whisper's own, or one with a name of the site. In: sound and tokens. Out: a text.

The model that wrote the text also tells how likely another text is for the same sound (CTranslate2, `Whisper.align`:
the probability of each token that is given). A name of the site is expected: it may be so much less likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from remembr_ros.hear.audio import RATE_HZ, Samples
from remembr_ros.hear.vocabulary import readings

SURE = 0.99
"""Probability from which a word is taken for what was said, and no name is tried in its place."""
EXPECTED = 7.5
"""By so much, in log-probability of the whole text, a name may be less likely than what was written. Chosen with 24
questions in noise of 20 and 10 dB (bench/_spoken_questions.py): names that were said cost up to 6.9, others 9 and more.
"""
MOST_NAMES_PUT_IN = 2
HOP = 160
"""Samples a frame of Whisper's spectrum."""
LONGEST_S = 30.0
"""What Whisper hears at once."""


class SecondReading:
    """`whisper` is a faster_whisper.WhisperModel, `prompt` the text it takes for said before.

    What its encoder returns is kept from each transcription: to encode is most of the work, and need not be done twice.
    """

    def __init__(self, whisper: Any, names: Sequence[str], prompt: str) -> None:
        self._whisper = whisper
        self._names = names
        self._prompt = prompt
        self._sound: Any = None
        encode = whisper.encode

        def encode_and_keep(features: Any) -> Any:
            self._sound = encode(features)
            return self._sound

        whisper.encode = encode_and_keep

    def better(self, samples: Samples, written: Sequence[int], language: str) -> str:
        """The text with names of the site where these are what was said; empty: it is right as it is.

        `samples`: what was just transcribed, (n,) float32 mono at 16 kHz; `written`: the tokens of the text. Those are
        kept: another spelling of the same words is another, far less likely, text to the model.
        """
        from faster_whisper.tokenizer import Tokenizer

        multilingual = self._whisper.model.is_multilingual
        tokenizer = Tokenizer(self._whisper.hf_tokenizer, multilingual, task="transcribe", language=language)
        words = _words([token for token in written if token < tokenizer.eot], tokenizer)
        sound, self._sound = self._sound, None
        if not words or sound is None or len(samples) > LONGEST_S * RATE_HZ:
            return ""
        before = [tokenizer.sot_prev, *tokenizer.encode(f" {self._prompt}")] if self._prompt else []

        def likelihoods(words: Sequence[Sequence[int]]) -> list[float]:
            """Log-probability of each word's least likely token, and last that of the whole."""
            given = [token for word in words for token in word]
            start = [*before, *tokenizer.sot_sequence]
            aligned = self._whisper.model.align(sound, start, [given], [len(samples) // HOP])[0]
            logs = np.log(np.maximum(np.asarray(aligned.text_token_probs, np.float64), 1e-9))
            ends = np.cumsum([len(word) for word in words])
            least = [float(logs[end - len(word) : end].min()) for word, end in zip(words, ends, strict=True)]
            return [*least, float(logs.sum())]

        changed = False
        for _ in range(MOST_NAMES_PUT_IN):
            *each, total = likelihoods(words)
            texts = [tokenizer.decode(word).strip() for word in words]
            others = [
                [*words[: other.first], tokenizer.encode(f" {other.name}"), *words[other.last :]]
                for other in readings(texts, [one >= math.log(SURE) for one in each], self._names)
            ]
            judged = [(likelihoods(other)[-1], other) for other in others]
            likeliest, other = max(judged, default=(-math.inf, words))
            if likeliest < total - EXPECTED:
                break
            words, changed = other, True
        return tokenizer.decode([token for word in words for token in word]).strip() if changed else ""


def _words(written: Sequence[int], tokenizer: Any) -> list[list[int]]:
    """Tokens by word: a word begins with a space."""
    words: list[list[int]] = []
    for token in written:
        if not words or tokenizer.decode([token]).startswith(" "):
            words.append([])
        words[-1].append(token)
    return words
