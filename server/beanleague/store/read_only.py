"""SQLite files that this process can only read: the reason, and connections that create no files next to them.

SQLite reads a file in write-ahead logging only if it finds or creates a log and an index next to it.
"""

import os
import pwd
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeAlias

from beanleague.store import DatabaseError

Open: TypeAlias = Callable[[Path, str], sqlite3.Connection]
"""Function that opens a file with options of a SQLite URI."""

_LOG, _INDEX, _JOURNAL = "-wal", "-shm", "-journal"
_LIVE = "mode=ro&readonly_shm=1"
_UNUSABLE_LOG = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN})
_EFFECTIVE = os.access in os.supports_effective_ids
_COPY_TIMEOUT_S = 10.0
_RETRY_INTERVAL_S = 0.05
_CLOCK_TICK_NS = 20_000_000  # changes within the same tick of the kernel's clock get the same time

State: TypeAlias = "tuple[tuple[int, ...] | None, ...]"
"""Fingerprints of a file, its log and its journal."""


def obstacle(file: Path) -> str:
    """Return the reason why an existing file cannot be written; "" if it can, or does not exist."""
    if not _may(file, os.F_OK):
        return ""
    real = file.resolve()
    if os.statvfs(real).f_flag & os.ST_RDONLY:
        return "its file system is mounted read-only"
    if not _may(real, os.W_OK):
        owner = real.stat().st_uid
        return "it is write-protected" if owner == os.geteuid() else f"it belongs to {_user(owner)}"
    shared = all(_may(_beside(real, end), os.W_OK) for end in (_LOG, _INDEX))
    return "" if shared or _may(real.parent, os.W_OK) else f"you may not write its folder {real.parent}"


class ReadOnlyFile:
    """A SQLite file of another owner, or on read-only media. Each new connection sees the newest state.

    While another process writes it, SQLite reads the log and locks of the writer. Otherwise a connection uses a private
    copy, refreshed after a change, or on read-only media the file itself.

    `file`: path of the file. `open_file`: opens connections.
    """

    def __init__(self, file: Path, open_file: Open) -> None:
        self._file = file.resolve()
        self._open = open_file
        self._lock = threading.Lock()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._copied: State = ()

    def connect(self) -> sqlite3.Connection:
        """Open a connection for one transaction.

        Raises:
            DatabaseError: if the file or its log cannot be read or copied, or changes all the time.
            sqlite3.Error: if the file cannot be opened.
        """
        with self._lock:
            if connection := self._live():
                return connection
            if _on_read_only_media(self._file) and not self._unfinished():
                return self._open(self._file, "mode=ro&immutable=1")
            if self._folder is None or self._state() != self._copied:
                self._copy()
            assert self._folder is not None
            return self._open(Path(self._folder.name, self._file.name), "mode=ro")

    def close(self) -> None:
        """Remove the private copy."""
        with self._lock:
            if self._folder is not None:
                self._folder.cleanup()
            self._folder, self._copied = None, ()

    def _live(self) -> sqlite3.Connection | None:
        """Return a connection that shares the log of a writer; None if SQLite cannot use the log."""
        if not all(_may(_beside(self._file, end), os.R_OK) for end in (_LOG, _INDEX)):
            return None
        connection = None
        try:
            connection = self._open(self._file, _LIVE)
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if error.sqlite_errorcode & 0xFF in _UNUSABLE_LOG:
                return None
            raise
        return connection

    def _unfinished(self) -> bool:
        """Return whether a log or journal has changes that the file lacks."""
        return any(each is not None and each[1] for each in self._state()[1:])

    def _state(self) -> State:
        return tuple(_stamp(_beside(self._file, end)) for end in ("", _LOG, _JOURNAL))

    def _copy(self) -> None:
        """Make a private, consistent copy of the file, with the log or journal of a killed writer.

        Raises:
            DatabaseError: see `connect`.
        """
        end = time.monotonic() + _COPY_TIMEOUT_S
        while not self._copy_once():
            if time.monotonic() > end:
                raise DatabaseError(
                    f"{self._file} kept changing while it was being copied for reading; try again, or ask its "
                    "owner for a backup ('beanleague backup')"
                )
            time.sleep(_RETRY_INTERVAL_S)

    def _copy_once(self) -> bool:
        """Copy the file; return whether it was unchanged during the copy."""
        before, began = self._state(), time.time_ns()
        if any(each is not None and abs(began - each[2]) < _CLOCK_TICK_NS for each in before):
            return False
        folder = tempfile.TemporaryDirectory(prefix="beanleague-")
        try:
            self._copy_into(Path(folder.name))
        except DatabaseError:
            folder.cleanup()
            raise
        if self._state() != before:
            folder.cleanup()
            return False
        with closing(self._open(Path(folder.name, self._file.name), "mode=rw")) as copy, suppress(sqlite3.Error):
            # without a write-ahead log; a reader of the copy reports its damage, if any
            copy.execute("PRAGMA journal_mode = DELETE")
        if self._folder is not None:
            self._folder.cleanup()  # files that are open stay readable after their removal
        self._folder, self._copied = folder, before
        return True

    def _copy_into(self, folder: Path) -> None:
        for end in ("", _LOG, _JOURNAL):
            source = _beside(self._file, end)
            try:
                shutil.copyfile(source, folder / source.name)
            except FileNotFoundError:
                continue
            except PermissionError:
                raise DatabaseError(
                    f"you may not read {source}; its owner can allow it: chmod a+r {self._file}*"
                ) from None
            except OSError as error:
                raise DatabaseError(
                    f"cannot copy {source} to {folder.parent} for reading: {error.strerror}; set TMPDIR to another "
                    "folder"
                ) from None


def _may(file: Path, mode: int) -> bool:
    return os.access(file, mode, effective_ids=_EFFECTIVE)


def _beside(file: Path, end: str) -> Path:
    return file.with_name(file.name + end)


def _stamp(file: Path) -> tuple[int, ...] | None:
    """Return inode, size and times of a file, which identify its contents; None if it does not exist."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"the user {number}"


def _on_read_only_media(file: Path) -> bool:
    """Return whether no process can write a file. A file system mounted read-only here may be writable elsewhere."""
    if not os.statvfs(file).f_flag & os.ST_RDONLY:
        return False
    device = file.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    try:
        mounts = Path("/proc/self/mountinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        return False
    found = [words[-1].split(",") for words in map(str.split, mounts) if words[2] == number]
    return bool(found) and all("ro" in options for options in found)
