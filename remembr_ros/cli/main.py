"""The `remembr` command. `ask` and `search` are clients of the query node's services; `stats`, `forget`, `export`,
`import`, `prune` and `map` work on the memory itself, with or without nodes running; `build` makes one from bags.

Exit codes: 0 done, 1 no answer or nothing found, 2 wrong usage, 3 the query node is not there, 4 goal not reached.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from remembr_ros.cli.build import build
from remembr_ros.cli.doctor import doctor
from remembr_ros.cli.eval import eval_app
from remembr_ros.cli.forget import forget, prune
from remembr_ros.cli.map import draw_map
from remembr_ros.cli.memory_file import finite
from remembr_ros.cli.stats import stats
from remembr_ros.cli.transfer import export, import_
from remembr_ros.errors import ConfigurationError

app = typer.Typer(
    help="Ask a robot what it saw, and search and look after its memory.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # "[m]" is a unit
)
NAMESPACE = Annotated[str, typer.Option("--namespace", help="Namespace of the query node.")]
WAIT = Annotated[
    float, typer.Option("--wait", help="Longest wait until the query node is there and has loaded [s].", min=0.0)
]
NO_ANSWER, USAGE, NODE_MISSING, GOAL_NOT_REACHED = 1, 2, 3, 4
DRIVE_S = 600.0


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="In natural language.")],
    navigate: Annotated[
        bool | None,
        typer.Option("--navigate/--no-navigate", help="A goal is wanted / never. Default: if the words ask for it."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Confirm a proposed goal without asking.")] = False,
    verbose: Annotated[bool, typer.Option("-v", "--verbose", help="Show each search and the evidence.")] = False,
    conversation: Annotated[str, typer.Option(help="Questions with one name share follow-ups.")] = "",
    timeout: Annotated[float, typer.Option(help="Longest wait for the answer [s].", min=0.1)] = 120.0,
    wait: WAIT = 10.0,
    namespace: NAMESPACE = "",
) -> None:
    """Ask the robot a question; drive to the place if asked for and confirmed."""
    from remembr_interfaces.action import AskQuestion
    from remembr_interfaces.msg import Answer
    from remembr_ros.cli.client import NodeMissing, connected
    from remembr_ros.cli.show import ProgressLines, show_answer

    console = Console()
    mode = {None: AskQuestion.Goal.AUTO, True: AskQuestion.Goal.ALWAYS, False: AskQuestion.Goal.NEVER}[navigate]
    with connected(namespace) as client:
        try:
            goal = AskQuestion.Goal(question=_utf8(question), conversation=_utf8(conversation), navigate=mode)
            progress = ProgressLines(console) if verbose else lambda feedback: None
            answer = client.ask(goal, progress, find_s=wait, answer_s=timeout)
            show_answer(console, answer, verbose)
            reached = True
            if answer.goal_state == Answer.GOAL_PROPOSED:
                agreed = yes or _confirmed(console)
                reached = agreed and _drive(client, console, answer.proposal_id)
            elif answer.goal_state == Answer.GOAL_SENT:
                reached = _follow(client, console, answer.proposal_id)
            elif answer.goal_state == Answer.GOAL_REFUSED:
                reached = False
        except NodeMissing as error:
            _fail(error, NODE_MISSING)
    if answer.error_code:
        raise typer.Exit(NO_ANSWER)
    if not reached:
        raise typer.Exit(GOAL_NOT_REACHED)


def _confirmed(console: Console) -> bool:
    """Whether somebody says yes; also when nobody is there to be asked there is an answer."""
    try:
        if sys.stdin is not None:  # closed
            return typer.confirm("Drive there?", default=False)
    except typer.Abort:  # at its end, or Ctrl-C
        console.print()
    console.print("  not driven: nobody confirmed (--yes confirms beforehand)")
    return False


def _drive(client: Any, console: Console, proposal_id: str) -> bool:
    from remembr_interfaces.srv import Confirm

    request = Confirm.Request(proposal_id=proposal_id, accept=True)
    response = client.call(Confirm, "remembr/confirm", request, find_s=5.0, answer_s=10.0)
    if not response.success:
        console.print(f"  goal not sent: {response.error_msg}", markup=False)
        return False
    return _follow(client, console, proposal_id)


def _follow(client: Any, console: Console, proposal_id: str) -> bool:
    """Show how the drive goes until it ends; whether the robot arrived."""
    from rclpy.qos import DurabilityPolicy, QoSProfile

    from remembr_interfaces.msg import NavigationStatus

    last: list[Any] = []

    def on_status(status: Any) -> None:
        if status.proposal_id == proposal_id:
            last.append(status)

    profile = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    client.node.create_subscription(NavigationStatus, "remembr/navigation", on_status, profile)
    with console.status("driving ...") as line:

        def ended() -> bool:
            if last and not math.isnan(last[-1].distance_remaining):
                line.update(f"driving: {last[-1].distance_remaining:.1f} m to go")
            return bool(last) and last[-1].state not in (
                NavigationStatus.PROPOSED, NavigationStatus.SENT, NavigationStatus.ACTIVE,
            )  # fmt: skip

        finished = client.wait(ended, DRIVE_S)
    if not finished:
        console.print(f"  the drive did not end within {DRIVE_S:g} s")
        return False
    arrived = bool(last[-1].state == NavigationStatus.SUCCEEDED)
    why = last[-1].error_msg or f"state {last[-1].state}"
    console.print("  arrived" if arrived else f"  not arrived: {why}", markup=False)
    return arrived


@app.command()
def search(
    text: Annotated[str, typer.Argument(help="What to look for, by meaning; empty: anything.")] = "",
    near: Annotated[tuple[float, float] | None, typer.Option(help="A place x y [m] in the map.")] = None,
    within: Annotated[
        float, typer.Option(help="Radius around --near [m]; 0: nearest first, no limit.", min=0.0, callback=finite)
    ] = 0.0,
    after: Annotated[datetime | None, typer.Option(help="Not before this local time.")] = None,
    before: Annotated[datetime | None, typer.Option(help="Not after this local time.")] = None,
    first: Annotated[bool, typer.Option("--first", help="Earliest first.")] = False,
    last: Annotated[bool, typer.Option("--last", help="Latest first.")] = False,
    limit: Annotated[int, typer.Option(help="How many.", min=1, max=1000)] = 5,
    wait: WAIT = 10.0,
    namespace: NAMESPACE = "",
) -> None:
    """Search the memory by text, place and time, without a language model."""
    from remembr_interfaces.srv import Search
    from remembr_ros.cli.client import NodeMissing, connected
    from remembr_ros.cli.show import error_name, escape, show_memories

    if first and last:
        _fail("--first and --last exclude each other", USAGE)
    if within and near is None:
        _fail("--within needs --near x y", USAGE)
    request = Search.Request(text=_utf8(text), limit=limit, order=Search.Request.RELEVANCE)
    if near is not None:
        request.use_position, request.radius = True, within
        request.position.x, request.position.y = near
        request.order = Search.Request.RELEVANCE if within else Search.Request.NEAREST
    if first or last:
        request.order = Search.Request.FIRST if first else Search.Request.LAST
    for field, bound in (("after", after), ("before", before)):
        if bound is not None:
            try:
                seconds = int(bound.timestamp())
            except (ValueError, OverflowError):  # the years 1 and 9999, in some time zones
                seconds = -1
            if not 0 <= seconds < 2**31:
                _fail(f"--{field} {bound:%Y-%m-%d} is not a time from 1970 to 2038", USAGE)
            getattr(request, field).sec = seconds
    console = Console()
    with connected(namespace) as client:
        try:
            response = client.call(Search, "remembr/search", request, find_s=wait, answer_s=60.0, loaded=True)
        except NodeMissing as error:
            _fail(error, NODE_MISSING)
    if response.error_code:
        _fail(f"{error_name(response.error_code)}: {response.error_msg}", NO_ANSWER)
    show_memories(console, response.memories, f"{len(response.memories)} memories")
    if not response.memories:
        if response.error_msg:
            console.print(f"  {escape(response.error_msg)}", highlight=False)
        raise typer.Exit(NO_ANSWER)


COMMANDS: dict[str, Callable[..., None]] = {
    "build": build, "stats": stats, "forget": forget, "prune": prune, "export": export, "import": import_,
}  # fmt: skip
for name, command in COMMANDS.items():
    app.command(name)(command)
app.command("map")(draw_map)
app.command()(doctor)
app.add_typer(eval_app, name="eval")


def _utf8(given: str) -> str:
    """Bytes of a terminal that are no UTF-8 arrive as lone surrogates, which no message can hold."""
    return given.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _fail(error: object, code: int) -> NoReturn:
    Console(stderr=True).print(f"remembr: {error}", markup=False, highlight=False)
    raise typer.Exit(code)


def main() -> None:
    """Console script."""
    try:
        app()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except ConfigurationError as error:
        print(f"remembr: {error}", file=sys.stderr)
        raise SystemExit(USAGE) from None


if __name__ == "__main__":
    main()
