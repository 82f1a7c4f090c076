"""What a league needs of the referee: somewhere to have matches played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from beanleague.referee.messages import BotLog, BotSpec, Limits, MatchResult, MatchTask


class Pool(Protocol):
    """Plays matches, in any order. See `beanleague.referee.pool.WorkerPool`, which is used from one thread."""

    def lanes(self, seats: int, /) -> int:
        """Return how many lanes to use for deals replayed `seats` times."""

    def submit(self, task: MatchTask, /) -> None:
        """Have a match played."""

    def poll(self, timeout: float, /) -> list[MatchResult | BotLog]:
        """Wait up to `timeout` seconds for something to happen, and return all that has."""

    def close(self) -> list[BotLog]:
        """End every bot; return what was written last."""


class StartPool(Protocol):
    """Starts a pool of `workers` processes that play `in_flight` matches each at once."""

    def __call__(
        self, bots: Sequence[BotSpec], limits: Limits, *, workers: int, in_flight: int, fresh: bool = False
    ) -> Pool:
        """Start.

        Raises:
            OSError: the workers cannot be started.
            SandboxError: the bots cannot be kept from doing harm, and not all are trusted.
        """
