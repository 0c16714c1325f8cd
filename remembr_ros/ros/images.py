"""Camera messages to pictures. In: sensor_msgs/Image or CompressedImage. Out: (H, W, 3) uint8 array, RGB.

The message is checked before anything is computed: a malformed one raises InvalidInput naming the field, a depth image
is refused (it is no picture), and padded rows, big-endian data and every common encoding are understood. Colour
conversion is rosbags-image's (OpenCV); cv_bridge is not needed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from remembr_ros.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from sensor_msgs.msg import CompressedImage, Image

MAX_SIDE_PX = 16384
MAX_PIXELS = 2**25
"""8K fits (7680 x 4320). A PNG of 1 MB can claim 20,000 x 20,000 and take 1.2 GB once it is decoded."""
DEPTH_ENCODINGS = ("16UC1", "32FC1", "64FC1", "16SC1", "32SC1")
JPEG_START, JPEG_END = b"\xff\xd8", b"\xff\xd9"
PNG_START, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND"


@dataclass(frozen=True, slots=True)
class _Layout:
    """How an encoding lies in memory: `channels` values of `bits` a pixel, `planes` rows of data a row of picture."""

    channels: int
    bits: int = 8
    alias: str = ""
    """The name rosbags-image knows it by, when another."""
    even: tuple[str, ...] = ()
    """The sides that have to be even."""
    planes: float = 1.0


LAYOUTS = {
    "rgb8": _Layout(3), "bgr8": _Layout(3), "rgba8": _Layout(4), "bgra8": _Layout(4), "mono8": _Layout(1),
    "rgb16": _Layout(3, 16), "bgr16": _Layout(3, 16), "rgba16": _Layout(4, 16), "bgra16": _Layout(4, 16),
    "mono16": _Layout(1, 16),
    "8UC1": _Layout(1, alias="mono8"), "8UC3": _Layout(3, alias="bgr8"), "8UC4": _Layout(4, alias="bgra8"),
    "uyvy": _Layout(2, even=("width",)), "yuyv": _Layout(2, even=("width",)),
    "yuv422": _Layout(2, alias="uyvy", even=("width",)), "yuv422_yuy2": _Layout(2, alias="yuyv", even=("width",)),
    "nv12": _Layout(1, even=("width", "height"), planes=1.5), "nv21": _Layout(1, even=("width", "height"), planes=1.5),
    **{f"bayer_{order}8": _Layout(1, even=("width", "height")) for order in ("rggb", "bggr", "gbrg", "grbg")},
    **{f"bayer_{order}16": _Layout(1, 16, even=("width", "height")) for order in ("rggb", "bggr", "gbrg", "grbg")},
}  # fmt: skip


class ImageDecoder:
    """Decodes the messages of one topic; says once, through `on_problem`, where an encoding leaves the colours open."""

    def __init__(self, on_problem: Callable[[str], None] | None = None) -> None:
        self._on_problem = on_problem or (lambda _: None)
        self._warned: set[str] = set()

    def decode(self, message: Image | CompressedImage) -> np.ndarray[Any, Any]:
        """The picture, (H, W, 3) uint8 RGB. Raises InvalidInput, MissingDependency."""
        if hasattr(message, "format"):
            return rgb_compressed_image(message)
        if not hasattr(message, "encoding"):
            raise InvalidInput(f"{type(message).__name__} is no sensor_msgs/Image or CompressedImage: wrong topic?")
        encoding = message.encoding
        if encoding in ("8UC3", "8UC4") and encoding not in self._warned:
            self._warned.add(encoding)
            self._on_problem(f"image.encoding {encoding} does not say the order of colours: taken as BGR, as in OpenCV")
        return rgb_image(message)


def rgb_image(message: Image) -> np.ndarray[Any, Any]:
    """The picture of a sensor_msgs/Image, (H, W, 3) uint8 RGB. Of 16 bits the upper 8 are kept. Raises InvalidInput."""
    layout = _layout(message.encoding)
    height, width, step = int(message.height), int(message.width), int(message.step)
    _check_size(width, height, "image")
    for name, side in (("height", height), ("width", width)):
        if name in layout.even and side % 2:
            raise InvalidInput(f"image.{name} is {side}, {message.encoding} needs it even")
    row_bytes = width * layout.channels * layout.bits // 8
    if step < row_bytes:
        raise InvalidInput(f"image.step is {step}, {width} pixels of {message.encoding} need {row_bytes} bytes")
    rows = int(height * layout.planes)
    data = np.frombuffer(message.data, dtype=np.uint8)
    if data.size < step * rows:
        raise InvalidInput(f"image.data has {data.size} bytes, {rows} rows of {step} bytes need {step * rows}")
    dense = np.ascontiguousarray(data[: step * rows].reshape(rows, step)[:, :row_bytes])
    if layout.bits == 16:
        # Both byte orders have the upper byte of a value in a known place.
        dense = np.ascontiguousarray(dense[:, 0 if message.is_bigendian else 1 :: 2])
    pixels = dense.reshape((rows, width) if layout.channels == 1 else (rows, width, layout.channels))
    return _to_rgb(pixels, (layout.alias or message.encoding).replace("16", "8"))


def rgb_compressed_image(message: CompressedImage) -> np.ndarray[Any, Any]:
    """The picture of a sensor_msgs/CompressedImage (JPEG or PNG), (H, W, 3) uint8 RGB. Raises InvalidInput."""
    if "compressedDepth" in message.format or message.format.split(";")[0].strip() in DEPTH_ENCODINGS:
        raise InvalidInput(f"compressed_image.format {message.format[:40]!r} is depth, not a picture")
    data = bytes(message.data)
    if not data:
        raise InvalidInput("compressed_image.data is empty")
    _check_whole(data, message.format)
    size = _size_of_png(data) if data.startswith(PNG_START) else _size_of_jpeg(data)
    if size is None:
        raise InvalidInput(f"compressed_image.data ({len(data)} bytes) cannot be decoded: it does not say its size")
    _check_size(*size, "compressed_image")
    import cv2

    try:
        decoded = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise InvalidInput(f"compressed_image.data cannot be decoded: {error}") from error
    if decoded is None:
        raise InvalidInput(
            f"compressed_image.data ({len(data)} bytes, format {message.format[:40]!r}) cannot be decoded"
        )
    return np.ascontiguousarray(decoded[:, :, ::-1])


def _layout(encoding: str) -> _Layout:
    if encoding in DEPTH_ENCODINGS:
        raise InvalidInput(f"image.encoding {encoding} is depth, not a picture: is this a depth topic?")
    layout = LAYOUTS.get(encoding) or LAYOUTS.get(encoding.lower())
    if layout is None:
        raise InvalidInput(f"image.encoding {encoding[:40]!r} is not supported; known: {', '.join(LAYOUTS)}")
    return layout


def _to_rgb(pixels: np.ndarray[Any, Any], encoding: str) -> np.ndarray[Any, Any]:
    try:
        from rosbags.image.image import convert_color
    except ImportError as error:
        install = "pip install rosbags-image opencv-python-headless"
        raise MissingDependency("rosbags-image", install, needed_for="decoding images") from error
    try:
        return np.ascontiguousarray(convert_color(pixels, encoding, "rgb8"))
    except Exception as error:  # OpenCV's own error type, or the converter's
        raise InvalidInput(f"image.data cannot be converted from {encoding}: {error}") from error


def _check_size(width: int, height: int, what: str) -> None:
    for name, side in (("height", height), ("width", width)):
        if not 0 < side <= MAX_SIDE_PX:
            raise InvalidInput(f"{what}.{name} is {side}, wanted 1 to {MAX_SIDE_PX}")
    if width * height > MAX_PIXELS:
        raise InvalidInput(f"{what} has {width} x {height} pixels, at most {MAX_PIXELS:,} are taken")


def _size_of_png(data: bytes) -> tuple[int, int] | None:
    """Width and height of the header chunk, which comes first."""
    if data[12:16] != b"IHDR" or len(data) < 24:
        return None
    width, height = struct.unpack_from(">II", data, 16)
    return width, height


def _size_of_jpeg(data: bytes) -> tuple[int, int] | None:
    """Width and height of the frame header (ITU-T T.81: SOF0 to SOF15 without DHT, JPG and DAC)."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        # 0xFF fills; what follows the others has a length.
        at += 1 if marker == 0xFF else 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _check_whole(data: bytes, message_format: str) -> None:
    """OpenCV fills what is missing of a truncated JPEG with grey and says nothing."""
    if data.startswith(JPEG_START):
        # Cameras pad their JPEGs with zeros to a fixed size.
        whole = data.rstrip(b"\0").endswith(JPEG_END)
    elif data.startswith(PNG_START):
        whole = PNG_END in data[-32:]
    else:
        raise InvalidInput(f"compressed_image.data is neither JPEG nor PNG (format {message_format[:40]!r})")
    if not whole:
        raise InvalidInput(f"compressed_image.data is truncated after {len(data)} bytes")
