"""The query node: questions in, answers and goals out. `ros2 launch remembr_ros query.launch.py --show-args`."""

from launch import LaunchDescription
from remembr_ros.ros.launching import part

TOPICS = {
    "pose": ("amcl_pose", "amcl_pose", "Pose topic (geometry_msgs/PoseWithCovarianceStamped)."),
    "map": ("map", "map", "Map topic (nav_msgs/OccupancyGrid); names the map, and goals are checked against it."),
}


def generate_launch_description() -> LaunchDescription:
    return part(__file__, "query", TOPICS)
