"""Balanced tables: all bots play equally often, and all pairs meet as evenly as possible.

Bots of one group, such as bots of one owner, are kept apart while there are enough others. Bots are indices 0 ... n -
1, a *table* is a tuple of them; `rotations` assigns the seats. Formulas and results: docs/schedules.md.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, permutations
from math import comb

import numpy as np
from numpy.typing import NDArray

Table = tuple[int, ...]
"""Bots at a table; in a seating, by seat."""

_Numbers = NDArray[np.int64]

MAX_CYCLE = 10_000
"""Largest number of distinct tables in a cycle; the time to choose a table grows with it."""

_MAX_SWAPS = 10
"""Maximum number of swaps at a table, per seat; each swap is the best of up to seats * bots."""

_CYCLE_SPREAD = 2
"""Allowed spread of the bots' numbers of games within a cycle; a larger one means that a newcomer is catching up."""


_NEVER = np.iinfo(np.int64).max


class ScheduleError(ValueError):
    """Raised for an impossible schedule: too few bots for the seats, an unknown bot, or a number out of range."""


class Schedule:
    """Generates the tables of a league one at a time; every prefix is as balanced as possible.

    The next table depends only on the tables so far (`history`), so a stopped league continues as if it had not been
    stopped. Bots may join and leave (`retired`) in the meantime: a newcomer, having played least, sits at every table
    until it has caught up, and meets all others equally often.

    `cycles`: play all `C(bots, seats)` distinct tables before repeating one, as long as they are at most MAX_CYCLE and
    no bot joins later: a newcomer cannot both play as often as the others and play each of its tables as often as they
    do. `total`: the number of tables, if known: a cycle that would be incomplete is not begun. `groups`: a number for
    each bot. Bots with the same number share a table only if there are too few other groups for the seats, and then as
    few of them as possible. None: each bot is a group of its own. If groups differ in size, balanced tables are used,
    since in a cycle bots of a large group would play less. `beside`: group of a further bot that sits at every table,
    if there is one.

    Raises:
        ScheduleError: with fewer bots than seats, or for an unknown bot or an invalid table.
    """

    def __init__(
        self,
        bots: int,
        seats: int,
        history: Sequence[Table] = (),
        *,
        retired: Collection[int] = (),
        cycles: bool = False,
        total: int | None = None,
        groups: Sequence[int] | None = None,
        beside: int | None = None,
    ) -> None:
        if seats < 2:
            raise ScheduleError(f"a table of {seats} is too small; tables seat 2 or more")
        if bots < seats:
            raise ScheduleError(f"{bots} bots cannot fill {seats} seats; submit {seats - bots} more")
        if unknown := [bot for bot in retired if not 0 <= bot < bots]:
            raise ScheduleError(f"there is no bot {unknown[0]}; bots are numbered 0 to {bots - 1}")
        self._seats = seats
        self._groups: _Numbers = np.array(range(bots) if groups is None else groups, np.int64)
        self._beside = beside
        self._cycles = cycles
        self._total = total
        self._games: _Numbers = np.zeros(bots, np.int64)
        self._meetings: _Numbers = np.zeros((bots, bots), np.int64)
        self._active: NDArray[np.bool_] = np.ones(bots, np.bool_)
        self._active[list(retired)] = False
        self._tables = 0
        self._first: _Numbers = np.full(bots, _NEVER)  # first table of each bot
        self._history: list[Table] = []
        self._cycle: _Cycle | None = None
        if history:
            self._count(history)

    def next(self) -> Table:
        """Return the next table, its bots in ascending order, and count it as played."""
        if self._active.sum() < self._seats:
            raise ScheduleError(f"only {self._active.sum()} bots are left for {self._seats} seats")
        games = self._games[self._active]
        catching_up = games.max() - games.min() > _CYCLE_SPREAD
        cycles = self._cycles and self._groups_alike() and not (catching_up or self._joined_late())
        cycles = cycles and comb(len(games), self._seats) <= MAX_CYCLE and self._cycle_fits()
        table = self._the_cycle().choose(self._games, self._meetings) if cycles else self._next_balanced()
        members = np.array(table)
        self._first[members] = np.minimum(self._first[members], self._tables)
        self._tables += 1
        self._games[members] += 1
        self._meetings[np.ix_(members, members)] += 1
        self._meetings[members, members] = 0
        if self._cycles:
            self._history.append(table)
        if self._cycle is not None:
            self._cycle.count(table)
        return table

    def _count(self, history: Sequence[Table]) -> None:
        """Count many tables of the same size at once; there may be hundreds of thousands."""
        bots, members = len(self._games), np.array(history)
        ordered = np.sort(members, axis=1)
        bad = (ordered[:, 0] < 0) | (ordered[:, -1] >= bots) | (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if bad.any():
            raise ScheduleError(f"table {history[int(bad.argmax())]} must seat distinct bots numbered 0 to {bots - 1}")
        seen, first = np.unique(members.ravel(), return_index=True)
        self._first[seen] = first // members.shape[1]
        self._tables = len(history)
        self._games += np.bincount(members.ravel(), minlength=bots)
        for a, b in permutations(range(members.shape[1]), 2):
            pairs = np.bincount(members[:, a] * bots + members[:, b], minlength=bots**2)
            self._meetings += pairs.reshape(bots, bots)
        if self._cycles:
            self._history += history

    def _groups_alike(self) -> bool:
        """Whether all groups of seated bots have the same size; in a cycle all bots then play equally often."""
        groups, sizes = np.unique(self._groups[self._active], return_counts=True)
        return bool(sizes.min() == sizes.max()) and self._beside not in groups

    def _joined_late(self) -> bool:
        """Whether a seated bot joined a league under way.

        Bots present from the beginning have played before another has played more than _CYCLE_SPREAD times.
        """
        latest = _CYCLE_SPREAD * len(self._games) // self._seats
        return self._tables > latest and bool(self._first[self._active].max() > latest)

    def _cycle_fits(self) -> bool:
        """Whether the rest of the current cycle fits into the league.

        Always true with two seats, since a cycle of pairs is balanced wherever it ends.
        """
        if self._total is None or self._seats == 2:
            return True
        return self._the_cycle().lacks <= self._total - self._tables

    def _the_cycle(self) -> "_Cycle":
        if self._cycle is None:
            self._cycle = _Cycle(np.flatnonzero(self._active), self._seats, self._groups)
            for table in self._history:
                self._cycle.count(table)
        return self._cycle

    def _next_balanced(self) -> Table:
        active = np.flatnonzero(self._active)
        games = self._games[active]
        # Fair number of meetings of a pair, by the member with fewer games, times (n - 1) to stay an integer.
        fair = np.minimum.outer(games, games) * (self._seats - 1)
        excess = self._meetings[np.ix_(active, active)] * (len(active) - 1) - fair
        groups = _Groups(self._groups[active], games, self._seats, self._beside)
        excess[groups.never_meet] = 0
        seated = _seat(games, excess, self._seats, groups)
        return tuple(int(bot) for bot in np.sort(active[seated]))


class _Cycle:
    """All tables of some bots with minimal sharing of groups, and the number of times each was played."""

    def __init__(self, bots: _Numbers, seats: int, groups: _Numbers) -> None:
        order = circle(len(bots)) if seats == 2 else combinations(range(len(bots)), seats)
        every = bots[np.array(list(order))]
        self._pairs = list(combinations(range(seats), 2))
        # Number of pairs within a group at each table.
        shared = np.sum([groups[every[:, a]] == groups[every[:, b]] for a, b in self._pairs], axis=0)
        self._tables = every[shared == shared.min()]
        self._index = {tuple(table): i for i, table in enumerate(np.sort(self._tables).tolist())}
        self._played = np.zeros(len(self._tables), np.int64)

    @property
    def lacks(self) -> int:
        """Number of tables left until all have been played equally often."""
        return int((self._played.max() - self._played).sum()) or len(self._played)

    def count(self, table: Table) -> None:
        index = self._index.get(tuple(sorted(table)))
        if index is not None:
            self._played[index] += 1

    def choose(self, games: _Numbers, meetings: _Numbers) -> Table:
        left = np.flatnonzero(self._played == self._played.min())
        tables = self._tables[left]
        sums = games[tables].sum(axis=1)
        tables = tables[sums == sums.min()]
        cost = sum(meetings[tables[:, a], tables[:, b]] for a, b in self._pairs)
        return tuple(int(bot) for bot in np.sort(tables[int(np.argmin(cost))]))


def _seat(games: _Numbers, excess: _Numbers, seats: int, groups: "_Groups") -> _Numbers:
    """Choose a table, as positions in `games`, with as many of the least-played bots as possible.

    Bots that are more than a game behind get more than their share of the seats, to catch up; but they meet each other
    only as often as is fair. Otherwise two newcomers, who have played least, would meet every time.
    """
    behind = games < games.max() - 1
    quota = seats * int(behind.sum()) // len(games) + 1
    seated: list[int] = []
    left = np.ones(len(games), np.bool_)
    while len(seated) < seats:
        apart = choice = left
        if not groups.trivial:
            at_table = groups.at_table(seated)
            apart = choice = left & (at_table == at_table[left].min())
        if behind[seated].sum() >= quota:
            fair = apart & ~(behind & (excess[:, seated] > 0).any(axis=1))
            choice = fair if fair.any() else apart
        if (choice & groups.urgent).any():
            choice = choice & groups.urgent
        level = np.flatnonzero(choice & (games == games[choice].min()))
        bot = int(level[int(np.argmin(excess[level][:, seated].sum(axis=1)))])
        seated.append(bot)
        left[bot] = False
    rest = np.flatnonzero(left & (games == games[seated[-1]]))
    return _improve(np.array(seated), rest, games, excess, groups)


def _improve(seated: _Numbers, rest: _Numbers, games: _Numbers, excess: _Numbers, groups: "_Groups") -> _Numbers:
    """Swap seated bots with unseated ones that played as often, best swap first, while meetings get more even.

    Meetings of unseated bots count, too, since they share the next tables, and the last of these tables have no choice.
    If unseated bots are to form the next table together with seated bots that had played less, their meetings with
    these do not count now.
    """
    seats = len(seated)
    allowed = games[seated][:, None] == games[rest][None, :]
    if not allowed.any():
        return seated
    table_weight, rest_weight = (len(rest) - 1, seats - 1) if len(rest) >= seats else (1, 1)
    had_less = games[seated] + 1 == games[rest[0]]
    weighed = (~had_less if len(rest) + had_less.sum() <= seats else np.ones(seats, np.bool_)).astype(np.int64)
    for _ in range(_MAX_SWAPS * seats):
        across = excess[np.ix_(seated, rest)]
        inside = excess[np.ix_(seated, seated)] @ weighed
        outside = excess[np.ix_(rest, rest)].sum(axis=1)
        table_change = (weighed @ across)[None, :] - across - inside[:, None]
        rest_change = across.sum(axis=1)[:, None] - across - outside[None, :]
        may_swap = allowed if groups.trivial else allowed & groups.may_swap(seated, rest)
        change = np.where(may_swap, table_weight * table_change + rest_weight * rest_change, 0)
        best = int(np.argmin(change))
        if change.flat[best] >= 0:
            break
        seat, other = divmod(best, len(rest))
        seated[seat], rest[other] = rest[other], seated[seat]
    return seated


def plays_cycles(groups: Sequence[int], seats: int, budget: int) -> bool:
    """Return whether a league with `budget` tables plays cycles of all distinct tables. `groups`: see `Schedule`."""
    return seats == 2 or (comb(len(groups), seats) <= MAX_CYCLE and count_tables(groups, seats) <= budget)


def circle(bots: int) -> Iterator[Table]:
    """Yield all pairs, round by round; each bot plays once per round, with an odd number of bots one rests."""
    ring = list(range(bots + bots % 2))
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        pairs = zip(ring[:half], reversed(ring[half:]), strict=True)
        yield from ((min(pair), max(pair)) for pair in pairs if max(pair) < bots)
        ring = [ring[0], ring[-1], *ring[1:-1]]


def rotations(table: Sequence[int]) -> list[Table]:
    """Return the k seatings of a deal: seat s of rotation r is table[(s + r) % k], so each bot has each seat once."""
    k = len(table)
    return [tuple(table[(seat + r) % k] for seat in range(k)) for r in range(k)]


def all_seatings(table: Sequence[int]) -> list[Table]:
    """Return all k! seatings of a deal (six with three bots): seats and neighbours are perfectly balanced."""
    return list(permutations(table))


def comparison_seatings(a: int, b: int, seats: int, fillers: Sequence[int] = ()) -> list[Table]:
    """Return the seatings of a deal that compares `a` with `b`: both get every seat equally often.

    The two bots share the seats left by fillers equally (a, a, b, b). If their number is odd, the extra seat goes to a
    in one half of the seatings and to b in the other (a, a, b and b, b, a). Raises ScheduleError when fillers leave
    only one seat.
    """
    own, odd = divmod(seats - len(fillers), 2)
    if own < 1:
        raise ScheduleError(f"{len(fillers)} fillers at {seats} seats leave no room for two bots")
    first = [a] * (own + odd) + [b] * own + list(fillers)
    second = [b] * (own + odd) + [a] * own + list(fillers)
    return list(dict.fromkeys(rotations(first) + rotations(second)))


class _Groups:
    """The groups of the bots that can be seated now.

    `numbers`: group of each bot. `games`: number of games of each bot. `beside`: see `Schedule`.
    """

    def __init__(self, numbers: _Numbers, games: _Numbers, seats: int, beside: int | None) -> None:
        _, self._of, sizes = np.unique(numbers, return_inverse=True, return_counts=True)
        self._beside: _Numbers = (numbers == beside).astype(np.int64)
        self.trivial = bool(sizes.max() == 1 and not self._beside.any())
        """Whether there are no bots to keep apart."""
        enough = len(sizes) - self._beside.any() >= seats
        itself = np.eye(len(numbers), dtype=np.bool_)
        self.never_meet: NDArray[np.bool_] = (numbers[:, None] == numbers) & enough | itself
        """By pair of bots: whether they are kept apart. A bot never meets itself."""
        lacks = games == games.min()
        tables = -(-lacks.sum() // seats)  # number of tables until all have played equally often
        self.urgent: NDArray[np.bool_] = (
            lacks & (np.bincount(self._of, lacks)[self._of] >= tables) & (sizes > 1)[self._of]
        )
        """By bot: whether its group, with one seat per table, needs every table until all have played equally often."""

    def at_table(self, seated: Sequence[int]) -> _Numbers:
        """Return for each bot the number of seated bots in its group."""
        return self._beside + np.bincount(self._of[list(seated)], minlength=self._of.max() + 1)[self._of]

    def may_swap(self, seated: _Numbers, rest: _Numbers) -> NDArray[np.bool_]:
        """Return for each seat and each bot of `rest` whether they may swap.

        A swap must not make more bots of a group meet, nor replace an `urgent` bot by one of another group.
        """
        at_table = self.at_table(seated.tolist())
        same = self._of[seated][:, None] == self._of[rest]
        no_worse = at_table[rest] - same <= at_table[seated][:, None] - 1
        allowed: NDArray[np.bool_] = no_worse & (same | ~self.urgent[seated][:, None])
        return allowed


def count_tables(groups: Sequence[int], seats: int) -> int:
    """Return the number of tables without two bots of a group; if there are too few groups, of all tables."""
    sizes = Counter(groups).values()
    if len(sizes) < seats:
        return comb(len(groups), seats)
    ways = [1] + [0] * seats  # ways to choose 0, 1, ... bots from the groups so far
    for size in sizes:
        ways = [ways[0], *(ways[k] + size * ways[k - 1] for k in range(1, seats + 1))]
    return ways[seats]
