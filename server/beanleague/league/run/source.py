"""Interfaces between a run and the format of its league: source of deals, counter, and other strategies.

A run does not know its format: it plays the deals of the source, reports every committed deal to the counter, and ends
when the source is over or the counter has decided. `league.formats` makes both.
"""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from beanleague.league.ratings.sprt import Comparison
from beanleague.league.standings import Standing
from beanleague.model import Entrant, League, PlayedDeal
from beanleague.referee.messages import DealTask
from beanleague.store import Store


@dataclass(frozen=True, slots=True)
class Clocks:
    """Clocks of a run."""

    seconds: Callable[[], float] = time.monotonic
    """Clock for measuring intervals, in seconds."""
    now: Callable[[], float] = time.time
    """The machine's clock (time since the epoch), which determines a ladder's days."""


class Roster(Protocol):
    """The entrants of a run and its present pool, as a source sees them."""

    @property
    def stale(self) -> bool:
        """Whether the pool should be replaced as soon as no deal needs it."""

    def has(self, table: Sequence[int]) -> bool:
        """Return whether the pool has all entrants of a table."""

    def joined(self, entrants: Sequence[Entrant]) -> bool:
        """Set the complete list of entrants after a change; return whether the pool has all entrants that play."""

    def tables(self) -> int:
        """Return the number of tables that keeps the pool busy."""

    def batch(self) -> int:
        """Return the number of deals to publish at once: one while a seated bot is new."""


class Source(Protocol):
    """Source of a run's deals. Only it knows which deals are open: published but not committed."""

    @property
    def deals(self) -> int:
        """Number of deals planned so far in the league."""

    @property
    def over(self) -> bool:
        """Whether no more deals follow after `next` returns None and all deals handed out are over."""

    @property
    def wants_pool(self) -> bool:
        """Whether more deals can be played, but only with a new pool."""

    def next(self) -> DealTask | None:
        """Return a deal to play; None if there is none now.

        Raises:
            ScheduleError: if too few bots are seated.
        """

    def committed(self, number: int) -> None:
        """Record that a deal was committed."""


class DealCounter(Protocol):
    """Counts the committed deals of a run."""

    @property
    def decided(self) -> bool:
        """Whether the result is decided before all deals are played."""

    @property
    def comparison(self) -> Comparison | None:
        """Result so far of a comparison's test; None in other leagues."""

    def add(self, deal: PlayedDeal) -> None:
        """Count a committed deal."""

    def joined(self, entrants: Sequence[Entrant]) -> None:
        """Set the complete list of entrants after a change."""

    def standings(self, *, now: bool = False) -> tuple[Standing, ...] | None:
        """Return the standings if they may have changed and are due, or if wanted `now`; None otherwise."""

    def close(self) -> None:
        """Store the results at the end of a run."""


@dataclass(frozen=True, slots=True)
class LeaguePlay:
    """A league as one run plays it."""

    counter: DealCounter
    """Counter of all deals, earlier runs included."""
    source: Callable[[Roster], Source]
    """Function that creates the source of the deals for a pool."""


Given: TypeAlias = Callable[[Store, League, Sequence[Entrant]], Sequence[Entrant]]
"""Function that chooses which of all entrants to load into a pool."""


def all_entrants(_store: Store, _league: League, entrants: Sequence[Entrant]) -> Sequence[Entrant]:
    """Return all entrants: a `Given` for leagues."""
    return entrants


def one_copy(_league: League) -> int:
    """Return 1, for formats in which a bot has one seat at a table."""
    return 1


def add_bots(league: League, _suspended: Collection[int]) -> str:
    """Return advice to add bots."""
    return f"add bots ('league add {league.name}')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """Run strategy of a league format."""

    begin: Callable[[Store, League, Clocks], LeaguePlay]
    """Function that begins a run."""
    given: Given = all_entrants
    """Function that chooses the entrants to load into a pool."""
    copies: Callable[[League], int] = one_copy
    """Function that returns the largest number of seats of one bot at a table."""
    ends_early: bool = False
    """Whether any deal may be the last. Then few matches are played at once, and deals are committed one by one."""
    tries_newcomers: bool = True
    """Whether few deals are played at once while a bot is new, so that a broken bot is suspended early."""
    advice: Callable[[League, Collection[int]], str] = add_bots
    """Function that returns the remedy when too few bots are seated, given the numbers of suspended entrants."""
