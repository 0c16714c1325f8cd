"""The captioner: pictures and poses in, memories out. `ros2 launch remembr_ros captioner.launch.py --show-args`."""

from remembr_ros.ros.launching import part

from launch import LaunchDescription

TOPICS = {
    "image": ("image", "image", "Camera topic (sensor_msgs/Image)."),
    "pose": ("amcl_pose", "amcl_pose", "Pose topic (geometry_msgs/PoseWithCovarianceStamped)."),
    "map": ("map", "map", "Map topic (nav_msgs/OccupancyGrid); names the map unless map_id is set."),
}


def generate_launch_description() -> LaunchDescription:
    return part(__file__, "captioner", TOPICS)
