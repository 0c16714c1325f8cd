"""The probability that a frame is speech: Silero VAD v6, as shipped inside faster-whisper. In: 512 samples. Out: [0, 1]."""

from __future__ import annotations

from remembr_ros.hear.audio import Samples


class SileroVad:
    """Streaming: keeps its state from frame to frame; call it with the frames of one stream, in order. Raises MissingDependency."""

    def __init__(self) -> None:
        raise NotImplementedError

    def __call__(self, frame: Samples) -> float:
        """Probability that the frame, (512,) float32 at 16 kHz, is speech."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget the stream so far."""
        raise NotImplementedError
