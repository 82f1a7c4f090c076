"""Locks of running leagues: one process at a time runs a league, and a dead process does not block it.

A row per league names the thread that runs it. On the same machine the lock is valid while that thread lives, on others
while its heartbeat is recent by the database's clock. The heartbeat also stores the run's progress for other processes,
and reads their request to stop. If two runs of a league overlap anyway, nothing is lost: a deal cannot be committed
twice.
"""

import os
import platform
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from beanleague.model import Run
from beanleague.store import ConflictError, database
from beanleague.store.tables import RUN

_STALE_AFTER_S = 20.0  # seconds without a heartbeat after which a run on another machine counts as dead


class Runs(database.Queries):
    """Queries and updates of league runs."""

    def begin(self, league_id: int) -> str:
        """Lock a league for a run in this thread; return the token that releases it.

        Raises:
            ConflictError: if another live run holds it.
        """
        token = secrets.token_hex(16)
        pid, thread = os.getpid(), threading.get_native_id()
        of_thread = {"host": _host(), "pid": pid, "thread": thread, "born": _born(pid, thread)}

        def take(again: bool) -> str:  # noqa: FBT001  # signature of `repeat`
            with self._database.write(durable=False) as connection:
                row = _of(connection, league_id)
                now = self._database.now(connection)
                if row is not None:
                    if again and row.token == token:
                        return token
                    if _alive(row, now):
                        raise ConflictError(_busy_message(row))
                    connection.execute(sa.delete(RUN).where(RUN.c.league_id == league_id))
                own = {"league_id": league_id, "token": token, "stop": False, "ended": False, "error": ""}
                connection.execute(sa.insert(RUN).values(**own, **of_thread, began=now, heartbeat=now))
                return token

        return self._database.repeat(take)

    @contextmanager
    def held(self, league_id: int, token: str) -> Iterator[None]:
        """Allow writes of this thread only while its run holds the league: a suspended process may be taken for dead.

        Each transaction begun in this context raises a ConflictError once another run has begun.
        """
        with self._database.checked(lambda connection: _check_held(connection, league_id, token)):
            yield

    @database.repeated
    def beat(self, league_id: int, token: str, progress: bytes = b"") -> bool:
        """Store a heartbeat of the run, and its progress; return whether a stop was requested.

        Raises:
            ConflictError: if the run was taken for dead and another one has begun.
        """
        with self._database.write(durable=False) as connection:
            row = _check_held(connection, league_id, token)
            now = self._database.now(connection)
            this = RUN.c.league_id == league_id
            connection.execute(sa.update(RUN).where(this).values(heartbeat=now, progress=progress))
            return bool(row.stop)

    @database.repeated
    def end(self, league_id: int, token: str, error: str = "") -> None:
        """Release the league. `error`: reason of a failed run, stored until the next run begins."""
        this = RUN.c.league_id == league_id, RUN.c.token == token
        with self._database.write(durable=False) as connection:
            if error:
                connection.execute(sa.update(RUN).where(*this).values(ended=True, error=error))
            else:
                connection.execute(sa.delete(RUN).where(*this))

    @database.repeated
    def ask_to_stop(self, league_id: int) -> bool:
        """Ask a league's run to stop, whichever process runs it; return whether there is a run."""
        with self._database.write(durable=False) as connection:
            row = _of(connection, league_id)
            if row is None or not _alive(row, self._database.now(connection)):
                return False
            connection.execute(sa.update(RUN).where(RUN.c.league_id == league_id).values(stop=True))
            return True

    def last(self, league_id: int) -> Run | None:
        """Return the current run of a league, or its last run if that failed or was killed; else None."""
        with self._database.read() as connection:
            row = _of(connection, league_id)
            if row is None:
                return None
            alive = _alive(row, self._database.now(connection))
            return Run(row.pid, row.host.split()[0], alive, row.progress or b"", row.stop, row.error)

    def running(self) -> frozenset[int]:
        """Return the ids of the leagues that are running."""
        with self._database.read() as connection:
            now = self._database.now(connection)
            return frozenset(row.league_id for row in connection.execute(sa.select(RUN)) if _alive(row, now))


def _of(connection: sa.Connection, league_id: int) -> sa.Row[*tuple[Any, ...]] | None:
    return connection.execute(sa.select(RUN).where(RUN.c.league_id == league_id)).one_or_none()


def _check_held(connection: sa.Connection, league_id: int, token: str) -> sa.Row[*tuple[Any, ...]]:
    """Return the row of a run.

    Raises:
        ConflictError: if the run was taken for dead and another one has begun.
    """
    row = _of(connection, league_id)
    if row is None or row.token != token:
        raise ConflictError("another run has taken over this league, because this run seemed dead")
    return row


def _alive(row: sa.Row[*tuple[Any, ...]], now: float) -> bool:
    if row.ended:
        return False
    if row.host == _host() and row.born:
        return bool(_born(row.pid, row.thread) == row.born)
    return bool(now - row.heartbeat < _STALE_AFTER_S)


def _busy_message(row: sa.Row[*tuple[Any, ...]]) -> str:
    if row.host == _host():
        return f"the league is already being run by process {row.pid}; 'league watch' shows it, 'league stop' ends it"
    return (
        f"the league is already being run by process {row.pid} on {row.host.split()[0]}; 'league watch' shows it, "
        f"'league stop' ends it. If that process has ended, try again in {_STALE_AFTER_S:.0f} seconds"
    )


def _host() -> str:
    """Return a name for this boot of the machine and for the container in which process ids are valid."""
    try:
        # a boot id, since copied machines share their name
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{platform.node()} {boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return f"{platform.node()} -"


def _born(pid: int, thread: int) -> str:
    """Return the start time of a live thread, which identifies it together with its id; "" if dead or unknown."""
    try:
        stat = Path(f"/proc/{pid}/task/{thread}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()  # from the third field on: the second, a name, may contain anything
    return "" if fields[0] in {"Z", "X"} else fields[19]
