"""The connection to the database: opening it safely, transactions, and errors that people understand."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, event, inspect, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, create_engine, select

from beanleague.names import hide_password
from beanleague.store.errors import DatabaseError
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION, SCHEMA_VERSION, migrate
from beanleague.store.tables import SchemaRow, core, metadata

APPLICATION_ID = 0x6265616E  # "bean": marks SQLite files as ours
_BUSY_TIMEOUT_MS = 10_000  # how long to wait for another writer


class Database:
    """A database with the tables of this version: created if it was empty, upgraded if they were older.

    `url`: an SQLAlchemy URL. A SQLite file is private to its user: it holds the secrets of leagues.

    Raises:
        DatabaseError: if it cannot be opened, is damaged, newer, or of another program. Then it is not changed.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):  # ValueError: of a port
            raise DatabaseError(
                f"{hide_password(url)!r} is not a database URL; write a file as sqlite:///folder/file.db "
                "(sqlite:////... if absolute)"
            ) from None
        self.url = hide_password(parsed.render_as_string(hide_password=True))
        self._sqlite = parsed.get_backend_name() == "sqlite"
        self.file = Path(parsed.database) if self._sqlite and parsed.database else None
        """The file of a SQLite database; None for others."""
        in_memory = ":memory:" in str(self.file) or parsed.query.get("mode") == "memory"
        if self._sqlite and (not self.file or in_memory):
            raise DatabaseError(
                f"{self.url} is kept in memory and would be lost; choose a file, e.g. sqlite:///folder/file.db"
            )
        self.name = str(self.file or self.url)
        if self.file:
            self._create(self.file)
            self._examine(self.file)
        try:
            self._engine = create_engine(url)
        except (NoSuchModuleError, ModuleNotFoundError) as missing:
            raise DatabaseError(f"cannot open {self.url}: {missing}") from None
        if self._sqlite:
            event.listen(self._engine, "connect", _set_up_connection)
            event.listen(self._engine, "begin", _begin)
        self._durable = self._engine.execution_options(begin="IMMEDIATE", synchronous="FULL")
        self._replayable = self._engine.execution_options(begin="IMMEDIATE", synchronous="NORMAL")
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give a session that sees one state of the database throughout."""
        with self._explained(), Session(self._engine) as session:
            yield session

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[Session]:
        """Give a session whose changes are committed together at the end, or not at all after an exception.

        There is one writer at a time. `durable`: what was committed stays when the power fails. Without it, which
        takes a fraction of the time, the last commits may be lost: for what the next run of a league plays again.
        """
        with self._explained(), Session(self._durable if durable else self._replayable) as session:
            yield session
            session.commit()

    def checkpoint(self) -> bool:
        """Move what is in the write-ahead log of a SQLite file into the file; nobody has to wait for it.

        Return whether everything is in the file now: not if somebody reads an older state.

        Raises:
            DatabaseError: if it cannot be written.
        """
        if not self.file:
            return True
        try:
            with closing(sqlite3.connect(self.name)) as connection:
                _, in_log, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            raise self._explain(error) from None
        return bool(in_log == moved)

    def _create(self, file: Path) -> None:
        """Create the file unless it exists."""
        try:
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise DatabaseError(f"cannot create the database {self.name}: {error.strerror}") from None

    def _examine(self, file: Path) -> None:
        """Check a SQLite file before anything is written to it."""
        uri = f"{file.absolute().as_uri()}?mode=rw"
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
            raise self._explain(error) from None
        if version > SCHEMA_VERSION and (application == APPLICATION_ID or not tables):
            raise self._newer(version)
        if tables and application != APPLICATION_ID:
            raise DatabaseError(f"{self.name} is a database of another program; choose another file")

    def _prepare(self) -> None:
        """Create the tables in an empty database, upgrade older ones, and refuse those of a newer version."""
        version = self._version()
        if version == 0 or OLDEST_SCHEMA_VERSION <= version < SCHEMA_VERSION:
            with self.write() as session:
                connection = session.connection()
                self._bring_up_to_date(connection, self._version_on(connection))  # somebody else may have been quicker
            version = self._version()
        if version > SCHEMA_VERSION:
            raise self._newer(version)
        if version < SCHEMA_VERSION:
            raise DatabaseError(
                f"{self.name} was written by an older, unreleased Beanleague (tables of version {version}; this one "
                f"knows {OLDEST_SCHEMA_VERSION} to {SCHEMA_VERSION}); it was not changed; choose another file"
            )
        if self.file:
            self._use_wal()

    def _bring_up_to_date(self, connection: Connection, version: int) -> None:
        if version == 0:
            metadata().create_all(
                connection, [t for t in metadata().sorted_tables if not self._sqlite or t is not core(SchemaRow)]
            )
        elif version < SCHEMA_VERSION:
            migrate(connection, version)
        else:
            return
        if self._sqlite:
            connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
        else:
            connection.execute(core(SchemaRow).delete())
            connection.execute(core(SchemaRow).insert(), {"version": SCHEMA_VERSION})

    def _version(self) -> int:
        with self.read() as session:
            return self._version_on(session.connection())

    def _version_on(self, connection: Connection) -> int:
        if self._sqlite:
            return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if not inspect(connection).has_table(core(SchemaRow).name):
            return 0
        return int(connection.execute(select(SchemaRow.version)).scalar_one())

    def _use_wal(self) -> None:
        """Use write-ahead logging, so that readers and a writer do not wait for each other.

        The file keeps this setting. If the file is in use now, a later start sets it.
        """
        with closing(sqlite3.connect(self.name)) as connection:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                return

    def _newer(self, version: int) -> DatabaseError:
        return DatabaseError(
            f"{self.name} was written by a newer version of Beanleague (tables of version {version}; this one knows "
            f"{SCHEMA_VERSION}); upgrade Beanleague, or choose another file"
        )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise
        except DBAPIError as error:
            raise self._explain(error.orig or error) from error

    def _explain(self, error: BaseException) -> DatabaseError:
        """Return an error of the database driver as a sentence for people."""
        text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        for sign, meaning in _MEANINGS:
            if sign in text:
                return DatabaseError(f"{self.name} {meaning}")
        return DatabaseError(f"the database {self.name} failed: {text}")


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
