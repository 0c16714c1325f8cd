"""`remembr doctor`: whether everything that the robot's memory needs is there, and what to do where it is not.

Exit codes: 0 nothing to fix, 1 something to fix, 2 wrong usage.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from remembr_ros.cli.finding import Finding, Level
from remembr_ros.ros.parameter_tables import TABLES

FIX_FOUND = 1
DEFAULTS = {parameter.name: parameter.default for table in TABLES.values() for parameter in table}


def doctor(
    image: Annotated[str, typer.Option(help="Camera topic; default: the one the captioner listens to.")] = "",
    pose: Annotated[str, typer.Option(help="Pose topic; default: the one the captioner listens to.")] = "",
    map_topic: Annotated[str, typer.Option("--map", help="Map topic; default: the one the captioner listens to.")] = "",
    params_file: Annotated[
        Path | None, typer.Option(help="Parameters of nodes that do not run.", exists=True, dir_okay=False)
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long to listen to the topics [s].", min=0.5, max=60.0)] = 3.0,
    load: Annotated[bool, typer.Option("--load", help="Also load the embedding model (a second copy of it).")] = False,
    namespace: Annotated[str, typer.Option("--namespace", help="Namespace of the nodes.")] = "",
) -> None:
    """Check nodes, topics, clock, frames, memory, models, language model and Nav2; say what to fix."""
    from remembr_ros.cli.client import connected

    console, worst = Console(), Level.OK
    values = {**DEFAULTS, **(_from_file(params_file) if params_file else {})}
    topics = {"image": image, "pose": pose, "map": map_topic}
    with connected(namespace) as client:
        for finding in _examine(client, values, topics, seconds, load):
            style = {Level.OK: "green", Level.WARN: "yellow", Level.FAIL: "bold red"}[finding.level]
            console.print(f"{finding.level.value:>4}", style=style, end="  ")
            console.print(f"{finding.about}: {finding.what}", markup=False, highlight=False, soft_wrap=True)
            if finding.fix:
                console.print(f"        -> {finding.fix}", markup=False, highlight=False, soft_wrap=True)
            worst = Level.FAIL if finding.level is Level.FAIL else worst
    if worst is Level.FAIL:
        raise typer.Exit(FIX_FOUND)


def _examine(
    client: Any, values: dict[str, Any], topics: dict[str, str], seconds: float, load: bool
) -> Iterator[Finding]:
    """Findings in the order in which they are worth fixing."""
    from geometry_msgs.msg import PoseWithCovarianceStamped
    from nav_msgs.msg import OccupancyGrid
    from sensor_msgs.msg import CompressedImage, Image

    from remembr_ros.cli import doctor_backends, doctor_graph, doctor_nav2, doctor_topics, doctor_voice
    from remembr_ros.ros import qos

    yield doctor_graph.check_middleware()
    running = doctor_graph.find_nodes(client)
    simulated = {}
    for name in sorted(running):
        told = doctor_graph.read_parameters(client, name, ["use_sim_time", *(p.name for p in TABLES[name])])
        simulated[name] = bool(told.pop("use_sim_time", False))
        values.update(told)
    yield from doctor_graph.check_nodes(client, running)
    yield from doctor_graph.check_clock(client, simulated)

    compressed = values["image_transport"] == "compressed"
    kinds = {
        "image": (CompressedImage if compressed else Image, "image/compressed" if compressed else "image"),
        "pose": (PoseWithCovarianceStamped, "amcl_pose"),
        "map": (OccupancyGrid, "map"),
    }
    profiles = {"image": [qos.image("best_effort")], "pose": [qos.LATCHED, qos.POSE], "map": [qos.LATCHED]}
    heard = {}
    for name, (kind, default) in kinds.items():
        topic = topics[name] or doctor_graph.listened_to(client, running, kind) or default
        heard[name] = doctor_topics.Listener(client, topic, kind, profiles[name])
    client.wait(lambda: False, seconds)
    # A simulation's stamps have nothing to do with the computer's clock.
    now_s = None if client.node.count_publishers("/clock") else time.time()
    if values["input"] == "images":
        yield from doctor_topics.check_image(heard["image"], values["sample_hz"], now_s)
    if values["pose_source"] == "amcl_pose":
        yield from doctor_topics.check_pose(heard["pose"], values["max_position_std"], now_s)
    poses = heard["pose"].messages
    yield from doctor_topics.check_map(heard["map"], poses[-1].header.frame_id if poses else "")
    for listener in heard.values():
        listener.close()

    yield from doctor_backends.check_memory(values)
    yield doctor_backends.check_embedder(values, load)
    yield from doctor_backends.check_words(values)
    for group in ("captioner", "llm"):
        yield doctor_backends.check_endpoint(values, group)
    if "whisper" in running:
        yield from doctor_voice.check_voice(values)
    if values["navigation.mode"] != "off":
        yield from doctor_nav2.check_nav2(client, values["navigation.navigator"])


def _from_file(file: Path) -> dict[str, Any]:
    """The parameters of a YAML file by their full names, whatever node they are for."""
    import yaml

    def flat(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
        for key, value in tree.items():
            if isinstance(value, dict):
                yield from flat(value, f"{prefix}{key}.")
            else:
                yield prefix + key, value

    try:
        nodes = yaml.safe_load(file.read_text(encoding="utf-8"))
        return {name: value for node in nodes.values() for name, value in flat(node["ros__parameters"])}
    except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        raise typer.BadParameter(f"{file} is no parameter file of ROS: {type(error).__name__}: {error}") from None
