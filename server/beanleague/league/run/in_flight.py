"""The deals being played at the same time: their matches go to the pool, and come back in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from itertools import count

from beanleague.league.errors import RunError
from beanleague.league.run.dealing import Dealer, DealInPlay
from beanleague.referee.messages import MatchResult, MatchTask, Pool

_MAX_FAILURES = 3  # of the same deal in a row
_PAUSES_S = (2.0, 10.0)  # before a deal is played again, after the first and second time that the host was short


class MatchesInFlight:
    """Keeps about `capacity` matches in `pool`. `names`: of entrants; `show_names`: whether bots may know them.

    With `isolate` they are played in rounds: one match of each deal, and the next when all of these are over. So no
    process of a bot can tell a process in another replay of a deal anything, directly or through a third.

    `on_void` is called with a deal that has to be played again and why, before what was played of it is forgotten.
    `clock`: seconds.
    """

    def __init__(
        self,
        dealer: Dealer,
        pool: Pool,
        names: Mapping[int, str],
        *,
        show_names: bool,
        capacity: int,
        isolate: bool = False,
        on_void: Callable[[DealInPlay, str], None],
        clock: Callable[[], float],
    ) -> None:
        self._dealer = dealer
        self._pool = pool
        self._names = names
        self._show_names = show_names
        self._capacity = capacity
        self._isolate = isolate
        self._on_void = on_void
        self._clock = clock
        self._waiting: list[DealInPlay] = []  # for the host to recover
        self._resume = 0.0  # when they are played again, and new deals begin
        self._ids = count()
        self._playing: dict[int, tuple[DealInPlay, int]] = {}  # by task: its deal and rotation
        self._forgotten: set[int] = set()  # tasks of voided deals that the pool has not reported yet
        self._later: dict[int, tuple[DealInPlay, deque[tuple[int, MatchTask]]]] = {}  # for the next rounds, by deal

    @property
    def empty(self) -> bool:
        """Whether nothing is being played, or waits to be played again."""
        return not (self._playing or self._waiting)

    def __contains__(self, task: object) -> bool:
        """Whether the result of this task will count."""
        return task in self._playing

    def fill(self) -> None:
        """Begin deals until `capacity` matches are in the pool, no deal is left, or the host has to recover."""
        if self._clock() < self._resume:
            return
        while self._waiting:
            self._begin(self._waiting.pop(0))
        if self._isolate:
            self._next_round()
            return
        while not self._playing or len(self._playing) + len(self._forgotten) < self._capacity:
            deal = self._dealer.next()
            if deal is None:
                return
            self._begin(deal)

    def _next_round(self) -> None:
        """Begin a match of each of `capacity` deals, once those before are over."""
        if self._playing:
            return
        while len(self._later) < self._capacity and (deal := self._dealer.next()):
            self._begin(deal)
        for deal, tasks in tuple(self._later.values()):
            self._submit(deal, *tasks.popleft())
            if not tasks:
                del self._later[deal.number]

    def take(self, result: MatchResult) -> DealInPlay | None:
        """Take in the result of a match; return its deal if that is complete now.

        Raises:
            RunError: if a deal failed `_MAX_FAILURES` times in a row, not counting bots that were killed.
        """
        if result.id not in self._playing:
            self._forgotten.discard(result.id)
            return None
        deal, rotation = self._playing.pop(result.id)
        if result.void:
            self._void(deal, result)
            return None
        deal.results[rotation] = result
        return deal if deal.complete else None

    def _begin(self, deal: DealInPlay) -> None:
        ids = [next(self._ids) for _ in deal.seatings()]
        names = self._names if self._show_names else {}
        tasks = deque(enumerate(deal.tasks(ids, self._pool.lanes(deal.repeats), names)))
        if self._isolate:
            self._later[deal.number] = (deal, tasks)
            return
        for rotation, task in tasks:
            self._submit(deal, rotation, task)

    def _submit(self, deal: DealInPlay, rotation: int, task: MatchTask) -> None:
        self._playing[task.id] = (deal, rotation)
        self._pool.submit(task)

    def _void(self, deal: DealInPlay, result: MatchResult) -> None:
        """Play all of a deal again."""
        others = [task for task, (other, _) in self._playing.items() if other is deal]
        for task in others:
            del self._playing[task]
        self._forgotten.update(others)
        self._later.pop(deal.number, None)
        self._on_void(deal, result.void)
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
