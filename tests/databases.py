"""Databases for tests: files of SQLite, and those of a PostgreSQL server that is started when it is first needed."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from beanleague.store import Store
from beanleague.store.database import Database

PROGRAMS = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)), Path("none/none")).parent
"""The programs of Debian's newest PostgreSQL; a folder that does not exist if it is not installed."""

UrlOf = Callable[[Path], str]

TEMPLATE = "tables"
_USER = "beanleague"
_SETTINGS = {
    "listen_addresses": "''",
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "16MB",
    "max_connections": "200",
    "log_timezone": "UTC",
}
_EMPTY = """
    DO $$ DECLARE name text; BEGIN
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid();
        SET LOCAL session_replication_role = replica;  -- no foreign keys are checked
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version' LOOP
            EXECUTE 'DELETE FROM ' || quote_ident(name);
        END LOOP;
        FOR name IN SELECT sequencename FROM pg_sequences LOOP
            EXECUTE 'ALTER SEQUENCE ' || quote_ident(name) || ' RESTART';
        END LOOP;
    END $$
"""
_numbers = count(1)


class PostgreSQL:
    """A PostgreSQL server that listens on a unix socket in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def new(cls, before: Callable[[Path], object] = lambda _: None, **settings: str) -> PostgreSQL:
        """Start a server with nothing in it. `settings`: of `postgresql.conf`.

        `before` is called with the folder in which it is going to have its data.
        """
        server = cls(Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp")))  # the name of a socket must be short
        if os.geteuid() == 0:
            user = _unprivileged()
            os.chown(server.folder, user.pw_uid, user.pw_gid)
        before(server.folder / "data")
        server._program("initdb", "--no-sync", "--no-instructions", "--auth=trust", "--locale=C", "--encoding=UTF8")
        more = {**_SETTINGS, "unix_socket_directories": f"'{server.folder}'", **settings}
        with (server.folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = {value}\n" for name, value in more.items())
        server.start()
        return server

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._program("pg_ctl", "start", "--wait", "--log", str(self.folder / "log"))

    def restart(self) -> None:
        """Start it again, whether it runs or not."""
        self._program("pg_ctl", "restart", "--wait", "--mode", "immediate", "--log", str(self.folder / "log"))

    def stop(self, mode: str = "fast") -> None:
        """Stop it, and wait. `mode`: "immediate" is like a crash."""
        self._program("pg_ctl", "stop", "--wait", "--mode", mode)

    def kill(self) -> None:
        """Kill its first process, and wait until the others, which notice that, have ended."""
        import psutil  # not where only the bots' library is tested

        pid = int((self.folder / "data" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
        others = psutil.Process(pid).children(recursive=True)
        os.kill(pid, signal.SIGKILL)
        psutil.wait_procs(others)

    def remove(self) -> None:
        """Stop it and remove its files."""
        self.stop("immediate")
        shutil.rmtree(self.folder)

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://{_USER}@/{database}?host={self.folder}"

    def create(self, template: str = "template0") -> str:
        """Create a database, with nothing in it unless it is a copy of `template`; return its name."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        self.do(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def empty(self, name: str) -> None:
        """End what uses a database with our tables, and leave nothing in them: quicker than making another."""
        self.do(_EMPTY, name)

    def do(self, statement: str, database: str = "postgres") -> list[Any]:
        """Execute a statement outside transactions; return its rows."""
        engine = create_engine(self.url(database), poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            result = connection.exec_driver_sql(statement)
            return list(result) if result.returns_rows else []

    def _program(self, name: str, *words: str) -> None:
        done = subprocess.run(
            [PROGRAMS / name, "--pgdata", self.folder / "data", *words, *(["--username", _USER] * (name == "initdb"))],
            cwd=self.folder,
            user=_unprivileged().pw_uid if os.geteuid() == 0 else None,
            group=_unprivileged().pw_gid if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()


def _unprivileged() -> pwd.struct_passwd:
    """Return a user that may run PostgreSQL: it refuses root."""
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


class _Statements(dict[tuple[Any, ...], Any]):
    """Compiled statements of all engines of one kind, whose keys begin with the dialect, an object of each engine."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        super().__setitem__(key[1:], compiled)


def share_statements() -> None:
    """Make all databases of one kind share their compiled statements.

    A program opens one database, and compiles each statement once. Tests open thousands, and would spend a fifth of
    their time on it.
    """
    opened = Database.__init__
    statements: dict[str, _Statements] = {}

    def open_database(self: Database, url: str, ending: Event | None = None) -> None:
        opened(self, url, ending)
        shared = statements.setdefault(self._engine.name, _Statements())
        for engine in {self._engine, self._reading, self._durable, self._replayable}:
            engine.update_execution_options(compiled_cache=shared)

    Database.__init__ = open_database  # type: ignore[method-assign]


@contextmanager
def shared_server(folder: Path) -> Iterator[PostgreSQL]:
    """Give the server of all processes of these tests, started by the first and stopped by the last.

    They meet in `folder`.
    """
    where, users = folder / "postgresql", folder / "postgresql-users"
    with _alone(folder):
        number = int(users.read_text(encoding="utf-8")) if users.exists() else 0
        if number:
            server = PostgreSQL(Path(where.read_text(encoding="utf-8")))
        else:
            server = PostgreSQL.new()
            try:
                server.do(f"CREATE DATABASE {TEMPLATE}")
                Store(server.url(TEMPLATE)).close()
            except BaseException:  # a fault of the store must not leave a server behind
                server.remove()
                raise
            where.write_text(str(server.folder), encoding="utf-8")
        users.write_text(str(number + 1), encoding="utf-8")
    try:
        yield server
    finally:
        with _alone(folder):
            number = int(users.read_text(encoding="utf-8")) - 1
            users.write_text(str(number), encoding="utf-8")
            if not number:
                server.remove()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / "postgresql-lock").open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
