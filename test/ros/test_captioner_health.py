"""Level, sentence and minute line, from the counters alone."""

from __future__ import annotations

import pytest

pytest.importorskip("rclpy", reason="rclpy not importable: . scripts/environment.sh")

from remembr_ros.records import Pose
from remembr_ros.remember.builder import BuilderStats
from remembr_ros.remember.pose_track import PoseAt, PoseStats
from remembr_ros.remember.window import WindowStats
from remembr_ros.ros import captioner_health, diagnostics

FINE = BuilderStats(windows=20, captioned=20, stored=20)


@pytest.mark.parametrize(
    ("arguments", "level", "words"),
    [
        (("loading", "", None, "", None, None), diagnostics.ERROR, "loading"),
        (("", "Milvus is away", 7.0, "", FINE, None), diagnostics.WARN, "Milvus is away"),
        (("", "", 7.0, "", FINE, None), diagnostics.WARN, "no images for 7 s"),
        (("", "", None, "", BuilderStats(busy_s=90.0), None), diagnostics.WARN, "one window for 90 s"),
        (("", "", None, "", BuilderStats(captioned=20, failed=2), FINE), diagnostics.WARN, "no usable caption for 2"),
        (("", "", None, "", BuilderStats(captioned=30, skipped=3), FINE), diagnostics.WARN, "3 windows skipped"),
        (("", "", None, "no transform", FINE, FINE), diagnostics.WARN, "no transform"),
        (("", "", None, "", BuilderStats(captioned=30, failed=1, skipped=0), FINE), diagnostics.OK, "remembering"),
        (("", "", None, "", FINE, FINE), diagnostics.OK, "remembering"),
    ],
)  # fmt: skip
def test_the_worst_is_said(arguments, level, words):
    given, text = captioner_health.level(*arguments)
    assert given == level and words in text


def test_a_minute_in_a_line():
    pose_at = PoseAt(Pose(1, "map", 1.0, 2.0), 12.34, True)
    shown = captioner_health.values(9, 1, WindowStats(), FINE, PoseStats(), pose_at, "floor1", "tagger")
    now = BuilderStats(stored=38, skipped=2, failed=1, outbox=4, model_s=1.5, lag_s=2.0)
    line = captioner_health.minute_line(shown, now, FINE)
    assert line.startswith("18 memories in the last minute (38 since the start), 2 skipped, 1 failed;")
    assert "model 1.50 s" in line and "4 in the outbox" in line and line.endswith("pose 12.3 s old, localized")
    nowhere = captioner_health.values(0, 0, None, None, PoseStats(), None, "", "")
    assert captioner_health.minute_line(nowhere, FINE, FINE).endswith("; no pose")
    assert nowhere["captioner"] == "none loaded"
