"""A transcriber for tests: says what a script says, one line an utterance. In: any sound. Out: the script's next line.

`scripted:<text>` says the same each time; `scripted:<file>.yaml` reads a list under `transcripts`, each a text or the
fields of a Transcript; after the last one it begins again. `delay_s` in the file makes it slow.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from remembr_ros.errors import ConfigurationError
from remembr_ros.hear.audio import Samples
from remembr_ros.hear.transcribers import Transcript


class ScriptedTranscriber:
    """Raises ConfigurationError for a script that cannot be read."""

    def __init__(self, script: str) -> None:
        self.name = f"scripted:{script}"
        self._delay_s = 0.0
        self._next = 0
        if not script.endswith((".yaml", ".yml")):
            self._transcripts = [Transcript(script or "hello")]
            return
        import yaml

        try:
            content = yaml.safe_load(Path(script).expanduser().read_text(encoding="utf-8"))
            self._delay_s = float(content.get("delay_s", 0.0))
            self._transcripts = [_transcript(item) for item in content["transcripts"]]
            if not self._transcripts:
                raise ValueError("transcripts is empty")
        except (OSError, ValueError, TypeError, KeyError, AttributeError, yaml.YAMLError) as error:
            raise ConfigurationError(f"asr.model: {script} is not a script of transcripts: {error!r}") from error

    def transcribe(self, samples: Samples) -> Transcript:
        time.sleep(self._delay_s)
        transcript = self._transcripts[self._next % len(self._transcripts)]
        self._next += 1
        return transcript

    def warm_up(self) -> None:
        return

    def close(self) -> None:
        return


def _transcript(item: Any) -> Transcript:
    return Transcript(**item) if isinstance(item, dict) else Transcript(str(item))
