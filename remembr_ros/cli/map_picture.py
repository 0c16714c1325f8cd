"""In: what a picture shows. Out: a PNG of it (matplotlib)."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from remembr_ros.cli.map_content import MapContent, printable
from remembr_ros.errors import MissingDependency
from remembr_ros.records import NANOSECONDS

PATH, EVIDENCE = "#8fb0c6", "#e08a1e"
CAPTION_CHARACTERS = 50
INCHES = 11.0


def write_png(content: MapContent, file: Path) -> None:
    """Raises MissingDependency where matplotlib is not installed."""
    try:
        import matplotlib
    except ImportError:
        raise MissingDependency("matplotlib", "pip install 'matplotlib>=3.9,<4'", needed_for="remembr map") from None
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.dates import DateFormatter, date2num
    from matplotlib.figure import Figure

    left, right, bottom, top = content.extent()
    figure = Figure(figsize=(INCHES, INCHES * min(2.0, max(0.4, (top - bottom) / (right - left)))), dpi=110)
    axes = figure.add_subplot()
    if content.plan is not None:
        axes.imshow(content.plan.pixels, cmap="gray", extent=content.plan.extent, alpha=0.5, zorder=0)
    for line in content.path:
        axes.plot(*zip(*line, strict=True), color=PATH, linewidth=1.5, zorder=1)
    poses = [memory.pose for memory in content.places if memory.pose is not None]
    when = [date2num(datetime.fromtimestamp(memory.start_ns / NANOSECONDS)) for memory in content.places]
    dots = axes.scatter(
        [pose.x for pose in poses], [pose.y for pose in poses], c=when, cmap=matplotlib.colormaps["coolwarm"], s=22,
        edgecolor="white", linewidth=0.4, zorder=2,
    )  # fmt: skip
    bar = figure.colorbar(dots, ax=axes, shrink=0.7, label="seen")
    bar.ax.yaxis.set_major_formatter(DateFormatter("%m-%d %H:%M"))
    for rank, hit in enumerate(content.evidence, start=1):
        pose = hit.memory.pose
        if pose is not None:
            axes.scatter([pose.x], [pose.y], s=160, facecolor="none", edgecolor=EVIDENCE, linewidth=2.0, zorder=3)
            caption = printable(hit.memory.caption).replace("$", r"\$")  # captions are text, not formulas
            axes.annotate(
                f"{rank}: {caption[:CAPTION_CHARACTERS]}", (pose.x, pose.y), textcoords="offset points",
                xytext=(8, 8 * rank), fontsize=8, color=EVIDENCE, zorder=4,
            )  # fmt: skip
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    axes.set_title(content.title.replace("$", r"\$"))
    FigureCanvasAgg(figure)
    figure.savefig(file, format="png", bbox_inches="tight")
