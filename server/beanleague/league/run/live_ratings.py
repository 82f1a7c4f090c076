"""The results of a running league, counted and rated as they come in."""

from __future__ import annotations

from collections.abc import Callable

from beanleague.league.counting import add_results, count, keep
from beanleague.league.standings import Standing, combined
from beanleague.model import League, PlayedDeal, Rating, SeatResult
from beanleague.store.store import Store

_MIN_INTERVAL_S = 1.0  # between fits
_MIN_INTERVAL_SHARE = 10.0  # of the time that a fit takes, between fits
_MAX_LAST_FIT_S = 0.5  # of a fit that may come between a stop and the end


class LiveRatings:
    """Counts deals, and fits and keeps the ratings now and then. `clock`: seconds."""

    def __init__(self, store: Store, league: League, clock: Callable[[], float]) -> None:
        self._store = store
        self._league = league
        self._clock = clock
        self._counters = count(store, league)
        self._deals: list[
            list[tuple[SeatResult, ...]]
        ] = []  # not counted yet: together they take a hundredth of the time
        self._ratings: tuple[Rating, ...] | None = None  # None if there are deals without them
        self._seconds = 0.0  # that the last fit took
        self._due = clock()

    def add(self, deal: PlayedDeal) -> None:
        """Take in a deal that was committed."""
        self._deals.append([match.seats for match in deal.matches])
        self._ratings = None

    @property
    def decided(self) -> bool:
        """Whether the run may end early: never, since a league plays all its deals."""
        return False

    def close(self) -> None:
        """Store the ratings of the last deals too, unless that would delay the end of the run."""
        if self._ratings is None and self._seconds < _MAX_LAST_FIT_S:
            self._fit()

    def standings(self, *, now: bool = False) -> tuple[Standing, ...] | None:
        """Return the standings if they may have changed and it is time, or if they are wanted `now`; else None."""
        if not now and (self._ratings is not None or self._clock() < self._due):
            return None
        return combined(self._store, self._league, self._fit() if self._ratings is None else self._ratings)

    def _fit(self) -> tuple[Rating, ...]:
        began = self._clock()
        add_results(self._counters, self._league, self._deals)
        self._deals = []
        self._ratings = keep(self._store, self._league, self._counters).ratings
        ended = self._clock()
        self._seconds = ended - began
        self._due = ended + max(_MIN_INTERVAL_S, _MIN_INTERVAL_SHARE * self._seconds)
        return self._ratings
