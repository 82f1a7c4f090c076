"""Running a league: deals go to the referee, results to the store, until all is played or the run is stopped.

The results of a run do not depend on the number of workers, the order in which matches end, or interruptions: seeds,
tables and luck are functions of the master secret and the number of the deal.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Protocol

from beanleague.games import RulesVersionError, check_rules_version
from beanleague.league.bots.cache import BundleCache
from beanleague.league.bots.environments import EnvironmentMissingError
from beanleague.league.errors import LeagueError, RunError
from beanleague.league.run.committing import COMMIT_WAIT_S, Commits, LadderRatings, LiveRatings, Suspensions
from beanleague.league.run.deals import Dealer, DealsInFlight
from beanleague.league.run.epochs import EpochDealer
from beanleague.league.run.progress import Meter, Progress, RunState
from beanleague.league.schedule.owners import shared_owners
from beanleague.league.schedule.schedule import ScheduleError
from beanleague.league.standings import Standing
from beanleague.model import COMPARISON, LADDER, Entrant, Forfeits, League, PlayedDeal, PlayedMatch
from beanleague.referee import messages
from beanleague.referee.host import NeedsError, Shortage, describe_problem, shortage_of
from beanleague.referee.sandbox.layers import SandboxError
from beanleague.store import Store, StoreError
from beanleague.store.bots import newest

_POLL_INTERVAL_S = 0.1  # between results; bounds the time until a stop is noticed
_REPORT_INTERVAL_S = 0.25
_HEARTBEAT_INTERVAL_S = 2.0
_FEW_DEALS = 5  # New bots: one published deal at a time for 5 deals.
_AT_ONCE = 2  # New bots: about 2 of their deals run at once.


@dataclass(frozen=True, slots=True)
class RunSettings:
    """Settings of a run."""

    workers: int
    """Worker processes."""
    in_flight: int | None
    """Concurrent matches per worker; None for a number that suits the league."""
    fresh: bool = False
    """Whether to start new bot processes for every match."""


class LiveResults(Protocol):
    """Counter of a run's deals: `LiveRatings` or `compare.LiveComparison`."""

    @property
    def decided(self) -> bool: ...

    def add(self, deal: PlayedDeal) -> None: ...

    def standings(self, *, now: bool = False) -> tuple[Standing, ...] | None: ...

    def close(self) -> None: ...


class LeagueRun:
    """One run of a league. Call `play` in one thread, `stop` from any.

    `clock`: in seconds. `now`: the machine's time, which determines a ladder's days.
    """

    def __init__(
        self,
        store: Store,
        league: str,
        cache: BundleCache,
        settings: RunSettings,
        start_pool: messages.StartPool,
        report: Callable[[Progress], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        count: Callable[[Store, League, Callable[[], float]], LiveResults] = LiveRatings,
        packed: Callable[[Progress], bytes] = lambda _: b"",
        now: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._name = league
        self._cache = cache
        self._settings = settings
        self._start_pool = start_pool
        self._report = report
        self._clock = clock
        self._count = count
        self._packed = packed
        self._now = now
        self._resized = False  # whether the pool has another number of workers than wanted
        self._unforgiven: set[int] = set()  # shared by all its pools, see `DealsInFlight`
        self._stop = threading.Event()
        self._asked_to_stop = False
        self._opened = threading.Event()

    @property
    def opened(self) -> bool:
        """Whether its pool has been started."""
        return self._opened.is_set()

    def stop(self) -> None:
        """Make `play` return soon. Committed deals are kept; unfinished ones are repeated by the next run."""
        self._stop.set()

    def resize(self, workers: int) -> None:
        """Change the number of workers of a ladder: a new pool is started after the planned deals."""
        if workers != self._settings.workers:
            self._settings = replace(self._settings, workers=workers)
            self._resized = True

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

        def beat(progress: Progress) -> None:
            if runs.beat(league_id, token, self._packed(progress)):
                self._asked_to_stop = True
                self.stop()

        try:
            with runs.held(league_id, token):
                done = self._play(self._store.leagues.get(self._name), beat)
        except Exception as failure:
            error = _why(failure)
            raise
        finally:
            with contextlib.suppress(StoreError):  # the end of this thread frees the league, too
                runs.end(league_id, token, error)
        if self._asked_to_stop and not done:
            raise RunError("the run was stopped; deals played before are kept, and the next run continues")

    def _play(self, league: League, beat: Callable[[Progress], None]) -> bool:
        """Play until the league is done or `stop` was called; return whether it is done."""
        meter = Meter(league, self._clock)
        count = LadderRatings if league.format == LADDER else self._count
        results = count(self._store, league, self._clock)
        ladder = league.format == LADDER
        more = ladder or (league.deals_done < league.deals and not results.decided)
        blamed = self._store.deals.blamed(league.id)  # by earlier runs
        self._unforgiven = {each.number for each in self._store.leagues.entrants(league.id) if each.label in blamed}
        while more:
            entrants = self._store.leagues.entrants(league.id)
            meter.shared_owners = shared_owners(league, entrants)
            self._report(meter.progress(RunState.STARTING, None))
            versions = {entrant.number: entrant.version_id for entrant in entrants if entrant.version_id is not None}
            logs = BotLogs(self._store, league.id, versions, self._clock)
            self._resized = False
            given = self._seated(league, entrants)
            pool = self._open_pool(league, given)
            self._opened.set()
            try:
                more = self._play_deals(league, entrants, given, pool, meter, results, logs, beat)
            finally:
                for log in pool.close():
                    logs.add(log)
            logs.write(now=True)
        results.close()
        done = results.decided or (not ladder and meter.over)
        if done:
            self._report(meter.progress(RunState.DONE, results.standings(now=True)))
        return done

    def _seated(self, league: League, entrants: Sequence[Entrant]) -> Sequence[Entrant]:
        """Return the entrants to load into the pool: of a ladder only active ones, since most old entries are gone."""
        if league.format != LADDER:
            return entrants
        planned = {entrant for deal in self._store.deals.unplayed(league.id) for entrant in deal.table}
        return [entrant for entrant in entrants if entrant.active or entrant.number in planned]

    def _open_pool(self, league: League, entrants: Sequence[Entrant]) -> messages.Pool:
        bots = [self._unpacked(entrant) for entrant in entrants if entrant.version_id is not None]
        copies = league.seats if league.format == COMPARISON else 1
        # A comparison may end at any deal, and deals in progress are then wasted.
        repeats, few = 1 if league.solo else league.matches_a_deal, league.format == COMPARISON
        settings: messages.PoolSettings = {
            "workers": self._settings.workers,
            "in_flight": self._settings.in_flight,
            "load": messages.Load(len(bots), league.seats, repeats, copies, few),
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

    def _unpacked(self, entrant: Entrant) -> messages.BotSpec:
        version = self._store.bots.version(entrant.bot, entrant.version)
        try:
            return self._cache.bot(entrant.number, version, self._store.bots.bundle)
        except EnvironmentMissingError as missing:
            raise RunError(f"{entrant.label} cannot play: {missing}") from None

    def _play_deals(
        self,
        league: League,
        entrants: Sequence[Entrant],
        given: Sequence[Entrant],
        pool: messages.Pool,
        meter: Meter,
        results: LiveResults,
        logs: "BotLogs",
        beat: Callable[[Progress], None],
    ) -> bool:
        """Play until the league is done, `stop` was called or another pool is needed; return whether it is done."""
        factor, matches = 1 if league.isolate else 2, max(league.matches_a_deal, 1)
        ladder = league.format == LADDER
        names = {entrant.number: entrant.label for entrant in entrants}
        active = (entrant.number for entrant in entrants if entrant.active)
        suspensions = Suspensions(self._store.leagues.forfeits(league.id), active)

        def batch() -> int:
            return -(-factor * pool.capacity // matches) or 1

        in_pool = {entrant.number for entrant in given}

        def joined(now: Sequence[Entrant]) -> bool:
            for entrant in now[len(names) :]:
                names[entrant.number] = entrant.label
                logs.join(entrant)
            suspensions.forfeits += [Forfeits(0, 0, 0)] * (len(now) - len(suspensions.forfeits))
            suspensions.active = {entrant.number for entrant in now if entrant.active}
            meter.shared_owners = shared_owners(league, now)
            if isinstance(results, LiveRatings):
                results.joined(now)
            new = [entrant for entrant in now if entrant.active and entrant.number not in in_pool]
            if new and not pool.admit([self._unpacked(entrant) for entrant in new]):
                return False
            in_pool.update(entrant.number for entrant in new)
            return True

        def young() -> int:
            """Return the number of active bots with few deals: a broken one is to be suspended before it has many."""
            few = _FEW_DEALS * (1 if league.solo else matches)
            return sum(suspensions.forfeits[entrant].matches < few for entrant in suspensions.active)

        def most() -> float:
            if ladder or league.isolate or not (new := young()):
                return inf
            return max(_AT_ONCE, _AT_ONCE * new // (league.seated if league.solo else league.seats))

        dealer: Dealer | EpochDealer
        if ladder:
            assert isinstance(results, LadderRatings)
            dealer = EpochDealer(
                self._store,
                league,
                results,
                tables=batch,
                joined=joined,
                in_pool=in_pool.issuperset,
                stale=lambda: self._resized,
                now=self._now,
            )
        else:
            dealer = Dealer(
                self._store, league, batch=lambda: 1 if young() else batch(), joined=joined, clock=self._clock
            )
        in_flight = DealsInFlight(
            dealer.next,
            pool,
            names,
            most=most,
            isolate=league.isolate,
            unforgiven=self._unforgiven,
            clock=self._clock,
        )
        # A round begins when all deals are over, and a comparison ends with the deal that decides it.
        wait_s = 0.0 if league.isolate or league.format == COMPARISON else COMMIT_WAIT_S
        next_report = next_beat = self._clock()
        latest: tuple[Standing, ...] | None = None
        self._fill(in_flight, league)
        with Commits(self._store, league, suspensions, meter, results.add, self._clock, wait_s=wait_s) as commits:
            while not ((in_flight.empty and dealer.over) or results.decided or self._stop.is_set()):
                commits.add(self._gather(league, pool, in_flight, meter, logs, commits.due_in(_POLL_INTERVAL_S)))
                meter.workers, meter.remarks = pool.nodes, pool.remarks
                if in_flight.empty or commits.due_in(_POLL_INTERVAL_S) == 0:
                    commits.commit()
                self._fill(in_flight, league)
                logs.write()
                now = self._clock()
                standings = results.standings()
                latest = standings or latest
                state = RunState.PLAYING if meter.matches else RunState.STARTING
                if now >= next_beat:
                    beat(meter.progress(state, latest))
                    next_beat = now + _HEARTBEAT_INTERVAL_S
                if standings or now >= next_report:
                    self._report(meter.progress(state, standings))
                    next_report = now + _REPORT_INTERVAL_S
                meter.plan(dealer.deals)
        return dealer.wants_pool and not self._stop.is_set()

    def _fill(self, in_flight: DealsInFlight, league: League) -> None:
        try:
            in_flight.fill()
        except ScheduleError as error:
            suspended = [entrant for entrant in self._store.leagues.entrants(league.id) if entrant.suspended]
            reasons = [f"{entrant.label} is suspended ({entrant.suspended})" for entrant in suspended]
            if league.format == COMPARISON:
                others = "compare other bots"
            elif league.hero in {entrant.number for entrant in suspended}:
                others = "create a gauntlet of another bot"
            else:
                others = f"add bots ('league add {league.name}')"
            hint = f"Lift a suspension ('league lift {league.name} BOT'), or {others}, and try again"
            raise RunError(f"{'; '.join([str(error), *reasons])}. {hint}") from None

    def _gather(
        self, league: League, pool: messages.Pool, playing: DealsInFlight, meter: Meter, logs: "BotLogs", timeout: float
    ) -> list[PlayedDeal]:
        """Handle the reports of at most `timeout` seconds; return the deals played."""
        played = []
        try:
            reports = pool.poll(timeout)
        except OSError as error:
            if shortage_of(error) is Shortage.OTHER:
                raise
            raise RunError(
                f"{describe_problem(error)}. Deals played before are kept; run the league again to continue"
            ) from None
        for report in reports:
            match report:
                case messages.BotLog():
                    logs.add(report)
                case PlayedMatch():
                    meter.add(report)
                case messages.WorkerCounts():
                    meter.counts += report
                case messages.VoidDeal():
                    self._store.deals.voided(league.id, report.number, playing.reason(report), report.node)
                    meter.void(report)
                    playing.again(report)
                case PlayedDeal():
                    playing.played(report.number)
                    meter.add_deal(report.node)
                    played.append(report)
        return played


_WRITE_INTERVAL_S = 2.0
_MAX_BYTES = 512 * 1024  # kept between two writes, per bot


class BotLogs:
    """Collects logs and writes them periodically. `versions`: `BotVersion.id` by entrant; `clock`: in seconds."""

    def __init__(self, store: Store, league_id: int, versions: Mapping[int, int], clock: Callable[[], float]) -> None:
        self._store = store
        self._league_id = league_id
        self._versions = dict(versions)
        self._clock = clock
        self._texts: dict[int, str] = {}
        self._due = clock() + _WRITE_INTERVAL_S

    def add(self, log: messages.BotLog) -> None:
        version = self._versions[log.number]
        self._texts[version], _ = newest(self._texts.get(version, "") + log.text, _MAX_BYTES)

    def join(self, entrant: Entrant) -> None:
        if entrant.version_id is not None:
            self._versions[entrant.number] = entrant.version_id

    def write(self, *, now: bool = False) -> None:
        """Write the collected logs if due, or `now`."""
        if now or self._clock() >= self._due:
            self._store.logs.append(self._league_id, self._texts)
            self._texts = {}
            self._due = self._clock() + _WRITE_INTERVAL_S


def _why(failure: Exception) -> str:
    """Return the reason of a failed run, for later queries."""
    if isinstance(failure, (LeagueError, StoreError, RulesVersionError)):
        return str(failure)
    return f"an unexpected {type(failure).__name__}; what the server wrote says more"
