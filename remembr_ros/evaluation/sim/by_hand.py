"""Questions that people wrote about a deployment. In: a YAML file whose truths are queries; out: `Case`s.

The file has `seed`, that of the deployment, and a list `questions`, each with `ask` (the question), `at` (day from 1,
time, optionally room) and `truth`: `kind` (where, when, how_long, how_many, yes_no, what, none), `thing` or `room` (one
or a list of ids), `which` (first, last, nearest), `days` [first, last], `hours` [from, until], `words` for what, `from`
and `to` for a length between two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from remembr_ros.errors import InvalidInput
from remembr_ros.evaluation.cases import Case, Truth
from remembr_ros.evaluation.sim.deployment import Deployment
from remembr_ros.evaluation.sim.drive import instant_ns
from remembr_ros.evaluation.sim.truth import Wanted, World, period
from remembr_ros.records import AnswerKind, Pose

_FIELDS = {"kind", "thing", "room", "which", "days", "hours", "words", "from", "to"}


def seed_of(path: Path) -> int:
    """Of the deployment that the questions are about. Raises InvalidInput."""
    return int(_document(path)["seed"])


def read(path: Path, deployment: Deployment) -> list[Case]:
    """Raises InvalidInput, which names the question, for what the deployment does not have."""
    document = _document(path)
    if document["seed"] != deployment.seed:
        raise InvalidInput(f"{path.name} is about seed {document['seed']}, not {deployment.seed}")
    world = World(deployment)
    cases = []
    for number, entry in enumerate(document["questions"]):
        try:
            cases.append(_case(entry, number, world))
        except (KeyError, TypeError, ValueError, InvalidInput) as error:
            raise InvalidInput(f"{path.name}, question {number + 1} ({entry.get('ask')!r}): {error!r}") from error
    return cases


def _document(path: Path) -> dict[str, Any]:
    import yaml

    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or not isinstance(document.get("seed"), int) or "questions" not in document:
        raise InvalidInput(f"{path.name} has no seed and questions")
    return document


def _case(entry: Mapping[str, Any], number: int, world: World) -> Case:
    at, truth = entry["at"], entry["truth"]
    unknown = set(truth) - _FIELDS
    if unknown:
        raise InvalidInput(f"truth has no field {sorted(unknown)[0]!r}")
    hours, minutes = str(at["time"]).split(":")
    now_ns = instant_ns(int(at["day"]), int(hours) + int(minutes) / 60)
    room = world.rooms[at["room"]] if "room" in at else world.deployment.building.rooms[0]
    return Case(
        id=f"hand-{number + 1:03d}-{truth['kind']}",
        group=_group(truth),
        question=entry["ask"],
        now_ns=now_ns,
        truth=_truth(truth, now_ns, world, at.get("room", "")),
        pose=Pose(now_ns, "map", room.x, room.y, yaw=0.0),
        map_id=room.map_id,
    )


def _group(truth: Mapping[str, Any]) -> str:
    if truth["kind"] == "none":
        return "unanswerable"
    which = truth.get("which", "")
    if which == "nearest" or (truth["kind"] == "when" and which):
        return str(which)
    return str(truth["kind"])


def _truth(fields: Mapping[str, Any], now_ns: int, world: World, here: str) -> Truth:
    kind = fields["kind"]
    if kind == "none":
        return Truth(AnswerKind.TEXT, answerable=False)
    if kind == "how_long" and "from" in fields:
        ends = ({**fields, **fields[side]} for side in ("from", "to"))
        first, second = (_wanted(end, world) for end in ends)
        found = world.between(first, second, now_ns)
    else:
        wanted = _wanted(fields, world)
        if wanted.which == "nearest":
            found = world.nearest(wanted, now_ns, world.rooms[here])
        elif kind == "what":
            found = world.what(wanted, now_ns, fields["words"])
        else:
            found = {
                "where": world.where,
                "when": world.when,
                "how_long": world.how_long,
                "how_many": world.how_many,
                "yes_no": world.yes_no,
            }[kind](wanted, now_ns)
    if not found.answerable:
        raise InvalidInput("the deployment has no such occasion")
    return found


def _wanted(fields: Mapping[str, Any], world: World) -> Wanted:
    after_ns, before_ns = period(fields.get("days"), fields.get("hours"))
    return Wanted(
        tuple(world.things[identity] for identity in _listed(fields.get("thing"))),
        tuple(world.rooms[identity] for identity in _listed(fields.get("room"))),
        after_ns,
        before_ns,
        fields.get("which", ""),
    )


def _listed(value: str | Sequence[str] | None) -> Sequence[str]:
    return () if value is None else (value,) if isinstance(value, str) else value
