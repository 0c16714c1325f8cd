"""The demo: a simulated robot drives through a building, remembers, answers questions and drives to an answer.

Starts the robot's simulator, a stand-in for Nav2, and the package's own captioner and query nodes as separate processes,
then asks over the service remembr/ask. Exit code 1 when an answer is wrong, 2 when the demo could not run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from demo.asker import Asker, DemoFailed
from demo.messages import time_message
from demo.processes import Program, end_milvus, memory_mb, milvus_pids, stop_all
from demo.questions import TOLERANCES, Asking, Truth, Verdict
from demo.route import Tour, plan_tour
from demo.simulation import WINDOW_NS
from demo.world import World, make_world

FIRST_START_NS = 1_780_304_400_000_000_000
"""2026-06-01 09:00:00 UTC: a multiple of the window's 3 s."""
HOUR_NS = 3_600_000_000_000
PICTURE = Path(__file__).with_name("map.png")
VISITS = 4
READY_WITHIN_S = 120.0
console = Console(highlight=False)


@dataclass
class Asked:
    """One question with what came of it."""

    asking: Asking
    answer: Any
    verdict: Verdict
    goal: str = ""


@dataclass
class Figures:
    """What the run measured: seconds per stage, MB per process; `tour_s` of simulated time."""

    tour_s: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)
    memory_mb: dict[str, float] = field(default_factory=dict)


class Demo:
    """Everything that runs, and its end. A context manager."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.figures = Figures()
        self._temporary = not options.keep
        self.folder = (
            Path(tempfile.mkdtemp(prefix="remembr_demo_")) if self._temporary else Path(options.keep).resolve()
        )
        self.folder.mkdir(parents=True, exist_ok=True)
        self.programs: dict[str, Program] = {}
        self.asker: Asker | None = None

    @property
    def db_file(self) -> Path:
        return self.folder / "memory.db"

    def __enter__(self) -> Demo:
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):  # a second Ctrl-C must not leave anything behind; this is short
            signal.signal(number, signal.SIG_IGN)
        for name in stop_all(list(self.programs.values())):
            console.print(f"[red]{name} did not stop by itself and was killed[/]")
        if self.asker is not None:
            self.asker.close()
        end_milvus(self.db_file)
        if self._temporary:
            shutil.rmtree(self.folder, ignore_errors=True)

    def start_nodes(self) -> Asker:
        """The package's two nodes and Nav2's stand-in, and the node that asks."""
        llm, extra = language_model(self.options)
        common = ["--ros-args", "-p", "use_sim_time:=true", "-p", f"memory.uri:={self.db_file}"]
        outbox = ["-p", f"outbox_path:={self.folder / 'outbox.db'}"]
        # Simulated time runs fast: what is proposed must not expire before the demo confirms it.
        query = [
            "-p",
            f"llm.model:={llm}",
            *extra,
            "-p",
            "timezone:=UTC",
            "-p",
            "navigation.mode:=confirm",
            "-p",
            "navigation.proposal_timeout_s:=600.0",
        ]
        self._start("captioner", "remembr_ros.nodes.captioner_node", [*common, *outbox])
        self._start("query", "remembr_ros.nodes.query_node", [*common, *query])
        self._start("nav2", "demo.nav2", [])
        self.asker = Asker(self._watch)
        return self.asker

    def start_robot(self, seed: int, visits: int, start_ns: int) -> None:
        """A new building with the robot in it; the robot of the building before goes."""
        before = self.programs.pop("simulator", None)
        if before is not None:
            before.stop()
        speed = 1.0 if self.options.realtime else self.options.speed
        arguments = ["--seed", str(seed), "--visits", str(visits), "--start-ns", str(start_ns), "--speed", str(speed)]
        self._start("simulator", "demo.player", arguments)

    def start_voice(self, asker: Asker) -> Any:
        """The whisper node, and a person who talks to it (demo.voice.Person)."""
        from demo.voice import Person

        person = Person(asker)
        arguments = ["--ros-args", "-p", "use_sim_time:=true", *person.parameters(self.folder / "spoken.wav")]
        self._start("whisper", "remembr_ros.nodes.whisper_node", arguments)
        person.wait_for_listener()
        return person

    def measure_memory(self) -> None:
        for name, program in self.programs.items():
            self.figures.memory_mb[name] = memory_mb(program.pid)
        self.figures.memory_mb["milvus lite"] = sum(memory_mb(pid) for pid in milvus_pids(self.db_file))

    def _start(self, name: str, module: str, arguments: Sequence[str]) -> None:
        self.programs[name] = Program(name, module, arguments, self.folder)

    def _watch(self) -> None:
        for program in self.programs.values():
            if not program.running:
                raise DemoFailed(f"{program.name} ended. Its last words:\n{program.last_words()}")


def language_model(options: argparse.Namespace) -> tuple[str, list[str]]:
    """Parameter llm.model and further parameters, from the options and the environment."""
    base_url = options.llm_base_url or os.environ.get("OPENAI_BASE_URL", "")
    extra = ["-p", f"llm.base_url:={base_url}"] if base_url else []
    if options.llm:
        return options.llm, extra
    if os.environ.get("OPENAI_API_KEY"):
        return f"openai:{os.environ.get('OPENAI_MODEL', 'gpt-4o')}", extra
    return "extractive", []


def drive_and_remember(demo: Demo, asker: Asker, seed: int, visits: int, start_ns: int) -> tuple[World, Tour, int]:
    """One building: wait until everything is there, play the tour, wait until every window is stored."""
    world = make_world(seed)
    tour = plan_tour(world, visits)
    began = time.monotonic()
    asker.forget_tour()
    demo.start_robot(seed, visits, start_ns)
    asker.wait(lambda: asker.grid is not None and asker.place is not None, "the robot's map and pose", READY_WITHIN_S)
    # Both say on /diagnostics what they do once they are active; where Milvus is late, captions wait in the outbox.
    active = {"captioner": "windows outbox", "query": "questions"}
    asker.wait(
        lambda: (
            all(asker.diagnostic(node, key) for node, key in active.items())
            and asker.diagnostic("query", "message") == "answering"
            and all(asker.told_at(node) >= start_ns for node in active)
            and len({asker.diagnostic(node, "map_id") for node in active} - {""}) == 1
        ),
        "the captioner and query nodes to be active on the robot's map",
        READY_WITHIN_S,
    )
    # What the robot saw last in the building before is closed and stored when the clock has moved on. Then it goes.
    asker.wait(
        lambda: asker.all_stored(start_ns + WINDOW_NS // 3), "the captioner to have nothing left to do", READY_WITHIN_S
    )
    asker.forget(time_message(start_ns + HOUR_NS))
    skipped = int(asker.diagnostic("captioner", "windows skipped") or 0)
    demo.figures.seconds["start"] = time.monotonic() - began

    began = time.monotonic()
    tour_start_ns = asker.start_tour()
    last_window_ns = (tour_start_ns + round(tour.duration_s * 1e9)) // WINDOW_NS * WINDOW_NS

    def all_captioned() -> bool:
        if not asker.captions:
            return False
        end = asker.captions[-1].window_end
        return end.sec * 1_000_000_000 + end.nanosec >= last_window_ns

    limit_s = tour.duration_s * 4 + 60.0
    if demo.options.realtime or not console.is_terminal:
        asker.wait(all_captioned, "captions of the whole tour", limit_s)
    else:
        with console.status("") as status:

            def told() -> bool:
                if asker.captions:
                    last = asker.captions[-1]
                    status.update(f"{len(asker.captions)} memories; {last.text}")
                return all_captioned()

            asker.wait(told, "captions of the whole tour", limit_s)
    asker.wait(lambda: asker.all_stored(last_window_ns), "every memory to be stored", 30.0)
    demo.figures.seconds["tour"], demo.figures.tour_s = time.monotonic() - began, tour.duration_s
    lost = int(asker.diagnostic("captioner", "windows skipped") or 0) - skipped
    if lost:
        console.print(f"[yellow]{lost} windows were skipped: the captioner did not keep up[/]")
    return world, tour, tour_start_ns


def ask_all(demo: Demo, asker: Asker, truth: Truth, tell: bool) -> list[Asked]:
    """Ask every question over the service; drive where one asks for it, after confirming."""
    results = []
    began = time.monotonic()
    driving_s = 0.0
    for asking in truth.questions():
        answer = asker.ask(asking.text)
        goal, place = "", None
        if asking.kind == "go":
            drive_began = time.monotonic()
            if answer.proposal_id:
                goal = asker.drive(answer.proposal_id)
                place = asker.place
            else:
                goal = f"no goal proposed: {answer.goal_msg or answer.text}"
            driving_s += time.monotonic() - drive_began
        asked = Asked(asking, answer, truth.judge(asking, answer, place), goal)
        results.append(asked)
        if tell:
            show_answer(asked, truth)
    demo.figures.seconds["questions"] = time.monotonic() - began - driving_s
    demo.figures.seconds["drive"] = driving_s
    return results


def ask_aloud(demo: Demo, asker: Asker, truth: Truth) -> list[Asked]:
    """The questions where and "take me there" again, by voice, with a spoken yes."""
    began = time.monotonic()
    person = demo.start_voice(asker)
    console.print("\n[bold]By voice[/]: espeak-ng asks, Whisper understands, the robot answers aloud.")
    results = []
    where = next(asking for asking in truth.questions() if asking.kind == "where")
    for asking in (where, replace(where, kind="go", text=f"Take me to the {where.word}.")):
        heard, answer = person.ask(asking.text)
        goal, place = "", None
        if asking.kind == "go" and answer.proposal_id:
            goal = f"a spoken yes: {person.agree(answer.proposal_id)}"
            place = asker.place
        asked = Asked(asking, answer, truth.judge(asking, answer, place), goal)
        show_answer(asked, truth)
        console.print(f"  heard     {heard.text!r}, {heard.latency:.2f} s after its end", markup=False)
        results.append(asked)
    said = demo.folder / "spoken.wav"
    console.print(f"  its voice: {said}" if said.exists() and demo.options.keep else "  (--keep DIR keeps its voice)")
    demo.figures.seconds["voice"] = time.monotonic() - began
    return results


def show_answer(asked: Asked, truth: Truth) -> None:
    """One question and all that belongs to its answer."""
    answer, verdict = asked.answer, asked.verdict
    mark = "[green]right[/]" if verdict.right else "[red]WRONG[/]"
    error = f", off by {verdict.error}" if verdict.error else ""
    console.print(f"\n[bold]{asked.asking.text}[/]")
    console.print(f"  {answer.text}", markup=False)
    if answer.has_pose:
        position = answer.pose.pose.position
        console.print(
            f"  pose      ({position.x:.2f}, {position.y:.2f}) in {answer.pose.header.frame_id}: where the robot stood"
        )
    for memory in answer.evidence[:2]:
        age_s = _seconds(answer.header.stamp) - _seconds(memory.window_end)
        start = truth.clock(_seconds(memory.window_start) - truth.start_ns / 1e9)
        console.print(f"  evidence  {start}, {_age(age_s)} ago: {memory.caption}", markup=False)
    if asked.goal:
        console.print(
            f"  goal      proposed, confirmed: {asked.goal}" if answer.proposal_id else f"  goal      {asked.goal}",
            markup=False,
        )
    console.print(
        f"  {mark}     truth: {verdict.truth}{error}   [dim]({answer.elapsed * 1000:.0f} ms, {answer.source})[/]"
    )
    if answer.error_msg:
        console.print(f"  {answer.error_msg}", markup=False)


def show_figures(demo: Demo) -> None:
    table = Table("stage", "s", title="seconds per stage", title_justify="left", show_edge=False)
    for name, seconds in demo.figures.seconds.items():
        table.add_row(name, f"{seconds:.1f}")
    memory = Table("process", "MB", title="memory per process", title_justify="left", show_edge=False)
    for name, megabytes in demo.figures.memory_mb.items():
        memory.add_row(name, f"{megabytes:.0f}")
    both = Table.grid(padding=(0, 6))
    both.add_row(table, memory)
    console.print()
    console.print(both)


def one_building(demo: Demo, options: argparse.Namespace) -> int:
    """The demo proper. The number of wrong answers."""
    began = time.monotonic()
    asker = demo.start_nodes()
    llm = language_model(options)[0]
    if llm != "extractive":
        console.print(f"Answers come from the language model {llm}.")
    else:
        console.print(
            "The language model is [bold]off[/]: answers come from search and rules. To switch one on, set OPENAI_API_KEY "
            "(and OPENAI_BASE_URL for any OpenAI-compatible endpoint, OPENAI_MODEL for its model)."
        )
    if options.bag:
        from demo.bag import write_bag

        write_bag(Path(options.bag), options.seed, options.visits, FIRST_START_NS)
        console.print(f"the run as a bag: {options.bag}")
    pace = "in real time" if options.realtime else f"up to {options.speed:g} times as fast as real time"
    console.print(f"Building {options.seed}: the robot sets out, {pace}.")
    world, tour, start_ns = drive_and_remember(demo, asker, options.seed, options.visits, FIRST_START_NS)
    memories = asker.memories()
    demo.measure_memory()
    seconds = demo.figures.seconds
    console.print(
        f"It drove for {tour.duration_s / 60:.1f} minutes of its time ({tour.duration_s / seconds['tour']:.1f} times real time), "
        f"visited {len(tour.visits)} rooms, and holds {len(asker.captions)} memories."
    )
    truth = Truth(world, tour, start_ns)
    path, captions = list(asker.path), list(asker.captions)
    results = ask_all(demo, asker, truth, tell=True)
    if options.voice:
        results += ask_aloud(demo, asker, truth)
    began_picture = time.monotonic()
    from demo.picture import draw

    draw(PICTURE, asker.grid, path, asker.path[len(path) - 1 :], captions, results, world)
    seconds["picture"] = time.monotonic() - began_picture
    seconds["all"] = time.monotonic() - began
    wrong = [asked for asked in results if not asked.verdict.right]
    show_figures(demo)
    console.print(f"\nTolerances: {TOLERANCES}.")
    console.print(f"The picture: {PICTURE}   {len(memories)} episodes are remembered.")
    colour = "red" if wrong else "green"
    console.print(f"[{colour}]{len(results) - len(wrong)} of {len(results)} answers are right.[/]")
    return len(wrong)


def many_buildings(demo: Demo, options: argparse.Namespace) -> int:
    """Further seeds with the same processes: between two buildings everything is forgotten. 1 if under 90 % are right."""
    asker = demo.start_nodes()
    began = time.monotonic()
    right = total = 0
    misses: list[str] = []
    for number in range(options.seeds):
        seed = options.seed + 1 + number
        start_ns = FIRST_START_NS + number * HOUR_NS
        seed_began = time.monotonic()
        world, tour, tour_start_ns = drive_and_remember(demo, asker, seed, options.visits, start_ns)
        results = ask_all(demo, asker, Truth(world, tour, tour_start_ns), tell=False)
        wrong = [asked for asked in results if not asked.verdict.right]
        right, total = right + len(results) - len(wrong), total + len(results)
        for asked in wrong:
            goal = f" [{asked.goal}]" if asked.goal else ""
            misses.append(
                f"seed {seed}: {asked.asking.text} -> {asked.answer.text}{goal} (truth: {asked.verdict.truth}; off by {asked.verdict.error or '-'})"
            )
            console.print(f"  {misses[-1]}", markup=False)
        console.print(
            f"seed {seed}: {len(results) - len(wrong)} of {len(results)} right, {len(asker.captions)} memories, "
            f"{time.monotonic() - seed_began:.0f} s"
        )
    share = right / total if total else 0.0
    demo.measure_memory()
    demo.figures.seconds["all"] = time.monotonic() - began
    show_figures(demo)
    console.print(
        f"\n{right} of {total} answers right ({share:.1%}) in {options.seeds} buildings, {len(misses)} misses"
        + (":" if misses else ".")
    )
    for miss in misses:
        console.print(f"  {miss}", markup=False)
    return 0 if share >= 0.9 else 1


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec / 1e9)


def _age(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s" if seconds >= 60 else f"{int(seconds)} s"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/demo", description="A simulated robot drives, remembers, answers and goes there."
    )
    parser.add_argument(
        "--seed", type=int, default=12, help="rooms, photographs, route and questions come from it (default 12)"
    )
    parser.add_argument(
        "--seeds",
        type=int,
        default=0,
        metavar="N",
        help="N further seeds instead; at least 90 %% of the answers must be right",
    )
    parser.add_argument("--visits", type=int, default=VISITS, metavar="N", help=f"rooms to visit (default {VISITS})")
    parser.add_argument(
        "--speed",
        type=float,
        default=12.0,
        help="simulated seconds per second, at most; the clock waits for the captioner",
    )
    parser.add_argument("--realtime", action="store_true", help="play in real time")
    parser.add_argument("--keep", metavar="DIR", help="keep memories and logs in this folder")
    parser.add_argument("--bag", metavar="PATH", help="write the same run as a rosbag2 (mcap), too")
    parser.add_argument(
        "--llm",
        metavar="MODEL",
        default="",
        help="parameter llm.model, such as openai:gpt-4o; default: openai where OPENAI_API_KEY is set, else extractive",
    )
    parser.add_argument("--llm-base-url", metavar="URL", default="", help="parameter llm.base_url")
    parser.add_argument("--voice", action="store_true", help="ask two questions by voice, too (needs espeak-ng)")
    parser.add_argument("--domain", type=int, metavar="ID", help="ROS domain (default: one that is free)")
    options = parser.parse_args(arguments)
    if options.keep and (Path(options.keep) / "memory.db").exists():
        parser.error(f"--keep {options.keep}: there are memories of another run; name a new folder")
    if options.bag and Path(options.bag).exists():
        parser.error(f"--bag {options.bag}: there is something already; name a new folder")
    if options.visits < 1 or options.speed <= 0.0 or options.seeds < 0:
        parser.error("--visits and --speed must be positive, --seeds not negative")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    if options.domain is not None:
        os.environ["ROS_DOMAIN_ID"] = str(options.domain)
    for number in (signal.SIGINT, signal.SIGTERM):  # a kill cleans up, too, and so does Ctrl-C where a shell ignores it
        signal.signal(number, signal.default_int_handler)
    try:
        with Demo(options) as demo:
            try:
                return many_buildings(demo, options) if options.seeds else min(1, one_building(demo, options))
            except DemoFailed as error:
                console.print(f"[red]The demo cannot go on:[/] {error}")
                for program in demo.programs.values():
                    console.print(f"-- {program.name} said last:\n{program.last_words(6)}", markup=False)
                return 2
    except KeyboardInterrupt:
        console.print("stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main())
