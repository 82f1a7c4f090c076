"""Schedules as leagues use them: made anew of the tables so far whenever bots come or go."""

from collections.abc import Sequence

import numpy as np

from beanleague.league.schedule.schedule import Schedule, Table, plays_cycles


def tables(bots: int, seats: int, budget: int) -> list[Table]:
    """Return the tables of a league with `budget` deals."""
    schedule = Schedule(bots, seats, cycles=plays_cycles(range(bots), seats, budget), total=budget)
    return [schedule.next() for _ in range(budget)]


class Running:
    """A league that is played, with its games and meetings so far."""

    def __init__(
        self, bots: int, seats: int, *, cycles: bool = False, total: int | None = None, groups: Sequence[int] = ()
    ) -> None:
        self.played: list[Table] = []
        self.games = np.zeros(bots, np.int64)
        self.meetings = np.zeros((bots, bots), np.int64)
        self._seats, self._cycles, self._total = seats, cycles, total
        self._groups = list(groups or range(bots))
        self._gone: set[int] = set()
        self._make()

    def next(self) -> Table:
        """Play the next table."""
        table = self._schedule.next()
        self._count(table)
        return table

    def play(self, table: Table) -> None:
        """Play a table that somebody chose."""
        self._count(table)
        self._make()

    def join(self, group: int | None = None) -> int:
        """Let a bot join, by default as a group of its own; return its number."""
        self._groups.append(max(self._groups) + 1 if group is None else group)
        self.games = np.append(self.games, 0)
        self.meetings = np.pad(self.meetings, (0, 1))
        self._make()
        return len(self._groups) - 1

    def retire(self, bot: int) -> None:
        """Seat a bot no more."""
        self._gone.add(bot)
        self._make()

    def _count(self, table: Table) -> None:
        self.played.append(table)
        members = np.array(table)
        self.games[members] += 1
        self.meetings[np.ix_(members, members)] += 1
        self.meetings[members, members] = 0

    def _make(self) -> None:
        self._schedule = Schedule(
            len(self._groups),
            self._seats,
            self.played,
            retired=self._gone,
            cycles=self._cycles,
            total=self._total,
            groups=self._groups,
        )
