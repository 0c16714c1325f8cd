"""The demo: a simulated robot drives through a building, remembers, answers questions and drives to an answer.

Starts the robot's simulator, a stand-in for Nav2, and the package's own captioner and query nodes as separate
processes, then asks over the service remembr/ask. Exit code 1 when an answer is wrong, 2 when the demo could not run.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from demo.asker import DemoFailed
from demo.asking import ask_all, ask_aloud
from demo.programs import Demo, console, language_model
from demo.questions import TOLERANCES, Truth
from demo.tour import HOUR_NS, drive_and_remember

FIRST_START_NS = 1_780_304_400_000_000_000
"""2026-06-01 09:00:00 UTC: a multiple of the window's 3 s."""
PICTURE = Path(__file__).with_name("map.png")
VISITS = 4


def one_building(demo: Demo, options: argparse.Namespace) -> int:
    """The demo proper. The number of wrong answers."""
    began = time.monotonic()
    asker = demo.start_nodes()
    llm = language_model(options)[0]
    if llm != "extractive":
        console.print(f"Answers come from the language model {llm}.")
    else:
        console.print(
            "The language model is [bold]off[/]: answers come from search and rules. To switch one on, set "
            "OPENAI_API_KEY (and OPENAI_BASE_URL for any OpenAI-compatible endpoint, OPENAI_MODEL for its model)."
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
    times = f"{tour.duration_s / seconds['tour']:.1f} times real time"
    console.print(
        f"It drove for {tour.duration_s / 60:.1f} minutes of its time ({times}), visited {len(tour.visits)} rooms, "
        f"and holds {len(asker.captions)} memories."
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
    """Further seeds with the same processes: between two, everything is forgotten. 1 if under 90 % are right."""
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
                f"seed {seed}: {asked.asking.text} -> {asked.answer.text}{goal} "
                f"(truth: {asked.verdict.truth}; off by {asked.verdict.error or '-'})"
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
    parser.add_argument(
        "--domain", type=int, metavar="ID", help="ROS domain (default: ROS_DOMAIN_ID, else one that is free)"
    )
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
            except DemoFailed:
                for program in demo.programs.values():
                    console.print(f"-- {program.name} said last:\n{program.last_words(6)}", markup=False)
                raise
    except DemoFailed as error:
        console.print(f"[red]The demo cannot go on:[/] {error}")
        return 2
    except KeyboardInterrupt:
        console.print("stopped")
        return 130


if __name__ == "__main__":
    sys.exit(main())
