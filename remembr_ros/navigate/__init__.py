"""From an answer to a goal: what may be driven to, and who must agree. Pure: no ROS imports."""
