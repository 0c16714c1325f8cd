"""What `--help` of a node prints: what it does, how it is started, and its parameters. Needs no ROS."""

from __future__ import annotations

import textwrap

from remembr_ros.ros.parameter_tables import TABLES

WIDTH = 110


def help_text(name: str, purpose: str) -> str:
    """`name`: of the node and its program. `purpose`: its module's docstring."""
    lines = [
        f"usage: ros2 run remembr_ros {name} [--ros-args [-p NAME:=VALUE] [--params-file FILE] [-r FROM:=TO] ...]",
        "",
        purpose.strip(),
        "",
        "parameters (default):",
    ]
    for parameter in TABLES[name]:
        unit = f" [{parameter.unit}]" if parameter.unit else ""
        bounds = f" ({parameter.bounds})" if parameter.bounds else ""
        lines.append(f"  {parameter.name} ({parameter.default!r}){unit}")
        lines += textwrap.wrap(
            parameter.description + bounds, WIDTH, initial_indent="      ", subsequent_indent="      "
        )
    return "\n".join(lines) + "\n"
