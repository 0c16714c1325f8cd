"""The captioner: pictures and poses in, memories out. `ros2 launch remembr_ros captioner.launch.py --show-args`."""

import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchDescription

CONFIG = Path(get_package_share_directory("remembr_ros")) / "config"


def generate_launch_description() -> LaunchDescription:
    arguments = [
        DeclareLaunchArgument(
            "namespace", default_value="", description="Namespace of the node and its relative topics."
        ),
        DeclareLaunchArgument(
            "params_file", default_value=str(CONFIG / "remembr.yaml"), description="Parameters (YAML)."
        ),
        DeclareLaunchArgument("use_sim_time", default_value="false", description="Take the time from /clock."),
        DeclareLaunchArgument("log_level", default_value="info", description="debug, info, warn, error or fatal."),
        DeclareLaunchArgument("respawn", default_value="true", description="Start the node again when it crashes."),
        DeclareLaunchArgument("image", default_value="image", description="Camera topic (sensor_msgs/Image)."),
        DeclareLaunchArgument("pose", default_value="amcl_pose", description="Pose topic (PoseWithCovarianceStamped)."),
        DeclareLaunchArgument(
            "map", default_value="map", description="Map topic (OccupancyGrid); names the map unless map_id is set."
        ),
    ]
    node = Node(
        package="remembr_ros",
        executable="captioner",
        namespace=LaunchConfiguration("namespace"),
        parameters=[
            LaunchConfiguration("params_file"),
            {"use_sim_time": ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)},
        ],
        remappings=[
            ("image", LaunchConfiguration("image")),
            ("amcl_pose", LaunchConfiguration("pose")),
            ("map", LaunchConfiguration("map")),
        ],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        respawn=LaunchConfiguration("respawn"),
        respawn_delay=2.0,
        output="screen",
    )
    return LaunchDescription([*arguments, *_large_images(), node])


def _large_images() -> list[SetEnvironmentVariable]:
    """Fast DDS's default shared memory loses pictures; a profile of the user's own stays."""
    name = "FASTRTPS_DEFAULT_PROFILES_FILE"
    return [] if os.environ.get(name) else [SetEnvironmentVariable(name, str(CONFIG / "fastdds.xml"))]
