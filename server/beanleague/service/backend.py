"""What all calls share: the store, opened when first needed, and the runs under way."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

from beanleague.games.core.errors import RulesVersionError
from beanleague.league.errors import BundleError, LeagueError, RequestError, RunError
from beanleague.names import NameFormatError
from beanleague.service.errors import ServiceError
from beanleague.store import ConflictError, DatabaseError, MissingError, OwnerError, StoreError, TakenError, backup
from beanleague.store.backup import Checkpointer
from beanleague.store.store import Store

if TYPE_CHECKING:
    from beanleague.league.run.runner import LeagueRun
    from beanleague.referee.messages import StartPool


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the backend."""

    store_url: str
    """An SQLAlchemy URL."""
    cache: Path | None = None
    """A folder for unpacked bots; None for one in the user's cache folder."""
    start_pool: StartPool | None = None
    """Starts the pools that play matches; None for those of worker processes."""
    run_pool: StartPool | None = None
    """Starts the pools of runs, on a cluster; None for those of `start_pool`. Trials are played by these."""
    trust_bots: bool = False
    """Whether to run all bots where no sandbox works, not only the house bots."""

    @property
    def bundles(self) -> Path:
        """The folder for unpacked bots."""
        from beanleague.league.bots.cache import default_bundles

        return self.cache or default_bundles()


class Backend:
    """Shared by all calls, from any thread."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._store: Store | None = None
        self._checkpointer: Checkpointer | None = None
        self._lock = threading.Lock()
        self._no_runs = threading.Condition(self._lock)
        self._runs: set[LeagueRun] = set()
        self._closed = False

    @property
    def store(self) -> Store:
        """The store.

        Raises:
            DatabaseError: if it cannot be opened.
        """
        with self._lock:
            if self._store is None:
                self._store = Store(self.settings.store_url)
                self._checkpointer = Checkpointer(self._store.database)
            return self._store

    def began(self, run: LeagueRun) -> None:
        """Register a run, to be stopped when the server ends."""
        with self._lock:
            self._runs.add(run)
            closed = self._closed
        if closed:
            run.stop()

    def ended(self, run: LeagueRun) -> None:
        """Remove a run that has ended, and move its commits into the database's file."""
        with suppress(DatabaseError):  # nothing is lost: it is tried again
            self.store.database.checkpoint()
        with self._lock:
            self._runs.discard(run)
            self._no_runs.notify_all()

    def wait_for_runs(self) -> None:
        """Wait until all runs have ended, also those that no call waits for."""
        with self._lock:
            self._no_runs.wait_for(lambda: not self._runs)

    def stop_runs(self) -> None:
        """Stop all runs, and those yet to come."""
        with self._lock:
            self._closed = True
            runs = list(self._runs)
        for run in runs:
            run.stop()

    def close(self) -> None:
        """Close the store."""
        with self._lock:
            if self._checkpointer is not None:
                self._checkpointer.close()
            if self._store is not None:
                self._store.close()


def check_backup(file: Path) -> None:
    """Open a backup and read all of it.

    Raises:
        ServiceError: if it is damaged or not a database of Beanleague.
    """
    try:
        backup.check_backup(file)
    except DatabaseError as error:
        raise ServiceError(str(error)) from None


def status_code(error: Exception) -> grpc.StatusCode | None:
    """Return the status for an error, None for an unexpected one, which is a bug."""
    for kind, code in _CODES:
        if isinstance(error, kind):
            return code
    return None


_CODES: tuple[tuple[type[Exception], grpc.StatusCode], ...] = (
    (NameFormatError, grpc.StatusCode.INVALID_ARGUMENT),
    (RequestError, grpc.StatusCode.INVALID_ARGUMENT),
    (BundleError, grpc.StatusCode.INVALID_ARGUMENT),
    (RunError, grpc.StatusCode.ABORTED),
    (RulesVersionError, grpc.StatusCode.FAILED_PRECONDITION),
    (LeagueError, grpc.StatusCode.FAILED_PRECONDITION),
    (OwnerError, grpc.StatusCode.PERMISSION_DENIED),
    (MissingError, grpc.StatusCode.NOT_FOUND),
    (TakenError, grpc.StatusCode.ALREADY_EXISTS),
    (ConflictError, grpc.StatusCode.FAILED_PRECONDITION),
    (StoreError, grpc.StatusCode.FAILED_PRECONDITION),
)
