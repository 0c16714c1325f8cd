"""Everything that touches rclpy or message packages, apart from the nodes themselves."""
