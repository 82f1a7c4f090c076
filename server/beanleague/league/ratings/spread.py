"""Uncertainty of the ratings: variances clustered by deal, and the share of luck in a result.

Deals are independent; matches of a deal are not, since they share its luck, nor pairs of a match, which share its play.
The sums of `DealSums` suffice: new strengths need no further pass over the deals. Formulas: docs/ratings.md.
"""

from dataclasses import dataclass

import numpy as np

from beanleague.league.ratings.counters import Counters, DealSums
from beanleague.league.ratings.encounters import Ints
from beanleague.league.ratings.fit import Curvature, Fit, Floats

MAX_EXACT = 256
"""Maximum number of bots for the full covariance matrix; with more bots, each variance is computed from direct
opponents alone."""
_ROUNDS = 50
_CONVERGED = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """Errors of estimated strengths, in squared logits."""

    own: Floats
    """(n,): variance of each bot."""
    full: Floats | None
    """(n, n): covariances; None if only variances are known."""

    def between(self, one: Ints, other: Ints) -> Floats:
        """Return the variances of differences between bots, with broadcasting."""
        variance: Floats = self.own[one] + self.own[other]
        if self.full is not None:
            return variance - 2 * self.full[one, other]
        return np.where(one == other, 0, variance).astype(np.float64, copy=False)

    def from_mean(self, some: Ints) -> Floats:
        """Return the variance of the difference between each bot and the mean of `some`: shape (n,)."""
        if self.full is not None:
            to_some = self.full[:, some].mean(axis=1)
            variance: Floats = self.own - 2 * to_some + to_some[some].mean()
            return variance
        variance = self.own + self.own[some].sum() / len(some) ** 2
        variance[some] -= 2 / len(some) * self.own[some]
        return variance

    def from_means(self, some: Ints) -> Floats:
        """Return the variance of the difference between each bot and the mean of other bots: shape (n,).

        `some`: for each bot the numbers of these others, (n, m).
        """
        variance: Floats
        if self.full is None:
            variance = self.own + self.own[some].sum(axis=1) / some.shape[1] ** 2
            return variance
        to_some = self.full[np.arange(len(some))[:, None], some].mean(axis=1)
        variance = self.own - 2 * to_some + self.full[some[:, :, None], some[:, None, :]].mean(axis=(1, 2))
        return variance


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Scatter of deals about a fit."""

    bots: Errors
    """Errors of the strengths, from the scatter of deals.

    H^-1 (G / (G - 1) sum over deals of s s' + L) H^-1, with s the derivative of a deal's log likelihood, G the number
    of deals, H the curvature and L the prior's precision. L accounts for the uncertainty of the prior: it is negligible
    when there are many deals, and keeps a bot that wins every time from looking certain.
    """
    model: Errors
    """Errors of the strengths if all pairs were independent: H^-1, increased for unequal weights
    (`Counters.inflation`)."""
    seats: Floats
    """Covariance of the seat terms, in the order of `Fit.parameters`, computed like `bots`."""
    luck: float | None
    """Share of the variance of a bot's result in a match that is due to the luck of its seat in that deal.

    It is the intraclass correlation of the surpluses (share of opponents beaten, less what the ratings expect) of the
    matches of a deal in the same seat. None without deals of several matches; chance can make it slightly negative.
    """


def spread(counters: Counters, fit: Fit) -> Spread:
    """Return the spread of the deals about `fit`, in one pass over their sums."""
    exact = counters.bots <= MAX_EXACT
    length, bots = len(fit.parameters), counters.bots
    meat = np.zeros(length * length) if exact else np.zeros(length + (length - bots) ** 2)
    luck = _Luck()
    for sums in counters.sums():
        expected = _expected(sums, fit)
        luck.add(sums, expected)
        where, products = _products(sums, fit, expected)
        (_add_all if exact else _add_own)(meat, fit, where, products)
    deals = counters.deals
    if deals > 1:
        meat *= deals / (deals - 1)
    if exact:
        bread = np.linalg.inv(fit.curvature.dense).astype(np.float64, copy=False)
        covariance = bread @ (meat.reshape(length, length) + np.diag(fit.precision)) @ bread
        covariance = (covariance + covariance.T) / 2
        seats = covariance[bots:, bots:]
        scattered, model = covariance[:bots, :bots], _model(bread[:bots, :bots], fit.curvature.dense, counters)
        of_deals, of_pairs = (Errors(exact.diagonal(), exact) for exact in (scattered, model))
        return Spread(of_deals, of_pairs, seats, luck.share())
    curvature = fit.curvature
    own = (meat[:bots] + fit.precision[:bots]) / curvature.diagonal[:bots] ** 2
    seat_bread = np.linalg.inv(np.diag(curvature.diagonal[bots:]) + curvature.with_seats[bots:])
    of_seats = meat[length:].reshape(length - bots, length - bots) + np.diag(fit.precision[bots:])
    seats = seat_bread @ of_seats @ seat_bread
    model = counters.inflation / curvature.diagonal[:bots]
    return Spread(_by_bot(own, curvature), _by_bot(model, curvature), seats, luck.share())


def _model(bread: Floats, curvature: Floats, counters: Counters) -> Floats:
    """Return the covariance of the strengths under independent pairs: (bots, bots).

    `bread`: covariance for equal weights.

    Weights change the scatter of differences, but not of the common level, which deals do not determine.
    """
    if not counters.weighted:
        return bread
    root = np.sqrt(counters.inflation)
    between = -curvature[: len(root), : len(root)] * (root * root[:, None] - 1)
    np.fill_diagonal(between, 0)
    covariance: Floats = bread + bread @ (np.diag(between.sum(axis=1)) - between) @ bread
    return covariance


def _by_bot(own: Floats, curvature: Curvature) -> Errors:
    """Return the variances of bots. `own`: their variances if the strengths of all other bots were known.

    Errors of opponents carry over to a bot in proportion to their weights. The errors of two opponents are treated as
    independent, which holds approximately if each met dozens of others.
    """
    total = own
    for _ in range(_ROUNDS):
        passed_on = np.zeros_like(own)
        for pairs, between in zip(curvature.pairs, curvature.between, strict=True):
            passed_on += pairs.spread(between**2, total)
        further = own + passed_on / curvature.diagonal[: len(own)] ** 2
        if np.abs(further - total).max(initial=0) <= _CONVERGED * further.max(initial=0):
            break
        total = further
    return Errors(total, None)


def _products(sums: DealSums, fit: Fit, expected: Floats) -> tuple[Ints, Floats]:
    """Return the sum of s s' over the deals of each seating, (T, 2k, 2k), and the matching parameters, (T, 2k).

    s = z - E z, from the sums of z and z z'.
    """
    mean = _scores(sums, expected)
    cross = sums.scores[:, :, None] / 2 * mean[:, None, :]
    products = sums.products / 4 - cross - cross.swapaxes(1, 2)
    products += sums.deals[:, None, None] * mean[:, :, None] * mean[:, None, :]
    players = sums.table.shape[1]
    seats = fit.seats_at[sums.seats] + np.arange(players) % sums.seats
    return np.concatenate([sums.table, np.broadcast_to(seats, sums.table.shape)], axis=1), products


def _add_all(meat: Floats, fit: Fit, where: Ints, products: Floats) -> None:
    """Add to all cells of `meat`, a flat matrix: (p * p,)."""
    for a in range(where.shape[1]):
        for b in range(where.shape[1]):
            cells = where[:, a] * len(fit.parameters) + where[:, b]
            meat += np.bincount(cells, weights=products[:, a, b], minlength=len(meat))


def _add_own(meat: Floats, fit: Fit, where: Ints, products: Floats) -> None:
    """Add to the diagonal, (p,), and to the cells of the seats, (q * q,), of `meat`."""
    length, players = len(fit.parameters), where.shape[1] // 2
    diagonal = products.diagonal(axis1=1, axis2=2)
    meat[:length] += np.bincount(where.ravel(), diagonal.ravel(), length)
    seats = where[0, players:] - fit.bots
    cells = length + seats[:, None] * (length - fit.bots) + seats
    np.add.at(meat, cells, products[:, players:, players:].sum(axis=0))


@dataclass(slots=True)
class _Luck:
    """Analysis of variance of the surpluses, by deal and seat."""

    between: float = 0.0
    within: float = 0.0
    between_df: float = 0
    within_df: float = 0

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
        # The surpluses of a match sum to 0, so each seat depends on the others.
        deals = float(sums.deals.sum())
        self.between_df += deals * (seats - 1)
        self.within_df += deals * (seats - 1) * (matches - 1)

    def share(self) -> float | None:
        if not self.between_df:
            return None
        between, within = self.between / self.between_df, self.within / self.within_df
        total = between + within * self.within_df / self.between_df
        return (between - within) / total if total > 0 else 0.0


def _expected(sums: DealSums, fit: Fit) -> Floats:
    """Return the expected number of opponents that each seat beats in each match: shape (T, m, k)."""
    strength = fit.strengths[sums.seatings] + fit.seats(sums.seats)
    expected = np.zeros_like(strength)
    for seat in range(sums.table.shape[1]):
        for other in range(seat):
            chance = 1 / (1 + np.exp(strength[..., other] - strength[..., seat]))
            expected[..., seat] += chance
            expected[..., other] += 1 - chance
    return expected


def _scores(sums: DealSums, expected: Floats) -> Floats:
    """Return the expectation of `DealSums.scores` for one deal, in wins: shape (T, 2k)."""
    players = sums.table.shape[1]
    of_bots = [np.where(sums.position == place, expected, 0).sum(axis=(1, 2)) for place in range(players)]
    return np.concatenate([np.stack(of_bots, axis=1), expected.sum(axis=1)], axis=1)
