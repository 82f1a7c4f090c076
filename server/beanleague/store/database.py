"""Database connection: safe opening, transactions, and errors that people understand."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Event, local
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError

from beanleague.extras import installation
from beanleague.names import hide_password
from beanleague.store import DatabaseError, DisconnectedError
from beanleague.store.columns import WrongValueError, damage_error
from beanleague.store.migrations import OLDEST_SCHEMA_VERSION, SCHEMA_VERSION, migrate, newer_error
from beanleague.store.postgresql import SERVER_TIMEOUT_S, PostgreSQL
from beanleague.store.sqlite import SQLiteFile
from beanleague.store.tables import create_all

_log = logging.getLogger(__name__)

T = TypeVar("T")
P = ParamSpec("P")


class Database:
    """A database with the current tables, which are created in an empty database and upgraded in an older one.

    An upgrade is logged as a warning. Beside an upgraded file stays a copy of it as it was.

    `url`: SQLAlchemy URL of a SQLite file or a PostgreSQL database. `ending`: event that, once set, aborts slow queries
    on a file. A read-only database is not upgraded.

    Raises:
        DatabaseError: if the database cannot be opened, is damaged, newer than this program, or of another program; it
            is left unchanged.
    """

    def __init__(self, url: str, ending: Event | None = None) -> None:
        try:
            parsed = sa.make_url(url)
        except (ArgumentError, ValueError):  # a ValueError comes from a bad port
            raise DatabaseError(
                f"{hide_password(url)!r} is not a database URL; write a file as sqlite:///folder/file.db "
                "(sqlite:////... if absolute), a PostgreSQL database as postgresql://user@host/database"
            ) from None
        if "@" in f"{parsed.host}{parsed.database}" and parsed.get_backend_name() != "sqlite":
            raise DatabaseError(f"{hide_password(url)} has two @; write one that is part of a password as %40")
        self.url = hide_password(parsed.render_as_string(hide_password=True))
        self._kind: SQLiteFile | PostgreSQL
        match parsed.get_backend_name():
            case "sqlite":
                self._kind = SQLiteFile(parsed, ending)
            case "postgresql":
                self._kind = PostgreSQL(parsed)
            case _:
                raise DatabaseError(f"cannot open {self.url}: it is neither SQLite nor PostgreSQL")
        self.file: Path | None = self._kind.file
        """The file of a SQLite database; None for others."""
        self.name = self._kind.name
        self.obstacle = ""
        """Reason why the database can only be read; "" if it is writable."""
        self._here = _Here()
        try:
            self._engine = sa.create_engine(self._kind.url, hide_parameters=True, **self._kind.engine_options)
        except NoSuchModuleError as missing:
            raise DatabaseError(f"cannot open {self.url}: {missing}") from None
        except ModuleNotFoundError as missing:
            raise DatabaseError(
                f"cannot open {self.url}: {missing}; install its driver with: {installation('postgres')}"
            ) from None
        self._kind.set_up(self._engine)
        self._reading = self._kind.reading(self._engine)
        self._durable = self._kind.writing(self._engine, durable=True)
        self._replayable = self._kind.writing(self._engine, durable=False)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._engine.dispose()
        self._kind.close()

    def check_writable(self) -> None:
        """Check that the database can be written.

        Raises:
            DatabaseError: if it is read-only.
        """
        if self.obstacle:
            if self.file:
                remedy = "You can look at it, or change a copy: 'beanleague backup FILE', then --db FILE"
            else:
                right = "the right to create and change tables"
                remedy = f"You can look at it; to write, its owner must give this user {right}"
            raise DatabaseError(f"{self.name} is read-only: {self.obstacle}. {remedy}")

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Yield a connection that sees a single state of the database throughout."""
        if self._here.connection is not None:
            yield self._here.connection
            return
        with self._explaining(), self._reading.connect() as connection:
            yield connection

    @contextmanager
    def write(self, *, durable: bool = True) -> Iterator[sa.Connection]:
        """Yield a connection whose changes are committed together at the end, or not at all after an exception.

        There is one writer at a time. `durable`: whether commits survive a power failure. Non-durable commits take a
        fraction of the time; they are for results that the next run of a league can reproduce.
        """
        if self._here.connection is not None:
            yield self._here.connection
            return
        self.check_writable()
        with self._explaining(), (self._durable if durable else self._replayable).begin() as connection:
            self._kind.lock(connection)
            for check in self._here.checks:
                check(connection)
            yield connection

    @contextmanager
    def alone(self, *, again: bool = False) -> Iterator[None]:
        """Run all reads and writes of this thread in one transaction that locks out other writers.

        The facts behind a decision are thus still true when it is written. Be quick, since other writers wait. `again`:
        passed to the work of nested `repeat` calls.
        """
        with self.write() as connection:
            before = self._here.connection, self._here.again
            self._here.connection, self._here.again = connection, again
            try:
                yield
            finally:
                self._here.connection, self._here.again = before

    @property
    def is_alone(self) -> bool:
        """Return whether this thread is inside `alone`."""
        return self._here.connection is not None

    @contextmanager
    def checked(self, check: Callable[[sa.Connection], object]) -> Iterator[None]:
        """Call `check`, which may raise an error, at the beginning of each write transaction of this thread."""
        before = self._here.checks
        self._here.checks = (*before, check)
        try:
            yield
        finally:
            self._here.checks = before

    def repeat(self, work: Callable[[bool], T]) -> T:
        """Do `work`, and repeat it for up to a minute while the server is unavailable.

        `work` receives True when repeated; it must then check whether an earlier attempt was committed.

        Inside `alone` it is called once, since only the whole transaction can be repeated.

        Raises:
            DatabaseError: if the server stays unavailable.
        """
        if self.is_alone:
            return work(self._here.again)
        end = None
        while True:
            try:
                return work(end is not None)
            except DisconnectedError:
                end = end or monotonic() + SERVER_TIMEOUT_S
                if monotonic() >= end:
                    raise

    def insert(self, connection: sa.Connection, table: sa.TableClause, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert many rows into a table, all with the same columns, as fast as the database can."""
        if rows:
            self._kind.insert(connection, table, rows)

    def now(self, connection: sa.Connection) -> float:
        """Return the time in seconds since 1970, by a clock common to all machines that use the database."""
        return self._kind.now(connection)

    def checkpoint(self) -> bool:
        """Move the write-ahead log of a SQLite file into the file, without blocking other connections.

        Returns whether the file is now complete; a connection that still reads an older state prevents this.

        Raises:
            DatabaseError: if the file cannot be written.
        """
        return self._kind.checkpoint()

    def check_rows(self) -> None:
        """Check all rows of a file, which another program may have written.

        Raises:
            DamagedError: if a row has a value that Beanleague never stores.
        """
        self._kind.check_rows()

    def _prepare(self) -> None:
        """Create the tables of an empty database, upgrade older tables, and refuse newer tables."""
        version = self._version()
        with self.read() as connection:
            self.obstacle = self._kind.obstacle(connection)
        if self.obstacle and version < SCHEMA_VERSION:
            raise self._not_readable(version)
        if version == 0 or OLDEST_SCHEMA_VERSION <= version < SCHEMA_VERSION:
            self._upgrade()
            version = self._version()
        if version > SCHEMA_VERSION:
            raise newer_error(self.name, version)
        if version < SCHEMA_VERSION:
            raise DatabaseError(
                f"{self.name} was written by an older, unreleased version of Beanleague (tables of version "
                f"{version}; the first release has {OLDEST_SCHEMA_VERSION}); it was not changed; choose another "
                "database"
            )
        self._kind.settle()

    def _upgrade(self) -> None:
        """Create the tables, or bring older ones up to date after a copy was kept; warn of that."""
        kept = ""
        with self.write() as connection:
            found = self._kind.version(connection)  # another process may have upgraded the tables first
            if found == 0:
                create_all(connection, file=bool(self.file))
            elif found < SCHEMA_VERSION:
                kept = self._kind.keep(found)
                migrate(connection, found)
            if found < SCHEMA_VERSION:
                self._kind.set_version(connection)
        if kept:  # commands show warnings on stderr
            _log.warning("%s was upgraded from tables of version %d to %d; %s", self.name, found, SCHEMA_VERSION, kept)

    def _not_readable(self, version: int) -> DatabaseError:
        """Return the error for a read-only database that would have to be upgraded first."""
        if version == 0:
            return DatabaseError(f"{self.name} is empty and read-only: {self.obstacle}; choose another database")
        return DatabaseError(
            f"{self.name} has tables of version {version}, must be upgraded to version {SCHEMA_VERSION}, and is "
            f"read-only: {self.obstacle}; copy it and name the copy with --db"
        )

    def _version(self) -> int:
        with self.read() as connection:
            return self._kind.version(connection)

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise
        except WrongValueError as wrong:
            raise damage_error(self.name, wrong) from None
        except DBAPIError as error:
            raise self._kind.explanation(error.orig or error, lost=error.connection_invalidated) from error


class _Here(local):
    """Per-thread state of the work with a database."""

    connection: sa.Connection | None = None
    """Connection of the transaction that `Database.alone` holds."""
    again = False
    """Whether the work is being repeated."""
    checks: tuple[Callable[[sa.Connection], object], ...] = ()
    """Checks set by `Database.checked`."""


class Queries:
    """Base class of the query classes, one per subject."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _all(self, query: sa.Executable, make: Callable[[Any], T]) -> tuple[T, ...]:
        """Return all rows, each converted by `make`, even if the server restarts in the meantime."""

        def look(_: bool) -> tuple[T, ...]:  # noqa: FBT001  # signature of `repeat`
            with self._database.read() as connection:
                return tuple(map(make, connection.execute(query).all()))  # all at once: row by row takes longer

        return self._database.repeat(look)

    def _first(self, query: sa.Executable, make: Callable[[Any], T]) -> T | None:
        """Return the first row, converted by `make`, or None, even if the server restarts in the meantime."""
        return next(iter(self._all(query, make)), None)

    def _value(self, query: sa.Select[T]) -> T:
        """Return the only value of the only row, even if the server restarts in the meantime."""
        values: tuple[T, ...] = self._all(query, lambda row: row[0])
        return values[0]


Q = TypeVar("Q", bound=Queries)


def repeated(method: Callable[Concatenate[Q, P], T]) -> Callable[Concatenate[Q, P], T]:
    """Decorator: make a query method survive a restart of the server, by `Database.repeat`.

    Only for methods that read, or that have no further effect when repeated.
    """

    @wraps(method)
    def call(self: Q, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self._database.repeat(lambda _: method(self, *args, **kwargs))

    return call
