"""The documents name files, parameters and launch arguments that exist; the CI file is sound YAML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from remembr_ros.ros.parameter_tables import names

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "docs" / "robot.md", ROOT / "docs" / "jetson.md"]
GROUPS = "captioner|embedder|memory|llm|agent|navigation|keyframes|markers|audio|vad|asr|gate|speaker"


@pytest.mark.parametrize("file", [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")], ids=lambda file: file.name)
def test_parameters_and_files_that_are_named_exist(file: Path) -> None:
    text = file.read_text()
    for name in re.findall(rf"`((?:{GROUPS})\.[a-z_]+)[:`]", text):
        assert name in names() or (ROOT / name).exists() or name.endswith((".db", ".py")), name
    for name in re.findall(r"`((?:config|docs|scripts)/[\w.]+)`", text):
        assert (ROOT / name).exists(), name
    for link in re.findall(r"\]\(([\w./]+\.\w+)\)", text):
        assert (file.parent / link).exists(), link


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_each_step_says_whether_it_was_run(file: Path) -> None:
    steps = re.split(r"^(?:## \d+\.|\d+\.) ", file.read_text(), flags=re.MULTILINE)[1:]
    assert steps and all(re.search(r"\b(not )?run\b", step, re.IGNORECASE) for step in steps)


def test_launch_arguments_that_are_named_exist() -> None:
    launch = "\n".join(
        path.read_text() for path in [*(ROOT / "launch").glob("*.py"), ROOT / "remembr_ros/ros/launching.py"]
    )
    for file in DOCUMENTS:
        for name in re.findall(r"\b(\w+):=", file.read_text()):
            assert f'"{name}"' in launch, f"{file.name}: {name}"


def test_ci_covers_both_distributions_and_says_that_it_was_not_run() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert yaml.safe_load(text)["jobs"]["ros"]["strategy"]["matrix"]["distro"] == ["humble", "jazzy"]
    assert text.startswith("# Written, not run")
