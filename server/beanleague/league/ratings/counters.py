"""Counts of played deals for the ratings, updated deal by deal.

All counts are integers: results are *half-wins* (2 for a better place than the opponent's, 1 for the same place), so
that the order of deals makes no difference, not even in the last bit.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beanleague.league.ratings.encounters import Bools, Encounters, Ints, Met, Numbers, PairCounts, pair_counts

MAX_SEATS = 8
"""Maximum number of seats; the key of a match in `_order` stays below 2 ** 63 up to this size."""

MAX_SOLO = 128
"""Maximum number of players of a solo deal: a player's half-wins, at most 2 * 127, must fit in a byte."""

_BLOCK = 8192
"""Distinct seatings summed per block."""


class CountersError(ValueError):
    """Raised for a deal that cannot be counted: unknown bots, different bots in its matches, or unequal shapes."""


@dataclass(frozen=True, slots=True, eq=False)
class DealSums:
    """Deals of one shape (matches per deal, seats), summed over the deals with the same seatings.

    With T distinct seatings, m matches per deal and k seats, the *score* of a deal is a vector z of 2k half-wins: first
    the half-wins of each of the k bots at the table over all its matches, then the half-wins in each of the k seats. A
    solo deal counts as a single match whose k players all have the only seat.
    """

    seats: int
    """Number of seats, k, or 1 for solo deals: position i of a seating is in seat i % seats."""
    seatings: Ints
    """(T, m, k): bot in each seat of each match, all distinct."""
    table: Ints
    """(T, k): bots of the deal, ascending. The half-wins of a bot that occurs twice are at its first position."""
    position: Ints
    """(T, m, k): position in `table` of each bot of `seatings`."""
    deals: Numbers
    """(T,): number of deals."""
    results: Numbers
    """(T, m, k): sum over the deals of the half-wins of each seat in each match."""
    squares: Numbers
    """(T,): sum over the deals of the squared half-wins."""
    scores: Numbers
    """(T, 2k): sum of z."""
    products: Numbers
    """(T, 2k, 2k): sum of z z'."""


class Counters:
    """Counts of the deals of a league of bots 0 ... n - 1.

    It holds `encounters`, which alone determine the ratings, and for each deal its seatings and half-wins (m * k
    bytes), which determine the intervals.
    """

    def __init__(self, bots: int) -> None:
        self._bots = bots
        self._met: dict[int, Met] = {}
        self._groups: dict[tuple[int, int, int], _Group] = {}  # keys: matches, players, seats
        self._deals_of: Ints = np.zeros(bots, np.int64)

    @property
    def bots(self) -> int:
        """Number of bots."""
        return self._bots

    @property
    def deals(self) -> int:
        """Number of deals counted in the ratings."""
        return sum(map(self.deals_at, self.sizes))

    @property
    def played(self) -> int:
        """Number of deals played, deals of weight 0 included."""
        return self.deals

    def deals_at(self, seats: int) -> int:
        """Number of deals counted at tables of `seats`."""
        return sum(len(group.index) for (_, _, size), group in self._groups.items() if size == seats)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Table sizes played, ascending; 1 stands for solo deals."""
        return tuple(sorted(self._met))

    @property
    def deals_of(self) -> Numbers:
        """Number of deals of each bot: shape (bots,)."""
        return self._deals_of.copy()

    @property
    def weighted(self) -> bool:
        """Whether deals have weights."""
        return False

    @property
    def rated(self) -> Bools:
        """Whether each bot is ranked: shape (bots,)."""
        return np.ones(self._bots, np.bool_)

    @property
    def inflation(self) -> NDArray[np.float64]:
        """Factor by which unequal weights raise the variance of each bot, under independent pairs: shape (bots,)."""
        return np.ones(self._bots)

    def encounters(self, seats: int) -> Encounters:
        """Return the encounters at tables of `seats`; 1 stands for solo deals."""
        return self._met[seats].encounters()

    def pairs(self) -> PairCounts:
        """Return the results of each pair at all tables, in any seats."""
        return pair_counts(map(self.encounters, self.sizes))

    def points(self) -> tuple[Ints, Ints]:
        """Return the half-wins of each bot against the others, and of the others against it: shapes (bots,)."""
        won, lost = np.zeros((2, self._bots))
        for met in map(self.encounters, self.sizes):
            apart = met.one != met.other
            one, other, wins, losses = met.one[apart], met.other[apart], met.wins[apart], 2 * met.met[apart]
            losses -= wins
            won += np.bincount(one, wins, self._bots) + np.bincount(other, losses, self._bots)
            lost += np.bincount(one, losses, self._bots) + np.bincount(other, wins, self._bots)
        return won.astype(np.int64), lost.astype(np.int64)

    def grow(self, bots: int) -> None:
        """Grow to `bots` bots."""
        more = max(bots - self._bots, 0)
        self._bots += more
        self._deals_of = np.append(self._deals_of, np.zeros(more, np.int64))

    def add_deals(self, seatings: ArrayLike, places: ArrayLike) -> None:
        """Count D deals of one shape, given by the bots and places in each match: both (D, matches, seats).

        A lower place is better; equal places are a tie. Raises CountersError (and counts nothing) when the matches of a
        deal seat different bots.
        """
        seated, placed = np.asarray(seatings, np.int64), np.asarray(places, np.int64)
        if seated.ndim != 3 or seated.shape != placed.shape or seated.shape[1] < 1:
            raise CountersError(f"seatings of shape {seated.shape} do not match places of shape {placed.shape}")
        if not 2 <= seated.shape[2] <= MAX_SEATS:
            raise CountersError(f"tables seat 2 to {MAX_SEATS}, not {seated.shape[2]}")
        if not seated.size:
            return
        if seated.min() < 0 or seated.max() >= self._bots:
            raise CountersError(f"bots are numbered 0 to {self._bots - 1}, not {seated.min()} to {seated.max()}")
        tables = np.sort(seated, axis=2)
        if (tables != tables[:, :1]).any():
            raise CountersError("all matches of a deal must seat the same bots")
        half_wins = self._count_pairs(seated, placed)
        order = _order(seated, tables[:, 0], half_wins)
        group = self._groups.setdefault((*seated.shape[1:], seated.shape[2]), _Group())
        group.add(np.take_along_axis(seated, order, axis=1), np.take_along_axis(half_wins, order, axis=1))
        first = np.ones(tables[:, 0].shape, np.bool_)
        first[:, 1:] = tables[:, 0, 1:] != tables[:, 0, :-1]
        np.add.at(self._deals_of, tables[:, 0][first], 1)

    def add_solo_deals(self, players: ArrayLike, places: ArrayLike) -> None:
        """Count D deals that each of k players played alone: both arguments (D, k).

        `places`: among all players of the deal, as in `add_deals`. The players of a deal must be distinct.
        """
        met, placed = np.asarray(players, np.int64), np.asarray(places, np.int64)
        if met.ndim != 2 or met.shape != placed.shape:
            raise CountersError(f"players of shape {met.shape} do not match places of shape {placed.shape}")
        if not 2 <= met.shape[1] <= MAX_SOLO:
            raise CountersError(f"solo deals have 2 to {MAX_SOLO} players, not {met.shape[1]}")
        if not met.size:
            return
        if met.min() < 0 or met.max() >= self._bots:
            raise CountersError(f"bots are numbered 0 to {self._bots - 1}, not {met.min()} to {met.max()}")
        order = np.argsort(met, axis=1)
        met, placed = np.take_along_axis(met, order, axis=1), np.take_along_axis(placed, order, axis=1)
        if (met[:, 1:] == met[:, :-1]).any():
            raise CountersError("a bot can play a solo deal only once")
        one, other = placed[:, :, None], placed[:, None, :]
        results = (one < other) + np.int64(1) - (one > other)
        results[:, range(met.shape[1]), range(met.shape[1])] = 0
        low, high = np.triu_indices(met.shape[1], 1)
        self._met.setdefault(1, Met()).add((met[:, low], met[:, high]), (0, 0), results[:, low, high], self._bots)
        group = self._groups.setdefault((1, met.shape[1], 1), _Group())
        group.add(met[:, None], results.sum(axis=2)[:, None])
        np.add.at(self._deals_of, met, 1)

    def tables(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield the tables (T, k), each ascending, and their numbers of deals, (T,), in blocks like `sums`."""
        for shape in sorted(self._groups):
            yield from self._groups[shape].tables(*shape[:2])

    def sums(self, block: int = _BLOCK) -> Iterator[DealSums]:
        """Yield all deals, summed: by shape and seatings in ascending order, in blocks that bound the memory."""
        for shape in sorted(self._groups):
            yield from self._groups[shape].sums(*shape, block)

    def _count_pairs(self, seated: Ints, placed: Ints) -> Ints:
        """Count the encounters; return the half-wins of each seat in each match: (D, m, k)."""
        seats = seated.shape[2]
        met = self._met.setdefault(seats, Met())
        half_wins = np.zeros_like(placed)
        for low, high in combinations(range(seats), 2):
            one, other = placed[..., low], placed[..., high]
            result = (one < other) + np.int64(1) - (one > other)
            half_wins[..., low] += result
            half_wins[..., high] += 2 - result
            met.add((seated[..., low], seated[..., high]), (low, high), result, self._bots)
        return half_wins


def _order(seated: Ints, table: Ints, half_wins: Ints) -> Ints:
    """Return a canonical order of a deal's matches, by seating and result: (D, m, 1)."""
    seats = seated.shape[2]
    places = np.arange(seats)
    position = (seated[..., None] == table[:, None, None, :]).argmax(axis=3)
    results = 2 * seats - 1
    key = (position * seats**places).sum(axis=2) * results**seats + (half_wins * results**places).sum(axis=2)
    return np.argsort(key, axis=1)[..., None]


@dataclass(slots=True)
class _Group:
    """Deals of one shape; `index` and `half_wins` (m * k bytes each) have an entry per deal."""

    designs: dict[bytes, int] = field(default_factory=dict)
    index: "array[int]" = field(default_factory=lambda: array("q"))
    half_wins: bytearray = field(default_factory=bytearray)

    def add(self, seated: Ints, half_wins: Ints) -> None:
        for design in np.ascontiguousarray(seated, np.int32):
            self.index.append(self.designs.setdefault(design.tobytes(), len(self.designs)))
        self.half_wins += half_wins.astype(np.uint8).tobytes()

    def tables(self, matches: int, players: int) -> Iterator[tuple[Ints, Ints]]:
        flat, order = self._sorted(matches * players)
        deals = np.bincount(np.array(self.index, np.int64), minlength=len(order))
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK]
            yield np.sort(flat[block, :players], axis=1).astype(np.int64), deals[block]

    def sums(self, matches: int, players: int, seats: int, block: int) -> Iterator[DealSums]:
        flat, order = self._sorted(matches * players)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        index = rank[np.array(self.index, np.int64)]
        by_design = np.argsort(index, kind="stable")
        index = index[by_design]
        half_wins = np.frombuffer(bytes(self.half_wins), np.uint8).reshape(-1, matches, players)
        for start in range(0, len(order), block):
            stop = min(start + block, len(order))
            first, last = np.searchsorted(index, (start, stop))
            seatings = flat[order[start:stop]].astype(np.int64).reshape(-1, matches, players)
            yield deal_sums(
                seatings, seats, index[first:last] - start, half_wins[by_design[first:last]].astype(np.int64)
            )

    def _sorted(self, length: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the seatings, (T, length), and their ascending order."""
        flat = np.frombuffer(b"".join(self.designs), np.int32).reshape(-1, length)
        return flat, np.lexsort(flat.T[::-1])


def deal_sums(seatings: Ints, seats: int, index: Ints, half_wins: Ints) -> DealSums:
    """Sum deals: `index` (D,), ascending, gives the entry of `seatings` for each; `half_wins` is (D, m, k)."""
    distinct, _, players = seatings.shape
    table = np.sort(seatings[:, 0], axis=1)
    position = (seatings[..., None] == table[:, None, None, :]).argmax(axis=3)
    at = position[index]
    of_bots = [np.where(at == place, half_wins, 0).sum(axis=(1, 2)) for place in range(players)]
    z = np.concatenate([np.stack(of_bots, axis=1), half_wins.sum(axis=1)], axis=1)
    starts = np.searchsorted(index, np.arange(distinct))
    products = np.empty((distinct, 2 * players, 2 * players), np.int64)
    for a in range(2 * players):
        for b in range(a + 1):
            products[:, a, b] = products[:, b, a] = np.add.reduceat(z[:, a] * z[:, b], starts)
    return DealSums(
        seats=seats,
        seatings=seatings,
        table=table,
        position=position,
        deals=np.bincount(index, minlength=distinct),
        results=np.add.reduceat(half_wins, starts),
        squares=np.add.reduceat((half_wins * half_wins).sum(axis=(1, 2)), starts),
        scores=np.add.reduceat(z, starts),
        products=products,
    )
