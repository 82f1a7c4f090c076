"""A folder of files that are whole at every moment."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PART = ".part"  # what is being written; renamed when it is whole


class SiteFolder:
    """Writes files, but those that are already as they should be. Counts both."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.written = 0
        """How many files were written."""
        self.bytes = 0
        """Their size."""
        self._folders = set[Path]()

    @contextmanager
    def locked(self) -> Iterator[bool]:
        """Keep other processes from writing the folder; gives False if one does."""
        self.root.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.root, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            (self.root / _PART).unlink(missing_ok=True)  # of a run that was killed
            yield True
        finally:
            os.close(handle)

    def write(self, file: str, data: bytes) -> None:
        """Write a file unless it has this content."""
        try:
            same = (self.root / file).read_bytes() == data
        except FileNotFoundError:
            same = False
        if not same:
            self.write_new(file, data)

    def write_new(self, file: str, data: bytes) -> None:
        """Write a file, whatever it has now."""
        path, part = self.root / file, self.root / _PART
        if path.parent not in self._folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._folders.add(path.parent)
        part.write_bytes(data)
        part.replace(path)
        self.written += 1
        self.bytes += len(data)

    def remove(self, folder: str) -> None:
        """Remove the files in a folder."""
        for name in self.names(folder):
            (self.root / folder / name).unlink()

    def names(self, folder: str) -> frozenset[str]:
        """Return the names of the files in a folder; none if it does not exist."""
        try:
            with os.scandir(self.root / folder) as entries:
                return frozenset(entry.name for entry in entries)
        except FileNotFoundError:
            return frozenset()
