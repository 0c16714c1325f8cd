"""The probability that a frame is speech: Silero VAD v6, as shipped inside faster-whisper. In: 512 samples.

Out: [0, 1].

The model and its streaming inputs (64 samples of context, h and c of an LSTM) are those of snakers4/silero-vad.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from remembr_ros.errors import MissingDependency, ModelFailed
from remembr_ros.hear.audio import Samples

INSTALL = "pip install 'faster-whisper>=1.2,<2'"
CONTEXT = 64


class SileroVad:
    """Streaming: keeps its state from frame to frame; call it with the frames of one stream, in order.

    Raises MissingDependency, ModelFailed.
    """

    def __init__(self) -> None:
        try:
            from faster_whisper.vad import get_vad_model

            self._session: Any = get_vad_model().session
        except ImportError as error:
            raise MissingDependency("faster-whisper", INSTALL, needed_for="hearing") from error
        except Exception as error:
            raise ModelFailed(f"Silero VAD cannot be loaded: {error}") from error
        self._h = self._c = np.zeros((1, 1, 128), np.float32)
        self._context: Samples = np.zeros(CONTEXT, np.float32)

    def __call__(self, frame: Samples) -> float:
        """Probability that the frame, (512,) float32 at 16 kHz, is speech."""
        sound = np.concatenate((self._context, frame))[np.newaxis]
        output, self._h, self._c = self._session.run(None, {"input": sound, "h": self._h, "c": self._c})
        self._context = frame[-CONTEXT:]
        return float(output.reshape(-1)[0])

    def reset(self) -> None:
        """Forget the stream so far."""
        self._h = self._c = np.zeros_like(self._h)
        self._context = np.zeros_like(self._context)
