"""The Bradley-Terry model of pairs at a table, with a term for each seat, fitted to counted results.

P(bot i in seat s is placed before bot j in seat r) = sigma(t_i + g_s - t_j - g_r). Formulas: docs/ratings.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.encounters import Encounters, Ints, sum_by_cell
from beanleague.league.ratings.scores import ELO

Floats = NDArray[np.float64]

_MAX_STEPS = 100
_CONVERGED, _ALMOST = 1e-8, 1e-5  # step sizes at which Newton's method stops; the next would be about their square
_CLOSE = 0.05
_SAFE_STEP = 1e-2
_MAX_BEYOND = 0.5  # maximum slope beyond the maximum, as a share of the slope before; longer steps are shortened
_FIRST_ACCURACY, _LAST_ACCURACY = 1e-3, 1e-9  # relative accuracies of the first and the last step
_LEAST_STEPS = 50
_DENSE = 128
"""Number of parameters below which dense matrices are faster."""
_BLOCK = 1 << 14
"""Encounters per block, so that intermediate results stay in the processor's cache."""
_FAR = 700.0
"""Limit of a lead in logits, beyond which the chance is 0 for a float."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Normal distributions around zero, assumed before the first deal."""

    bots: float = 350.0
    """Standard deviation of the strengths of bots, in Elo."""
    seats: float = 100.0
    """Standard deviation of the seat terms, in Elo."""


@dataclass(frozen=True, slots=True, eq=False)
class Curvature:
    """Negated second derivative of the log posterior: symmetric, (p, p), sparse in pairs of bots that never met."""

    diagonal: Floats
    """(p,): diagonal of the matrix."""
    pairs: "Sequence[MetPairs]"
    """Pairs of bots that met, for each table size."""
    between: Sequence[Floats]
    """For each table size, negated cells of its pairs; the matrix is their sum."""
    with_seats: Floats
    """(p, p - n): columns of the seat terms, with a zero diagonal."""

    @property
    def dense(self) -> Floats:
        """The dense matrix."""
        length, seats = self.with_seats.shape
        matrix = np.diag(self.diagonal)
        for pairs, between in zip(self.pairs, self.between, strict=True):
            matrix[pairs.low, pairs.high] -= between
            matrix[pairs.high, pairs.low] -= between
        matrix[:, length - seats :] += self.with_seats
        matrix[length - seats :, : length - seats] += self.with_seats[: length - seats].T
        return matrix

    def times(self, vector: Floats) -> Floats:
        """Return the product with a vector."""
        length, seats = self.with_seats.shape
        bots = length - seats
        product = self.diagonal * vector + self.with_seats @ vector[bots:]
        product[bots:] += vector[:bots] @ self.with_seats[:bots]
        for pairs, between in zip(self.pairs, self.between, strict=True):
            product[:bots] -= pairs.spread(between, vector)
        return product

    def solve(self, right: Floats, accuracy: float = _LAST_ACCURACY) -> Floats:
        """Solve for `right` by conjugate gradients. `accuracy`: relative."""
        if len(right) <= _DENSE:
            return np.linalg.solve(self.dense, right).astype(np.float64, copy=False)
        found = np.zeros_like(right)
        rest = right
        direction = scaled = rest / self.diagonal
        size = float(rest @ scaled)
        enough = accuracy**2 * size
        for _ in range(_LEAST_STEPS + 2 * len(right)):
            if size <= enough:
                break
            moved = self.times(direction)
            along = size / float(direction @ moved)
            found = found + along * direction
            rest = rest - along * moved
            scaled = rest / self.diagonal
            size, before = float(rest @ scaled), size
            direction = scaled + size / before * direction
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The most probable strengths."""

    bots: int
    """Number of bots, n."""
    parameters: Floats
    """(p,), in logits: the n bots, then the seats of each table size in `seats_at`."""
    curvature: Curvature
    """Curvature at `parameters`."""
    precision: Floats
    """(p,): diagonal of the prior's contribution to `curvature`."""
    seats_at: Mapping[int, int]
    """Position of the first seat in `parameters`, by table size."""

    @property
    def strengths(self) -> Floats:
        """Strengths of the bots, in logits: shape (bots,)."""
        return self.parameters[: self.bots]

    def seats(self, size: int) -> Floats:
        """Return the terms of the seats at tables of `size`, in logits: shape (size,)."""
        first = self.seats_at[size]
        return self.parameters[first : first + size]


def fit(counters: Counters, prior: Prior | None = None, start: Fit | None = None) -> Fit:
    """Find the most probable strengths, which depend on the counts alone, by Newton's method.

    `start`: an earlier fit of the same league, which saves steps. The start changes the strengths by less than 1e-6
    Elo.
    """
    prior = prior or Prior()
    seats_at: dict[int, int] = {}
    length = counters.bots
    for size in counters.sizes:
        seats_at[size] = length
        length += size
    precision = np.full(length, (ELO / prior.seats) ** 2)
    precision[: counters.bots] = (ELO / prior.bots) ** 2
    at = np.zeros(length)
    if start:
        at[: start.bots] = start.strengths
        for size in start.seats_at:
            at[seats_at[size] : seats_at[size] + size] = start.seats(size)
    elif length > _DENSE:  # first solve without seat terms, whose steps are cheaper
        at = _newton(_Posterior(counters, seats_at, precision, seats=False), at, _CLOSE)[0]
    enough = _CONVERGED if length <= _DENSE else _ALMOST
    at, curvature = _newton(_Posterior(counters, seats_at, precision), at, enough)
    return Fit(counters.bots, at, curvature, precision, seats_at)


def _newton(posterior: "_Posterior", at: Floats, enough: float) -> tuple[Floats, Curvature]:
    """Return the maximum of the posterior, and its curvature there. `enough`: step size at which to stop."""
    here, accuracy = posterior.at(at), _FIRST_ACCURACY
    for _ in range(_MAX_STEPS):
        step = here.curvature.solve(here.gradient, accuracy)
        size = float(np.abs(step).max(initial=0.0))
        there = posterior.at(at + step)
        while size > _SAFE_STEP and there.gradient @ step < -_MAX_BEYOND * (here.gradient @ step):
            step, size = step / 2, size / 2
            there = posterior.at(at + step)
        at, here = at + step, there
        if size < enough:
            break
        accuracy = min(_FIRST_ACCURACY, max(_LAST_ACCURACY, size**3))
    return at, here.curvature


@dataclass(frozen=True, slots=True, eq=False)
class MetPairs:
    """Pairs of different bots that met at tables of one size: arrays are (P,), sorted by `low`, then `high`."""

    bots: int
    """Number of bots."""
    low: Ints
    """Smaller number of each pair."""
    high: Ints
    """Larger number of each pair."""
    lows: Ints
    """Index of the first pair with each smaller number."""

    def of_bots(self, values: Floats, sign: int = 1) -> Floats:
        """Sum the values of pairs for each bot: (bots,). `sign`: factor for `high`."""
        total = sign * sum_by_cell(self.high, values, self.bots)
        if len(values):
            total[self.low[self.lows]] += np.add.reduceat(values, self.lows)
        return total

    def spread(self, between: Floats, vector: Floats) -> Floats:
        """Return the product of the symmetric matrix with cells `between` and a vector that begins with the bots."""
        product = sum_by_cell(self.high, between * vector[self.low], self.bots)
        if len(between):
            product[self.low[self.lows]] += np.add.reduceat(between * vector[self.high], self.lows)
        return product


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Derivatives of the log posterior at given parameters."""

    gradient: Floats
    curvature: Curvature


class _Posterior:
    """The log posterior: a sum over encounters."""

    def __init__(
        self, counters: Counters, seats_at: Mapping[int, int], precision: Floats, *, seats: bool = True
    ) -> None:
        """`seats`: whether the model has seat terms."""
        self._bots = counters.bots
        self._precision = precision
        self._sizes: list[_Size] = []
        for size, first in seats_at.items():
            met = counters.encounters(size)
            self._sizes.append(_Size(met if seats else met.in_any_seats(), counters.bots, first, size if seats else 1))

    def at(self, at: Floats) -> _Place:
        """Return the derivatives at given parameters."""
        gradient = -self._precision * at
        diagonal = self._precision.copy()
        with_seats = np.zeros((len(at), len(at) - self._bots))
        between = [size.add(at, gradient, diagonal, with_seats) for size in self._sizes]
        return _Place(gradient, Curvature(diagonal, [size.pairs for size in self._sizes], between, with_seats))


class _Size:
    """Encounters at tables of one size. `first`: the parameter of the first seat."""

    def __init__(self, met: Encounters, bots: int, first: int, seats: int) -> None:
        self._first, self._seats = first, seats
        self._own, self._rival = np.divmod(np.arange(seats**2), seats)
        self._code = (met.seat * seats + met.other_seat).astype(np.uint8)
        self._wins, self._met = met.wins / 2, met.met.astype(np.float64)
        self._starts = met.starts
        self._counts = np.diff(self._starts, append=len(met.keys))
        self._low, self._high = met.one[self._starts], met.other[self._starts]
        self._two = self._low != self._high  # false for a bot that meets itself, with two seats at a table
        low, high = self._low[self._two], self._high[self._two]
        self.pairs = MetPairs(bots, low, high, np.flatnonzero(np.diff(low, prepend=-1)))

    def _blocks(self, at: Floats) -> Iterator[tuple[slice, slice, Floats]]:
        """Yield blocks of pairs, their encounters, and the leads in these encounters, in logits."""
        seats = at[self._first + self._own] - at[self._first + self._rival]
        lead = at[self._low] - at[self._high]
        ends = np.append(self._starts, len(self._code))
        edges = np.unique(np.append(np.searchsorted(ends, np.arange(0, len(self._code), _BLOCK)), len(lead)))
        for begin, end in pairwise(edges.tolist()):
            encounters = slice(int(ends[begin]), int(ends[end]))
            each = np.repeat(lead[begin:end], self._counts[begin:end])
            yield slice(begin, end), encounters, each + seats[self._code[encounters]] if self._seats > 1 else each

    def add(self, at: Floats, gradient: Floats, diagonal: Floats, with_seats: Floats) -> Floats:
        """Add the derivatives of the log likelihood in place; return the curvature between the bots of each pair."""
        pairs, seats, kinds = len(self._low), self._seats, self._seats**2
        surplus_of, weight_of, mixed = np.empty(pairs), np.empty(pairs), np.zeros((pairs, seats))
        surplus_at, weight_at = np.zeros(kinds), np.zeros(kinds)
        for block, of, lead in self._blocks(at):
            chance = 1 / (1 + np.exp(np.minimum(-lead, _FAR)))
            expected = self._met[of] * chance
            surplus = self._wins[of] - expected
            weight = expected * (1 - chance)
            starts = self._starts[block] - of.start
            surplus_of[block], weight_of[block] = np.add.reduceat(surplus, starts), np.add.reduceat(weight, starts)
            if seats > 1:
                code = self._code[of]
                surplus_at += np.bincount(code, surplus, kinds)
                weight_at += np.bincount(code, weight, kinds)
                cells = np.repeat(np.arange(0, len(starts) * seats, seats), self._counts[block])
                shift = np.bincount(cells + self._own[code], weight, len(starts) * seats)
                shift -= np.bincount(cells + self._rival[code], weight, len(starts) * seats)
                mixed[block] = shift.reshape(-1, seats)
        self._add_seats(surplus_at, weight_at, gradient, diagonal, with_seats)
        between: Floats = weight_of[self._two]
        surplus_of, mixed = surplus_of[self._two], mixed[self._two]
        gradient[: self.pairs.bots] += self.pairs.of_bots(surplus_of, -1)
        diagonal[: self.pairs.bots] += self.pairs.of_bots(between)
        column = self._first - self.pairs.bots
        for seat in range(seats if seats > 1 else 0):
            with_seats[: self.pairs.bots, column + seat] += self.pairs.of_bots(mixed[:, seat], -1)
        return between

    def _add_seats(
        self, surplus: Floats, weight: Floats, gradient: Floats, diagonal: Floats, with_seats: Floats
    ) -> None:
        """Add the terms of two different seats; solo deals have a single seat, and no such terms."""
        two = self._own != self._rival
        own, rival = self._own[two] + self._first, self._rival[two] + self._first
        for one, other, sign in ((own, rival, 1), (rival, own, -1)):
            np.add.at(gradient, one, sign * surplus[two])
            np.add.at(diagonal, one, weight[two])
            np.add.at(with_seats, (one, other - self.pairs.bots), -weight[two])
