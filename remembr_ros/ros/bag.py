"""Recorded runs, read without ROS: rosbag2 in sqlite3 or mcap. In: folders or files. Out: what happened, in order.

`Bag.events(topics)` yields `Event(received_ns, kind, head, read)`; `read()` decodes the message: a picture nobody wants
costs nothing. Several bags are read as one, by the time of recording.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from remembr_ros.errors import ConfigurationError, InvalidInput, MissingDependency

KINDS = {
    "image": ("sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage"),
    "pose": ("geometry_msgs/msg/PoseWithCovarianceStamped", "nav_msgs/msg/Odometry"),
    "map": ("nav_msgs/msg/OccupancyGrid",),
    "captions": ("remembr_interfaces/msg/Caption",),
    "tf": ("tf2_msgs/msg/TFMessage",),
    "tf_static": ("tf2_msgs/msg/TFMessage",),
}
"""What a topic can be used as, by its type; the first type is taken rather than the second."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic of a bag. `kind`: a key of KINDS, or empty: of no use here."""

    name: str
    type: str
    messages: int

    @property
    def kind(self) -> str:
        kind = next((kind for kind, types in KINDS.items() if self.type in types), "")
        return "tf_static" if kind == "tf" and self.name.endswith("tf_static") else kind


@dataclass(frozen=True, slots=True)
class Event:
    """One message. `received_ns`: when it was recorded. `head`: the first 16 bytes. `read()` raises InvalidInput."""

    received_ns: int
    kind: str
    head: bytes
    read: Callable[[], Any]


class Bag(AbstractContextManager["Bag"]):
    """Opens the bags. Raises ConfigurationError naming what cannot be read, MissingDependency."""

    def __init__(self, paths: Sequence[Path]) -> None:
        try:
            from rosbags.highlevel import AnyReader
            from rosbags.typesys import Stores, get_typestore
        except ImportError as error:
            raise MissingDependency("rosbags", "pip install 'rosbags>=0.10'", needed_for="reading bags") from error
        named = ", ".join(map(str, paths))
        try:
            # Bags in sqlite3 of Humble do not carry their message definitions.
            self._reader = AnyReader(
                [Path(path) for path in paths], default_typestore=get_typestore(Stores.ROS2_HUMBLE)
            )
            self._reader.open()
        except Exception as error:  # the reader's own, SQLite's, a file that is none
            raise ConfigurationError(f"bag {named} cannot be read: {error}") from error
        if not self._reader.is2:
            self._reader.close()
            raise ConfigurationError(f"bag {named} is of ROS 1: convert it with rosbags-convert")

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def topics(self) -> list[Topic]:
        """By name."""
        found = ((name, str(info.msgtype), info.msgcount) for name, info in self._reader.topics.items())
        return sorted((Topic(*one) for one in found), key=lambda topic: topic.name)

    def choose(self, kind: str, asked: str = "") -> Topic | None:
        """The topic of a kind: the one asked for, the only one, or None where there is none.

        Raises ConfigurationError naming the topics when the one asked for is missing or there are several.
        """
        fitting = [topic for topic in self.topics() if topic.kind == kind and topic.messages]
        option = "--pose" if kind == "tf" else f"--{kind}"
        if asked:
            chosen = [topic for topic in fitting if topic.name.strip("/") == asked.strip("/")]
            if not chosen:
                raise ConfigurationError(f"{option} {asked}: no such topic in the bag; {_listed(kind, fitting)}")
            return chosen[0]
        for wanted_type in KINDS[kind]:
            of_type = [topic for topic in fitting if topic.type == wanted_type]
            named = [topic for topic in of_type if topic.name.strip("/") in ("amcl_pose", "map", "tf")]
            if len(of_type) == 1 or len(named) == 1:
                return (named or of_type)[0]
            if of_type:
                raise ConfigurationError(
                    f"several topics could be the {kind}, name one with {option}; {_listed(kind, of_type)}"
                )
        return None

    def events(self, topics: Mapping[str, Topic]) -> Iterator[Event]:
        """The messages of these topics (kind: topic) as they were recorded."""
        kinds = {topic.name: kind for kind, topic in topics.items()}
        connections = [connection for connection in self._reader.connections if connection.topic in kinds]
        for connection, received_ns, raw in self._reader.messages(connections=connections):

            def read(raw: Any = raw, connection: Any = connection) -> Any:
                try:
                    return self._reader.deserialize(raw, connection.msgtype)
                except Exception as error:  # a message cut short raises whatever its parser trips over
                    raise InvalidInput(f"message cannot be read: {type(error).__name__}: {error}") from error

            yield Event(received_ns, kinds[connection.topic], bytes(raw[:16]), read)


def _listed(kind: str, topics: Sequence[Topic]) -> str:
    there = ", ".join(f"{topic.name} ({topic.type}, {topic.messages})" for topic in topics)
    return f"there is: {there}" if there else f"there is none of type {' or '.join(KINDS[kind])}"
