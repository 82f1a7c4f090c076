"""Ratings on the Elo scale, how sure they are, and the ranks that follow: from counted deals alone.

A rating is 1500 + 400 / ln 10 * (t - t_anchor), in Elo points. The model is in `fit`, its intervals in `intervals`,
the bounds of bots that never lost or never won in `bounds`; docs/ratings.md describes all three, and how good they were
found to be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.counters import Counters, Ints
from beanleague.league.ratings.fit import Fit, Floats, Prior, fit
from beanleague.league.ratings.intervals import Bools, Bounds, largest_group, reaches, spread, t_cdf, t_quantile
from beanleague.league.ratings.scores import BASE, ELO
from beanleague.model import Rating, SeatEffect

CONFIDENCE = 0.975
"""An interval of 95 % leaves a fortieth at either end; "certainly better" means more probably so than this."""

MIN_DEALS = 30
"""A rating from fewer deals is provisional."""

MAX_INTERVAL_ELO = 50.0
"""A rating is provisional if its differences from its neighbours have larger half-widths."""

MIN_PAIRS = 10
"""The scatter of a bot with fewer pairs won, or fewer lost, cannot be measured."""

_DECIMALS = 6
"""Ratings are rounded to this: finer than any meaning, coarser than the differences between machines."""


class AnchorError(ValueError):
    """Raised when the anchor names a bot that does not exist."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The ratings of a league, and what follows from them."""

    bots: tuple[Rating, ...]
    """In the order of their numbers."""
    seats: tuple[SeatEffect, ...]
    """What each seat is worth, for each table size."""
    better: Floats
    """(n, n): the probability that the row's bot is stronger than the column's; 0.5 on the diagonal."""
    luck: float | None
    """See `intervals.Spread`."""

    def ranked(self) -> list[Rating]:
        """Highest rating first; equal ones in the order of their numbers."""
        return sorted(self.bots, key=lambda bot: (-bot.rating, bot.entrant))


def rate(counters: Counters, anchor: Collection[int] = (), prior: Prior | None = None) -> Ratings:
    """Rate the bots counted. `anchor`: the bots whose mean is BASE; none means all. See `_anchored`."""
    prior = prior or Prior()
    found = fit(counters, prior)
    scatter = spread(counters, found)
    variance = _Variance(counters, found, scatter.covariance)
    better = _better(found.strengths, variance.between(), counters.deals_of)
    return Ratings(
        bots=tuple(_bots(counters, found, variance, better, anchor, prior)),
        seats=tuple(_seats(counters, found, scatter.covariance)),
        better=better,
        luck=scatter.luck,
    )


def _bots(
    counters: Counters, found: Fit, variance: _Variance, better: Floats, anchor: Collection[int], prior: Prior
) -> Iterator[Rating]:
    deals, reached = counters.deals_of, reaches(counters)
    anchored = _anchored(counters, anchor, reached)
    strengths = found.strengths - found.strengths[anchored].mean()
    bounds = Bounds(counters, strengths, reached)
    half_widths = _half_widths(variance.from_mean(anchored), deals, prior)
    near = _near(strengths, variance.between(), deals, reached & reached.T, prior)
    above, below = (better > CONFIDENCE).sum(axis=0), (better > CONFIDENCE).sum(axis=1)
    one = int(anchored[0])
    for bot in range(counters.bots):
        wins, loses = bool(reached[bot, one]), bool(reached[one, bot])
        known = bool(near[bot]) if wins and loses else deals[bot] >= MIN_DEALS and (wins or loses)
        yield Rating(
            entrant=bot,
            rating=_elo(strengths[bot]),
            interval=float(half_widths[bot]) if wins and loses else None,
            best_rank=1 + int(above[bot]),
            worst_rank=counters.bots - int(below[bot]),
            least=_elo(strengths[bot] + bounds.shift(bot, one)) if wins and not loses else None,
            most=_elo(strengths[bot] - bounds.shift(one, bot)) if loses and not wins else None,
            anchor=anchored.tolist() == [bot],
            provisional=not known and anchored.tolist() != [bot],
        )


def _near(strengths: Floats, variance: Floats, deals: Ints, together: Bools, prior: Prior) -> Bools:
    """Return of which bots the difference from a neighbour is known well: (bots,).

    Its neighbours are the next above and below it in its group that have played enough, so that a newcomer in between
    makes nobody provisional but itself. It takes one of the two: the other may be what is unsure. `together`: of which
    bots the difference has two sides. `variance`: of the differences.
    """
    near = np.zeros(len(strengths), np.bool_)
    enough = np.flatnonzero(deals >= MIN_DEALS)
    for group in {row.tobytes(): row for row in together[enough]}.values():
        order = enough[group[enough]]
        order = order[np.argsort(-strengths[order], kind="stable")]
        upper, lower = order[:-1], order[1:]
        fewer = np.minimum(deals[upper], deals[lower])
        known = _half_widths(variance[upper, lower], fewer, prior) <= MAX_INTERVAL_ELO
        near[upper] |= known
        near[lower] |= known
    return near


def _anchored(counters: Counters, anchor: Collection[int], reached: Bools) -> Ints:
    """Return the bots whose mean is BASE: of those of `anchor` that have played, the largest group.

    The others have no known distance from these, which would make every rating unknown.
    """
    bots = counters.bots
    missing = sorted(bot for bot in anchor if not 0 <= bot < bots)
    if missing:
        raise AnchorError(f"the ratings cannot be anchored at bot {missing[0]}: bots are numbered 0 to {bots - 1}")
    named = np.array(sorted(set(anchor)) or range(bots), np.int64)
    played = named[counters.deals_of[named] > 0]
    return largest_group(played if len(played) else named, reached)


def _elo(strength: float) -> float:
    return round(BASE + ELO * float(strength), _DECIMALS)


class _Variance:
    """Variances of differences of strengths.

    They are those of `spread`, which sees how results scatter from deal to deal. A bot with
    fewer than MIN_PAIRS pairs won, or lost, shows no scatter: its variances are at least those of the model itself, the
    inverse of its curvature.
    """

    def __init__(self, counters: Counters, found: Fit, covariance: Floats) -> None:
        bots = found.bots
        model = np.linalg.inv(found.curvature).astype(np.float64)
        self._covariances = covariance[:bots, :bots], model[:bots, :bots]
        wins = counters.half_wins()
        self._one_sided = np.minimum(wins.sum(axis=0), wins.sum(axis=1)) < 2 * MIN_PAIRS

    def between(self) -> Floats:
        """Of each two bots: (bots, bots)."""
        variances: list[Floats] = []
        for covariance in self._covariances:
            own = covariance.diagonal()
            variances.append(own[:, None] + own[None, :] - 2 * covariance)
        return self._larger(variances, self._one_sided[:, None] | self._one_sided[None, :])

    def from_mean(self, anchor: NDArray[np.int64]) -> Floats:
        """Of each bot and the mean of some: (bots,)."""
        variances: list[Floats] = []
        for covariance in self._covariances:
            to_anchor = covariance[:, anchor].mean(axis=1)
            variances.append(covariance.diagonal() - 2 * to_anchor + to_anchor[anchor].mean())
        return self._larger(variances, self._one_sided)

    @staticmethod
    def _larger(variances: list[Floats], one_sided: NDArray[np.bool_]) -> Floats:
        seen, least = variances
        return np.maximum(np.where(one_sided, np.maximum(seen, least), seen), 0)


def _half_widths(variance: Floats, deals: NDArray[np.int64], prior: Prior) -> Floats:
    half_widths: Floats = t_quantile(CONFIDENCE, _freedom(deals)) * ELO * np.sqrt(variance)
    # Nothing can be less sure than it was before the first deal.
    return np.minimum(half_widths, NormalDist().inv_cdf(CONFIDENCE) * prior.bots).round(_DECIMALS)


def _better(strengths: Floats, variance: Floats, deals: NDArray[np.int64]) -> Floats:
    lead = strengths[:, None] - strengths[None, :]
    freedom = _freedom(np.minimum(deals[:, None], deals[None, :]))
    return t_cdf(lead / np.sqrt(np.maximum(variance, 1e-24)), freedom).round(_DECIMALS)


def _seats(counters: Counters, found: Fit, covariance: Floats) -> Iterator[SeatEffect]:
    for size, first in found.seats_at.items():
        if size == 1:
            continue  # the only seat of solo deals is worth nothing to anybody
        terms = found.seats(size)
        from_mean = np.eye(size) - 1 / size
        variance = (from_mean @ covariance[first : first + size, first : first + size] @ from_mean).diagonal()
        t = t_quantile(CONFIDENCE, _freedom(np.array([counters.deals_at(size)])))
        elo = (ELO * (terms - terms.mean())).round(_DECIMALS)
        half_widths = (t * ELO * np.sqrt(np.maximum(variance, 0))).round(_DECIMALS)
        for seat in range(size):
            yield SeatEffect(size, seat, float(elo[seat]), float(half_widths[seat]))


def _freedom(deals: NDArray[np.int64]) -> NDArray[np.int64]:
    """Degrees of freedom: deals less one; the first deal has no spread of its own and counts as two."""
    return np.maximum(deals - 1, 1)
