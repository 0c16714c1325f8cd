"""What a person meets before any code runs: versions, manifests, installed files, the environment script."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import remembr_ros

ROOT = Path(__file__).resolve().parent.parent
SETUP = (ROOT / "setup.py").read_text()


def manifest(folder: str) -> ElementTree.Element:
    return ElementTree.parse(ROOT / folder / "package.xml").getroot()


def run(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=50, check=False, **options)  # type: ignore[call-overload]


def test_the_version_is_the_same_everywhere() -> None:
    versions = {
        "package.xml": manifest(".").findtext("version"),
        "remembr_interfaces": manifest("remembr_interfaces").findtext("version"),
        "setup.py": re.findall(r'version="([^"]+)"', SETUP)[0],
        "changelog": re.findall(r"^(\d+\.\d+\.\d+) ", (ROOT / "CHANGELOG.rst").read_text(), re.MULTILINE)[0],
    }
    assert set(versions.values()) == {remembr_ros.__version__}, versions


def test_every_program_of_setup_py_exists() -> None:
    programs = re.findall(r'"(\w+) = ([\w.]+):(\w+)"', SETUP)
    assert {name for name, _, _ in programs} >= {"captioner", "query", "remembr"}
    for name, module, function in programs:
        path = ROOT / (module.replace(".", "/") + ".py")
        assert path.is_file(), f"{name}: no {path.relative_to(ROOT)}"
        names = {node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
        assert function in names, f"{name}: no {function}() in {path.relative_to(ROOT)}"


def test_every_message_package_that_is_imported_is_declared() -> None:
    declared = {element.text for element in manifest(".").iter() if element.tag.endswith("depend")}
    suffixes = ("_msgs", "_srvs", "_interfaces", "rclpy", "launch", "launch_ros", "nav2_simple_commander", "tf2_ros")
    for path in [*(ROOT / "remembr_ros").rglob("*.py"), *(ROOT / "launch").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for name in (name.split(".")[0] for name in names):
                if name.endswith(suffixes):
                    assert name in declared, f"{path.relative_to(ROOT)} imports {name}: add it to package.xml"


@pytest.mark.parametrize("command", [("build", "--build-base"), ("sdist", "--formats=gztar", "--dist-dir")])
def test_what_is_installed_has_the_files_that_are_no_modules(tmp_path: Path, command: tuple[str, ...]) -> None:
    copied = tmp_path / "source"
    kept = shutil.ignore_patterns(".*", "__pycache__", "build", "install", "log", "*.egg-info", "test", "docs", "bench")
    shutil.copytree(ROOT, copied, ignore=kept)
    made = tmp_path / "made"
    result = run([sys.executable, "setup.py", "-q", *command, str(made)], cwd=copied)
    assert result.returncode == 0, result.stderr
    if command[0] == "sdist":
        shutil.unpack_archive(next(made.glob("*.tar.gz")), made)
    for wanted in ("everyday_words.txt", "same_words.py"):
        assert list(made.rglob(f"remembr_ros/recall/{wanted}")), f"{command[0]} left out {wanted}"


def test_an_installation_has_an_example_of_a_sites_words() -> None:
    assert re.search(r'glob\("config/\*\.\*"\)', SETUP) and (ROOT / "config" / "site_words.txt").is_file()


@pytest.mark.parametrize("path", sorted(ROOT.glob("requirements*.txt")), ids=lambda path: path.name)
def test_requirements_are_bounded(path: Path) -> None:
    for line in path.read_text().splitlines():
        requirement = line.split("#")[0].strip()
        if requirement and not requirement.startswith("ros-jazzy-"):  # one distribution: jazzy is the bound
            assert re.search(r"<|==", requirement), f"{path.name}: {requirement} has no upper bound"
            assert not re.match(r"torch(vision|audio)", requirement)


@pytest.mark.skipif(shutil.which("colcon") is None, reason="colcon not installed: . scripts/environment.sh")
def test_colcon_finds_both_packages_with_their_build_types() -> None:
    result = run(["colcon", "list"], cwd=ROOT)
    found = {line.split("\t")[0]: line.split("\t")[2] for line in result.stdout.splitlines()}
    assert found == {"remembr_interfaces": "(ros.ament_cmake)", "remembr_ros": "(ros.ament_python)"}, result.stderr


def test_no_comment_of_an_interface_ends_a_c_comment() -> None:
    """The generators copy comments into C headers; `*/` there breaks the build in a distant place."""
    for path in ROOT.glob("remembr_interfaces/*/*.*"):
        assert "*/" not in path.read_text(), path.name


def test_the_package_imports_with_nothing_but_python() -> None:
    code = "import remembr_ros, remembr_ros.records, remembr_ros.errors; print(remembr_ros.__version__)"
    bare = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = run([sys.executable, "-S", "-c", code], cwd=ROOT, env=bare)  # -S: no site-packages
    assert result.stdout.strip() == remembr_ros.__version__, result.stderr


def test_a_run_in_which_every_test_was_skipped_fails(tmp_path: Path) -> None:
    shutil.copy(ROOT / "test" / "conftest.py", tmp_path)
    (tmp_path / "test_none.py").write_text("import pytest\n\ndef test_skipped():\n    pytest.skip('no robot')\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    assert run(command, cwd=tmp_path).returncode == pytest.ExitCode.NO_TESTS_COLLECTED


def source_environment(tmp_path: Path, tools: tuple[str, ...], **variables: str) -> subprocess.CompletedProcess[str]:
    """Source the script where only `tools` are installed."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in ("dirname", *tools):
        path = shutil.which(tool)
        assert path is not None
        (folder / tool).symlink_to(path)
    bash = shutil.which("bash")
    assert bash is not None
    script = f'set -euo pipefail; . "{ROOT}/scripts/environment.sh"'
    return run([bash, "-c", script], cwd=tmp_path, env={"PATH": str(folder), "HOME": str(tmp_path), **variables})


def test_a_missing_compiler_is_named_with_its_install_line(tmp_path: Path) -> None:
    result = source_environment(tmp_path, ())
    assert result.returncode == 1
    assert "C++ compiler is missing" in result.stderr and "sudo apt install build-essential" in result.stderr


def test_a_missing_interpreter_is_named_with_its_install_line(tmp_path: Path) -> None:
    variables = {"REMEMBR_VENV": str(tmp_path / "venv"), "REMEMBR_PYTHON": "python3.99"}
    result = source_environment(tmp_path, ("c++", "make"), **variables)
    assert result.returncode == 1
    assert "sudo apt install python3.99 python3.99-venv" in result.stderr


def test_an_overlay_that_is_none_is_refused(tmp_path: Path) -> None:
    script = f'. "{ROOT}/scripts/environment.sh"'
    result = run(["bash", "-c", script], env={**os.environ, "REMEMBR_OVERLAY": str(tmp_path)})
    assert result.returncode == 1
    assert f"{tmp_path}: no colcon install there" in result.stderr


def test_a_failed_installation_names_the_package(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "ROS_DISTRO"}
    venv = tmp_path / "venv"
    venv.mkdir()
    # A target folder makes pip look for every package anew, and keeps it from touching the environment of this test.
    environment |= {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_TARGET": str(tmp_path / "target")}
    result = run([sys.executable, str(ROOT / "scripts" / "prepare.py"), str(venv)], env=environment)
    assert result.returncode == 1 and result.stdout == ""
    assert "could not install ros-jazzy-" in result.stderr
    assert not list((venv / ".remembr").glob("requirements-*")), "a failed installation must be tried again"


@pytest.mark.ros
def test_each_run_has_a_domain_and_keeps_what_the_user_set() -> None:
    script = f'. "{ROOT}/scripts/environment.sh"; echo "$ROS_DOMAIN_ID $FASTRTPS_DEFAULT_PROFILES_FILE"'
    keep = {"ROS_DOMAIN_ID": "99", "FASTRTPS_DEFAULT_PROFILES_FILE": "/mine.xml"}
    inherited = {key: value for key, value in os.environ.items() if key != "REMEMBR_DRAWN_DOMAIN_ID"}
    assert run(["bash", "-c", script], env=inherited | keep).stdout.split() == ["99", "/mine.xml"]
    fresh = {key: value for key, value in inherited.items() if key not in keep}
    domain, profile = run(["bash", "-c", script], env=fresh).stdout.split()
    assert 1 <= int(domain) <= 101
    assert profile == str(ROOT / "config" / "fastdds.xml")


@pytest.mark.ros
def test_runs_at_the_same_time_have_different_domains() -> None:
    script = f'. "{ROOT}/scripts/environment.sh"; echo "$ROS_DOMAIN_ID"; read -r _ || true'
    drawn = ("ROS_DOMAIN_ID", "REMEMBR_DRAWN_DOMAIN_ID")
    fresh = {key: value for key, value in os.environ.items() if key not in drawn}
    shells = [
        subprocess.Popen(["bash", "-c", script], env=fresh, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    try:
        domains = [shell.stdout.readline().strip() for shell in shells if shell.stdout is not None]
    finally:
        for shell in shells:
            shell.communicate("\n", timeout=30)
    assert all(domains) and len(set(domains)) == len(shells)
