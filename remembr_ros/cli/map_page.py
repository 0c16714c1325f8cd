"""In: what a picture shows. Out: one HTML file that needs nothing else: a drawing that can be searched, with captions.

Captions are data: everything that comes from a memory is escaped.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator
from datetime import datetime
from html import escape
from pathlib import Path

from remembr_ros.cli.map_content import MapContent, printable
from remembr_ros.records import NANOSECONDS, Memory

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 15px sans-serif; margin: 1rem; color: #22303c; }}
svg {{ width: 100%; height: 80vh; background: #f6f8f9; }}
.path {{ fill: none; stroke: #8fb0c6; stroke-width: {path_m}; }}
.evidence {{ fill: none; stroke: #e08a1e; stroke-width: {path_m}; }}
.dim {{ opacity: 0.08; }}
</style></head><body>
<h1>{title}</h1>
<p><input id="find" placeholder="find in captions"> <span id="found"></span>
from blue (oldest, {first}) to red (newest, {last}); rest the mouse on a place to read what was seen there.</p>
<svg viewBox="{left} {above} {width} {height}" xmlns="http://www.w3.org/2000/svg">
{drawing}
</svg>
<ol>{evidence}</ol>
<script>
const places = [...document.querySelectorAll(".place")];
document.getElementById("find").addEventListener("input", event => {{
  const words = event.target.value.toLowerCase();
  const hides = place => !place.textContent.toLowerCase().includes(words);
  const hidden = places.filter(place => place.classList.toggle("dim", hides(place)));
  document.getElementById("found").textContent = words ? `${{places.length - hidden.length}} places,` : "";
}});
</script></body></html>
"""


def write_html(content: MapContent, file: Path) -> None:
    left, right, bottom, top = content.extent()
    first, last = content.places[0], content.places[-1]
    text = PAGE.format(
        title=escape(content.title),
        path_m=_number(_size(content) / 4),
        first=_when(first),
        last=_when(last),
        left=_number(left),
        above=_number(-top),  # a drawing's y grows downwards
        width=_number(right - left),
        height=_number(top - bottom),
        drawing="\n".join(_drawing(content)),
        evidence="".join(f"<li><bdi>{escape(_text(hit.memory))}</bdi></li>" for hit in content.evidence),
    )
    file.write_text(text, encoding="utf-8")


def _size(content: MapContent) -> float:
    """Radius of a place [m]: visible on a map of this size."""
    left, right, bottom, top = content.extent()
    return max(right - left, top - bottom) / 150.0


def _drawing(content: MapContent) -> Iterator[str]:
    radius = _size(content)
    if content.plan is not None:
        import cv2

        left, right, bottom, top = content.plan.extent
        png = base64.b64encode(cv2.imencode(".png", content.plan.pixels)[1].tobytes()).decode()
        place = (
            f'x="{_number(left)}" y="{_number(-top)}" width="{_number(right - left)}" height="{_number(top - bottom)}"'
        )
        yield f'<image {place} opacity="0.5" href="data:image/png;base64,{png}"/>'
    for line in content.path:
        yield f'<polyline class="path" points="{" ".join(f"{_number(x)},{_number(-y)}" for x, y in line)}"/>'
    newest = max(len(content.places) - 1, 1)
    for index, memory in enumerate(content.places):
        youth = index / newest
        colour = f"rgb({round(255 * youth)},60,{round(255 * (1.0 - youth))})"
        yield f'<g class="place" fill="{colour}">{_place(memory, radius)}<title>{escape(_text(memory))}</title></g>'
    for hit in content.evidence:
        if hit.memory.pose is not None:
            x, y = _number(hit.memory.pose.x), _number(-hit.memory.pose.y)
            yield f'<circle class="evidence" cx="{x}" cy="{y}" r="{_number(2 * radius)}"/>'


def _place(memory: Memory, radius: float) -> str:
    """A wedge that looks where the robot looked, a dot where its heading is unknown."""
    pose = memory.pose
    assert pose is not None
    if pose.yaw is None:
        return f'<circle cx="{_number(pose.x)}" cy="{_number(-pose.y)}" r="{_number(radius / 2)}"/>'
    corners = []
    for turn, length in ((0.0, 1.5), (2.5, 1.0), (-2.5, 1.0)):
        angle = pose.yaw + turn
        x, y = pose.x + length * radius * math.cos(angle), pose.y + length * radius * math.sin(angle)
        corners.append(f"{_number(x)},{_number(-y)}")
    return f'<polygon points="{" ".join(corners)}"/>'


def _text(memory: Memory) -> str:
    assert memory.pose is not None
    return f"{_when(memory)} at ({memory.pose.x:.1f}, {memory.pose.y:.1f}) m: {printable(memory.caption)}"


def _when(memory: Memory) -> str:
    return datetime.fromtimestamp(memory.start_ns / NANOSECONDS).strftime("%Y-%m-%d %H:%M:%S")


def _number(value: float) -> str:
    return f"{value:.3f}"
