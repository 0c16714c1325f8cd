"""Words as they are compared, and the short answers people give. In: what was understood. Out:
tokens; yes, no or stop.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum

_BREAK = re.compile(r"[.,;:!?\u2026]+")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


class Reply(Enum):
    """What a short utterance means to a question such as "shall I go?"."""

    YES = "yes"
    NO = "no"
    STOP = "stop"


def tokens(text: str) -> list[str]:
    """Words in lower case, without punctuation; apostrophes inside a word stay."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower().replace("\u2019", "'"))


YES = {
    "en": "yes yeah yep yup yea sure ok okay go affirmative confirm confirmed agreed correct",
    "de": "ja jawohl jo klar gerne genau ok okay los bestätigt bestätige fahr einverstanden",
    "fr": "oui ouais ok okay vas-y vas allez va confirmé confirme d'accord accord",
    "es": "sí si vale ok okay claro adelante ve vamos confirmado confirmo",
}
NO = {
    "en": "no nope nah cancel don't dont not never nevermind abort negative",
    "de": "nein nee nö nicht abbrechen abbruch niemals",
    "fr": "non annule annuler annulez pas jamais",
    "es": "no cancela cancelar cancele nunca anula",
}
STOP = {
    "en": "stop halt freeze whoa",
    "de": "stop stopp halt anhalten stehenbleiben",
    "fr": "stop arrête arrete arrêtez halte",
    "es": "stop alto detente deténgase detengase",
}
"""The first words of what means stop, whatever follows in a short utterance."""
PAUSE = {
    "en": "wait hold on pause", "de": "warte warten moment", "fr": "attends attendez", "es": "espera espere",
}  # fmt: skip
"""Means stop where nothing else is said: "wait at the entrance" is more."""
LEADS = {
    "en": "can could will would you have need must should i said say emergency my god oh watch out look",
    "de": "kannst könntest würdest du musst sollst ich habe gesagt sagte not oh gott vorsicht achtung",
    "fr": "peux pourrais tu dois j'ai dit oh mon dieu attention urgence",
    "es": "puedes podrías tienes que debes he dicho dije oh dios cuidado emergencia",
}
"""Words that lead to a stop and do not change it: "can you stop", "I said stop", "emergency stop"."""
FILLERS = {
    "en": "please now right immediately thanks thank you do it that's that is ahead there let's lets a uh um well oh "
    "hey just and the to me take move moving driving navigating navigation mind way then",
    "de": "bitte danke jetzt doch mal hin dahin dorthin da es das tu mach ich und na gut fahren",
    "fr": "s'il te vous plaît plait merci y tout de suite là maintenant bien sûr ça et arrêt",
    "es": "por favor gracias ahora allí ahí hazlo y eso ya",
}
"""Words that may stand beside a yes or a no without changing it."""
MAX_REPLY_TOKENS, MAX_STOP_TOKENS, MAX_LED_STOP_TOKENS = 6, 5, 8


def reply(words: list[str], language: str) -> Reply | None:
    """What `words` (from `tokens`) mean as an answer; None for anything that is more than that.

    A "no" anywhere outweighs a "yes": "yes, no, don't go" is a no. English is understood beside `language`.
    """
    if not words:
        return None
    yes, no, stop, fillers, pause, leads = (_words(table, language) for table in (YES, NO, STOP, FILLERS, PAUSE, LEADS))
    head = next((word for word in words if word not in fillers), "")
    if (head in stop and len(words) <= MAX_STOP_TOKENS) or all(word in stop for word in words):
        return Reply.STOP
    meant = [word for word in words if word not in fillers | leads or word in pause]
    if meant and len(words) <= MAX_LED_STOP_TOKENS and all(word in stop | pause for word in meant):
        return Reply.STOP
    if len(words) > MAX_REPLY_TOKENS or not all(word in yes | no | stop | fillers for word in words):
        return None
    if any(word in no for word in words):
        return Reply.NO
    if any(word in stop for word in words):
        return Reply.STOP
    return Reply.YES if any(word in yes for word in words) else None


def orders_stop(text: str, language: str) -> bool:
    """Whether one of the sentence's parts, between its commas and full stops, is a stop: "Watch out! Stop!"."""
    stop = _words(STOP, language)
    parts = [tokens(part) for part in _BREAK.split(text)]
    return any(reply(part, language) is Reply.STOP and not stop.isdisjoint(part) for part in parts)


def _words(table: dict[str, str], language: str) -> set[str]:
    return set(f"{table['en']} {table.get(language, '')}".split())
