"""The process that speaks: `python -m remembr_ros.hear.speakers.program ENGINE VOICE OUTPUT`.

A process of its own, because synthesizers and sound drivers hang and crash, and killing it silences both. In, a line of
JSON each: {"say": number, "sentences": [...]}, {"stop": true}; the end of stdin ends it. Out, a line of JSON each:
{"event": "ready" | "sounds" | "done" | "problem", "say": number, "text": ..., "seconds": ...}.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, Protocol

from remembr_ros.errors import RemembrError
from remembr_ros.hear.speakers.playback import create_output


class Synthesizer(Protocol):
    def synthesize(self, sentence: str) -> tuple[bytes, int]:
        """16 bit mono PCM and its rate [Hz]. Raises RemembrError."""
        ...


def create_synthesizer(engine: str, voice: str) -> Synthesizer:
    """Raises RemembrError."""
    if engine == "piper":
        from remembr_ros.hear.speakers.piper import Piper

        return Piper(Path(voice))
    from remembr_ros.hear.speakers import espeak

    return espeak.create(voice)


def tell(event: str, **fields: Any) -> None:
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def main(arguments: list[str]) -> int:
    engine, voice, output_spec = arguments
    output = create_output(output_spec)
    texts: queue.Queue[dict[str, Any]] = queue.Queue()
    stop = threading.Event()

    def read() -> None:
        for line in sys.stdin:
            order = json.loads(line)
            if order.get("stop"):
                stop.set()
            else:
                stop.clear()
                texts.put(order)
        os._exit(0)  # the node is gone, or has no more to say

    try:
        synthesizer = create_synthesizer(engine, voice)
        synthesizer.synthesize("Ready.")
    except RemembrError as error:
        tell("problem", text=str(error))
        return 1
    threading.Thread(target=read, daemon=True).start()
    tell("ready")
    while True:
        order = texts.get()
        try:
            for sentence in order["sentences"]:
                pcm, rate_hz = synthesizer.synthesize(sentence)
                if stop.is_set():
                    break
                tell("sounds", say=order["say"], text=sentence, seconds=len(pcm) / 2 / rate_hz)
                output.play(pcm, rate_hz, stop)
        except RemembrError as error:
            tell("problem", say=order["say"], text=str(error))
            return 1  # a new process sees the devices of then
        tell("done", say=order["say"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
