"""PostgreSQL: connections that survive restarts, one writer at a time, the schema version.

By default PostgreSQL would admit several writers at once, and show a reader more than one state.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPIConnection, Dialect, ExceptionContext
from sqlalchemy.pool import ConnectionPoolEntry

from beanleague.names import hide_password, storable
from beanleague.store import DatabaseError, DisconnectedError
from beanleague.store.errors import meaning_of
from beanleague.store.migrations import SCHEMA_VERSION
from beanleague.store.tables import BOT, SCHEMA

SERVER_TIMEOUT_S = 60.0
"""Maximum time that a server may take to restart or fail over, in seconds, before queries fail."""

_RETRY_INTERVAL_S = 0.5
_WRITER_LOCK = 0x6265616E  # "bean": key of the writer's lock; each database has its own
_LOCK_TIMEOUT_S = 30  # seconds to wait for another writer
_IDLE_TIMEOUT_S = 15  # seconds until the server disconnects a vanished writer: less than others wait for it

# A silently cut connection is noticed within about 15 seconds, on both sides.
_CONNECTION = {
    "connect_timeout": 10,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
    "application_name": "beanleague",
}
_SESSION = """
    SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 2;
    SET tcp_user_timeout = 15000
"""

_LOST = "was lost during a transaction; unless it was just being committed, nothing was stored: try again"
_LOST_CODES = ("08", "57P", "25P03")  # prefixes of the error codes of a lost connection
_CUT = "closed the connection"  # part of the error message when connecting to a server that is shutting down


class PostgreSQL:
    """A database on a PostgreSQL server."""

    file = None

    def __init__(self, url: sa.URL) -> None:
        self.url = url
        self.name = hide_password(url.render_as_string(hide_password=True))
        given = {name: value for name, value in _CONNECTION.items() if name not in url.query}
        self.engine_options: dict[str, Any] = {"connect_args": given, "pool_pre_ping": True}
        self._timeout_s = 0.0  # the first connection is not retried: its error is reported at once
        self._away_since: float | None = None
        self._lock = threading.Lock()

    def set_up(self, engine: sa.Engine) -> None:
        """Set up the connections of a new engine, and their timeouts."""
        sa.event.listen(engine, "do_connect", self._connect)
        sa.event.listen(engine, "connect", _set_up_connection)
        sa.event.listen(engine, "do_execute", _copy)
        sa.event.listen(engine, "handle_error", _notice_loss)

    @staticmethod
    def reading(engine: sa.Engine) -> sa.Engine:
        """Return the engine for read transactions, each of which sees a single state of the database."""
        return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)

    @staticmethod
    def writing(engine: sa.Engine, *, durable: bool) -> sa.Engine:
        """Return the engine for write transactions; all are durable, since a run may outlive a crash of the server."""
        del durable
        return engine.execution_options(isolation_level="READ COMMITTED")

    @staticmethod
    def lock(connection: sa.Connection) -> None:
        """Wait for other writers, and keep them out until the end of the transaction."""
        connection.execute(
            sa.select(
                sa.func.set_config("lock_timeout", f"{_LOCK_TIMEOUT_S}s", True),
                sa.func.set_config("idle_in_transaction_session_timeout", f"{_IDLE_TIMEOUT_S}s", True),
                sa.func.pg_advisory_xact_lock(_WRITER_LOCK),
            )
        )

    @staticmethod
    def insert(connection: sa.Connection, table: sa.TableClause, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert rows with the same columns by COPY, which takes half the time of other statements."""
        names = tuple(rows[0])
        statement, types = _copying(table, names, connection.dialect)
        values = itemgetter(*names)
        connection.exec_driver_sql(statement, (types, [values(row) for row in rows]))

    @staticmethod
    def now(connection: sa.Connection) -> float:
        """Return the time of the server, in seconds since 1970."""
        return float(connection.execute(sa.select(sa.func.extract("epoch", sa.func.clock_timestamp()))).scalar_one())

    def version(self, connection: sa.Connection) -> int:
        """Return the schema version; 0 without tables.

        Raises:
            DatabaseError: if the tables belong to another program.
        """
        tables = sa.inspect(connection).get_table_names()
        if SCHEMA.name in tables:
            return int(connection.execute(sa.select(SCHEMA.c.version)).scalar_one())
        if tables:
            raise DatabaseError(f"{self.name} is a database of another program; choose or create another one")
        return 0

    @staticmethod
    def keep(version: int) -> str:
        """Return a clause for the message of an upgrade; a server's database is not copied."""
        return f"to go back to version {version}, restore a backup of before (pg_dump)"

    @staticmethod
    def set_version(connection: sa.Connection) -> None:
        """Record the schema version."""
        connection.execute(sa.delete(SCHEMA))
        connection.execute(sa.insert(SCHEMA), {"version": SCHEMA_VERSION})

    @staticmethod
    def obstacle(connection: sa.Connection) -> str:
        """Return the reason why this user cannot write our tables; "" if they can, or the tables do not exist."""
        found = sa.func.to_regclass(BOT.name)
        may = connection.execute(sa.select(sa.func.has_table_privilege(found, "INSERT"))).scalar_one()
        return "this user may not write to its tables" if may is False else ""

    @staticmethod
    def close() -> None:
        """Do nothing: closing the engine suffices."""

    def settle(self) -> None:
        """From now on, wait for an unavailable server."""
        self._timeout_s = SERVER_TIMEOUT_S

    @staticmethod
    def checkpoint() -> bool:
        """Do nothing: the server does this itself."""
        return True

    @staticmethod
    def check_rows() -> None:
        """Do nothing: the server checks types and keys, and no stranger can write."""

    def explanation(self, error: BaseException, *, lost: bool = False) -> DatabaseError:
        """Return an error of the driver as a sentence. `lost`: whether the connection was lost."""
        text = str(error).strip()
        code: str | None = getattr(error, "sqlstate", None)
        if code and (means := meaning_of("codes", code.startswith)):
            return DatabaseError(f"{self.name} {means}")
        if lost or (_CUT in text if code is None else code.startswith(_LOST_CODES)):
            return DisconnectedError(f"the connection to {self.name} {_LOST}")
        if code is None and (means := meaning_of("connecting", text.__contains__) or _unreachable(error)):
            why = text.splitlines()[0].rpartition("failed: ")[2].strip()  # the reason is at the end of the first line
            return DatabaseError(f"{self.name} {means} ({why})")
        return DatabaseError(f"the database {self.name} failed: {text.partition(chr(10))[0] or type(error).__name__}")

    def _connect(
        self, dialect: Dialect, _: ConnectionPoolEntry, words: list[Any], options: dict[str, Any]
    ) -> DBAPIConnection:
        """Connect, and retry for a limited time while the server is unavailable."""
        while True:
            try:
                connection = dialect.connect(*words, **options)
            except dialect.loaded_dbapi.OperationalError as error:
                if not _unreachable(error) or self._away_s() >= self._timeout_s:
                    raise
                time.sleep(_RETRY_INTERVAL_S)
            else:
                with self._lock:
                    self._away_since = None
                return connection

    def _away_s(self) -> float:
        with self._lock:
            now = time.monotonic()
            self._away_since = self._away_since or now
            return now - self._away_since


def _unreachable(error: BaseException) -> str:
    """Return the explanation of an unreachable server, which may recover; "" for other errors."""
    return meaning_of("unreachable", str(error).lower().__contains__)


@cache
def _copying(table: sa.TableClause, names: tuple[str, ...], dialect: Dialect) -> tuple[str, list[str]]:
    """Return the COPY statement for two or more columns, and the types of these columns."""
    # Name `varchar` as text, the only text type for which `_take_nul` has a binary form.
    types = [table.c[name].type.compile(dialect).lower().replace("varchar", "text") for name in names]
    return f"COPY {table.name} ({', '.join(names)}) FROM STDIN (FORMAT BINARY)", types


def _notice_loss(context: ExceptionContext) -> None:
    """Mark a connection as lost after an error without a server's code.

    SQLAlchemy would keep using the connection of a server that was killed in the middle of many statements.
    """
    error = context.original_exception
    dbapi = context.dialect.loaded_dbapi
    if context.connection is not None and isinstance(error, dbapi.OperationalError) and error.sqlstate is None:
        context.is_disconnect = True


def _copy(cursor: Any, statement: str, parameters: Any, _: object) -> bool:  # noqa: ANN401  # SQLAlchemy's types
    """Execute a COPY statement with its rows; return False for other statements.

    Called by SQLAlchemy, so that it converts errors of the driver as for other statements.
    """
    if not statement.startswith("COPY "):
        return False
    types, rows = parameters
    with cursor.copy(statement) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)
    return True


def _set_up_connection(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute(_SESSION)
    cursor.close()
    connection.commit()
    _take_nul(connection.adapters)


def _take_nul(adapters: Any) -> None:  # noqa: ANN401  # psycopg is imported by SQLAlchemy, if at all
    """Replace NUL in texts, which PostgreSQL refuses, so that a name with NUL matches nothing."""
    from psycopg.types.string import StrBinaryDumper, StrDumperUnknown

    class WithoutNul(StrDumperUnknown):
        def dump(self, obj: str) -> Any:  # noqa: ANN401
            return super().dump(storable(obj))

    class BinaryWithoutNul(StrBinaryDumper):
        def dump(self, obj: str) -> Any:  # noqa: ANN401
            return super().dump(storable(obj))

    adapters.register_dumper(str, BinaryWithoutNul)
    adapters.register_dumper(str, WithoutNul)
