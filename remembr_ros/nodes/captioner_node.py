"""The captioner: camera pictures and poses in, captions out, every window a memory in Milvus.

Subscribes `image` (sensor_msgs/Image), `amcl_pose` (PoseWithCovarianceStamped) and `map` (for map_id); publishes
`caption` and `/diagnostics`. Times are image stamps, poses are those of the map frame.
"""

from __future__ import annotations

import sys
import time
import uuid
from dataclasses import asdict, fields

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import Image

from remembr_interfaces.msg import Caption
from remembr_ros.errors import InvalidInput, LanguageModelUnavailable
from remembr_ros.records import Frame, Memory, Window
from remembr_ros.remember.builder import MemoryBuilder
from remembr_ros.remember.captioners import Captioner, create_captioner
from remembr_ros.remember.captioners.options import CaptionerOptions
from remembr_ros.remember.keyframes import Keyframes
from remembr_ros.remember.outbox import Outbox
from remembr_ros.remember.pose_track import PoseTrack
from remembr_ros.remember.window import Windower
from remembr_ros.ros import diagnostics, qos
from remembr_ros.ros.backends import LateMemory, load_embedder
from remembr_ros.ros.conversions import caption_message, pose_from_message, stamp_of_serialized
from remembr_ros.ros.images import ImageDecoder
from remembr_ros.ros.lifecycle import ManagedNode, run
from remembr_ros.ros.maps import CurrentMap
from remembr_ros.ros.parameter_tables import CAPTIONER

WARN_EVERY_S = 5.0


class CaptionerNode(ManagedNode):
    """See the module and config/remembr.yaml."""

    def __init__(self) -> None:
        super().__init__("captioner", CAPTIONER)
        self._windower: Windower | None = None
        self._builder: MemoryBuilder | None = None
        self._captioner: Captioner | None = None
        self._memory: LateMemory | None = None
        self._outbox: Outbox | None = None
        self._poses = PoseTrack(max_position_std=self.parameters["max_position_std"], on_problem=self._warn)
        self._decoder = ImageDecoder(on_problem=self._warn)
        self._bad_messages = 0
        self._images = 0
        self._last_image_s = time.monotonic()
        self._silent = False

        self._caption_publisher = self.create_publisher(Caption, "caption", qos.RELIABLE)
        self._diagnostics_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", qos.RELIABLE)
        self._map = CurrentMap(self, self.parameters, self._bad_message)
        qos.subscribe_pose(self, PoseWithCovarianceStamped, "amcl_pose", self._on_pose)
        # Raw: of a 30 Hz camera only the sampled frames are worth deserializing.
        profile = qos.image(self.parameters["image_reliability"])
        self._image_subscription = self.create_subscription(Image, "image", self._on_image, profile, raw=True)
        self.create_timer(0.25, self._tick, clock=self.steady_clock)
        self.create_timer(1.0, self._watch, clock=self.steady_clock)

    def load(self) -> None:
        parameters = self.parameters
        self._outbox = Outbox(parameters["outbox_path"])
        embedder = load_embedder(parameters)
        self._captioner = self._load_captioner()
        opened = f"memory: {parameters['memory.uri']}"
        self._memory = LateMemory(parameters, embedder, lambda: self.get_logger().info(opened))
        self._memory.open_if_there()
        if self._memory.problem:
            self._warn(f"{self._memory.problem} (captions wait in {self._outbox.path})")
        self._builder = MemoryBuilder(
            self._captioner,
            self._outbox,
            self._memory.write,
            robot_id=parameters["robot_id"],
            camera=parameters["camera"],
            session_id=uuid.uuid4().hex[:12],
            on_memory=self._on_memory,
            on_problem=self._warn,
            queue_windows=parameters["queue_windows"],
            store_unlocalized=parameters["store_unlocalized"],
            keyframes=self._keyframes(),
        )
        self._last_image_s, self._silent = time.monotonic(), False
        self._windower = Windower(parameters["window_s"], parameters["sample_hz"], on_problem=self._warn)

    def _load_captioner(self) -> Captioner:
        options = {field.name: self.parameters[f"captioner.{field.name}"] for field in fields(CaptionerOptions)}
        captioner = create_captioner(self.parameters["captioner.model"], CaptionerOptions(**options))
        try:
            captioner.warm_up()
        except LanguageModelUnavailable as error:  # a server that is started after the robot
            self._warn(f"captioner.model: {error} (its windows are lost until it answers)")
        return captioner

    def _keyframes(self) -> Keyframes | None:
        budget_mb = self.parameters["keyframes.budget_mb"]
        return Keyframes(self.parameters["keyframes.folder"], budget_mb * 10**6, self._warn) if budget_mb else None

    def release(self) -> None:
        # The window begun is dropped, as on kill: its successor would start in its middle.
        self._windower = None
        for part in ("_builder", "_captioner", "_memory", "_outbox"):
            held = getattr(self, part)
            setattr(self, part, None)
            if held is not None:
                held.close()

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        try:
            self._poses.add(pose_from_message(message), self.now_ns() or None)
        except InvalidInput as error:
            self._bad_message("amcl_pose", error)

    def _on_image(self, data: bytes) -> None:
        self._images += 1
        self._last_image_s = time.monotonic()
        windower = self._windower
        if windower is None:
            return
        now_ns = self.now_ns() or None  # 0: use_sim_time and no /clock yet
        try:
            stamp_ns = stamp_of_serialized(data)
            if windower.wants(stamp_ns, now_ns):
                picture = self._decoder.decode(deserialize_message(data, Image))
                self._submit(windower.add(Frame(stamp_ns, picture), now_ns))
        except InvalidInput as error:
            self._bad_message("image", error)

    def _tick(self) -> None:
        if self._windower is not None:
            self._submit(self._windower.tick(self.now_ns()))

    def _submit(self, windows: list[Window]) -> None:
        builder = self._builder
        for window in windows:
            if builder is not None:
                builder.submit(window, self._poses.at(window.middle_ns), self._map.id)

    def _on_memory(self, memory: Memory) -> None:
        self._caption_publisher.publish(caption_message(memory))

    def _bad_message(self, topic: str, error: Exception) -> None:
        self._bad_messages += 1
        self.get_logger().warning(
            f"{self.resolve_topic_name(topic)}: message dropped: {error}", throttle_duration_sec=WARN_EVERY_S
        )

    def _warn(self, text: str) -> None:
        self.get_logger().warning(text)

    def _watch(self) -> None:
        """Once a second: is there a camera, and how are things."""
        silent_s = time.monotonic() - self._last_image_s
        silent = self.active and silent_s > self.parameters["no_image_warning_s"]
        if silent and not self._silent:
            self._warn(f"no images for {silent_s:.0f} s: {self._image_topic_in_words()}")
        elif self._silent and not silent:
            self.get_logger().info("images are coming (again)")
        self._silent = silent
        self._diagnostics_publisher.publish(self._diagnostic(silent_s))

    def _image_topic_in_words(self) -> str:
        subscription = self._image_subscription
        asked = self.parameters["image_reliability"]
        text = f"{subscription.topic_name} (sensor_msgs/msg/Image, reliability {asked})"
        publishers = self.get_publishers_info_by_topic(subscription.topic_name)
        if not publishers:
            return f"nobody publishes {text}; is the driver up, is `image` remapped?"
        offers = ", ".join(
            f"{one.node_name}: {one.topic_type}, {one.qos_profile.reliability.name}" for one in publishers
        )
        return f"{text} has publishers ({offers}) but nothing arrives"

    def _diagnostic(self, silent_s: float) -> DiagnosticArray:
        builder, windower, memory, now_ns = self._builder, self._windower, self._memory, self.now_ns()
        level, text = diagnostics.OK, "remembering"
        if not self.active:
            level, text = diagnostics.ERROR, self.problem
        elif memory is not None and memory.problem:
            level, text = diagnostics.WARN, memory.problem
        elif self._silent:
            level, text = diagnostics.WARN, f"no images for {silent_s:.0f} s"
        pose_at = self._poses.at(now_ns) if now_ns else None
        values = {
            "images": self._images,
            "bad messages": self._bad_messages,
            "map_id": self._map.id,
            "pose age [s]": pose_at.age_s if pose_at else "no pose",
            "localized": bool(pose_at and pose_at.localized),
        }
        if windower is not None:
            values |= {f"frames {name}": value for name, value in asdict(windower.stats()).items()}
        if builder is not None:
            values |= {f"windows {name}": value for name, value in asdict(builder.stats()).items()}
        stamp = self.get_clock().now().to_msg()
        return diagnostics.diagnostic(stamp, self.get_fully_qualified_name(), level, text, values)


def main(args: list[str] | None = None) -> int:
    """`ros2 run remembr_ros captioner`."""
    return run("captioner", CaptionerNode, args)


if __name__ == "__main__":
    sys.exit(main())
