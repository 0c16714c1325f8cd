"""Camera, pose and map topics, as `remembr doctor` sees them: are they published, of the right type, fast enough, and
stamped with the time of this computer?

In: a client and names of topics relative to its namespace. Out: findings with what to do. Every wait is bounded.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from typing import Any

from remembr_ros.cli.client import Client
from remembr_ros.cli.finding import Finding, fail, ok, warn
from remembr_ros.errors import InvalidInput
from remembr_ros.navigate.policy import normalize_frame
from remembr_ros.ros.reading import pose_from_message

CLOCKS_DIFFER_S = 2.0
PROFILE = "FASTRTPS_DEFAULT_PROFILES_FILE"


def type_name(message_type: Any) -> str:
    return f"{message_type.__module__.split('.')[0]}/msg/{message_type.__name__}"


class Listener:
    """Hears one topic for a while."""

    def __init__(self, client: Client, topic: str, message_type: Any, profiles: Iterable[Any]) -> None:
        self.topic = client.node.resolve_topic_name(topic)
        self.type_name = type_name(message_type)
        self.messages: list[Any] = []
        self.arrivals: list[float] = []
        self._client = client
        self._subscriptions = [
            client.node.create_subscription(message_type, topic, self._on_message, profile) for profile in profiles
        ]

    def _on_message(self, message: Any) -> None:
        self.messages = [*self.messages[-2:], message]
        self.arrivals.append(time.monotonic())

    @property
    def rate_hz(self) -> float:
        """0 with less than two messages."""
        if len(self.arrivals) < 2 or self.arrivals[-1] == self.arrivals[0]:
            return 0.0
        return (len(self.arrivals) - 1) / (self.arrivals[-1] - self.arrivals[0])

    def check(self, about: str, argument: str) -> Finding | None:
        """Why nothing can be heard, None when a message came. `argument`: of the launch files, which remaps it."""
        node = self._client.node
        publishers = node.get_publishers_info_by_topic(self.topic)
        if not publishers:
            others = [name for name, types in node.get_topic_names_and_types() if self.type_name in types]
            others = [name for name in others if node.count_publishers(name)]
            hint = f"publishing that type: {', '.join(sorted(others))}; " if others else ""
            return fail(
                about, f"nobody publishes {self.topic}", f"{hint}start it, or launch with {argument}:=<its topic>"
            )
        types = {info.topic_type for info in publishers}
        if self.type_name not in types:
            wanted = f"{self.topic} is {', '.join(sorted(types))}, wanted {self.type_name}"
            return fail(about, wanted, f"launch with {argument}:=<a topic of type {self.type_name}>")
        return None

    def close(self) -> None:
        for subscription in self._subscriptions:
            self._client.node.destroy_subscription(subscription)


def check_image(listener: Listener, sample_hz: float, now_s: float | None) -> Iterator[Finding]:
    problem = listener.check("image", "image")
    if problem is not None:
        yield problem
    elif not listener.messages:
        fix = "is the camera streaming? Large pictures get lost at Fast DDS's defaults: " + profile_fix()
        yield fail("image", f"{listener.topic} has a publisher, and no picture came", fix)
    else:
        message = listener.messages[-1]
        size = (
            f"{message.width} x {message.height} {message.encoding}" if hasattr(message, "encoding") else "compressed"
        )
        yield ok("image", f"{listener.topic}: {size}, {listener.rate_hz:.1f} Hz, frame {message.header.frame_id!r}")
        if 0.0 < listener.rate_hz < sample_hz:
            fix = "raise the camera's rate; if it is higher there, pictures get lost: " + profile_fix()
            yield warn("image", f"{listener.rate_hz:.1f} Hz is less than sample_hz ({sample_hz:g})", fix)
        yield from _stamp("image", message.header.stamp, now_s)


def check_pose(listener: Listener, max_position_std_m: float, now_s: float | None) -> Iterator[Finding]:
    problem = listener.check("pose", "pose")
    if problem is not None:
        yield problem
        return
    if not listener.messages:
        fix = "AMCL needs an initial pose (RViz: 2D Pose Estimate), and publishes when the robot moves"
        yield warn("pose", f"{listener.topic}: no pose came", fix)
        return
    message = listener.messages[-1]
    try:
        pose = pose_from_message(message)
    except InvalidInput as error:
        yield fail("pose", f"{listener.topic}: {error}", "correct the localization that publishes it")
        return
    std_m = math.sqrt(max(0.0, pose.position_var))
    frame = normalize_frame(pose.frame_id)
    yield ok("pose", f"{listener.topic}: ({pose.x:.2f}, {pose.y:.2f}) m in {frame!r}, standard deviation {std_m:.2f} m")
    if std_m > max_position_std_m:
        fix = "localize the robot (drive a little, or 2D Pose Estimate); until then nothing it sees becomes a goal"
        yield warn(
            "pose", f"standard deviation {std_m:.2f} m is above max_position_std ({max_position_std_m:g} m)", fix
        )
    if std_m == 0.0:
        yield warn(
            "pose", "its covariance is zero, so how good it is cannot be judged", "let the localization fill it in"
        )
    yield from _stamp("pose", message.header.stamp, now_s, old_is_fine=True)


def check_map(listener: Listener, pose_frame: str) -> Iterator[Finding]:
    problem = listener.check("map", "map")
    if problem is not None:
        fix = problem.fix + "; or set map_id: without a map's name no memory becomes a goal"
        yield warn("map", problem.what, fix)
    elif not listener.messages:
        yield warn("map", f"{listener.topic}: no map came", "is its publisher TRANSIENT_LOCAL, as map_server's is?")
    else:
        info, frame = listener.messages[-1].info, listener.messages[-1].header.frame_id
        yield ok("map", f"{listener.topic}: {info.width} x {info.height} cells of {info.resolution:.3f} m in {frame!r}")
        if pose_frame and normalize_frame(frame) != normalize_frame(pose_frame):
            yield fail(
                "frames", f"poses are in {pose_frame!r}, the map in {frame!r}", "localize in the frame of the map"
            )


def profile_fix() -> str:
    return f"start the camera and the nodes with {PROFILE}=<share of remembr_ros>/config/fastdds.xml"


def _stamp(about: str, stamp: Any, now_s: float | None, old_is_fine: bool = False) -> Iterator[Finding]:
    """`now_s` None: a simulation's time is not the computer's. `old_is_fine`: AMCL is silent while it is parked."""
    if stamp.sec == 0 and stamp.nanosec == 0:
        yield fail(about, "its stamps are zero", "the driver must stamp its messages")
    if now_s is None or (stamp.sec == 0 and stamp.nanosec == 0):
        return
    ahead_s = stamp.sec + stamp.nanosec * 1e-9 - now_s
    if ahead_s > CLOCKS_DIFFER_S or (ahead_s < -CLOCKS_DIFFER_S and not old_is_fine):
        words = f"{abs(ahead_s):.1f} s {'ahead of' if ahead_s > 0 else 'behind'} this computer's clock"
        yield warn(about, f"stamps are {words}", "synchronize the clocks (chrony), or launch with use_sim_time:=true")
