"""Sparse counts of encounters by bots and seats, with results; their size grows with the pairs that met."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[Any]
"""Counts as integers, or sums of weights as floats."""

_BOT_BITS, _SEAT_BITS = 24, 3
_PAIR_BITS = 2 * _SEAT_BITS
_BOT, _SEAT, _SEATS = (1 << _BOT_BITS) - 1, (1 << _SEAT_BITS) - 1, (1 << _PAIR_BITS) - 1

_MAX_WASTE = 4
"""Maximum number of cells per encounter for which encounters are summed in a dense table; beyond it they are sorted."""


def sum_by_cell(cells: Ints, values: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """Sum values by cell: (length,)."""
    return np.bincount(cells, values, length).astype(np.float64, copy=False)


@dataclass(frozen=True, slots=True, eq=False)
class Encounters:
    """Encounters of each pair of bots in each pair of seats, sorted by bots, then seats: all arrays are (E,)."""

    keys: Ints
    """Bots and seats of each encounter, packed in one number."""
    wins: Numbers
    """Half-wins of bot `one`."""
    met: Numbers
    """Number of meetings; bot `other` has 2 * met - wins half-wins."""

    @property
    def one(self) -> Ints:
        """The bot with the smaller number."""
        return self.keys >> (_BOT_BITS + _PAIR_BITS)

    @property
    def other(self) -> Ints:
        """The other bot; a bot with two seats at a table meets itself, with the lower seat as `one`."""
        return self.keys >> _PAIR_BITS & _BOT

    @property
    def seat(self) -> Ints:
        """The seat of `one`; 0 in solo deals."""
        return self.keys >> _SEAT_BITS & _SEAT

    @property
    def other_seat(self) -> Ints:
        """The seat of `other`; 0 in solo deals."""
        return self.keys & _SEAT

    @property
    def starts(self) -> Ints:
        """Index of the first encounter of each pair of bots."""
        pairs = self.keys >> _PAIR_BITS
        first: NDArray[np.bool_] = np.ones(len(pairs), np.bool_)
        np.not_equal(pairs[1:], pairs[:-1], out=first[1:])
        return np.flatnonzero(first)

    def in_any_seats(self) -> "Encounters":
        """Return the encounters with all seats set to 0."""
        if not len(self.keys):
            return self
        starts = self.starts
        wins, met = np.add.reduceat(self.wins, starts), np.add.reduceat(self.met, starts)
        return Encounters(self.keys[starts] & ~_SEATS, wins, met)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Results of each pair of bots that met, in any seats: all arrays are (P,)."""

    keys: Ints
    """Numbers of both bots of each pair packed in one, the smaller first; ascending."""
    wins: Numbers
    """Half-wins of the bot with the smaller number."""
    met: Numbers
    """Number of meetings of each pair."""

    def half_wins(self, one: Ints, other: Ints) -> tuple[Numbers, Numbers]:
        """Return the half-wins of `one` over `other`, and the total of both; shapes broadcast."""
        low, high = np.minimum(one, other), np.maximum(one, other)
        wanted = low << _BOT_BITS | high
        if not len(self.keys):
            return np.zeros_like(wanted), np.zeros_like(wanted)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = (self.keys[at] == wanted) & (low < high)
        both = np.where(known, 2 * self.met[at], 0)
        wins = np.where(known, self.wins[at], 0)
        return np.where(one == low, wins, both - wins), both

    def shares(self, one: Ints, other: Ints) -> NDArray[np.float64]:
        """Return the share of pairs that `one` won against `other`, ties as half; NaN without meetings."""
        wins, both = self.half_wins(one, other)
        shares: NDArray[np.float64] = np.divide(wins, both, out=np.full(both.shape, np.nan), where=both > 0)
        return shares


def pair_counts(parts: Iterable[Encounters]) -> PairCounts:
    """Sum encounters over seats and table sizes, for each pair of bots."""
    each = [part.in_any_seats() for part in parts]
    if not each:
        return PairCounts(*np.zeros((3, 0), np.int64))
    keys = np.concatenate([part.keys for part in each]) >> _PAIR_BITS
    return PairCounts(
        *_sum_by_key(keys, np.concatenate([part.wins for part in each]), np.concatenate([part.met for part in each]))
    )


@dataclass(slots=True)
class Met:
    """Growing encounters, sorted by key; `waiting` has additions not yet merged."""

    keys: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    wins: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    met: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    waiting: list[tuple[Ints, Numbers, Numbers]] = field(default_factory=list)

    @classmethod
    def weighted(cls) -> "Met":
        """Return empty encounters, to which weighted encounters can be added."""
        return cls(wins=np.zeros(0), met=np.zeros(0))

    def add(
        self, bots: tuple[Ints, Ints], seats: tuple[int, int], wins: Ints, of: int, weights: Numbers | None = None
    ) -> None:
        """Add encounters of two bots in two seats: arrays of one shape.

        `wins`: of the first. `of`: number of bots. `weights`: for `Met.weighted`.
        """
        one, other = bots
        cells = (one * of + other).ravel()
        each: Numbers = np.ones(len(cells), np.int64) if weights is None else weights.ravel()
        won: Numbers
        met: Numbers
        if of * of <= _MAX_WASTE * len(cells):
            cells_met = np.flatnonzero(np.bincount(cells))
            won, met = (np.bincount(cells, part)[cells_met].astype(each.dtype) for part in (wins.ravel() * each, each))
        else:
            cells_met, won, met = _sum_by_key(cells, wins.ravel() * each, each)
        one, other = np.divmod(cells_met, of)
        turned = one > other
        low, high = seats
        keys = np.where(turned, other, one) << _BOT_BITS | np.where(turned, one, other)
        keys = keys << _PAIR_BITS | np.where(turned, high << _SEAT_BITS | low, low << _SEAT_BITS | high)
        self.waiting.append((keys, np.where(turned, 2 * met - won, won), met))
        if sum(len(keys) for keys, _, _ in self.waiting) > len(self.keys):
            self._settle()

    def encounters(self) -> Encounters:
        """Return all encounters so far."""
        self._settle()
        return Encounters(self.keys, self.wins, self.met)

    def _settle(self) -> None:
        if not self.waiting:
            return
        keys, wins, met = _sum_by_key(*(np.concatenate(parts) for parts in zip(*self.waiting, strict=True)))
        self.waiting.clear()
        at = np.searchsorted(self.keys, keys)
        known = np.zeros(len(keys), np.bool_)
        inside = at < len(self.keys)
        known[inside] = self.keys[at[inside]] == keys[inside]
        self.wins, self.met = self.wins.copy(), self.met.copy()  # the old arrays may be in use
        self.wins[at[known]] += wins[known]
        self.met[at[known]] += met[known]
        new = at[~known]
        self.keys = np.insert(self.keys, new, keys[~known])
        self.wins = np.insert(self.wins, new, wins[~known])
        self.met = np.insert(self.met, new, met[~known])


def _sum_by_key(keys: Ints, wins: Numbers, met: Numbers) -> tuple[Ints, Numbers, Numbers]:
    """Return the distinct keys, ascending, and the sums for each."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.add.reduceat(wins[order], starts), np.add.reduceat(met[order], starts)
