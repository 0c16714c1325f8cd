"""`remembr build`: the memory of recorded runs, without ROS. In: rosbag2 folders or files. Out: memories in Milvus."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from remembr_ros.cli.memory_file import TIMEOUT_S, clear_errors, progress_bar, token
from remembr_ros.errors import ConfigurationError
from remembr_ros.ros.bag import Bag, Topic
from remembr_ros.ros.parameter_tables import CAPTIONER, names
from remembr_ros.ros.parameters import Value

INTERRUPTED = 130
TABLE = {parameter.name: parameter for parameter in CAPTIONER}


def build(
    bags: Annotated[list[Path], typer.Argument(help="rosbag2 folders (sqlite3 or mcap), read as one run.")],
    topics: Annotated[
        bool, typer.Option("--topics", help="Only list the topics and what they would be used as.")
    ] = False,
    image: Annotated[str, typer.Option("--image", help="Topic of the camera; empty: the only one there is.")] = "",
    pose: Annotated[
        str, typer.Option("--pose", help="Topic of poses, odometry or tf; empty: amcl_pose, the only one, or tf.")
    ] = "",
    map_: Annotated[str, typer.Option("--map", help="Topic of the map; empty: map, or the only one.")] = "",
    captions: Annotated[
        bool, typer.Option("--captions", help="Store the captions that the bag holds; describe nothing.")
    ] = False,
    uri: Annotated[str, typer.Option("--uri", help="As the parameter memory.uri.")] = "",
    collection: Annotated[str, typer.Option("--collection", help="As the parameter memory.collection.")] = "",
    embedder: Annotated[str, typer.Option("--embedder", help="As the parameter embedder.model.")] = "",
    captioner: Annotated[str, typer.Option("--captioner", help="As the parameter captioner.model.")] = "",
    params_file: Annotated[
        Path | None, typer.Option("--params-file", help="Parameters of the captioner node (YAML).", exists=True)
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", "-p", help="One of them: -p robot_id:=carter. May be repeated.")
    ] = None,
) -> None:
    """Make the memory of recorded runs. Interrupted, it goes on where it was when called again."""
    with clear_errors():
        given = {
            "memory.uri": uri,
            "memory.collection": collection,
            "embedder.model": embedder,
            "captioner.model": captioner,
        }
        values = _parameters(params_file, param or [], {name: value for name, value in given.items() if value})
        with Bag(bags) as bag:
            if topics:
                _list(bag.topics())
                return
            used = _chosen(bag, captions, image, pose, map_, prefers_tf=values["pose_source"] == "tf")
            values["pose_source"] = _pose_source(used)
            _build(bag, used, values, session="bag " + ", ".join(path.name for path in bags))


def _chosen(bag: Bag, captions: bool, image: str, pose: str, map_: str, prefers_tf: bool) -> dict[str, Topic]:
    """What is read from the bag: kind to topic."""
    wanted = {"captions": ""} if captions else {"image": image}
    chosen = {kind: bag.choose(kind, asked) for kind, asked in {**wanted, "map": map_}.items()}
    source = "captions" if captions else "image"
    if chosen[source] is None:
        raise ConfigurationError(f"the bag has no topic with {source}; `remembr build BAG --topics` lists what it has")
    if not captions:
        chosen |= _places(bag, pose, prefers_tf)
    return {kind: topic for kind, topic in chosen.items() if topic is not None}


def _places(bag: Bag, asked: str, prefers_tf: bool) -> dict[str, Topic | None]:
    topics = {topic.name.strip("/"): topic for topic in bag.topics()}
    named = topics.get(asked.strip("/"))
    if not prefers_tf and not (named is not None and named.kind == "tf"):
        pose = bag.choose("pose", asked)
        if pose is not None:
            return {"pose": pose}
    tf = bag.choose("tf", asked)
    return {"tf": tf, "tf_static": topics.get(f"{tf.name.strip('/')}_static")} if tf is not None else {}


def _pose_source(used: dict[str, Topic]) -> str:
    if "tf" in used:
        return "tf"
    return "odometry" if "pose" in used and used["pose"].type.endswith("Odometry") else "amcl_pose"


def _build(bag: Bag, used: dict[str, Topic], values: dict[str, Value], session: str) -> None:
    from remembr_ros.memory.embedders import create_embedder
    from remembr_ros.memory.store import MemoryStore
    from remembr_ros.remember.captioners import create_captioner
    from remembr_ros.remember.outbox import Outbox
    from remembr_ros.ros.bag_build import BagBuild
    from remembr_ros.ros.remembering import captioner_options

    errors = Console(stderr=True)
    for kind in ("image", "captions", "pose", "tf", "map"):
        if kind in used:
            errors.print(f"{kind}: {used[kind].name} ({used[kind].type}, {used[kind].messages} messages)", markup=False)
        elif kind == "pose" and "image" in used and "tf" not in used:
            errors.print("pose: none in the bag; the memories have no place", markup=False)
    text: dict[str, Any] = values
    model = create_embedder(text["embedder.model"], device=text["embedder.device"], parameter="--embedder")
    captioner = None
    if "image" in used:
        captioner = create_captioner(text["captioner.model"], captioner_options(text), parameter="--captioner")
    total = sum(topic.messages for topic in used.values())
    with (
        tempfile.TemporaryDirectory(prefix="remembr_build_") as folder,
        MemoryStore.open(
            text["memory.uri"], model, collection=text["memory.collection"], token=token(), timeout_s=TIMEOUT_S
        ) as store,
        progress_bar("messages") as progress,
    ):
        # A folder of its own: what waits there is made again by the next run, and no node's outbox is touched.
        outbox = Outbox(Path(folder) / "outbox.db")
        run = BagBuild(
            values, captioner, store, outbox, session_id=session[:64],
            on_problem=lambda text: errors.print(escape(text), highlight=False),
        )  # fmt: skip
        interrupted = False
        try:
            built = run.run(bag.events(used), lambda done: progress(done, total))
        except KeyboardInterrupt:
            interrupted, built = True, run.so_far()
        finally:
            run.close()
            outbox.close()
            if captioner is not None:
                captioner.close()
    words = f"{built.windows} windows: {built.stored} new memories, {built.there} there already"
    words += f", {built.lost} without a usable caption" if built.lost else ""
    words += f"; {built.bad} messages could not be used" if built.bad else ""
    Console().print(
        words + (" (interrupted: call again to go on)" if interrupted else ""), markup=False, highlight=False
    )
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _parameters(file: Path | None, assigned: list[str], options: dict[str, str]) -> dict[str, Value]:
    """The captioner's parameters: defaults, then the file, then -p, then the options. Raises ConfigurationError."""
    given = {} if file is None else _read(file)
    unknown = [name for name in given if name not in names()]
    if unknown:
        raise ConfigurationError(f"--params-file {file}: unknown parameters {', '.join(unknown)}")
    for one in assigned:
        name, separator, value = one.partition(":=")
        if not separator or name not in TABLE:
            raise ConfigurationError(f"-p {one}: wanted NAME:=VALUE with a parameter of the captioner")
        given[name] = _yaml(value, f"-p {one}: its value is no YAML") if value else ""
    given |= options
    return {name: parameter.check(given.get(name, parameter.default)) for name, parameter in TABLE.items()}


def _read(file: Path) -> dict[str, Any]:
    """What a file of ROS parameters says to the captioner, in whatever namespace it is; wildcards such as /** first."""
    wrong = f"--params-file {file} is no file of ROS parameters"
    given: dict[str, Any] = {}
    try:
        sections = _sections(_yaml(file.read_text(encoding="utf-8"), wrong))
        mine = [one for one in sections if one[0].rpartition("/")[2] in ("captioner", "*", "**")]
        nodes = {name.rpartition("/")[0] + "/captioner" for name, _ in mine if not name.startswith("/*")}
        if not mine or len(nodes) > 1:
            found = ", ".join(sorted(nodes or {name for name, _ in sections})) or "no node"
            raise ConfigurationError(
                f"--params-file {file}: parameters of {found}; read are those of /** and of one captioner, "
                "in any namespace"
            )
        for name, parameters in sorted(mine, key=lambda one: "*" not in one[0]):
            if not isinstance(parameters, dict):
                raise ConfigurationError(f"{wrong}: ros__parameters of {name} holds no parameters")
            given |= _flat(parameters)
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{wrong}: it is no text in UTF-8") from error
    except RecursionError as error:  # an alias within its own anchor
        raise ConfigurationError(f"{wrong}: it is nested too deeply") from error
    return given


def _yaml(text: str, wrong: str) -> Any:
    """Raises ConfigurationError: `wrong`, and why."""
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: the 31st of February
        raise ConfigurationError(f"{wrong}: {error}") from error


def _sections(tree: Any, node: str = "") -> list[tuple[str, Any]]:
    """Each node's name, with its namespaces and wildcards, and its ros__parameters."""
    found = []
    for key, value in tree.items() if isinstance(tree, dict) else ():
        if key == "ros__parameters":
            found.append((node or "/", value))
        else:
            found += _sections(value, f"{node}/{str(key).strip('/')}")
    return found


def _flat(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in tree.items():
        values |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return values


def _list(topics: list[Topic]) -> None:
    table = Table("topic", "type", "messages", "usable as", box=None)
    for topic in topics:
        table.add_row(topic.name, topic.type, f"{topic.messages:,}", topic.kind)
    Console().print(table)
