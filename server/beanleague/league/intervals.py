"""How sure the ratings are: sandwich variances clustered by deal, and how much of a result is the luck of the deal.

The matches of a deal share its luck, and the pairs of a match share its play, so neither are independent; deals are.
The sums of `DealSums` are all that is needed: no pass over the deals at new strengths. Formulas: docs/ratings.md.
"""

from __future__ import annotations

import numpy as np

from .counters import Counters, DealSums
from .fit import Fit, Floats


def covariance(counters: Counters, fit: Fit) -> Floats:
    """Covariance matrix of `fit.parameters`: shape (p, p), in squared logits.

    H^-1 (G / (G - 1) sum over deals of s s' + L) H^-1, with s the derivative of a deal's log likelihood, G the number
    of deals, H the curvature and L the prior's precision. L stands for the doubt about what the prior supplies: it is
    nothing beside the sum when there are many deals, and keeps a bot that wins every time from looking certain.
    """
    length = len(fit.parameters)
    meat = np.zeros(length * length)
    deals = counters.deals
    for sums in counters.sums():
        expected = _scores(sums, _expected(sums, fit))
        outer = sums.products / 4 + sums.deals[:, None, None] * expected[:, :, None] * expected[:, None, :]
        cross = sums.scores[:, :, None] / 2 * expected[:, None, :]
        blocks = outer - cross - cross.swapaxes(1, 2)
        seats = sums.table.shape[1]
        first = fit.seats_at[seats]
        where = np.concatenate([sums.table, np.broadcast_to(np.arange(first, first + seats), sums.table.shape)], axis=1)
        for a in range(2 * seats):
            for b in range(2 * seats):
                cells = where[:, a] * length + where[:, b]
                meat += np.bincount(cells, weights=blocks[:, a, b], minlength=length * length)
    if deals > 1:
        meat *= deals / (deals - 1)
    bread = np.linalg.inv(fit.curvature)
    spread = bread @ (meat.reshape(length, length) + np.diag(fit.precision)) @ bread
    return (spread + spread.T) / 2


def luck_share(counters: Counters, fit: Fit) -> float | None:
    """Share of the variance of a bot's result in a match that is the luck of its seat in that deal: 0 ... 1.

    The intraclass correlation of the surpluses (share of opponents beaten, less what the ratings expect) of the
    matches of a deal in the same seat. None without deals of several matches. Chance can make it slightly negative.
    """
    between = within = 0.0
    between_df = within_df = 0
    for sums in counters.sums():
        matches, seats = sums.seatings.shape[1:]
        if matches < 2:
            continue
        expected = _expected(sums, fit)
        by_seat = expected.sum(axis=1)
        diagonal = sums.products[:, range(seats, 2 * seats), range(seats, 2 * seats)]
        of_deal = diagonal / 4 - sums.scores[:, seats:] * by_seat + sums.deals[:, None] * by_seat**2
        of_match = (
            sums.squares / 4 - (sums.results * expected).sum(axis=(1, 2)) + sums.deals * (expected**2).sum(axis=(1, 2))
        )
        scale = (seats - 1) ** 2
        between += float(of_deal.sum()) / matches / scale
        within += float(of_match.sum() - of_deal.sum() / matches) / scale
        # The surpluses of a match add up to nothing, so one seat of each follows from the others.
        deals = int(sums.deals.sum())
        between_df += deals * (seats - 1)
        within_df += deals * (seats - 1) * (matches - 1)
    if not between_df:
        return None
    matches_a_deal = 1 + within_df / between_df
    between_mean, within_mean = between / between_df, within / within_df
    total = between_mean + (matches_a_deal - 1) * within_mean
    return (between_mean - within_mean) / total if total > 0 else 0.0


def _expected(sums: DealSums, fit: Fit) -> Floats:
    """Opponents each seat should beat in each match: shape (T, m, k)."""
    seats = sums.table.shape[1]
    strength = fit.strengths[sums.seatings] + fit.seats(seats)
    expected = np.zeros_like(strength)
    for seat in range(seats):
        for other in range(seat):
            chance = 1 / (1 + np.exp(strength[..., other] - strength[..., seat]))
            expected[..., seat] += chance
            expected[..., other] += 1 - chance
    return expected


def _scores(sums: DealSums, expected: Floats) -> Floats:
    """What `DealSums.scores` should be for one deal, in wins: shape (T, 2k)."""
    seats = sums.table.shape[1]
    of_bots = [np.where(sums.position == place, expected, 0).sum(axis=(1, 2)) for place in range(seats)]
    return np.concatenate([np.stack(of_bots, axis=1), expected.sum(axis=1)], axis=1)
