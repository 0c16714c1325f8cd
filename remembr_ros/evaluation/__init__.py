"""Data and measures that judge the package; nothing on the robot imports it."""
