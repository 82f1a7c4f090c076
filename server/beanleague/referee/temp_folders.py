"""Temporary folders with an owner; if the owner was killed, the next process that creates one removes them."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "beanleague-"
"""Prefix for the names of temporary folders, and of everything named after them."""

MEMORY = Path("/dev/shm")  # noqa: S108  # where Linux mounts a tmpfs for all users
"""Parent of folders that are held in memory."""

_LOCK = ".owner"  # file that is locked while the owner lives; folders without it are never removed
_NEW_LOCK = ".new"  # name of the lock file until it is locked
_MAX_PARENT_BYTES = 60  # maximum length of the parent's path: a socket below adds 37 bytes, and the limit is 107


class TempFolder(contextlib.AbstractContextManager["TempFolder"]):
    """A new folder `path`, owned by this process and removed by `close`.

    `parent`: parent folder, either `MEMORY` or the usual one for temporary files.
    """

    def __init__(self, parent: Path | None = None) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent or _parent()))
        self._lock = (self.path / _NEW_LOCK).open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        (self.path / _NEW_LOCK).rename(self.path / _LOCK)

    def close(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _parent() -> str:
    """Return the parent folder: the usual one for temporary files, or /tmp if that has too long a path for sockets."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= _MAX_PARENT_BYTES else "/tmp"  # noqa: S108  # made by mkdtemp


def sweep() -> None:
    """Remove this user's folders whose owners have ended."""
    for folder in (*Path(_parent()).glob(f"{PREFIX}*"), *MEMORY.glob(f"{PREFIX}*")):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.geteuid():
                lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(folder, ignore_errors=True)
                finally:
                    os.close(lock)
