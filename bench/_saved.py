"""What benchmarks have measured so far. In: the folder of results; out: `Saved` runs, and what could not be read.

`NAME.json` is a whole run, `NAME.PART.json` a part, `NAME.failed.json` says when and why the last run gave nothing;
those of quick runs end in `.quick.json`. A file that cannot be read is named and left out.
"""

from __future__ import annotations

import ast
import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from bench.report import Figure, now

FAILED = "failed"
_PATH = re.compile(r"(?<![\w.:/])/[^\s'\",:;]+")


@dataclass(frozen=True)
class Saved:
    """One run of a benchmark or of a part of it. `measured`: "2026-11-30 23:10 UTC"."""

    part: str
    measured: str
    took_s: float | None
    load: float | None
    machine: dict[str, Any]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Results:
    """All that is known of one benchmark, oldest run first."""

    name: str
    runs: tuple[Saved, ...]
    complaints: tuple[str, ...] = ()

    def figures(self) -> list[Figure]:
        """By name, the latest of each."""
        return list({figure.name: figure for run in self.runs for figure in run.figures}.values())


def read(folder: Path, name: str, quick: bool) -> Results:
    """Never raises for a file that is damaged."""
    runs, complaints, failure = [], [], None
    for path in sorted([*folder.glob(f"{name}.json"), *folder.glob(f"{name}.*.json")]):
        words = path.name.removesuffix(".json").split(".")[1:]
        if ("quick" in words) != quick:
            continue
        part = ".".join(word for word in words if word != "quick")
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if part == FAILED:
                failure = (str(content["measured"]), str(content["failed"]))
            else:
                runs.append(_run(content, part, path))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            complaints.append(f"{path.name} cannot be read ({type(error).__name__}: {error})")
    runs.sort(key=lambda run: run.measured)
    if failure is not None and (not runs or failure[0] >= runs[-1].measured):
        complaints.append(f"the last run, {failure[0]}, failed: {failure[1]}")
    return Results(name, tuple(runs), tuple(complaints))


def ended(folder: Path, name: str, quick: bool, why: str) -> None:
    """Keep why a run gave nothing, until one does (`why` empty); what was measured before stays."""
    path = folder / f"{name}.{FAILED}{'.quick' if quick else ''}.json"
    if not why:
        path.unlink(missing_ok=True)
        return
    folder.mkdir(exist_ok=True)
    path.write_text(json.dumps({"measured": now(), "failed": why}) + "\n", encoding="utf-8")


@contextlib.contextmanager
def noting_failure(folder: Path, name: str, quick: bool) -> Iterator[None]:
    """An exception passes through, and why is kept: its words, without the paths of this machine."""
    try:
        yield
    except Exception as error:
        words = _PATH.sub("...", " ".join(str(error).split()))[:300]
        ended(folder, name, quick, f"{type(error).__name__}: {words}")
        raise


def parts_of(path: Path) -> list[str]:
    """The keys of PARTS in a benchmark's file, which is read, not run: it may need what is not installed here."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        targets: Sequence[ast.expr] = node.targets if isinstance(node, ast.Assign) else ()
        if isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            targets = (node.target,)
        value = getattr(node, "value", None)
        if isinstance(value, ast.Dict) and any(isinstance(t, ast.Name) and t.id == "PARTS" for t in targets):
            names += [key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
    return names


def says(path: Path) -> str:
    """The first paragraph of a benchmark's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def _run(content: dict[str, Any], part: str, path: Path) -> Saved:
    written = datetime.fromtimestamp(path.stat().st_mtime, timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    took_s, load = content.get("took_s"), content.get("load")
    return Saved(
        part,
        str(content.get("measured") or written),
        None if took_s is None else float(took_s),
        None if load is None else float(load),
        dict(content["machine"]),
        tuple(
            Figure(str(f["name"]), float(f["value"]), str(f["unit"]), str(f.get("note", "")))
            for f in content["figures"]
        ),
    )
