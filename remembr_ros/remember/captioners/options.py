"""What every captioner that is asked in words takes: the prompt, how long it may answer, what it is shown."""

from __future__ import annotations

from dataclasses import dataclass

from remembr_ros.errors import ConfigurationError

PROMPT = (
    "These pictures show, in order, a few seconds of what a robot's camera sees. Describe them in two or three plain "
    "sentences for somebody who will search for this moment later. Name the people and what they do, the objects with "
    "their colours and where they are, the kind of place (office, corridor, kitchen, street), doors, lifts and stairs. "
    "Quote any text on signs, doors and screens word for word. Say what happens or changes. "
    "Do not guess what cannot be seen, and do not mention the pictures, the camera or the robot."
)
"""People, objects, places, text on signs, events: what people ask a robot about later."""


@dataclass(frozen=True, slots=True)
class CaptionerOptions:
    """As the parameters captioner.* of the captioner node; each backend uses those that apply to it.

    `max_images` of the window's frames are shown, evenly spread, their longer side at most `image_px`.
    `timeout_s` bounds one caption. Raises ConfigurationError.
    """

    device: str = ""
    prompt: str = ""
    """Empty: PROMPT."""
    max_tokens: int = 128
    max_images: int = 6
    image_px: int = 512
    jpeg_quality: int = 85
    base_url: str = ""
    api_key_env: str = ""
    timeout_s: float = 30.0
    quantization: str = ""

    def __post_init__(self) -> None:
        bounds = {"max_tokens": (1, 4096), "max_images": (1, 64), "image_px": (16, 4096), "jpeg_quality": (1, 100)}
        for name, (least, most) in bounds.items():
            if not least <= getattr(self, name) <= most:
                raise ConfigurationError(f"captioner.{name}: {getattr(self, name)} is not in {least} to {most}")
        if not 0.0 < self.timeout_s <= 3600.0:
            raise ConfigurationError(f"captioner.timeout_s: {self.timeout_s} is not in 0 to 3600 s")

    @property
    def words(self) -> str:
        """The prompt that is used."""
        return self.prompt.strip() or PROMPT
