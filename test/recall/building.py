"""A small, known day of a robot: captions, places and times that the question tables are asked about.

Times are seconds after DAY (2026-11-30 14:00:00 New York). Captions come in two voices: a tagger's and a VLM's.
"""

from __future__ import annotations

from zoneinfo import ZoneInfo

from remembr_ros.records import NANOSECONDS, Memory, Pose, Question

ZONE_NAME = "America/New_York"
ZONE = ZoneInfo(ZONE_NAME)
DAY_S = 1796065200  # 2026-11-30 14:00:00 -05:00
NOW_S = 3600  # asked at 15:00:00
STAYS: tuple[tuple[float, float, float, float, str], ...] = (
    # from, to [s after DAY], x, y [m], caption; one memory per 3 s of a stay
    (-86400, -86391, 2.0, 2.0, "I see an accordion."),
    (0, 9, 0.0, 0.0, "The robot is outdoors on a brick sidewalk lined with trees, cars parked along the road."),
    (60, 66, 5.0, 0.0, "The robot passes through glass doors and enters a building lobby with a tall ceiling."),
    (120, 135, 10.0, 0.0, "I see an espresso, a cup."),
    (300, 312, 15.0, 3.0, "A red chair stands next to a wide window in a corridor."),
    (400, 409, 16.0, 9.0, "A blue chair beside a wooden table with a laptop on it."),
    (500, 503, 20.0, 9.0, "I see nothing that I recognise."),
    (600, 621, 25.0, 5.0, "An elevator with steel doors; a sign next to it reads ROOM 204."),
    (900, 906, 30.0, 0.0, "I see an Egyptian cat."),
    (1200, 1230, 10.5, 0.5, "I see an espresso, a cup."),
    (1500, 1506, 40.0, 2.0, "Two people in yellow jackets talk in an empty hallway with no furniture."),
    (1800, 1812, 42.0, 12.0, "A white fire extinguisher cabinet hangs on the wall below an exit sign."),
    (2400, 2460, 50.0, 10.0, "The robot stands in a computer lab with rows of desks and monitors."),
    (3000, 3006, 25.5, 5.0, "An elevator with steel doors, its doors closed."),
    (3540, 3549, 3.0, 1.0, "A potted plant in front of a brick wall."),
)


def ns(seconds: float) -> int:
    """Seconds after DAY to ns."""
    return round((DAY_S + seconds) * NANOSECONDS)


def memories() -> list[Memory]:
    rows = []
    for start, end, x, y, caption in STAYS:
        at = start
        while at < end:
            rows.append(
                Memory(
                    id=f"w{ns(at)}",
                    start_ns=ns(at),
                    end_ns=ns(at + 3),
                    episode_start_ns=ns(at),
                    caption=caption,
                    pose=Pose(ns(at + 1.5), "map", x + (at - start) * 0.01, y, yaw=0.0),
                    localized=True,
                    map_id="floor1",
                    robot_id="robot",
                    camera="front",
                )
            )
            at += 3
    return rows


def question(text: str, **fields: object) -> Question:
    values: dict[str, object] = {
        "now_ns": ns(NOW_S),
        "pose": Pose(ns(NOW_S), "map", 12.0, 1.0, yaw=0.0),
        "map_id": "floor1",
        **fields,
    }
    return Question(text, **values)  # type: ignore[arg-type]
