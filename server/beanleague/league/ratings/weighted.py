"""Weighted deals for the ratings of a ladder, with the interface of `Counters`. Formulas: docs/ratings.md."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from beanleague.league.ratings.counters import Counters, DealSums, deal_sums
from beanleague.league.ratings.encounters import Bools, Ints, Met, Numbers, sum_by_cell
from beanleague.league.ratings.fit import Floats

_BLOCK = 8192  # deals summed per block
_MAX_LEVERAGE = 0.5  # maximum leverage of a deal; only bots of one or two deals would exceed it


class Weighted(Counters):
    """Counts of deals of one shape, in which each pair has the weight of its deal."""

    def __init__(self, rated: Bools, seatings: Ints, places: Ints, weights: Floats, played: int | None = None) -> None:
        """`rated`: whether each bot is ranked. `seatings`, `places`: (D, m, k). `weights`: (D,).

        `played`: see `Counters`; None if all weights are positive.
        """
        super().__init__(len(rated))
        self._rated = rated
        self._played = len(weights) if played is None else played
        self.seatings = seatings
        """(D, m, k): the bot in each seat of each match."""
        self.weights = weights
        """(D,): weight of each deal."""
        self.half_wins = np.zeros_like(places)
        """(D, m, k): half-wins of each seat in each match."""
        seats = seatings.shape[2]
        each = np.broadcast_to(weights[:, None], seatings.shape[:2])
        if len(weights):
            self._met[seats] = Met.weighted()
        for low, high in combinations(range(seats) if len(weights) else (), 2):
            one, other = places[..., low], places[..., high]
            result = (one < other) + np.int64(1) - (one > other)
            self.half_wins[..., low] += result
            self.half_wins[..., high] += 2 - result
            bots = seatings[..., low], seatings[..., high]
            self._met[seats].add(bots, (low, high), result, self.bots, each)
        self._sum, self._squares = (self._of_bots(part) for part in (weights, weights**2))

    def _of_bots(self, values: Floats) -> Floats:
        """Sum values of deals by bot: shape (bots,)."""
        return sum_by_cell(self.seatings[:, 0].ravel(), np.repeat(values, self.seatings.shape[2]), self.bots)

    @property
    def played(self) -> int:
        return self._played

    @property
    def weighted(self) -> bool:
        return True

    @property
    def rated(self) -> Bools:
        return self._rated

    @property
    def deals_of(self) -> Numbers:
        """Effective deals of each bot: the number of equally weighted deals that would give the same certainty."""
        return self._sum**2 / np.where(self._squares > 0, self._squares, 1)

    @property
    def inflation(self) -> Floats:
        return np.where(self._sum > 0, self._squares / np.where(self._sum > 0, self._sum, 1), 1)

    def deals_at(self, seats: int) -> int:
        return len(self.weights) if seats == self.seatings.shape[2] else 0

    def points(self) -> tuple[Ints, Ints]:
        """Unweighted half-wins of each bot against the others, and of the others against it: shapes (bots,)."""
        bots, won = self.seatings.ravel(), self.half_wins.ravel()
        lost = 2 * (self.seatings.shape[2] - 1) - won
        of_won, of_lost = (np.bincount(bots, part, self.bots).astype(np.int64) for part in (won, lost))
        return of_won, of_lost

    def tables(self) -> Iterator[tuple[Ints, Ints]]:
        """Yield every deal as a table of its own: whatever its weight, it is one trial of a bound."""
        yield np.sort(self.seatings[:, 0], axis=1), np.ones(len(self.weights), np.int64)

    def sums(self, block: int = _BLOCK) -> Iterator[DealSums]:
        """Yield the sums of each deal, multiplied by its squared weight: all pairs of a deal have the same weight.

        A fit follows a deal of large weight, which therefore scatters less than about a fit without it. Division by 1
        minus the leverage corrects for this, like a jackknife.
        """
        seated = self.seatings[:, 0]
        leverage = (self.weights[:, None] / self._sum[seated]).sum(axis=1) / max(seated.shape[1] - 1, 1)
        squares = (self.weights / (1 - np.minimum(leverage, _MAX_LEVERAGE))) ** 2
        for start in range(0, len(self.weights), block):
            part = slice(start, start + block)
            seatings = self.seatings[part]
            found = deal_sums(seatings, seatings.shape[2], np.arange(len(seatings)), self.half_wins[part])
            square = squares[part]
            yield replace(
                found,
                deals=found.deals * square,
                results=found.results * square[:, None, None],
                squares=found.squares * square,
                scores=found.scores * square[:, None],
                products=found.products * square[:, None, None],
            )
