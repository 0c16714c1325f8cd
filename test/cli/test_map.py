"""`remembr map` on a real memory file: the picture is read again, the page is parsed."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer", reason="typer not installed: pip install -r requirements.txt")
cv2 = pytest.importorskip("cv2", reason="opencv not installed: pip install -r requirements.txt")
from typer.testing import CliRunner, Result  # noqa: E402

from remembr_ros.cli import map_content  # noqa: E402
from remembr_ros.cli.main import app  # noqa: E402
from remembr_ros.cli.map_content import MapContent, gather  # noqa: E402
from remembr_ros.cli.map_page import write_html  # noqa: E402
from remembr_ros.cli.map_picture import write_png  # noqa: E402
from remembr_ros.memory.embedders.hashing import HashingEmbedder  # noqa: E402
from remembr_ros.memory.query import Query  # noqa: E402
from remembr_ros.memory.schema import memory_id  # noqa: E402
from remembr_ros.memory.store import MemoryStore  # noqa: E402
from remembr_ros.records import NANOSECONDS, Hit, Memory, Pose  # noqa: E402

START_NS = time.time_ns() - 3600 * NANOSECONDS
HOSTILE = 'I see </title><script>alert("x")</script> $\\frac$ on a sign & more'


def memory(index: int, caption: str = "", gap_s: float = 0.0, **fields: object) -> Memory:
    """Every 3 s, 1 m further along x; `gap_s` later than that."""
    start_ns = START_NS + round((index * 3 + gap_s) * NANOSECONDS)
    values: dict[str, object] = {
        "id": memory_id("carter", "front", start_ns),
        "start_ns": start_ns,
        "end_ns": start_ns + 3 * NANOSECONDS,
        "episode_start_ns": start_ns,
        "caption": caption or f"I see thing{index}.",
        "pose": Pose(start_ns, "map", float(index), 0.5 * index, yaw=0.5 if index % 2 else None),
        "localized": True,
        "map_id": "floor",
        "robot_id": "carter",
        "camera": "front",
    }
    return Memory(**(values | fields))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MemoryStore]:
    """20 places on "floor", the last after a long gap, one of them hostile; one without a place; two on another map."""
    with MemoryStore.open(str(tmp_path.resolve() / "memory.db"), HashingEmbedder(32)) as store:
        rows = [memory(index) for index in range(18)] + [memory(18, HOSTILE), memory(19, gap_s=600.0)]
        rows += [memory(30, pose=None, localized=False), memory(0, gap_s=-60.0, map_id="cellar")]
        store.write([*rows, memory(1, gap_s=-60.0, map_id="cellar")])
        yield store


def draw(store: MemoryStore, file: Path, *arguments: str) -> Result:
    command = ["map", str(file), "--uri", store.info()[0], *arguments]
    return CliRunner().invoke(app, command, env={"COLUMNS": "300", "TERM": "dumb"})


class Page(HTMLParser):
    """The tags of a page, and the texts within <title>."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.titles: list[str] = []
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        if self._open == "title" and data.strip():
            self.titles.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def of(self, tag: str, kind: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag and attributes.get("class") == kind]


def test_the_page_holds_every_place_the_path_and_the_evidence(store: MemoryStore, tmp_path: Path) -> None:
    file = tmp_path / "map.html"
    result = draw(store, file, "--about", "thing7")
    assert result.exit_code == 0, result.output
    assert "20 places of 20 memories" in result.output and "1: I see thing7." in result.output
    page = Page(file.read_text())
    assert len(page.of("g", "place")) == 20
    (line,) = page.of("polyline", "path")  # the place after the gap belongs to no line
    assert len(str(line["points"]).split()) == 19
    assert page.of("circle", "evidence")[0]["cx"] == "7.000" and page.of("circle", "evidence")[0]["cy"] == "-3.500"
    assert any(title.endswith(": I see thing7.") for title in page.titles)


def test_the_page_needs_nothing_else_and_captions_are_only_text(store: MemoryStore, tmp_path: Path) -> None:
    file = tmp_path / "map.html"
    draw(store, file)
    page = Page(file.read_text())
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert any(HOSTILE in title for title in page.titles)
    links = {value for _, attributes in page.tags for name, value in attributes.items() if name in ("src", "href")}
    assert links == set() and not re.search(r"url\(|@import", file.read_text())


def test_the_picture_shows_something(store: MemoryStore, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib not installed: pip install -r requirements-demo.txt")
    file = tmp_path / "map.png"
    result = draw(store, file, "--about", "frac sign")
    assert result.exit_code == 0, result.output
    pixels = cv2.imread(str(file))
    assert pixels is not None and min(pixels.shape[:2]) > 300
    orange = np.all(np.abs(pixels.astype(int) - (0x1E, 0x8A, 0xE0)) < 30, axis=2)  # blue, green, red
    assert orange.sum() > 50, "the evidence is marked"


def test_a_floor_plan_lies_below(store: MemoryStore, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "floor.pgm"), np.full((40, 80), 254, np.uint8))
    plan = tmp_path / "floor.yaml"
    plan.write_text("image: floor.pgm\nresolution: 0.5\norigin: [-2.0, -3.0, 0.0]\n")
    file = tmp_path / "map.html"
    assert draw(store, file, "--floor-plan", str(plan)).exit_code == 0
    (image,) = (attributes for tag, attributes in Page(file.read_text()).tags if tag == "image")
    assert (image["x"], image["y"], image["width"], image["height"]) == ("-2.000", "-17.000", "40.000", "20.000")
    assert str(image["href"]).startswith("data:image/png;base64,")
    plan.write_text("image: floor.pgm\n")
    refused = draw(store, file, "--floor-plan", str(plan))
    assert refused.exit_code == 1 and "resolution" in refused.output


def test_maps_are_never_mixed_and_what_is_missing_is_named(store: MemoryStore, tmp_path: Path) -> None:
    file = tmp_path / "map.html"
    assert "2 places of 2 memories on the map 'cellar'" in draw(store, file, "--map", "cellar").output
    missing = draw(store, file, "--map", "attic")
    assert missing.exit_code == 1 and "'attic'; maps: 'cellar', 'floor'" in missing.output
    assert draw(store, tmp_path / "map.pdf").exit_code == 1


def test_many_memories_are_thinned_evenly(store: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_content, "MOST_PLACES", 7)
    content = gather(store, Query(), map_id="floor")
    assert content.count == 20 and len(content.places) <= 7
    xs = [memory.pose.x for memory in content.places if memory.pose]
    assert max(xs) == 19.0 and min(xs) < 5.0 and xs == sorted(xs)


def test_without_matplotlib_its_install_line_is_said(
    store: MemoryStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused = draw(store, tmp_path / "map.png")
    assert refused.exit_code == 1 and "pip install 'matplotlib>=" in refused.output
    assert draw(store, tmp_path / "map.html").exit_code == 0


@pytest.mark.parametrize(
    "caption",
    [
        "</title><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "]]><!-- {left} {0}",
        "a \ud83d sign",
        "\u202egnp.exe\u202c",
        "\x1b[2J\x00\r\n",
        "$\\frac{$ \\alpha $$",
        "x" * 100_000,
    ],
)
def test_whatever_a_caption_or_a_map_s_name_says_it_is_only_text(caption: str, tmp_path: Path) -> None:
    start = 10**18
    memory = Memory("m", start, start + 3, start, caption, Pose(start, "map", 1.0, 1.0), True, caption)
    content = MapContent(caption, 1, (memory,), (), (Hit(memory),))
    write_html(content, tmp_path / "floor.html")
    text = (tmp_path / "floor.html").read_text(encoding="utf-8")
    page = Page(text)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == 1 and "img" not in tags
    assert not {"\u202e", "\x1b", "\x00"} & set(text)
    write_png(content, tmp_path / "floor.png")
    assert (tmp_path / "floor.png").stat().st_size > 0
