"""Everything: captioner, query node and, if wanted, whisper node and RViz.

`ros2 launch remembr_ros remembr.launch.py --show-args`. The other arguments are those of captioner.launch.py,
query.launch.py and whisper.launch.py, which this file includes.
"""

from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from launch import LaunchDescription
from remembr_ros.ros.launching import SHARE, checked

PARTS = {
    "captioner": ("true", "Remember what the camera sees."),
    "query": ("true", "Answer questions."),
    "whisper": ("false", "Listen to spoken questions."),
}
SHOWN = ("map", "plan", "amcl_pose", "remembr/markers", "remembr/goal")
"""Topics of config/remembr.rviz, where they are absolute, below the robot's namespace."""


def generate_launch_description() -> LaunchDescription:
    actions = []
    for part, (default, description) in PARTS.items():
        actions.append(DeclareLaunchArgument(part, default_value=default, description=description))
        source = PythonLaunchDescriptionSource(str(SHARE / "launch" / f"{part}.launch.py"))
        actions.append(IncludeLaunchDescription(source, condition=IfCondition(LaunchConfiguration(part))))
    actions.append(DeclareLaunchArgument("rviz", default_value="false", description="Show memories and goals in RViz."))
    rviz = Node(
        package="rviz2",
        executable="rviz2",
        namespace=LaunchConfiguration("namespace"),
        arguments=["-d", str(SHARE / "config" / "remembr.rviz")],
        remappings=[(f"/{topic}", topic) for topic in SHOWN],
        condition=IfCondition(LaunchConfiguration("rviz")),
        output="screen",
    )
    return checked(__file__, LaunchDescription([*actions, rviz]))
