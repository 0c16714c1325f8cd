"""The query node: questions in, answers and goals out. `ros2 launch remembr_ros query.launch.py --show-args`."""

from launch import LaunchDescription
from remembr_ros.ros.launching import part

TOPICS = {
    "pose": ("amcl_pose", "amcl_pose", "Pose topic (geometry_msgs/PoseWithCovarianceStamped)."),
    "map": ("map", "map", "Map topic (nav_msgs/OccupancyGrid); names the map, and goals are checked against it."),
    "costmap": (
        "global_costmap/costmap",
        "global_costmap/costmap",
        "Nav2's global costmap (nav_msgs/OccupancyGrid); goals are checked against it, too.",
    ),
}


def generate_launch_description() -> LaunchDescription:
    return part(__file__, "query", TOPICS)
