"""The captioner: pictures and poses in, memories out. `ros2 launch remembr_ros captioner.launch.py --show-args`."""

from launch import LaunchDescription
from remembr_ros.ros.launching import part

TOPICS = {
    "image": ("image", "image", "Camera topic (sensor_msgs/Image)."),
    "compressed": ("image/compressed", "image/compressed", "Camera topic where image_transport is compressed."),
    "captions": ("captions", "captions", "Finished captions (remembr_interfaces/Caption) where input is captions."),
    "pose": ("amcl_pose", "amcl_pose", "Pose topic (geometry_msgs/PoseWithCovarianceStamped)."),
    "odom": ("odom", "odom", "Odometry (nav_msgs/Odometry) where pose_source is odometry."),
    "map": ("map", "map", "Map topic (nav_msgs/OccupancyGrid); names the map unless map_id is set."),
}


def generate_launch_description() -> LaunchDescription:
    return part(__file__, "captioner", TOPICS)
