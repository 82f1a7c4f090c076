"""How certain the ratings are: sandwich variances clustered by deal, and how much of a result is the deal's luck.

The matches of a deal share its luck, and the pairs of a match share its play, so neither are independent; deals are.
The sums of `DealSums` are all that is needed: no pass over the deals at new strengths. Formulas: docs/ratings.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from beanleague.league.ratings.counters import Counters, DealSums
from beanleague.league.ratings.fit import Fit, Floats


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
