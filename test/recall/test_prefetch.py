"""What is searched for before the language model is asked."""

from __future__ import annotations

from small_building import ZONE, question

from remembr_ros.recall.prefetch import first_searches
from remembr_ros.recall.understand import understand


def test_between_two_things_both_beginnings_are_shown() -> None:
    asked = question("How long was it between the red chair and the blue box?")
    shown = [
        (call.arguments["query"], call.arguments.get("order"))
        for call in first_searches(understand(asked, ZONE), asked)
    ]
    assert shown == [("red chair", None), ("red chair", "first"), ("blue box", None), ("blue box", "first")]
