"""Copies of a SQLite database: verified backups, and checkpoints that keep its file worth copying."""

import os
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from beanleague.store import DatabaseError
from beanleague.store.database import Database
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION, SCHEMA_VERSION
from beanleague.store.rows import check_rows
from beanleague.store.sqlite import check_tables, connect, copied, explanation, remove_copy

_CHECKPOINT_INTERVAL_S = 10.0


class Checkpointer:
    """Moves commits from the write-ahead log into the database file every few seconds.

    SQLite itself does so only once the log has a thousand pages; until then a copy of the file alone would lack them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="checkpoints", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        self._thread.join()

    def _work(self) -> None:
        done: tuple[int, int] | None = None
        while not self._closed.wait(_CHECKPOINT_INTERVAL_S):
            state = self._log_state()
            if state is None or state == done:
                continue
            with suppress(DatabaseError):  # the next commit reports the same error
                if self._database.checkpoint():
                    done = state

    def _log_state(self) -> tuple[int, int] | None:
        """Return time and size of the write-ahead log, which change with every commit; None without a log."""
        if self._database.file is None:
            return None
        try:
            found = Path(f"{self._database.file}-wal").stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size


@contextmanager
def backup(database: Database) -> Iterator[BinaryIO]:
    """Yield a verified snapshot of the database, without runs, as a file open for reading.

    Other connections may read and write the database during the copy. The snapshot is deleted at the end.

    Raises:
        DatabaseError: if the database is not a SQLite file, cannot be copied, or the copy is damaged.
    """
    if database.file is None:
        raise DatabaseError(f"{database.name} is not a SQLite file; back it up with the tools of its database system")
    folder = tempfile.gettempdir() if database.obstacle else database.file.parent
    try:
        number, name = tempfile.mkstemp(prefix=f".{database.file.name}.", suffix=".backup", dir=folder)
        os.close(number)
    except OSError as error:
        raise DatabaseError(f"cannot copy {database.name} to {folder}: {error.strerror}") from None
    copy = Path(name)
    try:
        try:
            with database.read() as reading:
                source = reading.connection.driver_connection
                assert isinstance(source, sqlite3.Connection)
                with copied(source, copy) as target:
                    target.execute("DELETE FROM run")
        except sqlite3.Error as error:
            raise DatabaseError(f"the database {database.name} cannot be copied: {error}") from None
        check_backup(copy)
        with copy.open("rb") as opened:
            yield opened
    finally:
        remove_copy(copy)


def check_backup(file: Path, name: str = "") -> None:
    """Open a backup and check all of it. `name`: its name in errors, "" for its path.

    Raises:
        DatabaseError: if the file is damaged or not a Beanleague database.
    """
    name = name or f"the backup {file}"
    try:
        with closing(connect(file, options="mode=ro&immutable=1")) as opened:
            check_tables(opened, name)
            (found,) = opened.execute("PRAGMA integrity_check(1)").fetchone()
            (version,) = opened.execute("PRAGMA user_version").fetchone()
            if found != "ok":
                raise DatabaseError(f"{name} is damaged: {found}")
            if version < OLDEST_SCHEMA_VERSION:
                raise DatabaseError(f"{name} is not a Beanleague database")
            if version == SCHEMA_VERSION:  # the check knows only the current tables
                check_rows(opened, name)
    except sqlite3.Error as error:
        raise explanation(error, name) from None
