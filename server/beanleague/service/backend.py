"""What all calls share: the store, opened when first needed, and the runs under way."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from beanleague.referee.this_node import default_workers
from beanleague.service.access import Access, exhausted
from beanleague.service.endpoint import ServiceError
from beanleague.store import DamagedError, DatabaseError, Store, backup

if TYPE_CHECKING:
    from beanleague.league.counting import Compared
    from beanleague.league.run.runner import LeagueRun
    from beanleague.model import League
    from beanleague.referee.messages import StartPool


_MAX_WAITING = 16  # trials and analyses
_MAX_OF_CALLER = 4  # of them, with those under way
_MAX_COMPARED = 4  # leagues


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the backend."""

    store_url: str
    """An SQLAlchemy URL."""
    cache: Path | None = None
    """A folder for unpacked bots; None for one in the user's cache folder."""
    start_pool: "StartPool | None" = None
    """Starts the pools that play matches; None for those of worker processes."""
    run_pool: "StartPool | None" = None
    """Starts the pools of runs, on a cluster; None for those of `start_pool`. Trials are played by these."""
    trust_bots: bool = False
    """Whether to run all bots where no sandbox works, not only the house bots."""

    @property
    def bundles(self) -> Path:
        from beanleague.league.bots.cache import default_bundles

        return self.cache or default_bundles()

    def pools_of_trials(self) -> "StartPool":
        return self._trusted(self.start_pool)

    def pools_of_runs(self) -> "StartPool":
        return self._trusted(self.run_pool or self.start_pool)

    def _trusted(self, start_pool: "StartPool | None") -> "StartPool":
        from beanleague.league.bots.house_bots import TrustedPools
        from beanleague.referee.deal_pool import start_workers

        return TrustedPools(start_pool or start_workers, self.trust_bots)


class Turn:
    """A place in a `TrialQueue`."""

    def __init__(self, who: str, rank: int) -> None:
        self.who = who
        self.rank = rank


class TrialQueue:
    """Trials and analyses: `at_once` of them together, the others in a queue.

    A caller has at most a few, however they came: by the site or by calls. Those with fewer of their own before
    them go first, so nobody waits for all that somebody else wants.
    """

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._changed = threading.Condition()
        self._played: list[Turn] = []
        self._waiting: list[Turn] = []

    @property
    def size(self) -> tuple[int, int]:
        """How many of them are under way, and how many wait."""
        with self._changed:
            return len(self._played), len(self._waiting)

    @contextmanager
    def turn(self, who: str) -> Iterator[Turn]:
        """Queue up, until this context ends.

        Raises:
            RefusedCallError: the caller has too many, or too many wait.
        """
        with self._changed:
            own = sum(turn.who == who for turn in (*self._played, *self._waiting))
            if own >= _MAX_OF_CALLER:
                raise exhausted(f"{own} trials and analyses of yours are under way; wait for one to finish")
            if len(self._waiting) >= _MAX_WAITING:
                raise exhausted("too many trials and analyses wait; try again later", 30.0)
            turn = Turn(who, own)
            self._waiting.append(turn)
            self._waiting.sort(key=lambda each: each.rank)
            self._advance()
        try:
            yield turn
        finally:
            with self._changed:
                (self._played if turn in self._played else self._waiting).remove(turn)
                self._advance()

    def ahead(self, turn: Turn, known: int, timeout: float) -> int:
        """Return the place of a turn in the queue, from 1; 0 when it has come. Waits while it is `known`."""

        def place() -> int:
            return 0 if turn in self._played else self._waiting.index(turn) + 1

        with self._changed:
            self._changed.wait_for(lambda: place() != known, timeout)
            return place()

    def _advance(self) -> None:
        while self._waiting and len(self._played) < self._at_once:
            self._played.append(self._waiting.pop(0))
        self._changed.notify_all()


class Backend:
    """Shared by all calls, from any thread."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.trials = TrialQueue(at_once=max(1, default_workers() // 2))
        """The bots that are tried and the matches that are analysed, in turn."""
        self._store: Store | None = None
        self._checkpointer: backup.Checkpointer | None = None
        self._lock = threading.Lock()
        self._no_runs = threading.Condition(self._lock)
        self._runs: set[LeagueRun] = set()
        self._closed = False
        self._ending = threading.Event()
        self._checking = threading.Lock()
        self._damage: DamagedError | None = None
        self._checked = False
        self._comparing = threading.Lock()
        self._compared: dict[tuple[int, int, int], Compared] = {}

    @property
    def store(self) -> Store:
        """The store.

        Raises:
            DatabaseError: if it cannot be opened.
        """
        with self._lock:
            if self._store is None:
                self._store = Store(self.settings.store_url, self._ending)
                self._checkpointer = backup.Checkpointer(self._store.database)
            return self._store

    def check_rows(self) -> None:
        """Check all rows of the database, the first time: something failed, maybe because somebody else wrote them.

        Raises:
            DamagedError: if one is not such as Beanleague stores.
        """
        with self._checking:
            if not self._checked:
                self._checked = True
                try:
                    self.store.database.check_rows()
                except DamagedError as damage:
                    self._damage = damage
            if self._damage:
                raise self._damage

    def compared(self, league: "League") -> "Compared":
        """Return the entrants of a league against each other; those of the last few leagues asked for are kept."""
        from beanleague.league.counting import Compared

        key = league.id, league.deals_done, league.entrants
        with self._comparing:
            found = self._compared.pop(key, None) or Compared(self.store, league)
            self._compared[key] = found  # the newest comes last
            while len(self._compared) > _MAX_COMPARED:
                del self._compared[next(iter(self._compared))]
            return found

    def began(self, run: "LeagueRun") -> None:
        """Register a run, to be stopped when the server ends."""
        with self._lock:
            self._runs.add(run)
            closed = self._closed
        if closed:
            run.stop()

    def ended(self, run: "LeagueRun") -> None:
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
        """Stop all runs, and those yet to come; and queries that take long, from then on."""
        self._ending.set()
        with self._lock:
            self._closed = True
            runs = list(self._runs)
        for run in runs:
            run.stop()

    def close(self) -> None:
        with self._lock:
            if self._checkpointer is not None:
                self._checkpointer.close()
            if self._store is not None:
                self._store.close()


class Calls:
    """The calls about one subject. Errors are raised as they come; `gate.Gate` makes statuses of them.

    Nothing that only some calls need is imported before one of them comes, so that a command that reads starts quickly.
    """

    def __init__(self, backend: Backend, access: Access) -> None:
        self._backend = backend
        self._access = access


def check_backup(file: Path, name: str) -> None:
    """Open a backup, which errors call `name`, and read all of it.

    Raises:
        ServiceError: if it is damaged or not a database of Beanleague.
    """
    try:
        backup.check_backup(file, name)
    except DatabaseError as error:
        raise ServiceError(str(error)) from None
