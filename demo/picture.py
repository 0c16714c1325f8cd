"""demo/map.png: the building, the robot's path, what it remembers and where, and the drive to an answer.

In: the occupancy grid, true path [m], captions (msg/Caption), results of the questions. Out: a PNG file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from demo.photographs import picture
from demo.world import CORRIDOR_WIDTH_M, OCCUPIED, ROOM_DEPTH_M, UNKNOWN, Grid, World

INK, PATH, MEMORY, EVIDENCE, GOAL = "#22303c", "#8fb0c6", "#2a78b5", "#e08a1e", "#c8324a"
SILENT = "nothing that I recognize"
SAME_PLACE_M = 1.0


def draw(
    file: Path,
    grid: Grid | None,
    path: Sequence[tuple[float, float]],
    drive: Sequence[tuple[float, float]],
    captions: Sequence[Any],
    results: Sequence[Any],
    world: World,
) -> None:
    """Write the picture. `path`: of the tour, `drive`: to the answer [m]; `results`: run.Asked of all questions."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(13, 7.6), dpi=110)
    figure.patch.set_facecolor("white")
    if grid is not None:
        _draw_grid(axes, grid)
    _draw_prints(axes, world)
    axes.plot(*zip(*path, strict=True), color=PATH, linewidth=2.2, zorder=2, label="path")
    if drive:
        axes.plot(
            *zip(*drive, strict=True),
            color=GOAL,
            linewidth=2.2,
            linestyle=(0, (4, 2)),
            zorder=3,
            label="drive to the answer",
        )
    seen, silent = _split(captions)
    axes.scatter([c.pose.pose.pose.position.x for c in silent], [c.pose.pose.pose.position.y for c in silent],
                 s=10, color=PATH, zorder=3, label="memory: nothing recognized")  # fmt: skip
    axes.scatter([c.pose.pose.pose.position.x for c in seen], [c.pose.pose.pose.position.y for c in seen],
                 s=34, color=MEMORY, edgecolor="white", linewidth=0.6, zorder=4, label="memory")  # fmt: skip
    _draw_texts(axes, seen, world)
    _draw_answers(axes, results, world)
    axes.set_aspect("equal")
    axes.set_xlim(-0.5, world.length_m + 0.5)
    axes.set_ylim(-ROOM_DEPTH_M - 0.5, CORRIDOR_WIDTH_M + ROOM_DEPTH_M + 0.5)
    axes.set_xlabel("x [m]", color=INK)
    axes.set_ylabel("y [m]", color=INK)
    axes.tick_params(colors=INK, labelsize=8)
    for spine in axes.spines.values():
        spine.set_visible(False)
    # Twice on the map, once in the legend.
    labelled = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    axes.legend(
        labelled.values(),
        labelled.keys(),
        loc="upper center",
        bbox_to_anchor=(0.5, -0.08),
        ncol=6,
        frameon=False,
        fontsize=9,
    )
    figure.tight_layout()
    figure.savefig(file, bbox_inches="tight", pad_inches=0.15)
    pyplot.close(figure)


def _draw_grid(axes: Any, grid: Grid) -> None:
    shade = np.full((*grid.cells.shape, 3), 0.985)
    shade[grid.cells == UNKNOWN] = 1.0
    shade[grid.cells == OCCUPIED] = (0.25, 0.3, 0.35)
    rows, columns = grid.cells.shape
    extent = (
        grid.origin_x,
        grid.origin_x + columns * grid.resolution_m,
        grid.origin_y,
        grid.origin_y + rows * grid.resolution_m,
    )
    axes.imshow(shade, origin="lower", extent=extent, zorder=0, interpolation="nearest")


def _draw_prints(axes: Any, world: World) -> None:
    """Each photograph as a small picture beside its wall, inside its room."""
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    for room in world.rooms:
        hung = room.hung
        axes.plot((hung.x0, hung.x1), (hung.y0, hung.y1), color=EVIDENCE, linewidth=4, solid_capstyle="butt", zorder=5)
        inward = 0.75 if room.spot.x > hung.x0 else -0.75
        image = OffsetImage(picture(hung.photograph)[::4, ::4], zoom=0.34)
        box = AnnotationBbox(
            image, (hung.x0 + inward, (hung.y0 + hung.y1) / 2), pad=0.08, zorder=1, bboxprops={"edgecolor": "#c9d2d8"}
        )
        axes.add_artist(box)


def _split(captions: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    placed = [caption for caption in captions if caption.pose.header.frame_id]
    seen = [caption for caption in placed if SILENT not in caption.text]
    return seen, [caption for caption in placed if SILENT in caption.text]


def _draw_texts(axes: Any, seen: Sequence[Any], world: World) -> None:
    """One text for the same words at the same place, away from the corridor."""
    written: list[tuple[str, float, float]] = []
    for caption in seen:
        x, y = caption.pose.pose.pose.position.x, caption.pose.pose.pose.position.y
        if any(text == caption.text and abs(x - a) + abs(y - b) < SAME_PLACE_M for text, a, b in written):
            continue
        written.append((caption.text, x, y))
        seconds = caption.window_start.sec
        clock = f"{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        _write(axes, world, f"{caption.text}\n{clock}", x, y, 0.45, INK, 8.5)


def _draw_answers(axes: Any, results: Sequence[Any], world: World) -> None:
    for asked in results:
        answer = asked.answer
        if not answer.has_pose or asked.asking.kind not in ("go", "where"):
            continue
        x, y = answer.pose.pose.position.x, answer.pose.pose.position.y
        if asked.asking.kind == "go":
            axes.scatter(
                [x], [y], marker="*", s=420, color=GOAL, edgecolor="white", linewidth=1.0, zorder=9, label="goal"
            )
            _write(axes, world, f'"{asked.asking.text}"', x, y, 1.55, GOAL, 10.5)
        else:
            axes.scatter(
                [x],
                [y],
                marker="o",
                s=240,
                facecolor="none",
                edgecolor=EVIDENCE,
                linewidth=2.2,
                zorder=8,
                label="evidence",
            )
            _write(axes, world, f'"{asked.asking.text}"', x, y, 1.1, EVIDENCE, 10.5)


def _write(axes: Any, world: World, text: str, x: float, y: float, away_m: float, colour: str, size: float) -> None:
    """Away from the corridor, and in a room a little away from its photograph."""
    room = next((room for room in world.rooms if room.contains(x, y)), None)
    aside = 0.0 if room is None else math.copysign(0.6, room.spot.x - room.hung.x0)
    up = y > 0
    axes.text(x + aside, y + (away_m if up else -away_m), text, ha="center", va="bottom" if up else "top",
              fontsize=size, color=colour, weight="bold" if size > 10 else "normal", zorder=10,
              bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none", "alpha": 0.85})  # fmt: skip
