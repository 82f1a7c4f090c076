"""The Bradley-Terry model of pairs at a table, with a term for each seat, fitted to counted results.

P(bot i in seat s is placed before bot j in seat r) = sigma(t_i + g_s - t_j - g_r). Formulas: docs/ratings.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.scores import ELO

Floats = NDArray[np.float64]

_MAX_STEPS = 100
_CONVERGED = 1e-10
_SAFE_STEP = 1e-2


@dataclass(frozen=True, slots=True)
class Prior:
    """The normal distributions around zero that are assumed before the first deal."""

    bots: float = 350.0
    """Standard deviation of bots, in Elo."""
    seats: float = 100.0
    """Standard deviation of seats, in Elo."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The most probable strengths."""

    bots: int
    """Number of bots, n."""
    parameters: Floats
    """(p,), in logits: the n bots, then the seats of each table size in `seats_at`."""
    curvature: Floats
    """(p, p): minus the second derivative of the log posterior at `parameters`."""
    precision: Floats
    """(p,): the prior's part in `curvature`, which is diagonal."""
    seats_at: Mapping[int, int]
    """For each table size, the position of its first seat in `parameters`."""

    @property
    def strengths(self) -> Floats:
        """Of the bots, in logits: shape (bots,)."""
        return self.parameters[: self.bots]

    def seats(self, size: int) -> Floats:
        """Terms of the seats at tables of `size`, in logits: shape (size,)."""
        first = self.seats_at[size]
        return self.parameters[first : first + size]


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Wins and encounters at tables of one size: (P, n, n) for the P pairs of seats `low` < `high`.

    Of solo deals: one pair, of the only seat and itself, whose term so drops out; above the diagonal.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    wins: Floats
    met: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Posterior:
    value: float
    gradient: Floats
    curvature: Floats


def fit(counters: Counters, prior: Prior | None = None) -> Fit:
    """Find the most probable strengths: Newton's method from zero, so that they depend on the counts alone."""
    prior = prior or Prior()
    seats_at: dict[int, int] = {}
    length = counters.bots
    for size in counters.sizes:
        seats_at[size] = length
        length += size
    precision = np.full(length, (ELO / prior.seats) ** 2)
    precision[: counters.bots] = (ELO / prior.bots) ** 2
    pairs = [(_pairs(counters, size), seats_at[size]) for size in counters.sizes]

    at = np.zeros(length)
    here = _posterior(at, pairs, counters.bots, precision)
    for _ in range(_MAX_STEPS):
        step = np.linalg.solve(here.curvature, here.gradient)
        size_of_step = float(np.abs(step).max(initial=0.0))
        there = _posterior(at + step, pairs, counters.bots, precision)
        while size_of_step > _SAFE_STEP and there.value < here.value:
            step, size_of_step = step / 2, size_of_step / 2
            there = _posterior(at + step, pairs, counters.bots, precision)
        at, here = at + step, there
        if size_of_step < _CONVERGED:
            break
    return Fit(counters.bots, at, here.curvature, precision, seats_at)


def _pairs(counters: Counters, size: int) -> _Pairs:
    counts = counters.pairs(size)
    if size == 1:
        wins, losses = np.triu(counts[0], 1), np.triu(counts[0].swapaxes(1, 2), 1)
        only = np.zeros(1, np.int64)
        return _Pairs(only, only, wins / 2, (wins + losses) / 2)
    low, high = (np.array(column) for column in zip(*combinations(range(size), 2), strict=True))
    wins = counts[low, high]
    losses = counts[high, low].swapaxes(1, 2)
    return _Pairs(low, high, wins / 2, (wins + losses) / 2)


def _posterior(at: Floats, groups: list[tuple[_Pairs, int]], bots: int, precision: Floats) -> _Posterior:
    """Log posterior at `at` with its gradient and curvature."""
    value = -0.5 * float((precision * at * at).sum())
    gradient = -precision * at
    curvature = np.diag(precision)
    everyone = np.arange(bots)
    for pairs, first in groups:
        low, high = first + pairs.low, first + pairs.high
        strength = at[:bots]
        lead = (at[low] - at[high])[:, None, None] + strength[None, :, None] - strength[None, None, :]
        chance = 1 / (1 + np.exp(-lead))
        # wins * log(chance) + losses * log(1 - chance), which is safe for any lead.
        value += float((pairs.wins * lead - pairs.met * np.logaddexp(0, lead)).sum())
        surplus = pairs.wins - pairs.met * chance
        weight = pairs.met * chance * (1 - chance)

        by_low, by_high = surplus.sum(axis=2), surplus.sum(axis=1)
        gradient[:bots] += (by_low - by_high).sum(axis=0)
        np.add.at(gradient, low, by_low.sum(axis=1))
        np.add.at(gradient, high, -by_low.sum(axis=1))

        of_low, of_high, total = weight.sum(axis=2), weight.sum(axis=1), weight.sum(axis=(1, 2))
        between = weight.sum(axis=0)
        curvature[:bots, :bots] -= between + between.T
        curvature[everyone, everyone] += (of_low + of_high).sum(axis=0)
        mixed = np.zeros((len(precision), bots))
        np.add.at(mixed, low, of_low - of_high)
        np.add.at(mixed, high, of_high - of_low)
        curvature[:, :bots] += mixed
        curvature[:bots, :] += mixed.T
        for a, b, sign in ((low, low, 1), (high, high, 1), (low, high, -1), (high, low, -1)):
            np.add.at(curvature, (a, b), sign * total)
    return _Posterior(value, gradient, curvature)
