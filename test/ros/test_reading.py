"""Captions of somebody else's captioner: what cannot have been seen is refused by field."""

import math

import pytest

pytest.importorskip("remembr_interfaces.msg", reason="not importable: . scripts/environment.sh")

from builtin_interfaces.msg import Time

from remembr_interfaces.msg import Caption
from remembr_ros.errors import InvalidInput
from remembr_ros.records import NANOSECONDS
from remembr_ros.ros.reading import memory_from_caption

T = 1_796_061_600


def caption(start_s: int = T, end_s: int = T + 3, **fields) -> Caption:
    message = Caption(text="a red door", window_start=Time(sec=start_s), window_end=Time(sec=end_s), localized=True)
    message.pose.header.frame_id = "map"
    message.pose.pose.pose.position.x = fields.pop("x", 1.0)
    for name, value in fields.items():
        setattr(message, name, value)
    return message


def read(message: Caption):
    return memory_from_caption(message, "carter", "office", "front", now_ns=(T + 4) * NANOSECONDS)


def test_a_good_one_is_taken_as_it_is():
    memory = read(caption(camera="rear"))
    assert (memory.start_ns, memory.end_ns) == (T * NANOSECONDS, (T + 3) * NANOSECONDS)
    assert (memory.camera, memory.pose.x, memory.localized) == ("rear", 1.0, True)
    assert read(caption(T - 500, T - 490)).end_ns == (T - 490) * NANOSECONDS, "a slow captioner"
    assert read(caption(T, T + 8)), "clocks differ by seconds"


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (caption(0), "window_start is zero"),
        (caption(-5), "window_start is zero"),
        (caption(T, T - 3), "ends .* before it starts"),
        (caption(T, 2**31 - 1), "window_end: the window is .* at most an hour"),
        (caption(2**31 - 4, 2**31 - 1), "window_end lies .* in the future"),
        (caption(camera="c" * 5000), "camera is longer than"),
        (caption(text=" "), "empty caption"),
        (caption(x=math.nan), r"pose\.x"),
        (caption(x=1e256), r"pose\.x"),
    ],
)
def test_what_cannot_have_been_seen_is_refused_by_field(message, words):
    """A window that ends in 2038 was stored once, and made every "how long" eleven years."""
    with pytest.raises(InvalidInput, match=words):
        read(message)
