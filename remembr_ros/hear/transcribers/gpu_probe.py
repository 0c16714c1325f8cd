"""Tries Whisper on the GPU in a process of its own. In: model and compute type. Out: how it failed, or nothing.

A cuDNN that is missing or of another version does not raise an error: it aborts the process (SYSTRAN/faster-whisper
issues 516, 717), and with it everything the node was doing. So a child goes first, with a first transcription.
"""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np

COMMAND = (sys.executable, "-m", "remembr_ros.hear.transcribers.gpu_probe")
TIMEOUT_S = 120.0
"""A model that is fetched first may take longer, which says nothing about the GPU."""


def failure(model: str, index: int, compute_type: str, *, timeout_s: float = TIMEOUT_S) -> str:
    """The child's last words and end; empty: it worked, or took longer than `timeout_s`."""
    try:
        child = subprocess.run(
            [*COMMAND, model, str(index), compute_type], capture_output=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired:
        return ""
    if child.returncode == 0:
        return ""
    lines = child.stderr.decode(errors="replace").strip().splitlines()
    end = f"exit code {child.returncode}" if child.returncode > 0 else signal.Signals(-child.returncode).name
    return f"{lines[-1] if lines else 'no message'} ({end})"


def main(model: str, index: str, compute_type: str) -> None:
    from faster_whisper import WhisperModel

    whisper = WhisperModel(model, device="cuda", device_index=int(index), compute_type=compute_type)
    segments, _ = whisper.transcribe(np.zeros(16_000, np.float32), language="en", beam_size=1, max_new_tokens=4)
    list(segments)


if __name__ == "__main__":
    main(*sys.argv[1:])
