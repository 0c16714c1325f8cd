"""What Whisper is told to expect: somebody who calls the robot. In: wake phrase and language. Out: text said "before".

Whisper takes its prompt for the sentence before (openai/whisper, `initial_prompt`), and spells what follows alike:
without it, noise makes "hey Roma" of "hey robot". The prompt names no place and no thing, as the model would hear
those, too. What it may write for noise is the prompt itself, which is therefore never a question (`is_echo`).
"""

from __future__ import annotations

from remembr_ros.hear.words import tokens

_SENTENCE = {
    "en": "Hey {}, can you hear me?", "de": "Hey {}, kannst du mich hören?", "fr": "Hé {}, tu m'entends ?",
    "es": "Oye {}, ¿puedes oírme?",
}  # fmt: skip
_GREETING = ("hey ", "hi ", "hello ", "ok ", "okay ", "hallo ")


def expected_speech(wake_phrase: str, language: str) -> str:
    """`language` is a code; empty (to be detected) or another than these: nothing is expected, a prompt sways the
    detection.
    """
    phrase, sentence = wake_phrase.strip(), _SENTENCE.get(language, "")
    if not phrase or not sentence:
        return ""
    if phrase.lower().startswith(_GREETING):
        sentence = sentence.partition(" ")[2]
    text = sentence.format(phrase)
    return text[:1].upper() + text[1:]


def is_echo(question: str) -> bool:
    """Whether `question`, without its wake phrase, is what the model was told to expect."""
    words = tokens(question)
    return any(words == tokens(sentence.partition("{}")[2]) for sentence in _SENTENCE.values())
