"""What the launch files share: their arguments, the node they start, and the refusal of arguments that nobody declared.

Used by launch/*.launch.py only; needs launch and launch_ros, which come with ROS.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from launch import LaunchContext, LaunchDescription

SHARE = Path(get_package_share_directory("remembr_ros"))
PROFILE = "FASTRTPS_DEFAULT_PROFILES_FILE"
OF_ROS2_LAUNCH = {"launch-prefix", "launch-prefix-filter"}
"""What `ros2 launch --launch-prefix` adds to the arguments."""

Topics = Mapping[str, tuple[str, str, str]]
"""Launch argument: (the node's own name of the topic, default, description)."""


def part(file: str, executable: str, topics: Topics) -> LaunchDescription:
    """One node of this package with the arguments that all have, and one argument for each topic of `topics`."""
    arguments = [
        DeclareLaunchArgument("namespace", default_value="", description="Namespace of the node and its topics."),
        DeclareLaunchArgument(
            "params_file",
            default_value=str(SHARE / "config" / "remembr.yaml"),
            description="Parameters (YAML); those that are left out keep their defaults.",
        ),
        DeclareLaunchArgument("use_sim_time", default_value="false", description="Take the time from /clock."),
        DeclareLaunchArgument("log_level", default_value="info", description="debug, info, warn, error or fatal."),
        DeclareLaunchArgument("respawn", default_value="true", description="Start the node again when it crashes."),
    ]
    for name, (_, default, description) in topics.items():
        arguments.append(DeclareLaunchArgument(name, default_value=default, description=description))
    node = Node(
        package="remembr_ros",
        executable=executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[
            LaunchConfiguration("params_file"),
            {"use_sim_time": ParameterValue(LaunchConfiguration("use_sim_time"), value_type=bool)},
        ],
        remappings=[(own, LaunchConfiguration(name)) for name, (own, _, _) in topics.items()],
        arguments=["--ros-args", "--log-level", LaunchConfiguration("log_level")],
        respawn=LaunchConfiguration("respawn"),
        respawn_delay=2.0,
        output="screen",
    )
    return checked(file, LaunchDescription([*arguments, *_large_images(), node]))


def checked(file: str, description: LaunchDescription) -> LaunchDescription:
    """The same, but an argument on the command line that `description` does not declare ends the launch.

    `ros2 launch` itself says nothing about one, so a typing error would silently mean the default. Where another
    launch file includes this one, its arguments are its own business.
    """

    def refuse(context: LaunchContext) -> None:
        if not _launched_directly(Path(file)):
            return
        known = {argument.name for argument in description.get_launch_arguments(conditional_inclusion=True)}
        given = {text.partition(":=")[0] for text in context.argv}
        for name in sorted(given - known - OF_ROS2_LAUNCH):
            like = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {like[0]!r}? " if like else ""
            raise ValueError(
                f"unknown launch argument {name!r}: {hint}{Path(file).name} has {', '.join(sorted(known))}"
            )

    return LaunchDescription([OpaqueFunction(function=refuse), *description.entities])


def _launched_directly(file: Path) -> bool:
    """Whether the command line names this file, by package or by path."""
    for before, word in pairwise(sys.argv):
        if Path(word).name == file.name and (before == "remembr_ros" or Path(word).resolve() == file.resolve()):
            return True
    return False


def _large_images() -> list[SetEnvironmentVariable]:
    """Fast DDS's default shared memory loses pictures; a profile of the user's own stays."""
    return [] if os.environ.get(PROFILE) else [SetEnvironmentVariable(PROFILE, str(SHARE / "config" / "fastdds.xml"))]
