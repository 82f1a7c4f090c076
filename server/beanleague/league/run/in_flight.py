"""The deals being played at the same time: they go to the pool, and come back in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from beanleague.league.errors import RunError
from beanleague.league.run.dealing import Dealer, DealInPlay
from beanleague.referee.messages import DealResult, Pool

_MAX_FAILURES = 3  # of the same deal in a row
_PAUSES_S = (2.0, 10.0)  # before a deal is played again, after the first and second time that the host was short


class DealsInFlight:
    """Keeps about twice as many matches in `pool` as it can play at once, so that it never waits for more.

    With `isolate` as many deals as it can play matches: it plays one match of each at a time.

    `names`: of entrants; `show_names`: whether bots may know them. `on_void` is called with the result of a deal that
    has to be played again. `clock`: seconds.
    """

    def __init__(
        self,
        dealer: Dealer,
        pool: Pool,
        names: Mapping[int, str],
        *,
        show_names: bool,
        isolate: bool = False,
        on_void: Callable[[DealResult], None],
        clock: Callable[[], float],
    ) -> None:
        self._dealer = dealer
        self._pool = pool
        self._names = names
        self._show_names = show_names
        self._isolate = isolate
        self._on_void = on_void
        self._clock = clock
        self._waiting: list[DealInPlay] = []  # for the host to recover
        self._resume = 0.0  # when they are played again, and new deals begin
        self._playing: dict[int, DealInPlay] = {}  # by number

    @property
    def empty(self) -> bool:
        """Whether nothing is being played, or waits to be played again."""
        return not (self._playing or self._waiting)

    def fill(self) -> None:
        """Begin deals until there are enough in the pool, no deal is left, or the host has to recover."""
        if self._clock() < self._resume:
            return
        while self._waiting:
            self._begin(self._waiting.pop(0))
        while not self._playing or self._room():
            deal = self._dealer.next()
            if deal is None:
                return
            self._begin(deal)

    def _room(self) -> bool:
        if self._isolate:
            return len(self._playing) < self._pool.capacity
        return self._pool.unfinished < 2 * self._pool.capacity

    def take(self, result: DealResult) -> DealInPlay | None:
        """Take in the result of a deal; return the deal with its results if it counts.

        Raises:
            RunError: if a deal failed `_MAX_FAILURES` times in a row, not counting bots that were killed.
        """
        deal = self._playing.pop(result.number)
        if result.void:
            self._void(deal, result)
            return None
        deal.results, deal.node = result.matches, result.node
        return deal

    def _begin(self, deal: DealInPlay) -> None:
        self._playing[deal.number] = deal
        self._pool.submit(deal.task(self._names if self._show_names else {}))

    def _void(self, deal: DealInPlay, result: DealResult) -> None:
        """Play the deal again."""
        self._on_void(result)
        deal.void(result)
        if deal.failures == _MAX_FAILURES:
            players = ", ".join(self._names[entrant] for entrant in dict.fromkeys(deal.table))
            raise RunError(
                f"deal {deal.number} of {players} failed {_MAX_FAILURES} times in a row: {result.void}. "
                "Deals played before are kept; run the league again to continue"
            )
        if result.host:
            self._waiting.append(deal)
            self._resume = max(self._resume, self._clock() + _PAUSES_S[deal.failures - 1])
        else:
            self._begin(deal)
