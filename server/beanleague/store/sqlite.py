"""SQLite: the file, its log and locks, and the schema version."""

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from beanleague.names import hide_password
from beanleague.store import DatabaseError, columns, errors, read_only, tables
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION, SCHEMA_VERSION, SQLITE_SCHEMAS, newer_error

APPLICATION_ID = 0x6265616E  # "bean": marks our SQLite files
_BUSY_TIMEOUT_MS = 10_000  # milliseconds to wait for another writer
# maximum size of a value or a row; bundles, and ratings of thousands of bots, are the largest
_MAX_VALUE_BYTES = 64 * 2**20

# A malicious file can make a query endless, and Python handles signals only between its own instructions: return to
# Python after this many steps of a query, some 20 ms. At the end of the program slower queries are aborted.
_STEPS = 1_000_000
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
_PATIENCE_S = 2.0


class SQLiteFile:
    """A database in a file, created if missing. It is private to its user, since it contains the secrets of leagues.

    A file that cannot be written is only read; see `read_only`.

    Raises:
        DatabaseError: if the file cannot be opened, is damaged, newer than this program, or of another program; it is
            left unchanged.
    """

    def __init__(self, url: sa.URL, ending: threading.Event | None = None) -> None:
        shown = hide_password(url.render_as_string(hide_password=True))
        in_memory = ":memory:" in str(url.database) or url.query.get("mode") == "memory"
        if not url.database or in_memory:
            raise DatabaseError(
                f"{shown} is kept in memory and would be lost; choose a file, e.g. sqlite:///folder/file.db"
            )
        self.file = Path(os.fsdecode(url.database.encode()))  # URLs are UTF-8; file names follow the locale
        self.name = str(self.file)
        self.url = url.set(database=self.name)
        self.engine_options: dict[str, Any] = {"json_deserializer": columns.from_json}
        self._ending = ending
        self._obstacle = read_only.obstacle(self.file)
        self._read_only: read_only.ReadOnlyFile | None = None
        if self._obstacle:
            self._read_only = read_only.ReadOnlyFile(self.file, lambda file, how: connect(file, ending, how))
            # One connection per transaction, so that each sees the newest state.
            self.engine_options |= {"creator": self._connect, "poolclass": sa.NullPool}
        else:
            self._create()
        try:  # check the file before anything is written to it
            with closing(self._connect()) as found:
                found.execute("BEGIN")  # another process may be creating the tables: see either all or none
                check_tables(found, self.name)
        except BaseException as error:
            self.close()
            if isinstance(error, sqlite3.Error):
                raise self.explanation(error) from None
            raise

    def set_up(self, engine: sa.Engine) -> None:
        """Set up the connections and transactions of a new engine."""
        sa.event.listen(engine, "connect", self._set_up_connection)
        sa.event.listen(engine, "begin", _begin)

    @staticmethod
    def reading(engine: sa.Engine) -> sa.Engine:
        """Return the engine for read transactions, each of which sees a single state of the file."""
        return engine

    @staticmethod
    def writing(engine: sa.Engine, *, durable: bool) -> sa.Engine:
        """Return the engine for write transactions."""
        return engine.execution_options(begin="IMMEDIATE", synchronous="FULL" if durable else "NORMAL")

    @staticmethod
    def lock(connection: sa.Connection) -> None:
        """Do nothing: a write transaction in SQLite excludes other writers."""

    @staticmethod
    def insert(connection: sa.Connection, table: sa.TableClause, rows: Sequence[Mapping[str, Any]]) -> None:
        connection.execute(_insertion(table), rows)

    @staticmethod
    def now(connection: sa.Connection) -> float:
        del connection
        return time.time()

    @staticmethod
    def version(connection: sa.Connection) -> int:
        """Return the schema version; 0 without tables."""
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())

    @staticmethod
    def set_version(connection: sa.Connection) -> None:
        """Record the schema version."""
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")

    def obstacle(self, connection: sa.Connection) -> str:
        """Return the reason why the file cannot be written; "" if it can."""
        del connection
        return self._obstacle

    def settle(self) -> None:
        """Use write-ahead logging, so that readers and a writer do not wait for each other.

        The setting is stored in the file; if the file is in use, a later start changes it.
        """
        if self._obstacle:
            return
        with closing(connect(self.file, self._ending)) as connection:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                return

    def keep(self, version: int) -> str:
        """Copy the file, with tables of `version`, beside it before an upgrade; return a clause that names the copy.

        The caller holds the lock of writers. An existing copy is never overwritten.

        Raises:
            DatabaseError: if the file cannot be copied.
        """
        try:
            copy = _new_beside(self.file, f".version-{version}")
            try:
                with closing(connect(self.file, self._ending)) as source, copied(source, copy):
                    pass
            except BaseException:
                remove_copy(copy)
                raise
        except (OSError, sqlite3.Error) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise DatabaseError(
                f"{self.name} has tables of version {version} and must be upgraded to version {SCHEMA_VERSION}, but no "
                f"copy of it can be kept in {self.file.parent}: {why}; nothing was changed"
            ) from None
        return f"a copy of it as it was is {copy}"

    def checkpoint(self) -> bool:
        """Move the write-ahead log into the file; see `Database.checkpoint`."""
        if self._obstacle:
            return True
        try:
            with closing(connect(self.file, self._ending)) as connection:
                _, in_log, moved = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        except sqlite3.Error as error:
            raise self.explanation(error) from None
        return bool(in_log == moved)

    def check_rows(self) -> None:
        from beanleague.store.rows import check_rows

        try:
            with closing(self._connect()) as connection:
                check_rows(connection, self.name)
        except sqlite3.Error as error:
            raise self.explanation(error) from None

    def explanation(self, error: BaseException, *, lost: bool = False) -> DatabaseError:
        """Return an error of the driver as a sentence. `lost`: ignored, since a file does not disconnect."""
        del lost
        return explanation(error, self.name)

    def close(self) -> None:
        """Remove the private copy of a read-only file."""
        if self._read_only is not None:
            self._read_only.close()

    def _connect(self) -> sqlite3.Connection:
        return self._read_only.connect() if self._read_only else connect(self.file, self._ending)

    def _create(self) -> None:
        """Create the file unless it exists."""
        try:
            os.close(os.open(self.file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise DatabaseError(f"cannot create the database {self.name}: {error.strerror}") from None

    def _set_up_connection(self, connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        connection.isolation_level = None  # no implicit transactions
        assert isinstance(connection, sqlite3.Connection)
        _guard(connection, self._ending)


def connect(file: Path, ending: threading.Event | None = None, options: str = "mode=rw") -> sqlite3.Connection:
    """Open a file of unknown origin, with explicit transactions only.

    `ending`: when set, slow queries are aborted. `options`: options of a SQLite URI.

    Raises:
        sqlite3.Error: if the file cannot be opened.
    """
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?{options}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,  # a streaming call may continue in another thread
    )
    _guard(connection, ending)
    return connection


@contextmanager
def copied(source: sqlite3.Connection, file: Path) -> Iterator[sqlite3.Connection]:
    """Copy a database to `file`, a single file without a write-ahead log; yield a connection to the copy."""
    with closing(connect(file)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
        yield target


def remove_copy(file: Path) -> None:
    """Remove a copy of a database, with the files that SQLite leaves beside one that was not completed."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)


def _new_beside(file: Path, suffix: str) -> Path:
    """Create an empty private file beside `file` whose name ends with `suffix`, and a number if necessary.

    Raises:
        OSError: if it cannot be created.
    """
    for number in count(1):
        path = Path(f"{file}{suffix}" + (f"-{number}" if number > 1 else ""))
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            return path
    raise AssertionError("unreachable: numbers do not end")


def check_tables(connection: sqlite3.Connection, name: str) -> None:
    """Check that a file is empty, or contains exactly the tables of a known version.

    A view instead of a table could make a query endless, and a trigger could add rows.

    Raises:
        DatabaseError: if it contains anything else. `name`: name of the file.
        sqlite3.Error: if the file cannot be read.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    rows = connection.execute(_SCHEMA).fetchall()
    if version > SCHEMA_VERSION and (application == APPLICATION_ID or not rows):
        raise newer_error(name, version)
    if rows and application != APPLICATION_ID:
        raise DatabaseError(f"{name} is a database of another program; choose another file")
    unreleased = 0 < version < OLDEST_SCHEMA_VERSION  # the database refuses versions that were never released
    if rows and not unreleased and not _is_schema(_digest_of(rows), version):
        raise DatabaseError(f"{name} is damaged: its tables differ from those of Beanleague; restore it from a backup")


def _is_schema(digest: str, version: int) -> bool:
    """Return whether a digest matches the tables of a schema version, as released or as created by this program."""
    released = digest in SQLITE_SCHEMAS.get(version, ())
    return released or (version == SCHEMA_VERSION and digest == _made_here())


def _digest_of(rows: Iterable[tuple[object, ...]]) -> str:
    """Return the digest of rows of `_SCHEMA`, ignoring white space."""
    lines = [" ".join(" ".join(map(str, row)).split()) for row in rows]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _made_here() -> str:
    """Return the digest of the tables created by this installation: its SQLAlchemy may word them differently."""
    with sa.create_engine("sqlite://").connect() as made:
        tables.create_all(made, file=True)
        return _digest_of(map(tuple, made.execute(sa.text(_SCHEMA))))


def explanation(error: BaseException, name: str) -> DatabaseError:
    """Return an error of SQLite as a sentence about the file `name`.

    Raises:
        KeyboardInterrupt: if a signal ended the query.
    """
    text = str(error).strip().partition("\n")[0] or type(error).__name__
    if text == "interrupted":
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return DatabaseError(f"reading {name} was interrupted: the program is ending")
    if means := errors.meaning_of("sqlite", text.__contains__):
        return DatabaseError(f"{name} {means}")
    return DatabaseError(f"the database {name} failed: {text}")


class _Watch:
    """Decides whether to abort a connection's query. Signals are handled while it is called, and end the query, too."""

    def __init__(self, ending: threading.Event | None) -> None:
        self._ending = ending
        self._since = self._last = 0.0

    def __call__(self) -> bool:
        now = time.monotonic()
        if now - self._last > _PATIENCE_S:
            self._since = now
        self._last = now
        return self._ending is not None and self._ending.is_set() and now - self._since > _PATIENCE_S


def _guard(connection: sqlite3.Connection, ending: threading.Event | None) -> None:
    """Restrict a new connection so that a malicious file cannot do harm."""
    connection.set_progress_handler(_Watch(ending), _STEPS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in (f"busy_timeout = {_BUSY_TIMEOUT_MS}", "foreign_keys = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {pragma}")


@cache
def _insertion(table: sa.TableClause) -> sa.Insert:
    """Return the INSERT statement of a table, cached, since building it takes longer than running it."""
    return sa.insert(table)


def _begin(connection: sa.Connection) -> None:
    options = connection.get_execution_options()
    if "synchronous" in options:
        # In WAL mode NORMAL may lose the last commits in a power failure, but never half of one, and none in a crash of
        # the program.
        connection.exec_driver_sql(f"PRAGMA synchronous = {options['synchronous']}")
    connection.exec_driver_sql(f"BEGIN {options.get('begin', 'DEFERRED')}")
