"""Every parameter of every node: the one source of defaults, bounds and meaning.

``python -m remembr_ros.ros.parameter_tables --write`` renews config/remembr.yaml and the README's tables from here;
without ``--write`` it exits 1 when one of them is stale. Needs no ROS.
"""
# ruff: noqa: E501 -- a table reads best with a parameter a line

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from remembr_ros.memory.schema import MAX_BYTES
from remembr_ros.memory.uri import DEFAULT_URI
from remembr_ros.ros.parameters import Parameter, Value

# fmt: off
SHARED: tuple[Parameter, ...] = (
    Parameter("autostart", True, "Configure and activate without waiting for a lifecycle manager."),
    Parameter("robot_id", "robot", "Name of this robot; part of every memory's key. The query node searches the memories of this robot; empty there: of all.", max_bytes=MAX_BYTES["robot_id"]),
    Parameter("map_id", "", "Name of the map that poses refer to; empty: made from the content of the topic map. Places and goals are only used within one map.", read_only=False, max_bytes=MAX_BYTES["map_id"]),
    Parameter("memory.uri", DEFAULT_URI, "Where the memories are: a file (Milvus Lite, shared by all nodes), or http(s)://host:19530 of a Milvus server or Zilliz."),
    Parameter("memory.collection", "memories", "Collection within Milvus."),
    Parameter("memory.token_env", "MILVUS_TOKEN", "Environment variable that holds user:password or the API key of a Milvus server; unset: none."),
    Parameter("memory.timeout_s", 10.0, "Longest wait for one call to Milvus.", "s", 0.1, 600.0),
    Parameter("embedder.model", "packaged", "Sentence embedding: packaged (MiniLM from a wheel), sentence_transformers:<name or path>, hashing (tests). A memory can only be read with the one it was written with."),
    Parameter("embedder.device", "", "Device of the embedding model, such as cpu or cuda; empty: its own choice."),
)

CAPTIONER: tuple[Parameter, ...] = (
    *SHARED,
    Parameter("camera", "front", "Name of the camera; part of every memory's key.", max_bytes=MAX_BYTES["camera"]),
    Parameter("input", "images", "images: describe the camera's pictures; captions: store what somebody else's captioner publishes on the topic captions, no model is loaded.", choices=("images", "captions")),
    Parameter("image_transport", "raw", "raw: sensor_msgs/Image on image; compressed: sensor_msgs/CompressedImage (JPEG, PNG) on image/compressed.", choices=("raw", "compressed")),
    Parameter("implausible_stamps", "drop", "Pictures stamped zero, long past or in the future: drop them, or take the time of receipt.", choices=("drop", "receive_time")),
    Parameter("image_reliability", "best_effort", "Reliability asked of the camera topic; best_effort matches every driver.", choices=("best_effort", "reliable")),
    Parameter("no_image_warning_s", 5.0, "Warn when no picture came for so long.", "s", 0.5, 3600.0),
    Parameter("captioner.model", "tagger", "Who describes a window: tagger (CPU); openai:<model>, any OpenAI-compatible vision endpoint (with captioner.base_url); transformers:<folder or name>; nano_llm:<model> (Jetson); scripted[:text or file]."),
    Parameter("captioner.device", "", "Device of the captioning model; empty: its own choice."),
    Parameter("captioner.prompt", "", "What a vision-language model is asked; empty: for people, objects, places, text on signs and events."),
    Parameter("captioner.max_tokens", 128, "Longest caption.", "tokens", 1, 4096),
    Parameter("captioner.max_images", 6, "Pictures of a window that a vision-language model is shown, evenly spread.", "", 1, 64),
    Parameter("captioner.image_px", 512, "Longer side of these pictures; larger ones are scaled down.", "px", 16, 4096),
    Parameter("captioner.jpeg_quality", 85, "Quality of pictures sent to an endpoint.", "", 1, 100),
    Parameter("captioner.base_url", "", "Endpoint of openai:<model>, such as http://jetson:11434/v1; empty: OpenAI's."),
    Parameter("captioner.api_key_env", "", "Environment variable that holds its key; empty: OPENAI_API_KEY, or none for a captioner.base_url."),
    Parameter("captioner.timeout_s", 30.0, "Longest time for one caption; then its window is lost and counted.", "s", 0.1, 3600.0),
    Parameter("captioner.quantization", "", "transformers: 8bit or 4bit (bitsandbytes), empty: none. nano_llm: MLC's method, empty: q4f16_ft."),
    Parameter("window_s", 3.0, "Length of one memory.", "s", 0.5, 60.0),
    Parameter("sample_hz", 2.0, "Pictures per second that are looked at.", "Hz", 0.1, 30.0),
    Parameter("queue_windows", 4, "Windows that may wait for the captioner; beyond, the oldest waiting one is skipped and counted.", "", 1, 1000),
    Parameter("outbox_path", "~/.ros/remembr/outbox.db", "File that keeps finished captions until Milvus has them."),
    Parameter("keyframes.budget_mb", 0, "Disk space for one picture per memory, kept for people and vision models; the oldest go first. 0: no pictures are kept.", "MB", 0, 1_000_000),
    Parameter("keyframes.folder", "~/.ros/remembr/keyframes", "Where these pictures are kept."),
    Parameter("episodes.max_distance", 0.5, "A stay ends when the robot is further than this from where it began.", "m", 0.0, 100.0),
    Parameter("episodes.max_gap_s", 10.0, "A stay ends when nothing was seen for so long.", "s", 0.0, 86400.0),
    Parameter("episodes.similarity", 1.0, "A stay ends when a caption shares less than this part of its words with the first one; 1: all of them; lower for vision-language models, see docs/captioner.md.", "", 0.1, 1.0),
    Parameter("pose_source", "amcl_pose", "amcl_pose: PoseWithCovarianceStamped; odometry: nav_msgs/Odometry on odom, never a goal unless its frame is map_frame; tf: map_frame to base_frame.", choices=("amcl_pose", "odometry", "tf")),
    Parameter("map_frame", "map", "Frame of places, for pose_source odometry and tf."),
    Parameter("base_frame", "base_link", "Frame of the robot, for pose_source tf."),
    Parameter("pose_settle_s", 0.0, "A pose is trusted once it has been certain for so long.", "s", 0.0, 600.0),
    Parameter("pose_max_gap_s", 2.0, "Between poses at most so far apart the place is interpolated; over longer gaps the earlier one is held.", "s", 0.1, 600.0),
    Parameter("pose_wait_s", 0.5, "A window waits so long after its end for a pose from after its middle; a parked robot sends none.", "s", 0.0, 10.0),
    Parameter("max_position_std", 0.5, "A pose less certain than this is kept but not trusted: it never becomes a goal.", "m", 0.01, 100.0),
    Parameter("store_unlocalized", True, "Keep windows without a trusted pose (they can be searched by text and time)."),
)

QUERY: tuple[Parameter, ...] = (
    *SHARED,
    Parameter("llm.model", "extractive", "Who answers: extractive (no language model); openai:, nvidia:, ollama:, vllm: or llama_cpp:<model>; openai:<model> with llm.base_url for any other OpenAI-compatible endpoint; scripted:<file>."),
    Parameter("llm.base_url", "", "Endpoint of the language model, such as http://jetson:11434/v1; empty: the vendor's usual one."),
    Parameter("llm.api_key_env", "", "Environment variable that holds the key; empty: the vendor's own (OPENAI_API_KEY, NVIDIA_API_KEY; none for a local server)."),
    Parameter("llm.timeout_s", 30.0, "Longest wait for one reply of the language model, retries included.", "s", 0.1, 600.0),
    Parameter("llm.vision_model", "", "Model of the same endpoint that sees: lets llm.model look again at kept pictures (keyframes). Empty: none."),
    Parameter("agent.max_rounds", 3, "Rounds of searching per question.", "", 1, 10),
    Parameter("agent.memories_per_query", 5, "Memories that one search returns.", "", 1, 20),
    Parameter("agent.prefetch", True, "Search for the question itself before the first request to the language model."),
    Parameter("agent.time_limit_s", 60.0, "A question is answered, or given up, within this.", "s", 1.0, 600.0),
    Parameter("agent.max_questions", 4, "Questions worked on at once.", "", 1, 64),
    Parameter("agent.max_waiting", 0, "Questions that may wait for their turn; more are answered BUSY.", "", 0, 64),
    Parameter("recall.words_file", "", "File of the site's own words that mean the same, such as what people call their machines (config/site_words.txt shows how); empty: only everyday ones."),
    Parameter("trace_path", "", "File that gets one line of JSON per question: its searches, what the language model was sent and said, the answer; never a key. Empty: none."),
    Parameter("timezone", "", "Zone of clock times in questions and answers, such as Europe/Berlin; empty: the computer's."),
    Parameter("navigation.mode", "confirm", "off: never drive; confirm: drive after Confirm; auto: also without it, but only if the asker's own words or navigate=ALWAYS ask for it.", choices=("off", "confirm", "auto"), read_only=False),
    Parameter("navigation.navigator", "action", "How goals reach Nav2: action (NavigateToPose), nav2_simple_commander (BasicNavigator), topic (goal_pose), or auto: nav2_simple_commander, action or topic, whichever is installed first. action:<name> names another action."),
    Parameter("navigation.proposal_timeout_s", 60.0, "A proposed goal expires after this.", "s", 1.0, 3600.0),
    Parameter("navigation.snap_radius", 1.0, "A goal in an occupied or unknown cell moves to the nearest free one within this, else it is refused.", "m", 0.0, 10.0),
    Parameter("navigation.keep_out", 0.0, "A goal stays at least so far from what is occupied; 0: only its own cell must be free.", "m", 0.0, 10.0),
    Parameter("navigation.goal_frame", "", "Frame of goals; empty: that of the map or costmap. A memory's position in another frame is moved there where /tf_static tells how the two lie to each other, else it is no goal."),
    Parameter("navigation.occupancy_source", "both", "What a goal must be free in: map; costmap (global_costmap/costmap of Nav2; without a fresh one there are no goals); both: the map, and the costmap while there is a fresh one.", choices=("map", "costmap", "both")),
    Parameter("navigation.costmap_max_age_s", 10.0, "An older costmap does not count. Nav2 sends it about once a second with always_send_full_costmap: true.", "s", 0.1, 3600.0),
    Parameter("navigation.trust_unnamed_map", False, "The robot only ever has one map: goals need no map_id. Without this, memories of an unnamed map are never goals."),
    Parameter("markers.max", 1000, "Stays (parked memories count once) shown in RViz, the latest ones.", "", 1, 1000),
)

WHISPER: tuple[Parameter, ...] = (
    SHARED[0],
    Parameter("audio.source", "microphone", "Where sound comes from: microphone[:<part of its name, or index>], topic (messages on audio), or wav:<file>."),
    Parameter("audio.channel", -1, "Channel that is listened to, from 0, on an array the one that it cleans up itself; -1: the mean of all.", "", -1, 63),
    Parameter("audio.rate_hz", 0, "Rate of the messages (0: 16000), or at which the microphone is opened (0: its own).", "Hz", 0, 384_000),
    Parameter("audio.channels", 1, "Channels of the messages, interleaved, where their layout does not say.", "", 1, 64),
    Parameter("audio.message", "std_msgs/Int16MultiArray", "Type of the messages. UInt8MultiArray and AudioData hold the bytes of audio.sample_type.", choices=("std_msgs/Int16MultiArray", "std_msgs/Float32MultiArray", "std_msgs/UInt8MultiArray", "audio_common_msgs/AudioData")),
    Parameter("audio.sample_type", "int16", "What the bytes of a message are, little-endian.", choices=("int8", "uint8", "int16", "int24", "int32", "float32", "float64")),
    Parameter("audio.silent_warning_s", 5.0, "Warn when no sound came for so long, not even silence.", "s", 0.5, 3600.0),
    Parameter("vad.threshold", 0.5, "Probability from which sound counts as speech.", "", 0.05, 0.95),
    Parameter("vad.pre_roll_s", 0.4, "Sound kept from before speech was noticed: first sounds are soft.", "s", 0.0, 2.0),
    Parameter("vad.max_pause_s", 0.6, "A shorter pause is part of what is said, a longer one ends it.", "s", 0.1, 5.0),
    Parameter("vad.min_speech_s", 0.15, "Less speech than this is a click.", "s", 0.0, 2.0),
    Parameter("vad.max_length_s", 20.0, "What is longer is understood in pieces.", "s", 2.0, 30.0),
    Parameter("asr.model", "packaged", "Who understands: faster_whisper:<size or folder>, packaged (tiny.en from a wheel), scripted[:<text or file>] (tests)."),
    Parameter("asr.device", "auto", "cpu, cuda or auto."),
    Parameter("asr.compute_type", "default", "Such as int8, float16 or int8_float16; default: as the model is stored."),
    Parameter("asr.language", "en", "Language spoken, as a code (de) or in English (German); empty: detected, which short questions make hard."),
    Parameter("asr.beam_size", 5, "Readings followed at once; 1 is fastest.", "", 1, 20),
    Parameter(
        "asr.vocabulary",
        "",
        "Names of places and things of the site, separated by commas, for what is misheard (docs/voice.md); empty: none.",
        max_bytes=8000,
    ),
    Parameter("asr.cpu_fallback", True, "Where the GPU's libraries fail, go on with the CPU, and say so."),
    Parameter("gate.wake_phrase", "robot", "What makes speech a question to the robot; empty: everything said near it is."),
    Parameter("gate.wake_similarity", 0.75, "How much what was understood must be like the wake phrase.", "", 0.5, 1.0),
    Parameter("gate.listening_s", 8.0, "After the wake phrase alone, what is said within this needs none.", "s", 0.0, 60.0),
    Parameter("gate.max_no_speech_prob", 0.6, "Likelier no speech than this: ignored.", "", 0.0, 1.0),
    Parameter("gate.min_avg_logprob", -1.0, "Understood less surely than this (mean log-probability): ignored.", "", -10.0, 0.0),
    Parameter("gate.max_compression_ratio", 2.4, "More repetitive than this: ignored.", "", 1.0, 100.0),
    Parameter("gate.min_language_probability", 0.5, "With a detected language less likely than this: ignored.", "", 0.0, 1.0),
    Parameter("gate.own_voice_similarity", 0.7, "So much like what the robot says, while it sounds: its own voice.", "", 0.3, 1.0),
    Parameter("gate.own_voice_tail_s", 1.5, "Its own voice may arrive so much later.", "s", 0.0, 30.0),
    Parameter("gate.duplicate_s", 1.0, "The same within this counts once.", "s", 0.0, 60.0),
    Parameter("gate.max_questions_per_minute", 10, "More are ignored.", "", 1, 600),
    Parameter("speaker.model", "none", "Who says answers aloud: none, espeak[:<voice>], piper[:<voice.onnx>], or wav:<file> (espeak into a file)."),
    Parameter("speaker.device", "", "Loudspeaker, by part of its name or index, or wav:<file>; empty: the usual one."),
    Parameter("speaker.max_chars", 300, "Longest text that is said, in whole sentences.", "characters", 20, 2000),
    Parameter("speaker.interrupted_by", "words", "What ends an answer that is being said: words (a question, yes, no, stop, or the wake phrase), speech (any voice; needs a microphone that cancels echo, else the robot interrupts itself), nothing.", choices=("words", "speech", "nothing")),
)
# fmt: on

TABLES: dict[str, tuple[Parameter, ...]] = {"captioner": CAPTIONER, "query": QUERY, "whisper": WHISPER}


def names() -> set[str]:
    """Every parameter that some node of this package knows."""
    return {parameter.name for table in TABLES.values() for parameter in table}


def yaml_text() -> str:
    """config/remembr.yaml: every parameter at its default, commented. One root for all nodes."""
    lines = [
        "# Every parameter of remembr_ros at its default. Made from remembr_ros/ros/parameter_tables.py:",
        "# change it there and run `python -m remembr_ros.ros.parameter_tables --write`.",
        "/**:",
        "  ros__parameters:",
    ]
    sections = {"all nodes": SHARED} | {f"{node} node": _own(table) for node, table in TABLES.items()}
    for title, table in sections.items():
        lines += ["", f"    # ---- {title}"]
        prefix = ""
        for parameter in sorted(table, key=_group_key(table)):
            group, _, leaf = parameter.name.rpartition(".")
            if group != prefix:
                prefix = group
                if group:
                    lines.append(f"    {group}:")
            indent = "      " if group else "    "
            lines.append(f"{indent}# {_sentence(parameter)}")
            lines.append(f"{indent}{leaf}: {_yaml(parameter.default)}")
    return "\n".join(lines) + "\n"


def markdown_table(table: tuple[Parameter, ...]) -> str:
    rows = ["| Parameter | Type | Default | Allowed | Meaning |", "|---|---|---|---|---|"]
    for parameter in table:
        unit = f" [{parameter.unit}]" if parameter.unit else ""
        allowed = parameter.bounds.replace("|", r"\|")
        live = "" if parameter.read_only else " May be set at run time."
        meaning = (parameter.description + live).replace("<", "&lt;")
        cells = (f"`{parameter.name}`", parameter.type_name + unit, f"`{_yaml(parameter.default)}`", allowed, meaning)
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def with_tables(readme: str) -> str:
    """The text with each table between ``<!-- parameters:NODE -->`` and ``<!-- /parameters:NODE -->`` renewed."""
    for node, table in {"shared": SHARED, **{node: _own(table) for node, table in TABLES.items()}}.items():
        begin, end = f"<!-- parameters:{node} -->", f"<!-- /parameters:{node} -->"
        if begin in readme and end in readme:
            head, _, rest = readme.partition(begin)
            tail = rest.partition(end)[2]
            readme = f"{head}{begin}\n{markdown_table(table)}\n{end}{tail}"
    return readme


def renewed(root: Path) -> dict[Path, str]:
    """The files under `root` that are stale, with the text they should have."""
    wanted = {root / "config" / "remembr.yaml": yaml_text()}
    readme = root / "README.md"
    if readme.exists():
        wanted[readme] = with_tables(readme.read_text(encoding="utf-8"))
    return {
        path: text for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def _own(table: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    return tuple(parameter for parameter in table if parameter not in SHARED)


def _group_key(table: tuple[Parameter, ...]) -> Callable[[Parameter], int]:
    """Ungrouped first, then groups in the order of their first member (YAML allows a group only once)."""
    groups = ["", *dict.fromkeys(parameter.name.rpartition(".")[0] for parameter in table)]
    return lambda parameter: groups.index(parameter.name.rpartition(".")[0])


def _sentence(parameter: Parameter) -> str:
    unit = f"[{parameter.unit}] " if parameter.unit else ""
    bounds = f" ({parameter.bounds})" if parameter.bounds else ""
    return f"{unit}{parameter.description}{bounds}"


def _yaml(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return "[" + ", ".join(_yaml(item) for item in value) + "]"
    return str(value)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Renew config/remembr.yaml and the README's parameter tables.")
    parser.add_argument("--write", action="store_true", help="write the files; without it only say what is stale")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2], help="the repository")
    options = parser.parse_args(arguments)
    stale = renewed(options.root)
    for path, text in stale.items():
        if options.write:
            path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{'renewed' if options.write else 'stale'}: {path.relative_to(options.root)}\n")
    return 1 if stale and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
