"""A loudspeaker whose sound can be recorded: a null sink of a PulseAudio of our own, and its monitor as a microphone.

In: sound to play. Out: the environment in which ALSA's device `pulse` records it. None where PulseAudio is not
installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

SINK = "remembr_bench"
START_S = 10.0


class NullSink:
    """Playing takes as long as the sound."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def play(self, sound: np.ndarray[Any, Any]) -> None:
        """`sound`: (n,) float32, 16 kHz mono."""
        file = self._folder / "play.wav"
        with wave.open(str(file), "wb") as target:
            target.setnchannels(1)
            target.setsampwidth(2)
            target.setframerate(16_000)
            target.writeframes((np.clip(sound, -1.0, 1.0) * 32_767).astype("<i2").tobytes())
        command = ["paplay", f"--device={SINK}", str(file)]
        subprocess.run(command, check=True, env=self._environment, timeout=len(sound) / 16_000 + 30.0)


@contextmanager
def null_sink() -> Iterator[NullSink | None]:
    """PulseAudio in a folder of its own; whoever starts a program inside hears the sink as its default microphone."""
    if shutil.which("pulseaudio") is None or shutil.which("paplay") is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="pulse_") as name:
        folder = Path(name)
        socket = folder / "native"
        ours = {"PULSE_SERVER": f"unix:{socket}", "PULSE_RUNTIME_PATH": name, "HOME": name, "XDG_RUNTIME_DIR": name}
        before = {key: os.environ.get(key) for key in ("PULSE_SERVER",)}
        command = [
            "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes",
            "--load", f"module-native-protocol-unix socket={socket} auth-anonymous=1",
            "--load", f"module-null-sink sink_name={SINK} rate=48000 channels=2",
        ]  # fmt: skip
        log = (folder / "pulse.log").open("w")
        server = subprocess.Popen(command, env=os.environ | ours, stdout=log, stderr=log)
        try:
            until_s = time.monotonic() + START_S
            while not socket.exists() and time.monotonic() < until_s and server.poll() is None:
                time.sleep(0.1)
            if not socket.exists():
                print((folder / "pulse.log").read_text())
                yield None
                return
            subprocess.run(
                ["pactl", "set-default-source", f"{SINK}.monitor"], check=True, env=os.environ | ours, timeout=10.0
            )
            os.environ["PULSE_SERVER"] = ours["PULSE_SERVER"]  # for the node that is started inside
            yield NullSink(folder, os.environ | ours)
        finally:
            for key, value in before.items():
                os.environ.pop(key, None) if value is None else os.environ.update({key: value})
            server.terminate()
            try:
                server.wait(5.0)
            except subprocess.TimeoutExpired:
                server.kill()
