"""Who may import whom: records, errors <- memory <- remember, recall, hear, navigate <- ros <- nodes, cli."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import remembr_ros

PACKAGE = Path(remembr_ros.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
FOUNDATION = {"records", "errors", "intent", "legible", "__init__"}
ALLOWED = {
    "memory": {"memory"},
    "remember": {"memory", "remember"},
    "recall": {"memory", "recall"},
    "hear": {"memory", "hear"},
    "navigate": {"memory", "navigate"},
    "ros": {"memory", "remember", "recall", "hear", "navigate", "ros"},
    "nodes": {"memory", "remember", "recall", "hear", "navigate", "ros", "nodes"},
    "evaluation": {"memory", "remember", "recall", "evaluation"},
    "cli": {"memory", "remember", "recall", "hear", "navigate", "ros", "cli", "evaluation"},
}
ROS_LAYERS = {"ros", "nodes", "cli"}
ROS_MODULES = {"rclpy", "rcl_interfaces", "launch", "launch_ros", "tf2_ros", "cv_bridge", "ament_index_python"}
HEAVY = {
    "torch", "transformers", "sentence_transformers", "pymilvus", "milvus_lite", "openai", "cv2", "PIL",
    "faster_whisper", "ctranslate2", "sounddevice", "soxr", "efficientnet_lite_pytorch", "nano_llm", "rosbags",
    "matplotlib", "nav2_msgs",
}  # fmt: skip
HEAVY_AT_TOP_OF = {
    "memory/host.py": {"milvus_lite"},  # the process that is nothing but Milvus Lite
}


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(tree: ast.AST, top_only: bool = False) -> Iterator[str]:
    """Dotted names; with `top_only` those that run when the module is imported (TYPE_CHECKING blocks do not)."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif top_only and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            if not top_only:
                yield from imports(node)
        else:
            yield from imports(node, top_only)


def is_ros(name: str) -> bool:
    root = name.split(".")[0]
    return root in ROS_MODULES or root.endswith(("_msgs", "_srvs", "_interfaces"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path):
    own, tree = layer(path), ast.parse(path.read_text(encoding="utf-8"))
    for name in imports(tree):
        parts = name.split(".")
        if parts[0] == "remembr_ros" and len(parts) > 1 and parts[1] not in FOUNDATION | {"__version__"}:
            assert own not in FOUNDATION, f"{path}: {own} imports {name}"
            assert parts[1] in ALLOWED[own], f"{path}: {own} must not import {name}"
        if is_ros(name):
            assert own in ROS_LAYERS, f"{path}: ROS is only known under ros, nodes and cli: {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_imports_are_not_at_the_top(path: Path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    heavy = {name.split(".")[0] for name in imports(tree, top_only=True)} & HEAVY
    where = str(path.relative_to(PACKAGE))
    if where.startswith("ros/navigators/"):
        heavy -= {"nav2_msgs"}
    assert heavy <= HEAVY_AT_TOP_OF.get(where, set()), f"{where} imports {sorted(heavy)} when it is imported"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_evaluated(path: Path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec", "compile", "__import__"), f"{path}:{node.lineno}"
        if isinstance(node, ast.keyword) and node.arg == "shell":
            raise AssertionError(f"{path}: a shell")
        if isinstance(node, ast.ImportFrom):
            assert all(alias.name != "*" for alias in node.names), f"{path}:{node.lineno}"


def test_the_pure_modules_import_in_a_bare_interpreter():
    """No third-party package at all: records, queries, recall's rules, goal policy, parameter tables."""
    modules = [
        "remembr_ros", "remembr_ros.records", "remembr_ros.errors", "remembr_ros.intent", "remembr_ros.memory.query",
        "remembr_ros.memory.uri", "remembr_ros.memory.embedders", "remembr_ros.remember.captioners",
        "remembr_ros.remember.window", "remembr_ros.remember.pose_track", "remembr_ros.remember.outbox",
        "remembr_ros.recall.when", "remembr_ros.recall.understand", "remembr_ros.navigate.navigator",
        "remembr_ros.ros.parameters", "remembr_ros.ros.parameter_tables",
    ]  # fmt: skip
    code = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r})\n" + "\n".join(
        f"import {name}" for name in modules
    )
    code += "\nassert not {'numpy', 'rclpy', 'yaml'} & set(sys.modules)"
    result = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert result.returncode == 0, result.stderr
