"""The captioner: camera pictures and poses in, captions out, every window a memory in Milvus.

Subscribes `image` (sensor_msgs/Image) or `image/compressed`, `amcl_pose` (or odometry, or tf) and `map` (for map_id);
publishes `caption` and `/diagnostics`. With `input` captions it stores what arrives on `captions` instead, and loads no
model. Times are image stamps, poses are those of the map frame.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration

from remembr_interfaces.msg import Caption
from remembr_ros.errors import InvalidInput, LanguageModelUnavailable
from remembr_ros.records import Frame, Memory, Pose
from remembr_ros.remember.builder import BuilderStats, MemoryBuilder
from remembr_ros.remember.captioners import Captioner, create_captioner
from remembr_ros.remember.outbox import Outbox
from remembr_ros.remember.placer import Placed
from remembr_ros.remember.pose_track import PoseAt
from remembr_ros.remember.window import Windower
from remembr_ros.ros import captioner_health, diagnostics, qos
from remembr_ros.ros.backends import LateMemory, load_embedder
from remembr_ros.ros.camera import Camera
from remembr_ros.ros.conversions import caption_message
from remembr_ros.ros.lifecycle import ManagedNode, run
from remembr_ros.ros.maps import CurrentMap
from remembr_ros.ros.parameter_tables import CAPTIONER
from remembr_ros.ros.pose_sources import PoseSource
from remembr_ros.ros.reading import memory_from_caption
from remembr_ros.ros.remembering import (
    captioner_options,
    create_episodes,
    create_keyframes,
    create_placer,
    create_pose_track,
    create_windower,
    placed,
)

WARN_EVERY_S = 5.0
BACK_IN_TIME = JumpThreshold(min_forward=None, min_backward=Duration(seconds=-1), on_clock_change=True)


class CaptionerNode(ManagedNode):
    """See the module and config/remembr.yaml."""

    def __init__(self) -> None:
        super().__init__("captioner", CAPTIONER)
        self._windower: Windower | None = None
        self._builder: MemoryBuilder | None = None
        self._captioner: Captioner | None = None
        self._memory: LateMemory | None = None
        self._outbox: Outbox | None = None
        self._bad_messages = 0
        self._silent = False
        self._minute_ago = BuilderStats()

        parameters = self.parameters
        self._poses = create_pose_track(parameters, self._warn)
        self._placer = create_placer(parameters, self._poses)
        self._caption_publisher = self.create_publisher(Caption, "caption", qos.RELIABLE)
        self._diagnostics_publisher = self.create_publisher(DiagnosticArray, "/diagnostics", qos.RELIABLE)
        self._map = CurrentMap(self, parameters, self._bad_message)
        self._pose_source = PoseSource(self, parameters, self._on_pose, self._bad_message)
        self._camera: Camera | None = None
        if parameters["input"] == "captions":
            self.create_subscription(Caption, "captions", self._on_caption, qos.RELIABLE)
        else:
            self._camera = Camera(
                self, parameters["image_transport"], parameters["image_reliability"],
                self._wanted_stamp, self._on_frame, self._bad_message, self._warn,
            )  # fmt: skip
        # The poses of a bag's last loop are not those of this one.
        self._jumps = self.get_clock().create_jump_callback(BACK_IN_TIME, post_callback=self._on_time_jump)
        self.create_timer(0.25, self._tick, clock=self.steady_clock)
        self.create_timer(1.0, self._watch, clock=self.steady_clock)
        self.create_timer(60.0, self._minute, clock=self.steady_clock)

    def load(self) -> None:
        parameters = self.parameters
        self._outbox = Outbox(parameters["outbox_path"])
        embedder = load_embedder(parameters)
        if self._camera is not None:
            self._captioner = self._load_captioner()
        opened = f"memory: {parameters['memory.uri']}"
        self._memory = LateMemory(parameters, embedder, lambda: self.get_logger().info(opened))
        self._memory.open_if_there()
        if self._memory.problem:
            self._warn(f"{self._memory.problem} (captions wait in {self._outbox.path})")
        self._minute_ago = BuilderStats()
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
            episodes=create_episodes(parameters),
            keyframes=create_keyframes(parameters, self._warn),
        )
        if self._camera is not None:
            self._camera.restart()
            self._silent = False
            self._windower = create_windower(parameters, self._warn)

    def _load_captioner(self) -> Captioner:
        captioner = create_captioner(self.parameters["captioner.model"], captioner_options(self.parameters))
        try:
            captioner.warm_up()
        except LanguageModelUnavailable as error:  # a server that is started after the robot
            self._warn(f"captioner.model: {error} (its windows are lost until it answers)")
        return captioner

    def release(self) -> None:
        # The window begun is dropped, as on kill: its successor would start in its middle.
        self._windower = None
        for part in ("_builder", "_captioner", "_memory", "_outbox"):
            held = getattr(self, part)
            setattr(self, part, None)
            if held is not None:
                held.close()

    def _on_pose(self, pose: Pose) -> None:
        self._submit(self._placer.add_pose(pose, self._now()))

    def _on_time_jump(self, jump: TimeJump) -> None:
        windower = self._windower
        begun = windower.tick(self.now_ns()) if windower is not None else []
        self._submit(self._placer.add(begun, None))  # placed by the poses of before the jump
        self._poses.clear()
        # A window's key is its robot, camera and time: a replayed bag needs that, a restarted simulation must know it.
        self._warn(
            "ROS time was set back: windows of times that are stored already are not stored again; where they show "
            "something new (a simulation that starts anew), give each run its own memory.collection"
        )

    def _now(self) -> int | None:
        return self.now_ns() or None  # 0: use_sim_time and no /clock yet

    def _wanted_stamp(self, stamp_ns: int) -> int | None:
        windower = self._windower
        if windower is None:
            return None
        now_ns = self._now()
        stamp_ns = windower.stamp(stamp_ns, now_ns)
        return stamp_ns if windower.wants(stamp_ns, now_ns) else None

    def _on_frame(self, frame: Frame) -> None:
        windower, now_ns = self._windower, self._now()  # another thread deactivates
        if windower is not None:
            self._submit(self._placer.add(windower.add(frame, now_ns), now_ns))

    def _tick(self) -> None:
        windower, now_ns = self._windower, self.now_ns()
        windows = windower.tick(now_ns) if windower is not None else []
        self._submit(self._placer.add(windows, now_ns))

    def _submit(self, windows: Iterable[Placed]) -> None:
        builder = self._builder
        for window, pose_at in windows:
            if builder is not None:
                builder.submit(window, placed(pose_at, self.parameters), self._map.id)

    def _pose_at(self, stamp_ns: int) -> PoseAt | None:
        return placed(self._poses.at(stamp_ns), self.parameters)

    def _on_caption(self, message: Caption) -> None:
        builder, parameters = self._builder, self.parameters
        if builder is None:
            return
        try:
            memory = memory_from_caption(
                message, parameters["robot_id"], self._map.id, parameters["camera"], self._now()
            )
        except InvalidInput as error:
            self._bad_message("captions", error)
            return
        builder.submit_told(memory, message.frame_count)

    def _on_memory(self, memory: Memory, frame_count: int) -> None:
        if self._camera is not None:  # else it was published already, perhaps on this very topic
            self._caption_publisher.publish(caption_message(memory, frame_count))

    def _bad_message(self, topic: str, error: Exception) -> None:
        self._bad_messages += 1
        self.get_logger().warning(
            f"{self.resolve_topic_name(topic)}: message dropped: {error}", throttle_duration_sec=WARN_EVERY_S
        )

    def _warn(self, text: str) -> None:
        self.get_logger().warning(text)

    def _watch(self) -> None:
        """Once a second: is there a camera, and how are things."""
        camera = self._camera
        if camera is not None:
            if not camera.images:
                camera.check_type()
            silent = self.active and camera.silent_s > self.parameters["no_image_warning_s"]
            if silent and not self._silent:
                self._warn(f"no images for {camera.silent_s:.0f} s: {camera.in_words()}")
            elif self._silent and not silent:
                self.get_logger().info("images are coming (again)")
            self._silent = silent
        self._diagnostics_publisher.publish(self._diagnostic())

    def _diagnostic(self) -> DiagnosticArray:
        camera, memory, builder = self._camera, self._memory, self._builder
        level, text = captioner_health.level(
            "" if self.active else self.problem,
            memory.problem if memory is not None else "",
            camera.silent_s if camera is not None and self._silent else None,
            self._pose_source.problem,
            builder.stats() if builder is not None else None,
            self._minute_ago,
        )
        stamp = self.get_clock().now().to_msg()
        return diagnostics.diagnostic(stamp, self.get_fully_qualified_name(), level, text, self._values())

    def _values(self) -> dict[str, object]:
        windower, builder, captioner, now_ns = self._windower, self._builder, self._captioner, self.now_ns()
        return captioner_health.values(
            self._camera.images if self._camera is not None else 0,
            self._bad_messages,
            windower.stats() if windower is not None else None,
            builder.stats() if builder is not None else None,
            self._poses.stats(),
            self._pose_at(now_ns) if now_ns else None,
            self._map.id,
            captioner.name if captioner is not None else "",
        )

    def _minute(self) -> None:
        builder = self._builder
        if builder is None:
            return
        now = builder.stats()
        self.get_logger().info(captioner_health.minute_line(self._values(), now, self._minute_ago))
        self._minute_ago = now


def main(args: list[str] | None = None) -> int:
    """`ros2 run remembr_ros captioner`."""
    return run("captioner", CaptionerNode, args)


if __name__ == "__main__":
    sys.exit(main())
