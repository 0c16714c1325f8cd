"""Everything: captioner and query node. `ros2 launch remembr_ros remembr.launch.py --show-args`.

The arguments are those of captioner.launch.py and query.launch.py, which this file includes.
"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

from launch import LaunchDescription

LAUNCH = Path(get_package_share_directory("remembr_ros")) / "launch"


def generate_launch_description() -> LaunchDescription:
    parts = {
        "captioner": "Remember what the camera sees.",
        "query": "Answer questions.",
    }
    actions = []
    for part, description in parts.items():
        actions.append(DeclareLaunchArgument(part, default_value="true", description=description))
        source = PythonLaunchDescriptionSource(str(LAUNCH / f"{part}.launch.py"))
        actions.append(IncludeLaunchDescription(source, condition=IfCondition(LaunchConfiguration(part))))
    return LaunchDescription(actions)
