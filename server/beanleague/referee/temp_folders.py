"""Temporary folders that have an owner; when the owner was killed, the next process that makes one removes them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Self

PREFIX = "beanleague-"
"""Prefix of the names of these folders, and of everything named after them."""

_LOCK = ".owner"  # locked by the owner while it lives; folders without this file are never removed
_MAX_PARENT_BYTES = 60  # of the path of the parent folder: a socket below it adds 37, and may have 107
_STALE_AFTER_S = 60.0  # a younger folder may not be locked yet


class TempFolder:
    """A new folder, `path`, that belongs to this process and is removed when it is closed."""

    def __init__(self) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_parent()))
        self._lock = (self.path / _LOCK).open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        """Remove the folder with everything in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _parent() -> str:
    """Return the parent folder: the usual one for temporary files, or /tmp if that has too long a path for sockets."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= _MAX_PARENT_BYTES else "/tmp"  # noqa: S108  # made by mkdtemp


def sweep() -> None:
    """Remove the folders of this user whose owners no longer run."""
    for folder in Path(_parent()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            about = folder.lstat()
            if about.st_uid == os.geteuid() and time.time() - about.st_mtime > _STALE_AFTER_S:
                _remove_unowned(folder)


def _remove_unowned(folder: Path) -> None:
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
