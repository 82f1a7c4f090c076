"""One-sided bounds for bots that never lost or never won. Formulas: docs/ratings.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

import numpy as np

from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.encounters import Bools, Ints
from beanleague.league.ratings.fit import Floats

RISK = 0.05
"""Probability that a bound is wrong."""
_MAX_STEPS = 100
_CONVERGED = 1e-9


class Reach:
    """Reachability: A reaches B if A beat or tied B, directly or through a chain.

    Bots that reach each other form a *group*, within which differences have two-sided intervals.
    """

    def __init__(self, counters: Counters) -> None:
        self._bots = counters.bots
        points = []
        for met in map(counters.encounters, counters.sizes):
            won, lost = met.wins > 0, met.wins < 2 * met.met
            points += [met.one[won] * self._bots + met.other[won], met.other[lost] * self._bots + met.one[lost]]
        self._points: Ints = np.unique(np.concatenate([np.zeros(0, np.int64), *points]))
        self._upper, self._lower = np.divmod(self._points, max(self._bots, 1))
        self.groups: Ints = np.arange(self._bots)
        """For each bot the first bot of its group."""
        for members in _groups(self._bots, self._upper, self._lower):
            self.groups[members] = members.min()

    def down(self, bot: int) -> Bools:
        """Return the bots that `bot` reaches, as a mask: (bots,)."""
        return _closure(self._bots, bot, self._upper, self._lower)

    def up(self, bot: int) -> Bools:
        """Return the bots that reach `bot`, as a mask: (bots,)."""
        return _closure(self._bots, bot, self._lower, self._upper)

    def points(self, one: Ints, other: Ints) -> Bools:
        """Return elementwise whether the first bot has beaten or tied the second."""
        wanted = one * self._bots + other
        at = np.minimum(np.searchsorted(self._points, wanted), len(self._points) - 1)
        found: Bools = self._points[at] == wanted
        return found

    def mixed(self, tables: Ints) -> Bools:
        """Return elementwise whether a table, (T, k), seats bots of several groups."""
        groups = self.groups[tables]
        found: Bools = (groups != groups[:, :1]).any(axis=1)
        return found

    def largest(self, bots: Ints) -> Ints:
        """Return the bots in the largest group; ties go to the first."""
        groups = self.groups[bots]
        size = np.bincount(groups, minlength=1)[groups]
        return bots[groups == groups[size.argmax()]] if len(bots) else bots


def _groups(bots: int, upper: Ints, lower: Ints) -> Iterator[Ints]:
    """Yield the groups of several bots; (upper, lower) are the pairs in which the first has points."""
    while True:
        while True:  # drop bots that reach no other bot or are reached by none, repeatedly
            kept = (np.bincount(upper, minlength=bots)[lower] > 0) & (np.bincount(lower, minlength=bots)[upper] > 0)
            if kept.all():
                break
            upper, lower = upper[kept], lower[kept]
        if not len(upper):
            return
        first = int(np.bincount(upper).argmax())
        members = _closure(bots, first, upper, lower) & _closure(bots, first, lower, upper)
        yield np.flatnonzero(members)
        kept = ~members[upper] & ~members[lower]
        upper, lower = upper[kept], lower[kept]


def _closure(bots: int, first: int, source: Ints, target: Ints) -> Bools:
    reached = np.zeros(bots, np.bool_)
    reached[first] = True
    count = 0
    while count < (count := int(reached.sum())):
        reached[target[reached[source]]] = True
    return reached


class Bounds:
    """Lower bounds for the difference between two groups, one of which never lost a point to the other.

    A bot that never lost could be stronger by any amount; a point estimate or an interval would only reflect the prior.
    The data give a bound: with a smaller lead, results as good as these would have had less than 5 % probability.

    A deal counts as one trial, however many pairs it has, because these share its luck: the probability that all pairs
    end as they did is at most the probability of the least probable pair, the two bots closest to each other. So the
    bound holds for any correlation, and without a prior. Formulas: docs/ratings.md.
    """

    def __init__(self, counters: Counters, strengths: Floats, reach: Reach) -> None:
        """`strengths`: strengths of the fit, in logits; between groups the prior dominates them."""
        self._strengths = strengths
        self._reach = reach
        self._group = reach.groups
        self._tables = [
            (tables[mixed], deals[mixed]) for tables, deals in counters.tables() for mixed in [reach.mixed(tables)]
        ]
        self._shifts: dict[tuple[int, int], float] = {}

    def shift(self, upper: int, lower: int) -> float:
        """Return the term that turns the difference of two bots' strengths into its lower bound, in logits.

        `upper` must reach `lower`, but not the other way round.
        """
        groups = int(self._group[upper]), int(self._group[lower])
        if groups not in self._shifts:
            self._shifts[groups] = self._shift(*groups)
        return self._shifts[groups]

    def _shift(self, upper: int, lower: int) -> float:
        between = np.flatnonzero(self._reach.down(upper) & self._reach.up(lower))
        weights = self._weights(between)
        groups, of = np.unique(self._group[between], return_inverse=True)
        profile = _Profile(weights, self._strengths[between], of, int(np.searchsorted(groups, upper)))
        return profile.least(int(np.searchsorted(groups, lower)))

    def _weights(self, between: Ints) -> Floats:
        """Return the number of deals that each pair of bots counts for: (n, n), the upper group's bot in the row.

        For any two groups in a deal, one above the other, their two closest bots count; if a deal has several such
        pairs of groups, each pair counts for an equal share of the deal. All n bots belong to the groups `between`.
        """
        place = np.full(len(self._group), -1)
        place[between] = range(len(between))
        weights = np.zeros(len(between) ** 2)
        for table, deals in self._tables:
            group, there = self._group[table], place[table] >= 0
            apart = there[:, :, None] & there[:, None, :] & (group[:, :, None] != group[:, None, :])
            deal, row, column = apart.nonzero()
            # between two groups that met, one side has all the points
            above = self._reach.points(table[deal, row], table[deal, column])
            deal, row, column = deal[above], row[above], column[above]
            upper, lower = table[deal, row], table[deal, column]
            groups = (deal * len(place) + self._group[upper]) * len(place) + self._group[lower]
            closest = np.lexsort((self._strengths[upper] - self._strengths[lower], groups))
            closest = closest[np.unique(groups[closest], return_index=True)[1]]
            deal, upper, lower = deal[closest], upper[closest], lower[closest]
            share = deals[deal] / np.bincount(deal, minlength=len(table))[deal]
            weights += np.bincount(place[upper] * len(between) + place[lower], weights=share, minlength=len(weights))
        return weights.reshape(len(between), len(between))


@dataclass(frozen=True, slots=True, eq=False)
class _Profile:
    """Log likelihood of the event that the upper group won all pairs, as a function of the groups' shifts."""

    weights: Floats
    """(n, n): number of deals for which the pair of the row's and the column's bot counts; see `Bounds._weights`."""
    strengths: Floats
    """(n,): strengths in logits."""
    of: Ints
    """(n,): group of each bot."""
    upper: int
    """Group for which the smallest shift is computed."""

    def least(self, lower: int) -> float:
        """Return the shift of `upper` against `lower` at which the maximal log likelihood is log(RISK).

        The maximum is over the shifts of the groups between the two.
        """
        groups = int(self.of.max()) + 1
        free = np.array([group for group in range(groups) if group not in {self.upper, lower}], np.int64)
        shift = np.zeros(groups)
        for _ in range(_MAX_STEPS):  # Newton's method: the maximal log likelihood is concave in the shift
            value, slope = self._greatest(shift, free)
            step = (log(RISK) - value) / slope
            # limits steps far from the root, where the log likelihood is almost flat
            longest = 2.0 + float(np.abs(shift).max())
            shift[self.upper] += max(-longest, min(longest, step))
            if abs(step) < _CONVERGED:
                break
        return float(shift[self.upper])

    def _greatest(self, shift: Floats, free: Ints) -> tuple[float, float]:
        """Move the groups `free` to the maximal log likelihood; return the maximum, and its slope at `upper`."""
        value, gradient, curvature = self._at(shift)
        for _ in range(_MAX_STEPS if len(free) else 0):
            step = np.linalg.solve(curvature[np.ix_(free, free)], gradient[free])
            trial = shift.copy()
            trial[free] += step
            there = self._at(trial)
            while there[0] < value and np.abs(step).max() > _CONVERGED:
                step /= 2
                trial[free] = shift[free] + step
                there = self._at(trial)
            shift[free], (value, gradient, curvature) = trial[free], there
            if np.abs(step).max() < _CONVERGED:
                break
        return value, float(gradient[self.upper])

    def _at(self, shift: Floats) -> tuple[float, Floats, Floats]:
        """Return the log likelihood, its gradient, and its negated second derivative by the groups' shifts."""
        at = self.strengths + shift[self.of]
        lead = at[:, None] - at[None, :]
        lost = 1 / (1 + np.exp(np.minimum(lead, 700)))
        value = -float((self.weights * np.logaddexp(0, -lead)).sum())
        pull, bend = self.weights * lost, self.weights * lost * (1 - lost)
        member = np.eye(len(shift))[self.of]
        gradient = member.T @ (pull.sum(axis=1) - pull.sum(axis=0))
        both = member.T @ (bend + bend.T) @ member
        within = member.T @ (bend.sum(axis=1) + bend.sum(axis=0))
        return value, gradient, np.diag(within + 1e-12) - both
