"""The entrants of a run: their programs, their presence in the pool, and the pace of newcomers."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import EnvironmentMissingError
from beanleague.league.errors import RunError
from beanleague.league.run.committing import Suspensions
from beanleague.league.run.logs import BotLogs
from beanleague.league.run.progress import Meter
from beanleague.league.run.reports import RunReports
from beanleague.league.run.source import Clocks, LeaguePlay, Playing
from beanleague.league.schedule.owners import shared_owners
from beanleague.model import Entrant, Forfeits, League
from beanleague.referee.messages import BotSpec, Pool
from beanleague.store import Store

_FEW_DEALS = 5  # a bot counts as new for its first 5 deals, which are published one at a time
_AT_ONCE = 2  # a new bot plays about 2 deals at once


class Control:
    """Orders to a run from other threads."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        """Number of workers wanted."""
        self._taken = workers  # number of workers of the current pool
        self._stop = threading.Event()

    @property
    def resized(self) -> bool:
        """Whether the number of workers should change."""
        return self.workers != self._taken

    def take_workers(self) -> int:
        """Return the number of workers for a new pool."""
        self._taken = self.workers
        return self._taken

    @property
    def stopping(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Request the run to stop soon."""
        self._stop.set()


class Programs:
    """Programs of a league's bots, unpacked when needed."""

    def __init__(self, store: Store, cache: BundleCache) -> None:
        self._store = store
        self._cache = cache

    def unpacked(self, entrant: Entrant) -> BotSpec:
        """Return the unpacked program of an entrant.

        Raises:
            RunError: if the entrant's environment is missing on this machine.
        """
        version = self._store.bots.version(entrant.bot, entrant.version)
        try:
            return self._cache.bot(entrant.number, version, self._store.bots.bundle)
        except EnvironmentMissingError as missing:
            raise RunError(f"{entrant.label} cannot play: {missing}") from None


@dataclass(frozen=True, slots=True)
class RunParts:
    """Parts of a run that all its pools share."""

    store: Store
    """The database."""
    league: League
    """The league as it was at the start of the run."""
    playing: Playing
    """Run strategy of the league's format."""
    play: LeaguePlay
    """Counter of the league's deals, and factory of its sources."""
    meter: Meter
    """Meter of the run's speed and counts."""
    reports: RunReports
    """Reports of the run's progress."""
    programs: Programs
    """Programs of the league's bots."""
    control: Control
    """Orders to the run from other threads."""
    clocks: Clocks
    """Clocks of the run."""
    unforgiven: set[int]
    """Entrants that already voided a deal of the league; see `DealsInFlight`."""


class Players:
    """Entrants of a run and the pool that plays them; the `Roster` of its source.

    `entrants`: all entrants; `given`: entrants loaded into the pool at its start.
    """

    def __init__(
        self, run: RunParts, pool: Pool, logs: BotLogs, entrants: Sequence[Entrant], given: Sequence[Entrant]
    ) -> None:
        self._run = run
        self._pool = pool
        self.logs = logs
        """Logs of the entrants' bots."""
        self.names = {entrant.number: entrant.label for entrant in entrants}
        """Labels of all entrants by number, newcomers included."""
        active = (entrant.number for entrant in entrants if entrant.active)
        self.suspensions = Suspensions(run.store.leagues.forfeits(run.league.id), active)
        """Forfeits of all entrants."""
        self._in_pool = {entrant.number for entrant in given}
        self._matches = max(run.league.matches_a_deal, 1)

    @property
    def stale(self) -> bool:
        return self._run.control.resized

    def has(self, table: Sequence[int]) -> bool:
        return self._in_pool.issuperset(table)

    def joined(self, entrants: Sequence[Entrant]) -> bool:
        for entrant in entrants[len(self.names) :]:
            self.names[entrant.number] = entrant.label
            self.logs.join(entrant)
        suspensions = self.suspensions
        suspensions.forfeits += [Forfeits(0, 0, 0)] * (len(entrants) - len(suspensions.forfeits))
        suspensions.active = {entrant.number for entrant in entrants if entrant.active}
        self._run.meter.shared_owners = shared_owners(self._run.league, entrants)
        self._run.play.counter.joined(entrants)
        return self._admit([each for each in entrants if each.active and each.number not in self._in_pool])

    def _admit(self, new: Sequence[Entrant]) -> bool:
        """Add entrants to the pool; return False if that requires a new pool."""
        if new and not self._pool.admit([self._run.programs.unpacked(entrant) for entrant in new]):
            return False
        self._in_pool.update(entrant.number for entrant in new)
        return True

    def tables(self) -> int:
        factor = 1 if self._run.league.isolate else 2
        return -(-factor * self._pool.capacity // self._matches) or 1

    def batch(self) -> int:
        return 1 if self._young() else self.tables()

    def most(self) -> float:
        """Return the maximum number of deals to play at once."""
        league = self._run.league
        if not self._run.playing.tries_newcomers or league.isolate or not (new := self._young()):
            return inf
        return max(_AT_ONCE, _AT_ONCE * new // (league.seated if league.solo else league.seats))

    def _young(self) -> int:
        """Return the number of active bots with few deals."""
        few = _FEW_DEALS * (1 if self._run.league.solo else self._matches)
        return sum(self.suspensions.forfeits[entrant].matches < few for entrant in self.suspensions.active)
