"""Processing of played deals: suspensions, commits, and counting for the ratings, in this order."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from math import inf

from beanleague import model
from beanleague.league.counting import add_results, count, keep, ladder_counts, weigh_deals
from beanleague.league.ladder.checkpoints import checkpoint, trim
from beanleague.league.ladder.inputs import Known, estimates
from beanleague.league.ratings.counters import Counters
from beanleague.league.run.progress import Meter
from beanleague.league.schedule.draws import Companions
from beanleague.league.standings import Standing, rated_standings
from beanleague.store import Store, StoreError
from beanleague.wire import WireError, times_from_bytes, unpacked

COMMIT_WAIT_S = 0.05
"""Seconds that a finished deal may wait to be committed together with others."""

MAX_GROUP = 100
"""Maximum number of deals in a transaction; larger groups do not reduce the cost per deal."""


MAX_IN_A_ROW = 5
"""Number of consecutive forfeits that suspends a bot."""

MAX_SHARE = 0.1
MIN_MATCHES = 20
"""A bot with at least `MIN_MATCHES` matches is also suspended if it forfeited more than `MAX_SHARE` of them."""


class Suspensions:
    """Counts forfeits in the order of commits, and decides on suspensions.

    `forfeits`: counts so far, by entrant. `active`: entrants that are neither retired nor suspended.
    """

    def __init__(self, forfeits: Sequence[model.Forfeits], active: Iterable[int]) -> None:
        self.forfeits = list(forfeits)
        self.active = set(active)

    def add(self, deal: int, matches: Iterable[Sequence[model.SeatResult]]) -> list[model.Suspension]:
        """Count a deal, given as the seats of its matches; return the suspensions that follow."""
        forfeited = set()
        for seats in matches:
            for seat in seats:
                self.forfeits[seat.entrant] = self.forfeits[seat.entrant].after(forfeited=seat.forfeited)
                if seat.forfeited:
                    forfeited.add(seat.entrant)
        unfit = ((entrant, _unfit(self.forfeits[entrant])) for entrant in sorted(forfeited & self.active))
        suspended = [model.Suspension(entrant, deal, why) for entrant, why in unfit if why]
        self.active.difference_update(each.entrant for each in suspended)
        return suspended


def _unfit(found: model.Forfeits) -> str:
    if found.in_a_row >= MAX_IN_A_ROW:
        return f"{found.in_a_row} forfeits in a row"
    if found.matches >= MIN_MATCHES and found.forfeits > MAX_SHARE * found.matches:
        return f"{found.forfeits} forfeits in {found.matches} matches"
    return ""


class Commits(AbstractContextManager["Commits"]):
    """Commits the deals of a run in the order of `add`.

    A transaction has fixed costs, especially on a database server (round trips, a log write), so deals that arrive
    close together share one.

    A deal waits for others, up to `wait_s`, only if it came less than `wait_s` after the previous one, so another is
    likely to follow. A deal that suspends an entrant does not wait.

    `count` is called with each deal after its commit. `clock`: in seconds.
    """

    def __init__(
        self,
        store: Store,
        league: model.League,
        suspensions: Suspensions,
        meter: Meter,
        count: Callable[[model.PlayedDeal], None],
        clock: Callable[[], float],
        *,
        wait_s: float = COMMIT_WAIT_S,
    ) -> None:
        self._store = store
        self._league = league
        self._suspensions = suspensions
        self._meter = meter
        self._count = count
        self._clock = clock
        self._wait_s = wait_s
        self._deals: list[model.PlayedDeal] = []
        self._suspended: list[model.Suspension] = []
        self._due = inf  # time of the next commit
        self._last = -inf  # time at which the last deal was added
        self._changes = 0  # number of the league's changes seen so far

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit pending deals, however the run ended; an error of the run takes precedence over one of this commit."""
        with suppress(*[StoreError] if kind else []):
            self.commit()

    def add(self, deals: Sequence[model.PlayedDeal]) -> None:
        if not deals:
            return
        for deal in deals:
            self._deals.append(deal)
            self._suspended += self._suspensions.add(deal.number, [match.seats for match in deal.matches])
        now = self._clock()
        if self._suspended or len(self._deals) >= MAX_GROUP or now - self._last >= self._wait_s:
            self._due = now
        else:
            self._due = min(self._due, now + self._wait_s)
        self._last = now

    def due_in(self, most: float) -> float:
        """Return the seconds that pending deals may still wait for others, at most `most`."""
        return max(0.0, min(most, self._due - self._clock()))

    def commit(self) -> None:
        """Commit pending deals in one transaction; counting and reports follow."""
        deals, suspended = self._deals, self._suspended
        if not deals:
            return
        self._deals, self._suspended, self._due = [], [], inf  # deals whose commit fails are not retried
        if not self._store.deals.commit(self._league.id, deals, suspended, after=self._changes):
            now = time.time()
            self._store.database.repeat(lambda again: self._commit_recounted(deals, now, again=again))
        self._meter.deals += len(deals)
        for deal in deals:
            self._count(deal)

    def _commit_recounted(self, deals: Sequence[model.PlayedDeal], now: float, *, again: bool) -> None:
        """Reload the entrants and commit the deals before the entrants can change again."""
        with self._store.database.alone(again=again):
            suspended = self._recount(deals)
            self._store.deals.commit(self._league.id, deals, suspended, after=self._changes, now=now)
        if again:  # a repeated commit may count forfeits twice: recount with the next deal
            self._changes = -1

    def _recount(self, deals: Sequence[model.PlayedDeal]) -> list[model.Suspension]:
        """Reload the entrants and their forfeits; return the suspensions that follow from `deals`."""
        leagues, league_id = self._store.leagues, self._league.id
        self._changes = self._store.changes.newest(league_id)
        self._suspensions.forfeits = [*leagues.forfeits(league_id)]
        self._suspensions.active = {entrant.number for entrant in leagues.entrants(league_id) if entrant.active}
        matches = ((deal.number, [match.seats for match in deal.matches]) for deal in deals)
        return [each for number, seats in matches for each in self._suspensions.add(number, seats)]


_MIN_INTERVAL_S = 1.0  # minimum seconds between fits
# The history has a point at each doubling of the deals. A short league is over before fits at intervals could make any.
_POINTS = frozenset({4, 8, 16, 32, 64, 128, 256})
_MAX_POINT_BOTS = 64  # maximum number of bots for which a fit is quick enough to be made for such a point
_MAX_LAST_FIT_S = 0.5  # maximum duration of a fit between a stop request and the end


class LiveRatings:
    """Counts deals, and periodically fits and stores the ratings. `clock`: in seconds."""

    share = 0.02
    """Maximum share of a core used for computing ratings."""

    def __init__(
        self, store: Store, league: model.League, clock: Callable[[], float], counters: Counters | None = None
    ) -> None:
        self._store = store
        self._league = league
        self._clock = clock
        self._counters = counters or count(store, league)
        # Deals not counted yet: counting them together takes a hundredth of the time.
        self._deals: list[list[tuple[model.SeatResult, ...]]] = []
        self._ratings: tuple[model.Rating, ...] | None = None  # None if deals have been added since
        self._seconds = 0.0  # duration of the last fit in seconds
        self._due = clock()

    def add(self, deal: model.PlayedDeal) -> None:
        self._deals.append([match.seats for match in deal.matches])
        self._ratings = None
        played = self._counters.played + len(self._deals)
        if played in _POINTS and self._league.entrants <= _MAX_POINT_BOTS:
            keep(self._store, self._league, self._counts())

    def joined(self, entrants: Sequence[model.Entrant]) -> None:
        """Replace the entrants. `entrants`: the complete list."""
        if self._counters.bots < len(entrants):
            self._counters.grow(len(entrants))
            self._ratings = None
        self._league = replace(self._league, entrants=len(entrants))

    @property
    def decided(self) -> bool:
        """Return False: a league always plays all its deals."""
        return False

    @property
    def comparison(self) -> None:
        """Return None: a league has no test."""
        return None

    def close(self) -> None:
        """Store ratings that include the last deals, unless that would delay the end of the run."""
        if self._ratings is None and self._seconds < _MAX_LAST_FIT_S:
            self._fit()

    def standings(self, *, now: bool = False) -> tuple[Standing, ...] | None:
        """Return the standings if they may have changed and are due, or if wanted `now`; else None."""
        if not now and (self._ratings is not None or self._clock() < self._due):
            return None
        return rated_standings(self._store, self._league, self._fit() if self._ratings is None else self._ratings)

    def _fit(self) -> tuple[model.Rating, ...]:
        began = self._clock()
        self._ratings = keep(self._store, self._league, self._counts()).ratings
        ended = self._clock()
        self._seconds = ended - began
        self._due = ended + max(_MIN_INTERVAL_S, self._seconds / self.share)
        return self._ratings

    def _counts(self) -> Counters:
        """Return the counts of all deals so far."""
        add_results(self._counters, self._league, self._deals)
        self._deals = []
        return self._counters


class LadderRatings(LiveRatings):
    """Counter of a ladder's deals and entries, which change while it runs; starts from the latest checkpoint."""

    share = 0.01  # smaller share, since plans need fits, too: together they take at most 2.5 %

    def __init__(self, store: Store, league: model.League, clock: Callable[[], float]) -> None:
        found = ladder_counts(store, league)
        super().__init__(store, league, clock, Counters(0))
        self._found = found
        self.meetings = found.meetings
        """Seatings of all planned deals."""
        self.deals = league.deals_done
        """Deals committed."""
        self._thought: Counter[int] = Counter()

    def plan(self, epoch: int, field: Companions, deals: Sequence[model.Deal]) -> None:
        """Add a published epoch. `field`: field from which companions were drawn."""
        self._found.deals.plan(epoch, deals[0].number, field, [deal.table for deal in deals])

    def drop(self, deal: model.Deal) -> None:
        """Remove a planned deal that will not be played."""
        self.meetings.drop(deal.table)
        self._found.deals.drop(deal.number)

    def add(self, deal: model.PlayedDeal) -> None:
        self._ratings = None
        self.deals += 1
        self._found.deals.add_results(deal.number, [match.seats for match in deal.matches])
        for match in deal.matches:
            with suppress(WireError):  # verification of the ladder reports the damage
                for seat, ms in times_from_bytes(unpacked(match.record)):
                    self._thought[match.seats[seat].entrant] += ms

    def joined(self, entrants: Sequence[model.Entrant]) -> None:
        """Replace the entrants, and forget the ratings: the field may have changed."""
        self._league = replace(self._league, entrants=len(entrants))
        self._ratings = None

    def thought(self) -> Mapping[int, int]:
        """Return the milliseconds of thinking by entrant since the previous call."""
        found, self._thought = self._thought, Counter()
        return found

    def known(self, entrants: Sequence[model.Entrant]) -> tuple[list[Known], list[int]]:
        """Return the estimates of the entries in their field, and the number of deals played by each."""
        found = estimates(weigh_deals(self._found.deals, entrants), self._league.anchor)
        return found, self._found.deals.played.tolist()

    def _counts(self) -> Counters:
        return weigh_deals(self._found.deals, self._store.leagues.entrants(self._league.id))

    def checkpoint(self, day: model.LadderDay, epochs: int) -> tuple[model.LadderCheckpoint, bytes]:
        """Store the ratings at the end of a day, and drop deals without weight; return the checkpoint and its data.

        `epochs`: number of epochs so far.
        """
        if self._ratings is None:
            self._fit()
        before = self._store.ladders.checkpoints(self._league.id, last=1)
        trim(self._found.deals, self._store.leagues.entrants(self._league.id), self.meetings.tables)
        return checkpoint(self._found, day, epochs, before[0].digest if before else b"")
