"""The results of a running league, counted and rated as they come in."""

from __future__ import annotations

from collections.abc import Callable

from beanleague.league.counting import count, keep
from beanleague.league.schedule.solo import ranking
from beanleague.league.standings import Standing, combined
from beanleague.model import League, PlayedDeal
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
        self._fitted = -1  # deals at the last fit
        self._seconds = 0.0  # it took
        self._due = clock()

    def add(self, deal: PlayedDeal) -> None:
        """Count a deal that was committed."""
        if self._league.solo:
            players, places = ranking([match.seats for match in deal.matches])
            self._counters.add_solo_deals([players], [places])
            return
        self._counters.add_deal(
            [
                (tuple(seat.entrant for seat in match.seats), tuple(seat.place for seat in match.seats))
                for match in deal.matches
            ]
        )

    @property
    def decided(self) -> bool:
        """Whether the run may end early: never, since a league plays all its deals."""
        return False

    def close(self) -> None:
        """Store the ratings of the last deals too, unless that would delay the end of the run."""
        if self._fitted != self._counters.deals and self._seconds < _MAX_LAST_FIT_S:
            keep(self._store, self._league, self._counters)

    def standings(self, *, now: bool = False) -> tuple[Standing, ...] | None:
        """Return the standings if they may have changed and it is time, or if they are wanted `now`; else None."""
        if not now and (self._fitted == self._counters.deals or self._clock() < self._due):
            return None
        began = self._clock()
        ratings = keep(self._store, self._league, self._counters).ratings
        self._fitted = self._counters.deals
        ended = self._clock()
        self._seconds = ended - began
        self._due = ended + max(_MIN_INTERVAL_S, _MIN_INTERVAL_SHARE * self._seconds)
        return combined(self._store, self._league, ratings)
