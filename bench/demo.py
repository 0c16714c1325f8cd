"""The demo, measured: seconds per stage, memory per process, and whether every answer was right.

In: the demo with seed 1. Out: figures `STAGE_s`, `PROCESS_mb`, `speed_x` (simulated time against real time),
`wrong_answers`.
"""

from __future__ import annotations

from bench.report import Figure, Result
from demo.programs import Demo
from demo.run import one_building, parse

QUICK_VISITS = "2"


def run(quick: bool) -> Result:
    """About a minute; `quick` visits two rooms only."""
    options = parse(["--seed", "1", *(["--visits", QUICK_VISITS] if quick else [])])
    with Demo(options) as demo:
        wrong = one_building(demo, options)
        figures = demo.figures
    seconds = [Figure(f"{name}_s", value, "s") for name, value in figures.seconds.items()]
    memory = [Figure(f"{name.replace(' ', '_')}_mb", value, "MB") for name, value in figures.memory_mb.items()]
    speed = Figure("speed_x", figures.tour_s / figures.seconds["tour"], "x", "simulated time against real time")
    return Result((*seconds, *memory, speed, Figure("wrong_answers", float(wrong), "")))
