"""The demo by voice: a person asks aloud, the robot answers aloud, a spoken yes sends it there.

In: questions as text, said by espeak-ng onto the topic `audio` as a microphone would bring them. Out: what the whisper
node understood (msg/Speech) and what the query node answered (msg/Answer); the robot's voice is a WAV file.
"""

from __future__ import annotations

import array
import time
from pathlib import Path
from typing import Any

from std_msgs.msg import Int16MultiArray

from demo.asker import FINAL_STATES, Asker, DemoFailed
from remembr_interfaces.msg import Answer, NavigationStatus, Speech
from remembr_ros.errors import RemembrError
from remembr_ros.hear.speakers import espeak

CHUNK_S = 0.1
BEFORE_S, AFTER_S = 0.5, 1.0
READY_WITHIN_S = 60.0
VOICES = ("en-us", "en-gb", "en-us+f3")
"""Whoever is not understood has somebody else say it again: a small Whisper does not know every synthesizer's voice."""


class Person:
    """Somebody near the robot. Raises DemoFailed without espeak-ng."""

    def __init__(self, asker: Asker) -> None:
        try:
            self._voices = [espeak.create(voice) for voice in VOICES]
            self.rate_hz = self._voices[0].synthesize("Hello.")[1]
        except RemembrError as error:
            raise DemoFailed(str(error)) from None
        self._asker = asker
        self._heard: list[Speech] = []
        self._answers: list[Answer] = []
        self._audio = asker.node.create_publisher(Int16MultiArray, "audio", 100)
        asker.node.create_subscription(Speech, "speech", self._heard.append, 10)
        asker.node.create_subscription(Answer, "answer", self._answers.append, 10)

    def parameters(self, said: Path) -> list[str]:
        """Of the whisper node that hears this person; `said` is the file that holds the robot's voice."""
        values = {"audio.source": "topic", "audio.rate_hz": self.rate_hz, "speaker.model": f"wav:{said}"}
        return [word for name, value in values.items() for word in ("-p", f"{name}:={value}")]

    def wait_for_listener(self) -> None:
        asker = self._asker
        asker.wait(
            lambda: asker.diagnostic("whisper", "speech model") not in ("", "none loaded"), "the whisper node",
            READY_WITHIN_S,
        )  # fmt: skip

    def say(self, text: str, voice: int = 0) -> Speech:
        """In real time; what was understood. Raises DemoFailed."""
        quiet = bytes(2 * round(self.rate_hz * BEFORE_S))
        pcm = quiet + self._voices[voice].synthesize(text)[0] + bytes(2 * round(self.rate_hz * AFTER_S))
        self._heard.clear()
        size = 2 * round(self.rate_hz * CHUNK_S)
        began = time.monotonic()
        for number, at in enumerate(range(0, len(pcm), size)):
            due = began + number * CHUNK_S
            self._asker.wait(lambda: time.monotonic() >= due, "the clock", 1.0)  # noqa: B023
            self._audio.publish(Int16MultiArray(data=array.array("h", pcm[at : at + size])))
        return self._asker.wait(lambda: self._heard and self._heard[0], f"the robot to hear {text!r}", 30.0)

    def ask(self, question: str) -> tuple[Speech, Any]:
        """What was understood and what was answered. Raises DemoFailed when nobody was understood."""
        heard = Speech()
        for voice in range(len(VOICES)):
            self._answers.clear()
            heard = self.say(f"Robot, {question}", voice)
            if heard.verdict != Speech.QUESTION:
                continue
            answer = self._asker.wait(lambda: self._answers and self._answers[0], "an answer", 90.0)
            if _words(heard.question) == _words(question):
                return heard, answer
        raise DemoFailed(f"{question!r} was understood as {heard.text!r}: {heard.reason}")

    def agree(self, proposal_id: str) -> str:
        """Say yes and follow the drive to its end; what became of it, in words."""
        heard = self.say("Yes.")
        if heard.verdict != Speech.CONFIRM:
            return f"the yes was understood as {heard.text!r}: {heard.reason}"

        def ended() -> NavigationStatus | None:
            status = self._asker.navigation
            return status if status and status.proposal_id == proposal_id and status.state in FINAL_STATES else None

        return FINAL_STATES[self._asker.wait(ended, "the end of the drive", 120.0).state]


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
