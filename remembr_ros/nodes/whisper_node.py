"""The whisper node: speech in, questions to the query node out, answers said aloud; yes, no and stop by voice.

Subscribes `answer_text` (said aloud, and known as its own voice), `remembr/navigation` and, with audio.source topic,
`audio`; publishes `question` (what is meant for the robot), `speech` (all that was heard), `answer_text` (what it says
by itself) and `/diagnostics`; calls `remembr/confirm` and `remembr/cancel`. No callback waits.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from remembr_interfaces.msg import NavigationStatus, Speech
from remembr_ros.errors import RemembrError
from remembr_ros.hear.gate import VerdictKind
from remembr_ros.hear.listener import Heard, ListenerStats
from remembr_ros.hear.speakers import Silent, Speaker, create_speaker
from remembr_ros.hear.speakers.wording import MOST_READ, seconds_to_say, sentences
from remembr_ros.records import NANOSECONDS
from remembr_ros.ros import diagnostics, hearing, qos
from remembr_ros.ros.audio_topic import message_type
from remembr_ros.ros.lifecycle import ManagedNode, run
from remembr_ros.ros.parameter_tables import WHISPER
from remembr_ros.ros.spoken_orders import SpokenOrders

WARN_EVERY_S = 5.0
AUDIO = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
"""Matches every publisher; deep, because a lost message is a lost syllable."""
OTHER_SPEAKER_S = 2.0
"""Another program that says answer_text aloud may begin so late."""


class WhisperNode(ManagedNode):
    """See the module and config/remembr.yaml."""

    def __init__(self) -> None:
        super().__init__("whisper", WHISPER)
        self._hearing: hearing.Hearing | None = None
        self._speaker: Speaker = Silent()
        self._heard = {kind.value: 0 for kind in VerdictKind}
        self._bad_messages = 0
        self._source_problem = ""
        self._source_problem_ns = 0
        self._stream_problem = ""
        self._active_since_ns = 0
        self._activation = 0
        self._said_by_us: deque[str] = deque(maxlen=16)
        self._sounding = ("", 0)
        parameters = self.parameters
        self._question_publisher = self.create_publisher(String, "question", qos.RELIABLE)
        self._speech_publisher = self.create_publisher(Speech, "speech", qos.RELIABLE)
        self._text_publisher = self.create_publisher(String, "answer_text", qos.RELIABLE)
        self._diagnostics_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", qos.RELIABLE)
        self._orders = SpokenOrders(self, self._reply, self._tell_situation, self._warn)
        self.create_subscription(String, "answer_text", self._on_answer_text, qos.RELIABLE)
        self.create_subscription(NavigationStatus, "remembr/navigation", self._orders.on_navigation, qos.LATCHED)
        if parameters["audio.source"] == "topic":
            self.create_subscription(message_type(parameters["audio.message"]), "audio", self._on_audio, AUDIO)
        self.create_timer(0.1, self._tick, clock=self.steady_clock)
        self.create_timer(1.0, self._watch, clock=self.steady_clock)

    def load(self) -> None:
        parameters = self.parameters
        self._speaker = create_speaker(
            parameters["speaker.model"],
            device=parameters["speaker.device"],
            most_chars=parameters["speaker.max_chars"],
            on_sound=self._on_sound,
            on_problem=self._warn,
            parameter="speaker.model",
        )
        self._speaker.start()
        self._activation += 1
        activation = self._activation
        made = hearing.create_hearing(
            parameters, lambda heard: self._on_heard(heard, activation), self._on_speech_start, self._on_source_problem
        )
        self._source_problem, self._active_since_ns = "", hearing.now_ns()
        self._hearing = made
        self._tell_situation()
        made.listener.start()

    def release(self) -> None:
        made, self._hearing = self._hearing, None
        if made is not None:
            made.close()
        speaker, self._speaker = self._speaker, Silent()
        speaker.close()

    # ---- what is heard (on the listener's threads: everything goes on in the executor's)

    def _on_heard(self, heard: Heard, activation: int) -> None:
        executor = self.executor
        if executor is not None:
            executor.create_task(self._act_on, heard, activation)

    def _on_speech_start(self, stamp_ns: int) -> None:
        if self.parameters["speaker.interrupted_by"] == "speech":
            self._speaker.interrupt()

    def _on_source_problem(self, text: str) -> None:
        self._source_problem, self._source_problem_ns = text, hearing.now_ns()
        self._warn(text)

    def _act_on(self, heard: Heard, activation: int) -> None:
        if self._hearing is None or activation != self._activation:  # deactivated meanwhile
            return
        verdict = heard.verdict
        self._heard[verdict.kind.value] += 1
        self._speech_publisher.publish(hearing.speech_message(heard, self.now_ns()))
        if verdict.kind is not VerdictKind.REJECTED or verdict.listening:
            self.get_logger().info(f"heard ({verdict.kind.value}): {heard.transcript.text!r}")
            if self.parameters["speaker.interrupted_by"] == "words":
                self._speaker.interrupt()
        if verdict.kind is VerdictKind.QUESTION:
            self._question_publisher.publish(String(data=verdict.question_text))
        elif verdict.kind is VerdictKind.STOP:
            self._speaker.interrupt()
            self._orders.stop()
        elif verdict.kind in (VerdictKind.CONFIRM, VerdictKind.DECLINE):
            self._orders.decide(verdict.kind is VerdictKind.CONFIRM, str(verdict.pending))

    def _on_audio(self, message: Any) -> None:
        made = self._hearing
        if made is None or made.topic is None:
            return
        try:
            made.topic.receive(message)
        except RemembrError as error:
            self._bad_messages += 1
            self.get_logger().warning(
                f"{self.resolve_topic_name('audio')}: message dropped: {error}", throttle_duration_sec=WARN_EVERY_S
            )

    # ---- what is said

    def _on_answer_text(self, message: String) -> None:
        if message.data in self._said_by_us:  # our own came back
            self._said_by_us.remove(message.data)
            return
        self._say(message.data[:MOST_READ])
        self._orders.ask_after_an_answer()

    def _reply(self, text: str, after: bool = False) -> None:
        """Said, and published like an answer; `after` what is being said."""
        if self._hearing is None:  # deactivated: nobody could answer it
            return
        self._said_by_us.append(text)
        self._text_publisher.publish(String(data=text))
        self._say(text, after)

    def _say(self, text: str, after: bool = False) -> None:
        if isinstance(self._speaker, Silent):
            # Somebody else may say it aloud; when exactly is not known.
            said = " ".join(sentences(text, MOST_READ))
            self._own_voice(said, hearing.now_ns(), OTHER_SPEAKER_S + seconds_to_say(said))
        elif after:
            self._speaker.add(text)
        else:
            self._speaker.say(text)

    def _on_sound(self, text: str, seconds_left: float) -> None:  # on the speaker's thread
        now_ns = hearing.now_ns()
        if self._sounding[0] != text:
            self._sounding = (text, now_ns)
        self._own_voice(text, self._sounding[1], (now_ns - self._sounding[1]) / NANOSECONDS + seconds_left)
        if seconds_left == 0.0:
            self._sounding = ("", 0)

    def _own_voice(self, text: str, start_ns: int, seconds: float) -> None:
        made = self._hearing
        if made is not None and text:
            made.gate.answer_spoken(text, start_ns, start_ns + round(seconds * NANOSECONDS))

    # ---- goals

    def _tell_situation(self) -> None:
        made, orders = self._hearing, self._orders
        if made is not None:
            made.gate.set_situation(pending=orders.pending_id, driving=bool(orders.driving_id), now_ns=hearing.now_ns())

    # ---- to be looked at

    def _tick(self) -> None:
        self._orders.tick()
        made = self._hearing
        if made is not None and made.topic is not None:
            made.topic.tick()

    def _watch(self) -> None:
        made = self._hearing
        stats = made.listener.stats() if made is not None else ListenerStats()
        if stats.last_block_ns > self._source_problem_ns:  # sound came since
            self._source_problem = ""
        problem = made.topic.problem if made is not None and made.topic is not None else ""
        if problem and problem != self._stream_problem:
            self._warn(problem)
        self._stream_problem = problem
        silent_ns = hearing.now_ns() - max(stats.last_block_ns, self._active_since_ns)
        silent_s = max(0, silent_ns) / NANOSECONDS  # a file that is published at once is ahead of the time
        level, text = hearing.health(
            "" if self.active else self.problem,
            self._source_problem or self._stream_problem or self._second_node(),
            silent_s,
            self.parameters["audio.silent_warning_s"],
            self._speaker.problem,
            stats,
        )
        shown = {
            **hearing.values(made, self._heard, silent_s),
            "bad messages": self._bad_messages,
            "speaker": self._speaker.name,
            "proposal": self._orders.pending_id,
            "goal": self._orders.driving_id,
        }
        stamp = self.get_clock().now().to_msg()
        message = diagnostics.diagnostic(stamp, self.get_fully_qualified_name(), level, text, shown)
        self._diagnostics_publisher.publish(message)

    def _second_node(self) -> str:
        """Two of them ask each question twice, and a yes confirms twice."""
        count = self.count_publishers("speech")
        topic = self.resolve_topic_name("speech")
        return f"{count} nodes publish {topic}: of two whisper nodes each asks every question" if count > 1 else ""

    def _warn(self, text: str) -> None:
        self.get_logger().warning(text)


def main(args: list[str] | None = None) -> int:
    """`ros2 run remembr_ros whisper`."""
    return run("whisper", WhisperNode, args)


if __name__ == "__main__":
    sys.exit(main())
