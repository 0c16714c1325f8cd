"""Where the processes that share one Milvus Lite file meet: a private folder per user and file.

It holds the server's socket and log, and locks that the kernel drops with their holder: `spawn.lock` (one client at a
time looks for a host or starts one), `host.lock` (held by the host while it lives), `lease.lock` (shared by the
clients, taken alone by a host that stops), `write.lock` (one client at a time stores what is missing).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import socket
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from remembr_ros.errors import MemoryUnavailable


@dataclass(frozen=True, slots=True)
class RuntimeFolder:
    """The private folder (mode 0700) in which the processes that share one database file meet."""

    path: Path

    @classmethod
    def of(cls, db_file: Path) -> RuntimeFolder:
        """Made on first use. Not under TMPDIR or XDG_RUNTIME_DIR: these differ between a shell and a service, and
        paths of unix sockets end at 107 bytes. Raises MemoryUnavailable if someone else owns the folder."""
        base = Path(f"/tmp/remembr_ros-{os.getuid()}")
        folder = base / hashlib.blake2b(os.fsencode(db_file), digest_size=8).hexdigest()
        try:
            for path in (base, folder):
                with contextlib.suppress(FileExistsError):
                    path.mkdir(mode=0o700)
                found = path.lstat()
                if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
                    raise MemoryUnavailable(
                        f"{path} must be a folder that only its owner, uid {os.getuid()}, can enter. It is "
                        f"{stat.filemode(found.st_mode)} of uid {found.st_uid}: remove it, or ask an administrator to"
                    )
        except OSError as error:
            raise MemoryUnavailable(f"cannot make the folder {folder} for the server of {db_file}: {error}") from error
        return cls(folder)

    @property
    def socket(self) -> Path:
        return self.path / "milvus.sock"

    @property
    def log(self) -> Path:
        return self.path / "host.log"

    def open_lock(self, name: str) -> IO[str]:
        return (self.path / f"{name}.lock").open("a")

    def has_lock(self, name: str, file: IO[str]) -> bool:
        """Whether `file`, of `open_lock`, is still the one that others meet at."""
        try:
            return os.path.samestat(os.fstat(file.fileno()), (self.path / f"{name}.lock").stat())
        except FileNotFoundError:
            return False

    def answers(self) -> bool:
        """Whether a server accepts connections on the socket."""
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1.0)
            try:
                probe.connect(str(self.socket))
            except OSError:
                return False
        return True


def try_lock(file: IO[str], *, shared: bool = False) -> bool:
    """Take the flock on `file` now, or say that somebody else has it."""
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
