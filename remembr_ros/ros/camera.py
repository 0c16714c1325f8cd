"""The camera's topic: serialized pictures in, the sampled ones decoded out, and a word when none come.

Subscribes `image` (sensor_msgs/Image) or, with image_transport `compressed`, `image/compressed` (CompressedImage). The
subscription is raw: of a 30 Hz camera only the sampled frames are worth deserializing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.node import Node
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import CompressedImage, Image

from remembr_ros.errors import InvalidInput
from remembr_ros.records import Frame
from remembr_ros.ros import qos
from remembr_ros.ros.images import ImageDecoder
from remembr_ros.ros.reading import stamp_of_serialized

TRANSPORTS = {"raw": ("image", Image), "compressed": ("image/compressed", CompressedImage)}


class Camera:
    """Subscribes on construction. On the executor: `on_stamp` gets the header stamp [ns] of every picture and returns
    the one to use, None when the picture is not wanted; `on_frame` the wanted ones; `on_bad` topic and reason of what
    is no picture."""

    def __init__(
        self,
        node: Node,
        transport: str,
        reliability: str,
        on_stamp: Callable[[int], int | None],
        on_frame: Callable[[Frame], None],
        on_bad: Callable[[str, Exception], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self._node = node
        self._reliability = reliability
        self._on_stamp, self._on_frame = on_stamp, on_frame
        self._on_bad, self._on_problem = on_bad, on_problem
        self._decoder = ImageDecoder(on_problem)
        self.images = 0
        self._last_s = time.monotonic()
        self._told_types: set[str] = set()
        topic, self._type = TRANSPORTS[transport]
        self._subscription = node.create_subscription(
            self._type, topic, self._on_image, qos.image(reliability), raw=True
        )

    @property
    def silent_s(self) -> float:
        """Since the last picture, or since `restart`."""
        return time.monotonic() - self._last_s

    def restart(self) -> None:
        self._last_s = time.monotonic()

    def check_type(self) -> None:
        """ROS connects publisher and subscription of different types to nothing, and says nothing. Said once a type."""
        wanted = self._type_name(self._type)
        for publisher in self._node.get_publishers_info_by_topic(self._subscription.topic_name):
            offered = publisher.topic_type
            if offered == wanted or offered in self._told_types:
                continue
            self._told_types.add(offered)
            fitting = [name for name, (_, kind) in TRANSPORTS.items() if self._type_name(kind) == offered]
            advice = (
                f"set image_transport to {fitting[0]} and remap its topic" if fitting else "remap to a camera's topic"
            )
            self._on_problem(
                f"{publisher.node_name} publishes {offered} on {self._subscription.topic_name}, "
                f"wanted {wanted}: {advice}"
            )

    def in_words(self) -> str:
        """Topic, type, policy and who publishes: why nothing may arrive."""
        name = self._subscription.topic_name
        text = f"{name} ({self._type_name(self._type)}, reliability {self._reliability})"
        publishers = self._node.get_publishers_info_by_topic(name)
        if not publishers:
            return f"nobody publishes {text}; is the driver up, is `{name.rpartition('/')[2]}` remapped?"
        offers = ", ".join(
            f"{one.node_name}: {one.topic_type}, {one.qos_profile.reliability.name}" for one in publishers
        )
        return f"{text} has publishers ({offers}) but nothing arrives"

    def _on_image(self, data: bytes) -> None:
        self.images += 1
        self._last_s = time.monotonic()
        try:
            stamp_ns = self._on_stamp(stamp_of_serialized(data))
            if stamp_ns is not None:
                self._on_frame(Frame(stamp_ns, self._decoder.decode(deserialize_message(data, self._type))))
        except InvalidInput as error:
            self._on_bad(self._subscription.topic_name, error)

    @staticmethod
    def _type_name(kind: type) -> str:
        return f"sensor_msgs/msg/{kind.__name__}"
