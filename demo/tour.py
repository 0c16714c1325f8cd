"""The robot's tour: a building is entered, driven through and remembered.

In: a building's seed, rooms to visit, the first instant [ns since the Unix epoch, simulated]. Out: the building, the
tour and when it began; the memories are in the store.
"""

from __future__ import annotations

import time

from demo.asker import Asker
from demo.messages import time_message
from demo.programs import Demo, console
from demo.route import Tour, plan_tour
from demo.simulation import WINDOW_NS
from demo.world import World, make_world

HOUR_NS = 3_600_000_000_000
READY_WITHIN_S = 120.0


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
    # The captioner has already begun with what the parked robot sees; what it has announced must leave its outbox.
    told_ns = asker.told_at("captioner")
    asker.wait(
        lambda: asker.told_at("captioner") > told_ns and asker.diagnostic("captioner", "windows outbox") == "0",
        "every memory to be stored",
        60.0,
    )
    demo.figures.seconds["tour"], demo.figures.tour_s = time.monotonic() - began, tour.duration_s
    lost = int(asker.diagnostic("captioner", "windows skipped") or 0) - skipped
    if lost:
        console.print(f"[yellow]{lost} windows were skipped: the captioner did not keep up[/]")
    return world, tour, tour_start_ns
