"""Bring a virtual environment up to date with the checkout; only what changed is done again.

In: the environment's folder and the requirement groups wanted. Out: on stdout the colcon prefixes to put on the
search paths, one a line; on stderr the progress. Exit code 1 with one sentence when something failed.
Runs with the environment's own interpreter and the standard library only.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROS_SOURCED = bool(os.environ.get("ROS_DISTRO"))
OVERLAY = bool(os.environ.get("REMEMBR_OVERLAY")) and not ROS_SOURCED
DEFAULT_GROUPS = ("runtime", "models", "voice", "demo", "test")
STALE_PYTHON = re.compile(r"/opt/python/cp3\d+-cp3\d+/include/python3\.\d+")
STALE_NUMPY = re.compile(r"/opt/python/cp3\d+-cp3\d+/lib/python3\.\d+/site-packages/numpy/_?core/include")


class PreparationError(Exception):
    """What failed and what to do, in words for the person at the terminal."""


def say(text: str) -> None:
    print(f"remembr_ros: {text}", file=sys.stderr, flush=True)


def requirement_file(group: str) -> Path:
    """The file of a group: `runtime` is requirements.txt, `x` is requirements-x.txt."""
    path = ROOT / ("requirements.txt" if group == "runtime" else f"requirements-{group}.txt")
    if not path.is_file():
        raise PreparationError(f"no requirement group {group!r}: {path.name} does not exist")
    return path


def digest(paths: Iterable[Path], *extra: str) -> str:
    """One hash over names and contents of files, and over `extra`."""
    total = hashlib.sha256(repr(extra).encode())
    for path in sorted(paths):
        total.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


class Stamp:
    """Remembers, in the environment, the state of the inputs that a finished step was made from."""

    def __init__(self, venv: Path, step: str, state: str) -> None:
        self._path = venv / ".remembr" / step
        self._state = state

    def holds(self) -> bool:
        return self._path.is_file() and self._path.read_text() == self._state

    def set(self) -> None:
        self._path.write_text(self._state)

    def clear(self) -> None:
        self._path.unlink(missing_ok=True)


def install(venv: Path, groups: list[str]) -> None:
    """Install all requirement files in one resolution if any of them changed since."""
    files = [requirement_file(group) for group in groups]
    stamps = [
        Stamp(venv, f"requirements-{group}", digest([file], sys.version))
        for group, file in zip(groups, files, strict=True)
    ]
    if all(stamp.holds() for stamp in stamps):
        return
    say(f"installing {', '.join(file.name for file in files)}")
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
    for file in files:
        command += ["-r", str(file)]
    if not ROS_SOURCED and shutil.which("cmake") is None:
        command.append("cmake>=3.22,<4")
    if os.environ.get("ROS_DISTRO") == "humble":
        command.append("numpy<2")  # Humble's messages are compiled against numpy 1
    run_pip(command)
    if not ROS_SOURCED:
        correct_stale_paths(venv)
    for stamp in stamps:
        stamp.set()


def run_pip(command: list[str]) -> None:
    """Run pip, show one line per large download, and name the package when it fails."""
    started, package, errors = time.monotonic(), "", []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            line = line.strip()
            if match := re.match(r"Collecting (\S+)", line):
                package = match[1]
            elif line.startswith("ERROR:"):
                errors.append(line)
            if re.match(r"(Downloading .*MB|Building|Installing collected)", line):
                say(f"{time.monotonic() - started:5.0f} s  {line[:100]}")
    if pip.returncode:
        named = re.search(
            r"(?:satisfies the requirement|distribution found for|build wheels? for|Failed to build) (\S+)",
            " ".join(errors),
        )
        raise PreparationError(
            f"could not install {named[1] if named else package or 'the packages'} "
            f"(pip ended with {pip.returncode}).\n    "
            + "\n    ".join(errors[-5:] or ["no message from pip; is the network there?"])
        )
    say(f"{time.monotonic() - started:5.0f} s  packages are installed")


def correct_stale_paths(venv: Path) -> None:
    """Point the wheels' CMake exports at this machine's headers: they name those of the machine that built them."""
    import numpy  # installed just now

    for path in (venv / "share").rglob("*.cmake"):
        text = path.read_text()
        new = STALE_PYTHON.sub(sysconfig.get_path("include"), STALE_NUMPY.sub(numpy.get_include(), text))
        if new != text:
            path.write_text(new)


def source_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def colcon(venv: Path, prefix: Path, package: Path) -> None:
    """Build one package into its own prefix; the log is shown when the build fails."""
    environment = dict(os.environ)
    if not ROS_SOURCED:
        libraries = [venv / "lib", *venv.glob("lib/python3*/site-packages/ros_*.libs")]
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, libraries))
        for name in ("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"):
            environment[name] = os.pathsep.join(filter(None, [str(venv), environment.get(name)]))
    shutil.rmtree(prefix, ignore_errors=True)  # a renamed or deleted file must not live on
    prefix.mkdir(parents=True)
    # Run by the environment's interpreter, also where colcon comes from apt: programs get it in their first line.
    command = [sys.executable, "-c", "import sys; from colcon_core.command import main; sys.exit(main())"]
    command += ["--log-base", str(prefix / "log"), "build", "--merge-install", "--symlink-install"]
    command += ["--base-paths", str(package), "--build-base", str(prefix / "build"), "--install-base", str(prefix)]
    command += ["--cmake-args", f"-DPython3_EXECUTABLE={sys.executable}", "-DBUILD_TESTING=OFF", "-Wno-dev"]
    result = subprocess.run(
        command,
        cwd=prefix,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if result.returncode:
        raise PreparationError(f"colcon could not build {package_name(package)}:\n{result.stdout[-6000:]}")


def package_name(package: Path) -> str:
    return ElementTree.parse(package / "package.xml").findtext("name", "").strip()


def build(venv: Path, prefix: Path, package: Path, state: str) -> Path:
    """Build unless `state` is that of the last build that succeeded."""
    stamp = Stamp(venv, f"build-{prefix.name}", state)
    if not (stamp.holds() and (prefix / "local_setup.bash").exists()):
        started = time.monotonic()
        say(f"building {package_name(package)}")
        stamp.clear()
        colcon(venv, prefix, package)
        stamp.set()
        say(f"{time.monotonic() - started:5.0f} s  built")
    return prefix


def build_interfaces(venv: Path) -> Path:
    interfaces = ROOT / "remembr_interfaces"
    return build(venv, venv / "overlay" / "interfaces", interfaces, digest(source_files(interfaces), sys.version))


def build_package(venv: Path) -> Path | None:
    """Install the package itself as links, so that edits count at once; again only when files come or go."""
    manifest = [path for path in (ROOT / "package.xml", ROOT / "setup.py", ROOT / "setup.cfg") if path.is_file()]
    if len(manifest) < 3 or not (ROOT / "remembr_ros" / "__init__.py").is_file():
        return None
    names = [str(path.relative_to(ROOT)) for folder in ("config", "launch") for path in source_files(ROOT / folder)]
    return build(venv, venv / "overlay" / "package", ROOT, digest(manifest, sys.version, *sorted(names)))


def build_fixtures(venv: Path) -> list[Path]:
    """Build the test-only interface packages under test/fixtures whose real counterpart is not installed."""
    prefixes = []
    for manifest in sorted(ROOT.glob("test/fixtures/*/package.xml")):
        name = package_name(manifest.parent)
        if not is_importable(name, venv):
            state = digest(source_files(manifest.parent), sys.version)
            prefixes.append(build(venv, venv / "overlay" / f"fixture-{name}", manifest.parent, state))
    return prefixes


def is_importable(name: str, venv: Path) -> bool:
    """Whether a package is there other than as a fixture that an earlier run put on the path."""
    sys.path[:] = [entry for entry in sys.path if not entry.startswith(str(venv / "overlay"))]
    spec = importlib.util.find_spec(name)
    return spec is not None and spec.origin is not None  # a bare folder of that name is no package


def check_wheels_fit() -> None:
    if ROS_SOURCED:
        return
    machine, version = platform.machine(), sys.version_info[:2]
    if platform.system() != "Linux" or machine != "x86_64" or not (3, 10) <= version <= (3, 13):
        raise PreparationError(
            f"no ROS is sourced, and ROS 2 comes as wheels for Linux x86_64 with Python 3.10 to 3.13 only "
            f"(this is {platform.system()} {machine} with Python {platform.python_version()}). "
            "Install ROS 2 and source it: . /opt/ros/jazzy/setup.bash"
        )


def check_build_tools() -> None:
    if shutil.which("cmake") is None:
        raise PreparationError("cmake is missing. Install it with:\n    sudo apt install cmake")
    if importlib.util.find_spec("colcon_core") is None:
        raise PreparationError(
            "colcon is missing. Install it with:\n    sudo apt install python3-colcon-common-extensions"
        )


def main() -> int:
    venv = Path(sys.argv[1]).absolute()
    groups = sys.argv[2:] or list(DEFAULT_GROUPS)
    try:
        check_wheels_fit()
        (venv / ".remembr").mkdir(exist_ok=True)
        with open(venv / ".remembr" / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two terminals: the second waits and finds the work done
            install(venv, [*(() if ROS_SOURCED else ("ros", "build")), *groups, *(("overlay",) if OVERLAY else ())])
            check_build_tools()
            prefixes = [build_interfaces(venv), *build_fixtures(venv)]
            if package := build_package(venv):
                prefixes.append(package)
    except PreparationError as error:
        print(f"remembr_ros: {error}", file=sys.stderr)
        return 1
    print("\n".join(map(str, prefixes)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
