"""Windows of one stay share an episode; a drive, another sight or a gap ends it."""

import numpy as np
import pytest

from remembr_ros.records import NANOSECONDS, Frame, Pose, Window
from remembr_ros.remember.episodes import EpisodeTracker, sharing_words

PICTURE = np.zeros((2, 2, 3), np.uint8)
HERE = Pose(0, "map", 1.0, 1.0, yaw=3.1)


def window(number: int) -> Window:
    start_ns = number * 3 * NANOSECONDS
    return Window(start_ns, start_ns + 3 * NANOSECONDS, (Frame(start_ns, PICTURE),))


def starts(*sights: tuple[int, Pose | None, str], **options) -> list[int]:
    tracker = EpisodeTracker(**options)
    return [tracker.assign(window(n), pose, caption, "floor1") // (3 * NANOSECONDS) for n, pose, caption in sights]


def test_a_parked_robot_that_sees_the_same():
    assert starts((0, HERE, "I see a cat."), (1, HERE, "I see a cat"), (2, HERE, "i see  a cat.")) == [0, 0, 0]


@pytest.mark.parametrize(
    ("pose", "caption", "same"),
    [
        (HERE, "I see a dog.", False),
        (Pose(0, "map", 1.3, 1.0, yaw=3.1), "I see a cat.", True),
        (Pose(0, "map", 2.0, 1.0, yaw=3.1), "I see a cat.", False),
        (Pose(0, "map", 1.0, 1.0, yaw=-3.1), "I see a cat.", True),
        (Pose(0, "map", 1.0, 1.0, yaw=1.5), "I see a cat.", False),
        (Pose(0, "odom", 1.0, 1.0, yaw=3.1), "I see a cat.", False),
        (None, "I see a cat.", False),
    ],
)
def test_what_ends_a_stay(pose, caption, same):
    assert starts((0, HERE, "I see a cat."), (1, pose, caption)) == [0, 0 if same else 1]


def test_a_creeping_robot_does_not_stay():
    sights = [(n, Pose(0, "map", 0.2 * n, 0.0, yaw=0.0), "a wall") for n in range(6)]
    assert starts(*sights) == [0, 0, 0, 3, 3, 3]


def test_a_gap_is_bounded_and_time_does_not_go_back():
    assert starts((0, HERE, "a"), (3, HERE, "a"), (8, HERE, "a"), (2, HERE, "a")) == [0, 0, 8, 2]


def test_another_map_is_another_place():
    tracker = EpisodeTracker()
    tracker.assign(window(0), HERE, "a", "floor1")
    assert tracker.assign(window(1), HERE, "a", "floor2") == window(1).start_ns


def test_a_fixed_camera_without_poses_and_captions_compared_by_meaning():
    assert starts((0, None, "a cat"), (1, None, "a cat")) == [0, 0]
    assert starts((0, HERE, "a cat"), (1, HERE, "a kitten"), similar=lambda first, this: "k" in this) == [0, 0]


def test_words_in_common_decide_how_similar_captions_are():
    first = "A grey corridor with blue doors on both sides and a lamp."
    again = "A grey corridor with blue doors on both sides."
    other = "A kitchen with a red kettle on the stove."
    loose, strict = sharing_words(0.6), sharing_words(1.0)
    assert loose(first, again) and not loose(first, other) and loose(again, first)
    assert not strict(first, again) and strict("I see a door", "i see A door.")
    assert starts((0, HERE, first), (1, HERE, again), (2, HERE, other), similar=loose) == [0, 0, 2]


def test_why_the_default_wants_the_same_words():
    """Captions of one scene share fewer words than those of a scene before and after something happened."""
    reworded = [
        ("The image shows a long corridor with white walls, a grey floor and doors on both sides.",
         "A long hallway with white walls and several doors; the floor is grey and shiny."),
        ("I see a counter with a coffee machine, mugs and a sink under white cupboards.",
         "An office kitchen with a coffee machine next to the sink and a microwave."),
        ("I see a yellow forklift between rows of shelves stacked with boxes.",
         "A warehouse aisle with a forklift; boxes are stacked on the racks."),
    ]  # fmt: skip
    happened = [
        (
            "A long corridor with doors on both sides.",
            "A man with a ladder in a long corridor with doors on both sides.",
        ),
        ("The image shows a meeting room with people.", "The image shows a meeting room without people."),
        ("I see a door.", "I see a lamp."),
    ]
    joins_most = sharing_words(0.2)
    assert all(joins_most(*pair) for pair in happened) and sum(joins_most(*pair) for pair in reworded) >= 2
    between = sharing_words(0.5)
    assert all(between(*pair) for pair in happened) and not any(between(*pair) for pair in reworded)
    assert not any(sharing_words(1.0)(*pair) for pair in happened)
