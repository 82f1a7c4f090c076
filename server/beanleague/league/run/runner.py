"""Running a league: deals go to the referee and results to the store until the league is done or stopped.

The results of a run do not depend on the number of workers, the order in which matches end, or interruptions: seeds,
tables and luck are functions of the master secret and the number of the deal.
"""

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from beanleague.games import RulesVersionError, check_rules_version
from beanleague.league.bots.cache import BundleCache
from beanleague.league.errors import LeagueError, RunError
from beanleague.league.run.logs import BotLogs
from beanleague.league.run.players import Control, Players, Programs, RunParts
from beanleague.league.run.progress import Meter, Progress
from beanleague.league.run.reports import Listener, RunReports
from beanleague.league.run.session import PoolSession
from beanleague.league.run.source import Clocks, Playing
from beanleague.league.schedule.owners import shared_owners
from beanleague.model import Entrant, League
from beanleague.referee import messages
from beanleague.referee.host import NeedsError, describe_problem
from beanleague.referee.sandbox.layers import SandboxError
from beanleague.store import Store, StoreError


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Settings of a run."""

    workers: int
    """Number of worker processes."""
    in_flight: int | None
    """Matches that a worker plays at once; None to choose a number that suits the league."""
    fresh: bool = False
    """Whether every match gets new bot processes."""


class LeagueRun:
    """One run of the league called `name`. Call `play` in one thread; `stop` may be called from any.

    `playing`: run strategy of the league's format. `listener`: receives the progress.
    """

    def __init__(
        self,
        store: Store,
        name: str,
        playing: Playing,
        cache: BundleCache,
        settings: RunSettings,
        start_pool: messages.StartPool,
        *,
        listener: Listener = Listener(),  # noqa: B008  # frozen
        clocks: Clocks = Clocks(),  # noqa: B008  # frozen
    ) -> None:
        self._store = store
        self._name = name
        self._playing = playing
        self._cache = cache
        self._settings = settings
        self._start_pool = start_pool
        self._listener = listener
        self._clocks = clocks
        self._control = Control(settings.workers)
        self._asked_to_stop = False
        self._opened = threading.Event()

    @property
    def opened(self) -> bool:
        """Whether the run's pool has been started."""
        return self._opened.is_set()

    def stop(self) -> None:
        """Make `play` return soon. Committed deals are kept; unfinished deals are repeated by the next run."""
        self._control.stop()

    def resize(self, workers: int) -> None:
        """Change the number of workers of a ladder: a new pool is started after the planned deals."""
        self._control.workers = workers

    def play(self) -> None:
        """Play the remaining deals of the league; return when it is done or `stop` was called.

        Raises:
            MissingError: if the league does not exist.
            ConflictError: if it is being run already.
            RulesVersionError: if it has another version of the rules than this program.
            RunError: if the run cannot continue, or was asked to stop through the database.
            DatabaseError: if results cannot be stored.
        """
        runs = self._store.runs
        league = self._store.leagues.get(self._name)
        check_rules_version(league.rules, f"the league {league.name}")
        league_id = league.id
        token = runs.begin(league_id)
        error = ""
        try:
            with runs.held(league_id, token):
                done = self._play(self._parts(self._store.leagues.get(self._name), token))
        except Exception as failure:
            error = _why(failure)
            raise
        finally:
            with contextlib.suppress(StoreError):  # the end of this thread frees the league anyway
                runs.end(league_id, token, error)
        if self._asked_to_stop and not done:
            raise RunError("the run was stopped; deals played before are kept, and the next run continues")

    def _parts(self, league: League, token: str) -> RunParts:
        """Return the parts of this run that its pools share. `token`: token of the run in the database."""
        clock = self._clocks.seconds
        meter = Meter(league, clock)
        play = self._playing.begin(self._store, league, self._clocks)
        return RunParts(
            self._store,
            league,
            self._playing,
            play,
            meter,
            RunReports(meter, play.counter, self._listener.report, partial(self._beat, league.id, token), clock),
            Programs(self._store, self._cache),
            self._control,
            self._clocks,
            self._culprits(league.id),
        )

    def _culprits(self, league_id: int) -> set[int]:
        """Return the entrants that voided deals in earlier runs."""
        blamed = self._store.deals.blamed_entrants(league_id)
        entrants = self._store.leagues.entrants(league_id) if blamed else ()
        return {entrant.number for entrant in entrants if entrant.label in blamed}

    def _beat(self, league_id: int, token: str, progress: Progress) -> None:
        """Store the progress; stop if the database contains a request to."""
        if self._store.runs.beat(league_id, token, self._listener.packed(progress)):
            self._asked_to_stop = True
            self.stop()

    def _play(self, run: RunParts) -> bool:
        """Play until the league is done or `stop` was called; return whether it is done."""
        league, counter, endless = run.league, run.play.counter, run.league.traits.endless
        more = endless or (league.deals_done < league.deals and not counter.decided)
        while more:
            more = self._play_with_a_pool(run)
        counter.close()
        done = counter.decided or (not endless and run.meter.over)
        if done:
            run.reports.done()
        return done

    def _play_with_a_pool(self, run: RunParts) -> bool:
        """Start a pool and play with it; return whether another pool is needed afterwards."""
        entrants = self._store.leagues.entrants(run.league.id)
        run.meter.shared_owners = shared_owners(run.league, entrants)
        run.reports.starting()
        versions = {entrant.number: entrant.version_id for entrant in entrants if entrant.version_id is not None}
        logs = BotLogs(self._store, run.league.id, versions, self._clocks.seconds)
        given = self._playing.given(self._store, run.league, entrants)
        pool = self._open_pool(run, given)
        self._opened.set()
        try:
            more = PoolSession(run, pool, Players(run, pool, logs, entrants, given)).play()
        finally:
            for log in pool.close():
                logs.add(log)
        logs.write(now=True)
        return more

    def _open_pool(self, run: RunParts, given: Sequence[Entrant]) -> messages.Pool:
        league = run.league
        bots = [run.programs.unpacked(entrant) for entrant in given if entrant.version_id is not None]
        repeats = 1 if league.solo else league.matches_a_deal
        # If any deal may be the last one, the deals then in progress are wasted.
        load = messages.Load(len(bots), league.seats, repeats, self._playing.copies(league), self._playing.ends_early)
        settings: messages.PoolSettings = {
            "workers": self._control.take_workers(),
            "in_flight": self._settings.in_flight,
            "load": load,
            "fresh": self._settings.fresh,
            "isolate": league.isolate,
        }
        if league.one_cpu:
            settings["cpu"] = league.cpu
        try:
            return self._start_pool(bots, messages.Limits(**league.limits), **settings)
        except OSError as error:
            raise RunError(f"the workers cannot be started: {describe_problem(error)}") from None
        except (SandboxError, NeedsError) as error:
            raise RunError(str(error)) from None


def _why(failure: Exception) -> str:
    """Return the reason of a failed run, to be stored."""
    if isinstance(failure, (LeagueError, StoreError, RulesVersionError)):
        return str(failure)
    return f"an unexpected {type(failure).__name__}; see the log of the server"
