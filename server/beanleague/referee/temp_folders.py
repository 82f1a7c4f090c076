"""Temporary folders that have an owner: when it is killed, the next one to make a folder removes what it left."""

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
"""What the names of these folders, and of all that is named after them, begin with."""

_LOCK = ".owner"  # held by the owner while it lives; what has none is no such folder
_LONGEST = 60  # bytes of the folder that these are in: the path of a socket in them has 37 more, and 107 at most
_OLD = 60.0  # seconds; a younger one may be about to get its owner


class OwnFolder:
    """A new folder of this process, `path`, which goes when it is closed."""

    def __init__(self) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_place()))
        self._lock = (self.path / _LOCK).open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        """Remove it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _place() -> str:
    """Return where these folders are: where temporary files are wanted, unless sockets would have too long a path."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= _LONGEST else "/tmp"  # noqa: S108  # made by mkdtemp


def sweep() -> None:
    """Remove the folders of this user whose owners are dead."""
    for folder in Path(_place()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            about = folder.lstat()
            if about.st_uid == os.geteuid() and time.time() - about.st_mtime > _OLD:
                _remove_unowned(folder)


def _remove_unowned(folder: Path) -> None:
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
