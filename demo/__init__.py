"""The demo: a simulated building, a robot that drives through it, and the questions it is asked. Not installed."""
