"""Committing deals: those that are complete soon after each other share a transaction.

A transaction has costs of its own, most of all one of a server: round trips, and a log to be written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from typing import Self

from beanleague.league.run.dealing import DealInPlay
from beanleague.league.run.progress import Meter
from beanleague.league.run.suspension import Suspensions
from beanleague.model import League, PlayedDeal, Suspension
from beanleague.store import StoreError
from beanleague.store.store import Store

COMMIT_WAIT_S = 0.05
"""How long a complete deal may wait for others."""

MAX_GROUP = 100
"""Deals in a transaction; more of them cost as much a deal."""


class Commits:
    """Commits the complete deals of a run, in the order in which they are added.

    A deal waits for others, up to `wait_s`, only if it came less than that after the one before: so it waits only where
    deals are short and another is likely to come. One that suspends somebody does not wait.

    `count` is called with each deal, after it is committed. `clock`: seconds.
    """

    def __init__(
        self,
        store: Store,
        league: League,
        suspensions: Suspensions,
        meter: Meter,
        count: Callable[[PlayedDeal], None],
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
        self._deals: list[PlayedDeal] = []
        self._suspended: list[Suspension] = []
        self._due = inf  # when they are to be committed
        self._last = -inf  # when the last deal was added

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Commit what still waits, whatever ended the run; its error counts, not one of this commit."""
        with suppress(*[StoreError] if kind else []):
            self.commit()

    def add(self, complete: Sequence[DealInPlay]) -> None:
        """Take in complete deals."""
        if not complete:
            return
        for deal in complete:
            played = deal.played()
            self._deals.append(played)
            self._suspended += self._suspensions.add(played.number, [match.seats for match in played.matches])
        now = self._clock()
        if self._suspended or len(self._deals) >= MAX_GROUP or now - self._last >= self._wait_s:
            self._due = now
        else:
            self._due = min(self._due, now + self._wait_s)
        self._last = now

    def due_in(self, most: float) -> float:
        """Return how long the deals may still wait for others, in seconds, `most` if that is less."""
        return max(0.0, min(most, self._due - self._clock()))

    def commit(self) -> Sequence[Suspension]:
        """Store the deals in one transaction, before they are counted or reported; return who is suspended."""
        deals, suspended = self._deals, self._suspended
        if not deals:
            return ()
        self._deals, self._suspended, self._due = [], [], inf  # after an error they are not tried again
        self._store.deals.commit(self._league.id, deals, suspended)
        self._meter.deals += len(deals)
        for deal in deals:
            self._count(deal)
        return suspended
