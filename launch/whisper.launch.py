"""The whisper node: speech in, questions out. `ros2 launch remembr_ros whisper.launch.py --show-args`."""

from launch import LaunchDescription
from remembr_ros.ros.launching import part

TOPICS = {
    "audio": ("audio", "audio", "Audio topic, where audio.source is topic (see docs/voice.md for its type)."),
}


def generate_launch_description() -> LaunchDescription:
    return part(__file__, "whisper", TOPICS)
