"""Where the memory lives: the parameter `memory.uri` to a file or a server address.

In: `~/memory.db`, `/data/memory.db`, `file:/data/memory.db` (embedded), `http(s)://host:port` or `unix:/socket` (a
Milvus server). Out: a `FileLocation` or a `ServerLocation`. Every refusal names the parameter, what was given and what
is wanted.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from remembr_ros.errors import ConfigurationError

DEFAULT_URI = "~/.ros/remembr/memory.db"
"""Beside the logs that ROS keeps in the user's home; the only folder that is made when it is missing."""

_FILE_NAME = re.compile(r"[A-Za-z0-9._-]{1,36}")
"""The names that Milvus Lite 2.5 accepts."""
_SQLITE_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class FileLocation:
    """A Milvus Lite database file: absolute, symbolic links resolved, so that one file has one name."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class ServerLocation:
    """The address of a Milvus server, as pymilvus takes it."""

    address: str

    def __str__(self) -> str:
        return self.address


def locate(uri: str, *, parameter: str = "memory.uri") -> FileLocation | ServerLocation:
    """The place that `uri` names. Touches nothing but the folder of `DEFAULT_URI`, which it makes.

    Raises ConfigurationError for a URI that no database can be behind: unknown scheme, no host, missing folder,
    a name that Milvus Lite refuses, a folder, or a file that is not a database.
    """
    uri = uri.strip() or DEFAULT_URI
    scheme = uri.partition(":")[0].lower() if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", uri) else ""
    if scheme in ("http", "https"):
        try:
            parts = urlsplit(uri)
            valid = bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            valid = False
        if not valid:
            raise ConfigurationError(f"{parameter}: {uri!r} has no usable host and port; wanted http://HOST:19530")
        return ServerLocation(uri)
    if scheme == "unix":
        socket_path = uri.partition(":")[2]
        if not socket_path.startswith("/"):
            raise ConfigurationError(f"{parameter}: {uri!r} is not unix:/absolute/path of a socket")
        return ServerLocation(f"unix:{socket_path}")
    if scheme == "file":
        parts = urlsplit(uri)
        if parts.netloc not in ("", "localhost"):
            raise ConfigurationError(f"{parameter}: {uri!r} names the host {parts.netloc!r}; wanted file:/path")
        return FileLocation(_database_file(unquote(parts.path), uri, parameter))
    if scheme:
        raise ConfigurationError(
            f"{parameter}: {uri!r} has the scheme {scheme!r}; wanted a file path, file:, http://, https:// or unix:"
        )
    return FileLocation(_database_file(uri, uri, parameter))


def _database_file(given: str, uri: str, parameter: str) -> Path:
    try:
        path = Path(given).expanduser()
    except RuntimeError as error:
        raise ConfigurationError(f"{parameter}: {uri!r}: {error}") from error
    if given.startswith("~") and path == Path(DEFAULT_URI).expanduser():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"{parameter}: cannot make the folder {path.parent}: {error.strerror}") from error
    if "\0" in given:
        raise ConfigurationError(f"{parameter}: {uri!r} has a NUL character, which no path has")
    path = Path(os.path.realpath(path))
    if not _FILE_NAME.fullmatch(path.name):
        raise ConfigurationError(
            f"{parameter}: the file name {path.name!r} must be 1 to 36 characters of letters, digits, '.', '-' and '_'"
        )
    if not path.parent.is_dir():
        raise ConfigurationError(f"{parameter}: the folder {path.parent} of {uri!r} does not exist; make it first")
    if path.is_dir():
        raise ConfigurationError(f"{parameter}: {path} is a folder; wanted a file in it, such as {path / 'memory.db'}")
    try:
        if path.exists():
            with path.open("rb") as file:
                magic = file.read(len(_SQLITE_MAGIC))
            if magic and magic != _SQLITE_MAGIC:
                raise ConfigurationError(f"{parameter}: {path} is not a Milvus Lite database; name another file")
        writable = os.access(path if path.exists() else path.parent, os.W_OK) and os.access(path.parent, os.W_OK)
    except OSError as error:
        raise ConfigurationError(f"{parameter}: cannot read {path}: {error.strerror}") from error
    if not writable:
        raise ConfigurationError(f"{parameter}: no permission to write {path} (and its lock file beside it)")
    return path
