"""Session of a run: one pool plays deals from the source, and results go to the database and the counter."""

from beanleague.league.errors import RunError
from beanleague.league.run.committing import COMMIT_WAIT_S, Commits
from beanleague.league.run.deals import DealsInFlight
from beanleague.league.run.players import Players, RunParts
from beanleague.league.schedule.schedule import ScheduleError
from beanleague.model import PlayedDeal, PlayedMatch
from beanleague.referee import messages
from beanleague.referee.host import Shortage, describe_problem, shortage_of

_POLL_INTERVAL_S = 0.1  # interval of fetching results; it bounds the time until a stop is noticed


class PoolSession:
    """One pool's part of a run."""

    def __init__(self, run: RunParts, pool: messages.Pool, players: Players) -> None:
        league, clock = run.league, run.clocks.seconds
        self._run = run
        self._pool = pool
        self._players = players
        self._source = run.play.source(players)
        self._in_flight = DealsInFlight(
            self._source.next,
            pool,
            players.names,
            most=players.most,
            isolate=league.isolate,
            unforgiven=run.unforgiven,
            clock=clock,
        )
        run.reports.begin()
        # No waiting if the next round, or the end of the league, depends on these results.
        wait_s = 0.0 if league.isolate or run.playing.ends_early else COMMIT_WAIT_S
        self._commits = Commits(run.store, league, players.suspensions, run.meter, self._count, clock, wait_s=wait_s)

    def play(self) -> bool:
        """Play until the league is done, the run is stopped or another pool is needed; return whether a pool is needed.

        Raises:
            RunError: if the run cannot continue.
            DatabaseError: if results cannot be stored.
        """
        self._fill()
        with self._commits:
            while not self._over:
                self._step()
        return self._source.wants_pool and not self._run.control.stopping

    @property
    def _over(self) -> bool:
        all_played = self._in_flight.empty and self._source.over
        return all_played or self._run.play.counter.decided or self._run.control.stopping

    def _step(self) -> None:
        """Wait a moment for results, commit and report them, and start more deals."""
        commits, meter = self._commits, self._run.meter
        commits.add(self._gather(commits.due_in(_POLL_INTERVAL_S)))
        meter.workers, meter.remarks = self._pool.nodes, self._pool.remarks
        if self._in_flight.empty or commits.due_in(_POLL_INTERVAL_S) == 0:
            commits.commit()
        self._fill()
        self._players.logs.write()
        self._run.reports.playing()
        meter.plan(self._source.deals)

    def _count(self, deal: PlayedDeal) -> None:
        """Count a committed deal."""
        self._run.play.counter.add(deal)
        self._source.committed(deal.number)

    def _fill(self) -> None:
        """Start deals until the pool has enough of them."""
        try:
            self._in_flight.fill()
        except ScheduleError as error:
            raise RunError(self._way_out(error)) from None

    def _way_out(self, error: ScheduleError) -> str:
        """Return the reason why no tables can be made, and the organiser's options."""
        league = self._run.league
        suspended = [entrant for entrant in self._run.store.leagues.entrants(league.id) if entrant.suspended]
        reasons = [f"{entrant.label} is suspended ({entrant.suspended})" for entrant in suspended]
        others = self._run.playing.advice(league, {entrant.number for entrant in suspended})
        hint = f"Lift a suspension ('league lift {league.name} BOT'), or {others}, and try again"
        return f"{'; '.join([str(error), *reasons])}. {hint}"

    def _gather(self, timeout: float) -> list[PlayedDeal]:
        """Handle the reports of the next `timeout` seconds; return the deals played."""
        played = []
        for report in self._reports_of_pool(timeout):
            match report:
                case messages.BotLog():
                    self._players.logs.add(report)
                case PlayedMatch():
                    self._run.meter.add(report)
                case messages.WorkerCounts():
                    self._run.meter.counts += report
                case messages.VoidDeal():
                    self._again(report)
                case PlayedDeal():
                    self._in_flight.played(report.number)
                    self._run.meter.add_deal(report.node)
                    played.append(report)
        return played

    def _reports_of_pool(self, timeout: float) -> list[messages.DealReport]:
        try:
            return self._pool.poll(timeout)
        except OSError as error:
            if shortage_of(error) is Shortage.OTHER:
                raise
            raise RunError(
                f"{describe_problem(error)}. Deals played before are kept; run the league again to continue"
            ) from None

    def _again(self, void: messages.VoidDeal) -> None:
        """Store the reason why a deal is void, and repeat it."""
        self._run.store.deals.add_void(self._run.league.id, void.number, self._in_flight.reason(void), void.node)
        self._run.meter.void(void)
        self._in_flight.again(void)
