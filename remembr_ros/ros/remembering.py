"""The parts of the writing path as the captioner's parameters want them, for the node and for `remembr build` alike.

In: the values of parameter_tables.CAPTIONER. Needs no ROS.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from remembr_ros.remember.captioners.options import CaptionerOptions
from remembr_ros.remember.episodes import EpisodeTracker, sharing_words
from remembr_ros.remember.keyframes import Keyframes
from remembr_ros.remember.placer import WindowPlacer
from remembr_ros.remember.pose_track import PoseAt, PoseTrack
from remembr_ros.remember.window import Windower

TF_INTERVAL_S = 0.1
"""The base is looked up in the map ten times a second."""
STEADY_MAX_AGE_S = 2.0
"""Odometry and tf are published without a break: an older pose of theirs is no longer where the robot is."""


def create_windower(parameters: Mapping[str, Any], on_problem: Callable[[str], None]) -> Windower:
    return Windower(
        parameters["window_s"],
        parameters["sample_hz"],
        implausible_stamps=parameters["implausible_stamps"],
        on_problem=on_problem,
    )


def create_pose_track(parameters: Mapping[str, Any], on_problem: Callable[[str], None]) -> PoseTrack:
    return PoseTrack(
        max_position_std=parameters["max_position_std"],
        settle_s=parameters["pose_settle_s"],
        max_gap_s=parameters["pose_max_gap_s"],
        max_age_s=math.inf if parameters["pose_source"] == "amcl_pose" else STEADY_MAX_AGE_S,
        on_problem=on_problem,
    )


def create_placer(parameters: Mapping[str, Any], poses: PoseTrack) -> WindowPlacer:
    return WindowPlacer(poses, parameters["pose_wait_s"])


def create_keyframes(parameters: Mapping[str, Any], on_problem: Callable[[str], None]) -> Keyframes | None:
    """None where no pictures are kept. Raises ConfigurationError."""
    budget_mb = parameters["keyframes.budget_mb"]
    return Keyframes(parameters["keyframes.folder"], budget_mb * 10**6, on_problem) if budget_mb else None


def create_episodes(parameters: Mapping[str, Any]) -> EpisodeTracker:
    return EpisodeTracker(
        max_distance_m=parameters["episodes.max_distance"],
        max_gap_s=parameters["episodes.max_gap_s"],
        similar=sharing_words(parameters["episodes.similarity"]),
    )


def captioner_options(parameters: Mapping[str, Any]) -> CaptionerOptions:
    """Raises ConfigurationError."""
    return CaptionerOptions(**{field.name: parameters[f"captioner.{field.name}"] for field in fields(CaptionerOptions)})


def placed(pose_at: PoseAt | None, parameters: Mapping[str, Any]) -> PoseAt | None:
    """As it is, but odometry in a frame of its own is never localized: that frame begins anew at every start."""
    drifts = parameters["pose_source"] == "odometry"
    if pose_at is None or not drifts or pose_at.pose.frame_id == parameters["map_frame"]:
        return pose_at
    return replace(pose_at, localized=False)
