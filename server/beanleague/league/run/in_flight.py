"""The deals being played at the same time: their matches go to the pool, and come back in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from itertools import count

from beanleague.league.errors import RunError
from beanleague.league.run.dealing import Dealer, DealInPlay
from beanleague.referee.messages import MatchResult, MatchTask, Pool

_MAX_VOIDS = 6  # of the same deal in a row


class MatchesInFlight:
    """Keeps about `capacity` matches in `pool`. `names`: of entrants, if bots may know them, else empty.

    With `isolate` they are played in rounds: one match of each deal, and the next when all of these are over. So no
    process of a bot can tell a process in another replay of a deal anything, directly or through a third.

    `on_void` is called with a deal that has to be played again and why, before what was played of it is forgotten.
    """

    def __init__(
        self,
        dealer: Dealer,
        pool: Pool,
        names: Mapping[int, str],
        *,
        capacity: int,
        isolate: bool = False,
        on_void: Callable[[DealInPlay, str], None],
    ) -> None:
        self._dealer = dealer
        self._pool = pool
        self._names = names
        self._capacity = capacity
        self._isolate = isolate
        self._on_void = on_void
        self._ids = count()
        self._playing: dict[int, tuple[DealInPlay, int]] = {}  # by task: its deal and rotation
        self._forgotten: set[int] = set()  # tasks of voided deals that the pool has not reported yet
        self._later: dict[int, tuple[DealInPlay, deque[tuple[int, MatchTask]]]] = {}  # for the next rounds, by deal

    @property
    def empty(self) -> bool:
        """Whether nothing is being played."""
        return not self._playing

    def __contains__(self, task: object) -> bool:
        """Whether the result of this task will count."""
        return task in self._playing

    def fill(self) -> None:
        """Begin deals until `capacity` matches are in the pool, or no deal is left."""
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
            RunError: if a deal was voided `_MAX_VOIDS` times in a row.
        """
        if result.id not in self._playing:
            self._forgotten.discard(result.id)
            return None
        deal, rotation = self._playing.pop(result.id)
        if result.void:
            self._void(deal, result.void)
            return None
        deal.results[rotation] = result
        return deal if deal.complete else None

    def _begin(self, deal: DealInPlay) -> None:
        ids = [next(self._ids) for _ in deal.seatings()]
        tasks = deque(enumerate(deal.tasks(ids, self._pool.lanes(deal.repeats), self._names)))
        if self._isolate:
            self._later[deal.number] = (deal, tasks)
            return
        for rotation, task in tasks:
            self._submit(deal, rotation, task)

    def _submit(self, deal: DealInPlay, rotation: int, task: MatchTask) -> None:
        self._playing[task.id] = (deal, rotation)
        self._pool.submit(task)

    def _void(self, deal: DealInPlay, why: str) -> None:
        """Play all of a deal again."""
        others = [task for task, (other, _) in self._playing.items() if other is deal]
        for task in others:
            del self._playing[task]
        self._forgotten.update(others)
        self._on_void(deal, why)
        deal.void()
        if deal.voids == _MAX_VOIDS:
            raise RunError(
                f"deal {deal.number} failed {_MAX_VOIDS} times in a row, through no fault of the bots: {why}. "
                "Deals played before are kept; run the league again to continue"
            )
        self._begin(deal)
