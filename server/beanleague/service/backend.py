"""State shared by all calls: the store, opened at first use, and the current runs."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import exp2
from pathlib import Path
from typing import TYPE_CHECKING

from beanleague.referee.this_node import default_workers
from beanleague.service.access import Access, exhausted
from beanleague.service.endpoint import ServiceError
from beanleague.service.room import SharedRoom
from beanleague.store import DamagedError, DatabaseError, Store, backup

if TYPE_CHECKING:
    from beanleague.league.counting import Compared
    from beanleague.league.run.runner import LeagueRun
    from beanleague.model import League
    from beanleague.referee.messages import StartPool


_MAX_WAITING = 16  # maximum number of waiting trials and analyses
_MAX_OF_CALLER = 4  # maximum trials and analyses of a caller, running ones included
_MAX_COMPARED = 4  # number of leagues with cached comparisons
_HALF_LIFE_S = 600.0  # half-life of a caller's used time; callers that used less go first
_FORGOTTEN_S = 0.1


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the backend."""

    store_url: str
    """SQLAlchemy URL of the database."""
    cache: Path | None = None
    """Folder for unpacked bots; None for one in the user's cache folder."""
    start_pool: "StartPool | None" = None
    """Starts pools for matches; None for pools of worker processes."""
    run_pool: "StartPool | None" = None
    """Starts the pools of runs, e.g. on a cluster; None to use `start_pool`. Trials always use `start_pool`."""
    trust_bots: bool = False
    """Whether to run all bots, not only house bots, if no sandbox works."""

    @property
    def bundles(self) -> Path:
        from beanleague.league.bots.cache import default_bundles

        return self.cache or default_bundles()

    def pools_of_trials(self) -> "StartPool":
        return self._trusting(self.start_pool)

    def pools_of_runs(self) -> "StartPool":
        return self._trusting(self.run_pool or self.start_pool)

    def _trusting(self, start_pool: "StartPool | None") -> "StartPool":
        from beanleague.league.bots.house_bots import TrustedPools
        from beanleague.referee.deal_pool import start_workers

        return TrustedPools(start_pool or start_workers, self.trust_bots)


@dataclass(slots=True, eq=False)
class Turn:
    """A caller's place in a `TrialQueue`."""

    who: str
    """Name of the caller."""
    rank: int
    """Number of the caller's earlier turns in the queue."""
    began: float = 0.0
    """Time of arrival."""
    lost: bool = False
    """Whether its place was given to a caller with fewer turns."""


class TrialQueue:
    """Queue of trials and analyses, of which `at_once` run at a time. `clock`: in seconds.

    A caller has at most a few, from the site and from calls together. Order: fewest own turns ahead, then least time
    used recently, so that no caller waits for all turns of another. In a full queue the caller with most turns loses
    one to a caller with fewer.
    """

    def __init__(self, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once = at_once
        self._clock = clock
        self._changed = threading.Condition()
        self._played: list[Turn] = []
        self._waiting: list[Turn] = []
        self._room: SharedRoom[Turn] = SharedRoom(_MAX_WAITING, _MAX_OF_CALLER)  # turns waiting for a trial or analysis
        self._used: dict[str, tuple[float, float]] = {}  # by caller: seconds used, and the time of that figure

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of running and of waiting turns."""
        with self._changed:
            return len(self._played), len(self._waiting)

    @contextmanager
    def turn(self, who: str) -> Iterator[Turn]:
        """Hold a place in the queue while this context lasts.

        Raises:
            RefusedCallError: the caller has too many places, or the queue is full.
        """
        with self._changed:
            own = sum(turn.who == who for turn in (*self._played, *self._waiting))
            if own >= _MAX_OF_CALLER:
                raise exhausted(f"you have {own} trials and analyses under way; wait for one to finish")
            if self._room.full:
                self._lose(self._room.claim(who))
            turn = Turn(who, own)
            self._waiting.append(turn)
            self._room.put(who, turn)
            self._advance()
        try:
            yield turn
        finally:
            with self._changed:
                if turn in self._played:
                    self._played.remove(turn)
                    self._used[who] = self._lately(who) + self._clock() - turn.began, self._clock()
                elif not turn.lost:
                    self._waiting.remove(turn)
                    self._room.remove(who, turn)
                self._advance()

    def _lose(self, turn: Turn | None) -> None:
        """Remove a turn to make room.

        Raises:
            RefusedCallError: if no caller must lose one.
        """
        if turn is None:
            raise exhausted("too many trials and analyses are waiting; try again later", 30.0)
        turn.lost = True
        self._waiting.remove(turn)

    def ahead(self, turn: Turn, known: int, timeout: float) -> int:
        """Return the place of a turn in the queue, from 1; 0 when it runs.

        Waits up to `timeout` for it to differ from `known`.

        Raises:
            RefusedCallError: if the turn lost its place.
        """

        def place() -> int:
            if turn.lost:
                raise exhausted("dropped from a full queue in which you had the most requests; try again later", 30.0)
            return 0 if turn in self._played else self._waiting.index(turn) + 1

        with self._changed:
            self._changed.wait_for(lambda: place() != known, timeout)
            return place()

    def gives_way(self, turn: Turn, share_s: float) -> bool:
        """Return whether a running turn should end: it has used `share_s` seconds, and another caller waits."""
        with self._changed:
            others = any(each.who != turn.who for each in self._waiting)
            return others and self._clock() - turn.began > share_s

    def _lately(self, who: str) -> float:
        """Return the seconds that a caller used, with older ones discounted."""
        seconds, then = self._used.get(who, (0.0, 0.0))
        return seconds * exp2((then - self._clock()) / _HALF_LIFE_S)

    def _advance(self) -> None:
        self._used = {who: used for who, used in self._used.items() if self._lately(who) > _FORGOTTEN_S}
        self._waiting.sort(key=lambda each: (each.rank, self._lately(each.who)))
        while self._waiting and len(self._played) < self._at_once:
            turn = self._waiting.pop(0)
            self._room.remove(turn.who, turn)
            turn.began = self._clock()
            self._played.append(turn)
        self._changed.notify_all()


class Backend:
    """State shared by all calls; thread-safe."""

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
        """The store, opened at first use.

        Raises:
            DatabaseError: if the database cannot be opened.
        """
        with self._lock:
            if self._store is None:
                self._store = Store(self.settings.store_url, self._ending)
                if not self._store.database.obstacle:
                    self._checkpointer = backup.Checkpointer(self._store.database)
            return self._store

    def check_rows(self) -> None:
        """Check all rows once after a failure, since rows written by another program may be the cause.

        Raises:
            DamagedError: if a row has a value that Beanleague never stores.
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

    def comparison_of(self, league: "League") -> "Compared":
        """Return the pairwise comparisons of a league, cached for the last few leagues."""
        from beanleague.league.counting import Compared

        key = league.id, league.deals_done, league.entrants
        with self._comparing:
            found = self._compared.pop(key, None) or Compared(self.store, league)
            self._compared[key] = found  # inserted last, since the oldest is dropped first
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
        """Unregister a run that has ended, and move its commits into the database's file."""
        with suppress(DatabaseError):  # no data are lost: the next attempt stores them
            self.store.database.checkpoint()
        with self._lock:
            self._runs.discard(run)
            self._no_runs.notify_all()

    def wait_for_runs(self) -> None:
        """Wait until all runs have ended, including runs without a waiting call."""
        with self._lock:
            self._no_runs.wait_for(lambda: not self._runs)

    def stop_runs(self) -> None:
        """Stop all current and future runs, and slow queries from now on."""
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
    """Base of classes with the calls about one subject. `gate.Gate` converts their errors to statuses.

    Modules that only some calls need are imported by these calls, so that simple commands start quickly.
    """

    def __init__(self, backend: Backend, access: Access) -> None:
        self._backend = backend
        self._access = access


def check_backup(file: Path, name: str) -> None:
    """Check a whole backup. `name`: name of the backup in errors.

    Raises:
        ServiceError: if the file is damaged or not a Beanleague database.
    """
    try:
        backup.check_backup(file, name)
    except DatabaseError as error:
        raise ServiceError(str(error)) from None
