"""How a captioner is, in one level, one sentence and its counters: for /diagnostics and the log line of each minute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from remembr_ros.remember.builder import BuilderStats
from remembr_ros.remember.pose_track import PoseAt, PoseStats
from remembr_ros.remember.window import WindowStats
from remembr_ros.ros import diagnostics

BUSY_WARNING_S = 60.0
"""A caption that takes longer has hung, or the model is hopelessly slow here."""


def values(
    images: int,
    bad_messages: int,
    windower: WindowStats | None,
    builder: BuilderStats | None,
    poses: PoseStats,
    pose_at: PoseAt | None,
    map_id: str,
    captioner: str,
) -> dict[str, Any]:
    """Every counter under a name that says what it counts."""
    shown: dict[str, Any] = {
        "captioner": captioner or "none loaded",
        "images": images,
        "bad messages": bad_messages,
        "map_id": map_id,
        "pose age [s]": pose_at.age_s if pose_at else "no pose",
        "localized": bool(pose_at and pose_at.localized),
    }
    shown |= {f"poses {name.replace('_', ' ')}": value for name, value in asdict(poses).items()}
    if windower is not None:
        shown |= {f"frames {name.replace('_', ' ')}": value for name, value in asdict(windower).items()}
    if builder is not None:
        for name, value in asdict(builder).items():
            label = f"{name[:-2].replace('_', ' ')} [s]" if name.endswith("_s") else name.replace("_", " ")
            shown[f"windows {label}"] = value
    return shown


def level(
    problem: str,
    memory_problem: str,
    silent_s: float | None,
    pose_problem: str,
    now: BuilderStats | None,
    minute_ago: BuilderStats | None,
) -> tuple[bytes, str]:
    """`problem`: why it is not active, empty when it is. `silent_s`: of a silent camera. The worst comes first."""
    if problem:
        return diagnostics.ERROR, problem
    if memory_problem:
        return diagnostics.WARN, memory_problem
    if silent_s is not None:
        return diagnostics.WARN, f"no images for {silent_s:.0f} s"
    if now is not None:
        if now.busy_s > BUSY_WARNING_S:
            return diagnostics.WARN, f"the captioner has been at work on one window for {now.busy_s:.0f} s"
        before = minute_ago or BuilderStats()
        lost = (now.failed - before.failed) + (now.refused - before.refused)
        if lost and now.captioned == before.captioned:
            return diagnostics.WARN, f"no usable caption for {lost} windows in the last minute"
        skipped = now.skipped - before.skipped
        if skipped:
            return diagnostics.WARN, f"the captioner is too slow: {skipped} windows skipped in the last minute"
    if pose_problem:
        return diagnostics.WARN, pose_problem
    return diagnostics.OK, "remembering"


def minute_line(shown: Mapping[str, Any], now: BuilderStats, before: BuilderStats) -> str:
    """One line a minute: what was stored, what was not and why, and how the robot is placed."""
    lost = {
        "skipped": now.skipped - before.skipped,
        "refused": now.refused - before.refused,
        "failed": now.failed - before.failed,
        "unlocalized": now.skipped_unlocalized - before.skipped_unlocalized,
    }
    lost_words = "".join(f", {count} {name}" for name, count in lost.items() if count)
    age = shown["pose age [s]"]
    pose = age if isinstance(age, str) else f"pose {age:.1f} s old, {'' if shown['localized'] else 'not '}localized"
    return (
        f"{now.stored - before.stored} memories in the last minute ({now.stored} since the start){lost_words}; "
        f"model {now.model_s:.2f} s, lag {now.lag_s:.2f} s, {now.waiting} waiting, {now.outbox} in the outbox; {pose}"
    )
