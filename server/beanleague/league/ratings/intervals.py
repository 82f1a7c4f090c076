"""How certain the ratings are: variances clustered by deal, Student's t, and differences known on one side only.

The matches of a deal share its luck, and the pairs of a match share its play, so neither are independent; deals are.
The sums of `DealSums` are all that is needed: no pass over the deals at new strengths. Formulas: docs/ratings.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import lgamma, log, pi
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beanleague.league.ratings.counters import Counters, DealSums, Ints
from beanleague.league.ratings.fit import Fit, Floats

Bools = NDArray[np.bool_]

RISK = 0.05
"""Probability of a bound beyond the truth."""
_MAX_STEPS = 100
_CONVERGED = 1e-9

_TINY = 1e-300
_MAX_TERMS = 10_000


def t_cdf(t: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """The probability that Student's T <= t with `df` > 0 degrees of freedom; the arguments broadcast."""
    t, df = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(df, np.float64))
    square = t * t
    tail = 0.5 * _beta(df / 2, df / (df + square), square / (df + square))
    return np.where(t > 0, 1 - tail, tail)


def t_quantile(p: float, df: ArrayLike) -> NDArray[np.float64]:
    """The t with P(T <= t) = p, for 0.5 <= p < 1 and each of the `df` > 0."""
    wanted = np.asarray(df, np.float64)
    distinct, where = np.unique(wanted, return_inverse=True)
    return _quantiles(p, tuple(distinct.tolist()))[where].reshape(wanted.shape)


@lru_cache(maxsize=16)
def _quantiles(p: float, df: tuple[float, ...]) -> NDArray[np.float64]:
    """As `t_quantile`. Ratings ask for the same several times in a row, and it is most of what they take."""
    distinct = np.array(df)
    norm = np.array([lgamma((v + 1) / 2) - lgamma(v / 2) - 0.5 * log(v * pi) for v in df])
    t = np.full(distinct.shape, NormalDist().inv_cdf(p))
    for _ in range(100):  # Newton from below: the distribution function is concave there, so it never oversteps.
        density = np.exp(norm - (distinct + 1) / 2 * np.log1p(t * t / distinct))
        step = (p - t_cdf(t, distinct)) / density
        t = t + step
        if np.all(np.abs(step) <= 1e-10 * t):
            break
    return t


def _beta(a: NDArray[np.float64], x: NDArray[np.float64], complement: NDArray[np.float64]) -> NDArray[np.float64]:
    """The regularised incomplete beta function I_x(a, 1/2), `complement` = 1 - x."""
    distinct, where = np.unique(a, return_inverse=True)
    log_beta = np.array([lgamma(v) + lgamma(0.5) - lgamma(v + 0.5) for v in distinct.tolist()])[where].reshape(a.shape)
    with np.errstate(divide="ignore"):
        front = np.exp(a * np.log(x) + 0.5 * np.log(complement) - log_beta)
    near = x < (a + 1) / (a + 2.5)  # where the continued fraction converges fast; beyond, that of the other tail does
    direct = front * _fraction(np.where(near, a, 0.5), np.where(near, 0.5, a), np.where(near, x, complement))
    result: NDArray[np.float64] = np.where(near, direct / a, 1 - direct * 2)
    return result


def _fraction(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c = np.ones_like(x)
    d = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = np.ones_like(x)
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            change = change * (c * d)
        value = value * change
        if np.all(np.abs(change - 1) < 1e-12):
            break
    return value


def _not_zero(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(value) < _TINY, _TINY, value)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How deals scatter about a fit."""

    covariance: Floats
    """Covariance of `Fit.parameters`: (p, p), in squared logits.

    H^-1 (G / (G - 1) sum over deals of s s' + L) H^-1, with s the derivative of a deal's log likelihood, G the number
    of deals, H the curvature and L the prior's precision. L accounts for the uncertainty of the prior: it is negligible
    when there are many deals, and keeps a bot that wins every time from looking certain.
    """
    luck: float | None
    """Share of the variance of a bot's result in a match that is the luck of its seat in that deal.

    It is the intraclass correlation of the surpluses (share of opponents beaten, less what the ratings expect) of the
    matches of a deal in the same seat. None without deals of several matches; chance can make it slightly negative.
    """


def spread(counters: Counters, fit: Fit) -> Spread:
    """Return the spread of the deals about `fit`, in one pass over their sums."""
    length = len(fit.parameters)
    meat = np.zeros(length * length)
    luck = _Luck()
    for sums in counters.sums():
        expected = _expected(sums, fit)
        _add_meat(meat, sums, fit, expected)
        luck.add(sums, expected)
    deals = counters.deals
    if deals > 1:
        meat *= deals / (deals - 1)
    bread = np.linalg.inv(fit.curvature)
    covariance = bread @ (meat.reshape(length, length) + np.diag(fit.precision)) @ bread
    return Spread((covariance + covariance.T) / 2, luck.share())


def _add_meat(meat: Floats, sums: DealSums, fit: Fit, expected: Floats) -> None:
    """Add the s s' of each deal, s = z - E z, from the sums of z and z z'."""
    mean = _scores(sums, expected)
    cross = sums.scores[:, :, None] / 2 * mean[:, None, :]
    blocks = sums.products / 4 - cross - cross.swapaxes(1, 2)
    blocks += sums.deals[:, None, None] * mean[:, :, None] * mean[:, None, :]
    players = sums.table.shape[1]
    seats = fit.seats_at[sums.seats] + np.arange(players) % sums.seats
    where = np.concatenate([sums.table, np.broadcast_to(seats, sums.table.shape)], axis=1)
    for a in range(2 * players):
        for b in range(2 * players):
            cells = where[:, a] * len(fit.parameters) + where[:, b]
            meat += np.bincount(cells, weights=blocks[:, a, b], minlength=len(meat))


@dataclass(slots=True)
class _Luck:
    """Analysis of variance of the surpluses, by deal and seat."""

    between: float = 0.0
    within: float = 0.0
    between_df: int = 0
    within_df: int = 0

    def add(self, sums: DealSums, expected: Floats) -> None:
        matches, seats = sums.seatings.shape[1:]
        if matches < 2:
            return
        by_seat = expected.sum(axis=1)
        diagonal = sums.products[:, range(seats, 2 * seats), range(seats, 2 * seats)]
        of_deals = diagonal / 4 - sums.scores[:, seats:] * by_seat + sums.deals[:, None] * by_seat**2
        of_matches = sums.squares / 4 - (sums.results * expected).sum(axis=(1, 2))
        of_matches += sums.deals * (expected**2).sum(axis=(1, 2))
        explained = float(of_deals.sum()) / matches
        self.between += explained / (seats - 1) ** 2
        self.within += (float(of_matches.sum()) - explained) / (seats - 1) ** 2
        # The surpluses of a match add up to nothing, so one seat of each follows from the others.
        deals = int(sums.deals.sum())
        self.between_df += deals * (seats - 1)
        self.within_df += deals * (seats - 1) * (matches - 1)

    def share(self) -> float | None:
        if not self.between_df:
            return None
        between, within = self.between / self.between_df, self.within / self.within_df
        total = between + within * self.within_df / self.between_df
        return (between - within) / total if total > 0 else 0.0


def _expected(sums: DealSums, fit: Fit) -> Floats:
    """Opponents each seat should beat in each match: shape (T, m, k)."""
    strength = fit.strengths[sums.seatings] + fit.seats(sums.seats)
    expected = np.zeros_like(strength)
    for seat in range(sums.table.shape[1]):
        for other in range(seat):
            chance = 1 / (1 + np.exp(strength[..., other] - strength[..., seat]))
            expected[..., seat] += chance
            expected[..., other] += 1 - chance
    return expected


def _scores(sums: DealSums, expected: Floats) -> Floats:
    """What `DealSums.scores` should be for one deal, in wins: shape (T, 2k)."""
    players = sums.table.shape[1]
    of_bots = [np.where(sums.position == place, expected, 0).sum(axis=(1, 2)) for place in range(players)]
    return np.concatenate([np.stack(of_bots, axis=1), expected.sum(axis=1)], axis=1)


def reaches(counters: Counters) -> Bools:
    """Return whom each bot beat or tied, or somebody did whom it beat or tied, and so on: (bots, bots).

    Two bots that reach each other are in one *group*: what is known of their difference has two sides.
    """
    reached = (counters.half_wins() > 0) | np.eye(counters.bots, dtype=np.bool_)
    while True:
        further = reached.astype(np.float32) @ reached.astype(np.float32) > 0
        if (further == reached).all():
            return further
        reached = further


def largest_group(bots: Ints, reached: Bools) -> Ints:
    """Return those of `bots` that are in the group with most of them; of equal ones, that of the first bot."""
    together = reached[np.ix_(bots, bots)]
    sizes = (together & together.T).sum(axis=1)
    first = int(sizes.argmax()) if len(bots) else 0
    found: Ints = bots[together[first] & together[:, first]]
    return found


class Bounds:
    """How far apart two groups must be at least, of which one never lost a point to the other.

    Who never lost could be any amount stronger; a point or an interval would be nothing but the prior. What is known
    is a bound: were the lead smaller, results as good as these would have had less than 5 % probability.

    A deal is one trial, however many pairs it has, because they share its luck: the probability that all of them end as
    they did is at most that of the least probable one, which is the pair of bots that are closest to each other. So the
    bound holds with whatever luck, and without a prior. Formulas: docs/ratings.md.
    """

    def __init__(self, counters: Counters, strengths: Floats, reached: Bools) -> None:
        """`strengths`: of the fit, in logits. Within a group they are known, between groups they are the prior's."""
        self._strengths = strengths
        self._reached = reached
        self._group = (reached & reached.T).argmax(axis=1)  # its first bot
        self._tables = list(counters.tables())
        self._shifts: dict[tuple[int, int], float] = {}

    def shift(self, upper: int, lower: int) -> float:
        """Return what to add to the difference of strengths of two bots to get its lower bound, in logits.

        `upper` must reach `lower`, but not the other way round.
        """
        groups = int(self._group[upper]), int(self._group[lower])
        if groups not in self._shifts:
            self._shifts[groups] = self._shift(*groups)
        return self._shifts[groups]

    def _shift(self, upper: int, lower: int) -> float:
        between = np.flatnonzero(self._reached[upper] & self._reached[:, lower])
        weights = self._weights(between)
        groups, of = np.unique(self._group[between], return_inverse=True)
        profile = _Profile(weights, self._strengths[between], of, int(np.searchsorted(groups, upper)))
        return profile.least(int(np.searchsorted(groups, lower)))

    def _weights(self, between: Ints) -> Floats:
        """Return for how many deals each pair of bots counts: (n, n), the row's is of the upper of two groups.

        Of each two groups in a deal, one above the other, the closest two bots count, with an equal share of the deal
        where there are several such groups. All n bots are of the groups `between`.
        """
        place = np.full(len(self._group), -1)
        place[between] = range(len(between))
        weights = np.zeros(len(between) ** 2)
        for table, deals in self._tables:
            group, there = self._group[table], place[table] >= 0
            above = self._reached[table[:, :, None], table[:, None, :]] & (group[:, :, None] != group[:, None, :])
            deal, row, column = (above & there[:, :, None] & there[:, None, :]).nonzero()
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
    """The log likelihood of pairs that the upper group won every time, as a function of the groups' shifts."""

    weights: Floats
    """(n, n): how often the row's bot met the column's; see `Bounds._weights`."""
    strengths: Floats
    """(n,): in logits."""
    of: Ints
    """(n,): the group of each bot."""
    upper: int
    """The group whose least shift is wanted."""

    def least(self, lower: int) -> float:
        """Return the shift of `upper` against `lower` at which the log likelihood, at its most, is log(RISK).

        The groups between the two are where it is greatest.
        """
        groups = int(self.of.max()) + 1
        free = np.array([group for group in range(groups) if group not in {self.upper, lower}], np.int64)
        shift = np.zeros(groups)
        for _ in range(_MAX_STEPS):  # Newton's method: the greatest log likelihood is concave in the shift
            value, slope = self._greatest(shift, free)
            step = (log(RISK) - value) / slope
            shift[self.upper] += max(-_longest(shift), min(_longest(shift), step))
            if abs(step) < _CONVERGED:
                break
        return float(shift[self.upper])

    def _greatest(self, shift: Floats, free: Ints) -> tuple[float, float]:
        """Move the groups `free` to where the log likelihood is greatest; return it, and its slope at `upper`."""
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
        """Return the log likelihood, its gradient, and minus its second derivative by the groups' shifts."""
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


def _longest(shift: Floats) -> float:
    """The longest step that is safe far from the root, where the log likelihood is all but flat."""
    return 2.0 + float(np.abs(shift).max())
