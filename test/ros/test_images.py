"""Real camera messages to RGB: a red picture stays red through every encoding; malformed ones are refused by field."""

import array
import struct
import zlib

import numpy as np
import pytest

pytest.importorskip("sensor_msgs", reason="sensor_msgs not importable: . scripts/environment.sh")
cv2 = pytest.importorskip("cv2")

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import CompressedImage, Image, PointCloud2  # noqa: E402

from remembr_ros.errors import InvalidInput  # noqa: E402
from remembr_ros.ros.images import ImageDecoder, rgb_compressed_image, rgb_image  # noqa: E402

WIDTH, HEIGHT = 8, 6
RED = (255, 0, 0)


def message(encoding: str, rows: np.ndarray, *, width=WIDTH, height=HEIGHT, pad: int = 0, big: bool = False) -> Image:
    """`rows`: (rows, bytes a row) uint8. The message goes through serialization, as on the wire."""
    padded = np.pad(rows, ((0, 0), (0, pad)), constant_values=0xEE)
    made = Image(encoding=encoding, width=width, height=height)
    made.step, made.is_bigendian, made.data = padded.shape[1], int(big), array.array("B", padded.tobytes())
    return deserialize_message(serialize_message(made), Image)


def pixels(*channels: int, dtype: str = "u1") -> np.ndarray:
    row = np.array(channels * WIDTH, dtype=dtype)
    return np.tile(row.view(np.uint8), (HEIGHT, 1))


def bayer(order: str, dtype: str = "u1", value: int = 255) -> np.ndarray:
    tile = np.array([value if colour == "r" else 0 for colour in order], dtype).reshape(2, 2)
    mosaic = np.ascontiguousarray(np.tile(tile, (HEIGHT // 2, WIDTH // 2)))
    return mosaic.view(np.uint8).reshape(HEIGHT, -1)


def nv(first: int, second: int) -> np.ndarray:
    luma = np.full((HEIGHT, WIDTH), 81, np.uint8)
    chroma = np.tile(np.array([first, second], np.uint8), (HEIGHT // 2, WIDTH // 2))
    return np.vstack([luma, chroma])


RED_PICTURES = {
    "rgb8": pixels(255, 0, 0),
    "bgr8": pixels(0, 0, 255),
    "rgba8": pixels(255, 0, 0, 7),
    "bgra8": pixels(0, 0, 255, 7),
    "8UC3": pixels(0, 0, 255),
    "8UC4": pixels(0, 0, 255, 7),
    "rgb16": pixels(0xFF00, 0, 0, dtype="<u2"),
    "bgr16": pixels(0, 0, 0xFF00, dtype="<u2"),
    "rgba16": pixels(0xFF00, 0, 0, 9, dtype="<u2"),
    "bgra16": pixels(0, 0, 0xFF00, 9, dtype="<u2"),
    "yuv422": pixels(90, 81, 240, 81)[:, : 2 * WIDTH],
    "uyvy": pixels(90, 81, 240, 81)[:, : 2 * WIDTH],
    "yuv422_yuy2": pixels(81, 90, 81, 240)[:, : 2 * WIDTH],
    "yuyv": pixels(81, 90, 81, 240)[:, : 2 * WIDTH],
    "nv12": nv(90, 240),
    "nv21": nv(240, 90),
    **{f"bayer_{order}8": bayer(order) for order in ("rggb", "bggr", "gbrg", "grbg")},
    **{f"bayer_{order}16": bayer(order, "<u2", 0xFF00) for order in ("rggb", "bggr", "gbrg", "grbg")},
}


@pytest.mark.parametrize("pad", [0, 5])
@pytest.mark.parametrize("encoding", RED_PICTURES)
def test_red_stays_red(encoding, pad):
    picture = rgb_image(message(encoding, RED_PICTURES[encoding], pad=pad))
    assert picture.shape == (HEIGHT, WIDTH, 3) and picture.dtype == np.uint8 and picture.flags.c_contiguous
    assert np.abs(picture.astype(int) - RED).max() <= 10


@pytest.mark.parametrize("encoding", [name for name in RED_PICTURES if "16" in name])
def test_big_endian_red_stays_red(encoding):
    little = RED_PICTURES[encoding]
    big = np.ascontiguousarray(little).view("<u2").astype(">u2").view(np.uint8).reshape(little.shape)
    assert np.abs(rgb_image(message(encoding, big, big=True)).astype(int) - RED).max() <= 10


def test_fault_37_padding_is_not_picture():
    rows = np.array([[255, 0, 0] * 5, [0, 0, 255] * 5], np.uint8)
    picture = rgb_image(message("rgb8", rows, width=5, height=2, pad=1))
    assert (picture[0] == RED).all() and (picture[1] == (0, 0, 255)).all()


def test_fault_37_a_short_step_and_short_data_are_named():
    rows = np.array([[255, 0, 0] * 5, [0, 0, 255] * 5], np.uint8)
    short_step = message("rgb8", rows, width=5, height=2)
    short_step.step = 14
    with pytest.raises(InvalidInput, match=r"image\.step is 14"):
        rgb_image(short_step)
    short_data = message("rgb8", rows, width=5, height=2, pad=1)
    short_data.data = short_data.data[:31]
    with pytest.raises(InvalidInput, match=r"image\.data has 31 bytes"):
        rgb_image(short_data)


@pytest.mark.parametrize(("encoding", "four"), [("yuv422_yuy2", (81, 90, 81, 240)), ("yuv422", (90, 81, 240, 81))])
def test_fault_39_webcam_yuv(encoding, four):
    rows = np.tile(np.array(four * 2, np.uint8), (2, 1))
    picture = rgb_image(message(encoding, rows, width=4, height=2))
    assert np.abs(picture.astype(int) - RED).max() <= 10
    with pytest.raises(InvalidInput, match=r"image\.width is 5"):
        rgb_image(message(encoding, np.zeros((2, 10), np.uint8), width=5, height=2))


def test_fault_53_nv12_of_twelve_bytes():
    rows = np.array([[81] * 4, [81] * 4, [90, 240] * 2], np.uint8)
    assert np.abs(rgb_image(message("nv12", rows, width=4, height=2)).astype(int) - RED).max() <= 10
    with pytest.raises(InvalidInput, match=r"image\.height is 3"):
        rgb_image(message("nv12", rows, width=4, height=3))


def test_fault_53_mono():
    assert (rgb_image(message("mono8", pixels(77))) == 77).all()
    assert (rgb_image(message("8UC1", pixels(77))) == 77).all()
    assert (rgb_image(message("mono16", pixels(0x0100, dtype=">u2"), big=True)) == 1).all()
    assert (rgb_image(message("mono16", pixels(0x0100, dtype="<u2"))) == 1).all()


def test_fault_53_8uc3_is_bgr_and_said_once():
    problems: list[str] = []
    decoder = ImageDecoder(problems.append)
    for _ in range(3):
        assert (decoder.decode(message("8UC3", pixels(0, 0, 255))) == RED).all()
    assert len(problems) == 1 and "8UC3" in problems[0] and "BGR" in problems[0]


@pytest.mark.parametrize(("encoding", "dtype"), [("16UC1", "<u2"), ("32FC1", "<f4")])
def test_fault_53_depth_is_refused(encoding, dtype):
    with pytest.raises(InvalidInput, match=f"{encoding} is depth, not a picture"):
        rgb_image(message(encoding, pixels(500, dtype=dtype)))


@pytest.mark.parametrize("encoding", ["", "nv24", "8UC2", "rgb8 ", "bayer_xxxx8", "32FC3", "jpeg"])
def test_unknown_encodings_are_named(encoding):
    with pytest.raises(InvalidInput, match=r"image\.encoding"):
        rgb_image(message(encoding, pixels(1, 2, 3)))


@pytest.mark.parametrize(
    ("width", "height", "field"), [(0, 6, "width"), (8, 0, "height"), (2**31, 6, "width"), (8, 2**32 - 1, "height")]
)
def test_impossible_sizes_are_named(width, height, field):
    with pytest.raises(InvalidInput, match=rf"image\.{field}"):
        rgb_image(message("rgb8", pixels(*RED), width=width, height=height))


def compressed(data: bytes, message_format: str = "bgr8; jpeg compressed bgr8") -> CompressedImage:
    made = CompressedImage(format=message_format, data=array.array("B", data))
    return deserialize_message(serialize_message(made), CompressedImage)


def encoded(extension: str, picture: np.ndarray | None = None) -> bytes:
    if picture is None:
        picture = np.zeros((48, 64, 3), np.uint8)
        picture[...] = (0, 0, 255)
    return cv2.imencode(extension, picture)[1].tobytes()


@pytest.mark.parametrize("extension", [".jpg", ".png"])
def test_compressed_red_stays_red(extension):
    picture = ImageDecoder().decode(compressed(encoded(extension), extension[1:]))
    assert picture.shape == (48, 64, 3) and picture.flags.c_contiguous
    assert np.abs(picture.astype(int) - RED).max() <= 10


def test_compressed_grey_becomes_three_channels():
    assert (rgb_compressed_image(compressed(encoded(".png", np.full((4, 4), 99, np.uint8)))) == 99).all()


def test_a_jpeg_padded_with_zeros_is_whole():
    assert rgb_compressed_image(compressed(encoded(".jpg") + b"\0" * 500)).shape == (48, 64, 3)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (encoded(".jpg")[:-40], "truncated"),
        (encoded(".jpg")[:20], "truncated"),
        (encoded(".png")[:-40], "truncated"),
        (b"\xff\xd8" + b"rubbish" * 9 + b"\xff\xd9", "cannot be decoded"),
        (b"GIF89a and so on", "neither JPEG nor PNG"),
    ],
)
def test_fault_e13_empty_and_truncated_pictures_are_refused(data, words):
    with pytest.raises(InvalidInput, match=rf"compressed_image\.data.*{words}"):
        rgb_compressed_image(compressed(data))


def png_that_claims(width: int, height: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"")), (b"IEND", b""))
    crc = lambda kind, body: struct.pack(">I", zlib.crc32(kind + body))  # noqa: E731
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + crc(kind, body) for kind, body in chunks
    )


def jpeg_that_claims(width: int, height: int) -> bytes:
    data = bytearray(encoded(".jpg"))
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


@pytest.mark.parametrize("claim", [png_that_claims, jpeg_that_claims])
@pytest.mark.parametrize("size", [(8000, 8000), (20_000, 20_000), (0, 10), (60_000, 1)])
def test_a_small_message_that_claims_a_huge_picture_is_refused_before_it_takes_the_memory(claim, size, monkeypatch):
    """A PNG of 1.2 MB made a captioner 350 MB larger."""
    monkeypatch.setattr(cv2, "imdecode", lambda *_: pytest.fail("decoded"))
    with pytest.raises(InvalidInput, match=r"compressed_image(\.width|\.height| has)"):
        rgb_compressed_image(compressed(claim(*size)))


@pytest.mark.parametrize("flags", [[], [cv2.IMWRITE_JPEG_PROGRESSIVE, 1], [cv2.IMWRITE_JPEG_RST_INTERVAL, 4]])
def test_the_size_is_found_in_every_kind_of_jpeg(flags):
    data = cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8), flags)[1].tobytes()
    exif = b"\xff\xe1" + struct.pack(">H", 2002) + b"\xff\xc0" * 1000
    for whole in (data, data[:2] + exif + data[2:], data[:2] + b"\xff\xff" + data[2:]):
        assert rgb_compressed_image(compressed(whole)).shape == (48, 64, 3)


def test_a_raw_picture_beyond_8k_is_refused():
    with pytest.raises(InvalidInput, match=r"image has 16384 x 16384 pixels"):
        rgb_image(message("rgb8", pixels(*RED), width=16384, height=16384))


def test_what_a_driver_writes_into_a_field_does_not_fill_the_log():
    with pytest.raises(InvalidInput) as refused:
        rgb_image(message("x" * 100_000, pixels(1)))
    assert len(str(refused.value)) < 600


def test_compressed_depth_is_refused():
    with pytest.raises(InvalidInput, match="depth"):
        rgb_compressed_image(compressed(encoded(".png"), "16UC1; compressedDepth png"))


def test_fault_e13_a_message_of_another_type_is_named():
    with pytest.raises(InvalidInput, match="PointCloud2 is no sensor_msgs/Image"):
        ImageDecoder().decode(PointCloud2())
