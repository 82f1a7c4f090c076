"""What is particular to a database in a SQLite file: the file itself, its log, locks, and the version of its tables."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Insert, TableClause, event, insert
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from beanleague.names import hide_password
from beanleague.store import DatabaseError
from beanleague.store.migrations import SCHEMA_VERSION, newer

APPLICATION_ID = 0x6265616E  # "bean": marks SQLite files as ours
_BUSY_TIMEOUT_MS = 10_000  # how long to wait for another writer

_MEANINGS = (
    ("is locked", "is locked by another program; nothing is lost; try again when that program has finished"),
    ("is full", "cannot be written: the disk is full; nothing is lost; free some space and try again"),
    ("readonly", "cannot be written: it or its folder is read-only"),
    ("not a database", "is not a database; choose another file"),
    ("malformed", "is damaged; restore it from a copy"),
    ("no such table", "is damaged: tables are missing; restore it from a copy"),
    ("no such column", "is damaged: columns are missing; restore it from a copy"),
    ("unable to open", "cannot be opened; check that it is a file, and that you may read and write it and its folder"),
    ("disk I/O error", "cannot be read or written: the disk fails or is full"),
)
"""What errors mean, by a sign of each."""


class SQLiteFile:
    """A database in a file, which is private to its user: it holds the secrets of leagues. Created if it is missing.

    Raises:
        DatabaseError: if it cannot be opened, is damaged, newer, or of another program. Then it is not changed.
    """

    def __init__(self, url: URL) -> None:
        shown = hide_password(url.render_as_string(hide_password=True))
        in_memory = ":memory:" in str(url.database) or url.query.get("mode") == "memory"
        if not url.database or in_memory:
            raise DatabaseError(
                f"{shown} is kept in memory and would be lost; choose a file, e.g. sqlite:///folder/file.db"
            )
        self.file = Path(url.database)
        self.name = str(self.file)
        self.engine_options: dict[str, Any] = {}
        self._create()
        self._examine()

    def set_up(self, engine: Engine) -> None:
        """Set up a new engine: its connections, and how its transactions begin."""
        event.listen(engine, "connect", _set_up_connection)
        event.listen(engine, "begin", _begin)

    @staticmethod
    def reading(engine: Engine) -> Engine:
        """Return the engine for transactions that read: in the log each sees one state of the file throughout."""
        return engine

    @staticmethod
    def writing(engine: Engine, *, durable: bool) -> Engine:
        """Return the engine for transactions that write."""
        return engine.execution_options(begin="IMMEDIATE", synchronous="FULL" if durable else "NORMAL")

    @staticmethod
    def lock(connection: Connection) -> None:
        """Do nothing: who begins to write here is alone."""

    @staticmethod
    def insert(connection: Connection, table: TableClause, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows with the same columns."""
        connection.execute(_insertion(table), rows)

    @staticmethod
    def now(connection: Connection) -> float:
        """Return the time, in seconds since 1970."""
        del connection
        return time.time()

    @staticmethod
    def version(connection: Connection) -> int:
        """Return the version of the tables, 0 if there are none."""
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())

    @staticmethod
    def set_version(connection: Connection) -> None:
        """Store that the tables are those of this version."""
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def settle(self) -> None:
        """Use write-ahead logging, so that readers and a writer do not wait for each other.

        The file keeps this setting. If the file is in use now, a later start sets it.
        """
        with closing(sqlite3.connect(self.name)) as connection:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                return

    def checkpoint(self) -> bool:
        """Move what is in the write-ahead log into the file; see `Database.checkpoint`."""
        try:
            with closing(sqlite3.connect(self.name)) as connection:
                _, in_log, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            raise self.explained(error) from None
        return bool(in_log == moved)

    def explained(self, error: BaseException, *, lost: bool = False) -> DatabaseError:
        """Return an error of the driver as a sentence. `lost`: the connection is gone, which it cannot be here."""
        del lost
        text = str(error).strip().partition("\n")[0] or type(error).__name__
        for sign, meaning in _MEANINGS:
            if sign in text:
                return DatabaseError(f"{self.name} {meaning}")
        return DatabaseError(f"the database {self.name} failed: {text}")

    def _create(self) -> None:
        """Create the file unless it exists."""
        try:
            os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise DatabaseError(f"cannot create the database {self.name}: {error.strerror}") from None

    def _examine(self) -> None:
        """Check the file before anything is written to it."""
        uri = f"{self.file.absolute().as_uri()}?mode=rw"
        try:
            with closing(
                sqlite3.connect(uri, uri=True, timeout=_BUSY_TIMEOUT_MS / 1000, isolation_level=None)
            ) as found:
                found.execute("BEGIN")  # somebody else may be making the tables: see all of it or nothing
                version, application = (
                    found.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
                )
                tables = found.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        except sqlite3.Error as error:
            raise self.explained(error) from None
        if version > SCHEMA_VERSION and (application == APPLICATION_ID or not tables):
            raise newer(self.name, version)
        if tables and application != APPLICATION_ID:
            raise DatabaseError(f"{self.name} is a database of another program; choose another file")


@cache
def _insertion(table: TableClause) -> Insert:
    """Return the statement, made once: making it takes longer than running it."""
    return insert(table)


def _set_up_connection(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions begin when we say so
    cursor = connection.cursor()
    for pragma in (f"busy_timeout = {_BUSY_TIMEOUT_MS}", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if "synchronous" in options:
        # In WAL, NORMAL may lose the last commits when the power fails, never half of one, and nothing when we crash.
        connection.exec_driver_sql(f"PRAGMA synchronous = {options['synchronous']}")
    connection.exec_driver_sql(f"BEGIN {options.get('begin', 'DEFERRED')}")
