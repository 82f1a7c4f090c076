"""Ratings on the Elo scale with intervals and ranks, from counted deals alone.

A rating is 1500 + 400 / ln 10 * (t - t_anchor), in Elo points. `fit` has the model, `intervals` the quantiles, `bounds`
the bounds of bots that never lost or never won; docs/ratings.md describes all three, with measurements of their
accuracy.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from beanleague.league.ratings.bounds import Bounds, Reach
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.encounters import Bools, Ints, Numbers
from beanleague.league.ratings.fit import Fit, Floats, Prior, fit
from beanleague.league.ratings.intervals import t_cdf, t_quantile
from beanleague.league.ratings.scores import BASE, ELO
from beanleague.league.ratings.spread import Spread, spread
from beanleague.model import RELIABLE_DEALS, Rating, SeatEffect

CONFIDENCE = 0.975
"""Quantile of 95 % intervals, which leave 2.5 % on each side; also the probability above which a bot is "certainly
better"."""

MAX_INTERVAL_ELO = 50.0
"""Maximum half-width in Elo of a bot's differences from its neighbours; if both are above it, a rating is
provisional."""

MIN_PAIRS = 10
"""Minimum number of pairs won, and of pairs lost, to measure the scatter of a bot."""

_FIELD_DEALS = 30  # weight of the common scatter of all bots, in deals, relative to a bot's own scatter

_DECIMALS = 6
"""Number of decimals of ratings: finer than their accuracy, coarser than the differences between machines."""


_TINY = 1e-24  # lower limit of variances, in logits squared
_ROWS = 256  # rows of a matrix computed at once


class AnchorError(ValueError):
    """Raised when the anchor names an unknown bot."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """The ratings of a league, with derived values."""

    bots: tuple[Rating, ...]
    """Rating of each bot, by bot number."""
    seats: tuple[SeatEffect, ...]
    """Effect of each seat, for each table size."""
    luck: float | None
    """Luck share; see `spread.Spread`."""
    better: Callable[[Ints, Ints], Floats]
    """Function that returns the probabilities that bots are stronger than others, with broadcasting; 0.5 for a bot and
    itself."""
    half_widths: Callable[[Ints, Ints], Floats]
    """Function that returns the half-widths of the 95 % intervals of differences, in Elo; if 0 is outside the interval,
    `better` is over 97.5 % for the stronger bot."""


def rate(counters: Counters, anchor: Collection[int] = (), prior: Prior | None = None) -> Ratings:
    """Rate the counted bots. `anchor`: the bots whose mean is BASE; empty means all. See `_anchored`."""
    prior = prior or Prior()
    found = fit(counters, prior)
    scatter = spread(counters, found)
    differences = _Differences(counters, found, scatter, prior)
    bots, seats = tuple(_bots(counters, differences, anchor)), tuple(_seats(counters, found, scatter.seats))
    return Ratings(bots, seats, luck=scatter.luck, better=differences.better, half_widths=differences.half_widths)


def half_widths(counters: Counters, found: Fit, neighbours: int = 12) -> Floats:
    """Return the uncertainty of each bot among its neighbours: (bots,), half-widths in Elo.

    It is the half-width of the difference between its strength and the mean of its `neighbours` nearest bots with
    enough deals, or of all bots with deals if there are too few neighbours. `found`: a fit of the counters.
    """
    deals, strengths = counters.deals_of, found.strengths
    some = np.flatnonzero(deals >= RELIABLE_DEALS)
    if len(some) <= neighbours:
        some = np.flatnonzero(deals)
    count = min(neighbours, len(some) - 1)
    differences = _Differences(counters, found, spread(counters, found), Prior())
    if count < 1:
        return differences.from_means(np.zeros((counters.bots, 0), np.int64))
    some = some[np.argsort(strengths[some], kind="stable")]
    places = np.searchsorted(strengths[some], strengths)[:, None] + np.arange(-count, count + 1)
    candidates = some[np.clip(places, 0, len(some) - 1)]
    distance = np.abs(strengths[candidates] - strengths[:, None])
    left_out = (places < 0) | (places >= len(some)) | (candidates == np.arange(counters.bots)[:, None])
    nearest = np.argsort(np.where(left_out, np.inf, distance), axis=1, kind="stable")[:, :count]
    return differences.from_means(np.take_along_axis(candidates, nearest, axis=1))


def _bots(counters: Counters, differences: "_Differences", anchor: Collection[int]) -> Iterator[Rating]:
    deals, reach, rated = counters.deals_of, Reach(counters), counters.rated
    anchored = _anchor_group(counters, anchor, reach)
    strengths = differences.strengths - differences.strengths[anchored].mean()
    bounds = Bounds(counters, strengths, reach)
    half_widths = differences.from_mean(anchored)
    near = _near(differences, deals, reach.groups)
    above, below = differences.certain(rated)
    one = int(anchored[0])
    down, up = reach.down(one), reach.up(one)
    for bot in range(counters.bots):
        if not rated[bot]:
            yield Rating(entrant=bot, rating=BASE, interval=None, best_rank=0, worst_rank=0, provisional=True)
            continue
        wins, loses = bool(up[bot]), bool(down[bot])
        known = _is_known(float(deals[bot]), near=bool(near[bot]), wins=wins, loses=loses)
        yield Rating(
            entrant=bot,
            rating=_elo(strengths[bot]),
            interval=float(half_widths[bot]) if wins and loses else None,
            best_rank=1 + int(above[bot]),
            worst_rank=int(rated.sum()) - int(below[bot]),
            least=_elo(strengths[bot] + bounds.shift(bot, one)) if wins and not loses else None,
            most=_elo(strengths[bot] - bounds.shift(one, bot)) if loses and not wins else None,
            anchor=anchored.tolist() == [bot],
            provisional=not known and anchored.tolist() != [bot],
            effective=round(float(deals[bot]), _DECIMALS) if counters.weighted else None,
        )


def _is_known(deals: float, *, near: bool, wins: bool, loses: bool) -> bool:
    """Return whether a rating is well known: by `deals` for a bot that never lost or never won, else by `near`."""
    return near if wins and loses else deals >= RELIABLE_DEALS and (wins or loses)


def _near(differences: "_Differences", deals: Numbers, groups: Ints) -> Bools:
    """Return for each bot whether its difference from a neighbour is well known: (bots,).

    Its neighbours are the next bots above and below it in its group with enough deals, so that a newcomer in between
    makes no other bot provisional. One neighbour suffices: the other may be the uncertain one.
    """
    near = np.zeros(len(deals), np.bool_)
    enough = np.flatnonzero(deals >= RELIABLE_DEALS)
    order = enough[np.lexsort((-differences.strengths[enough], groups[enough]))]
    upper, lower = order[:-1], order[1:]
    known = (groups[upper] == groups[lower]) & (differences.half_widths(upper, lower) <= MAX_INTERVAL_ELO)
    near[upper[known]] = near[lower[known]] = True
    return near


def _anchor_group(counters: Counters, anchor: Collection[int], reach: Reach) -> Ints:
    """Return the bots whose mean is BASE: the largest group among the bots of `anchor` that have played.

    The distance of the other anchors from this group is unknown; with them, all ratings would be. If no bot of `anchor`
    is rated any more, the result is the largest group of all bots.
    """
    bots = counters.bots
    missing = sorted(bot for bot in anchor if not 0 <= bot < bots)
    if missing:
        raise AnchorError(f"the ratings cannot be anchored at bot {missing[0]}: bots are numbered 0 to {bots - 1}")
    rated = counters.rated
    named = np.array([bot for bot in sorted(set(anchor)) if rated[bot]] or np.flatnonzero(rated), np.int64)
    played = named[counters.deals_of[named] > 0]
    return reach.largest(played if len(played) else named)


def _elo(strength: float) -> float:
    return round(BASE + ELO * float(strength), _DECIMALS)


class _Differences:
    """Uncertainty of the differences of strengths.

    Variances come from `spread`, which measures the scatter of results between deals. A bot with fewer than MIN_PAIRS
    pairs won, or lost, shows no scatter: its variances are at least the variances of the model, from the inverse of its
    curvature.
    """

    def __init__(self, counters: Counters, found: Fit, scatter: Spread, prior: Prior) -> None:
        self.strengths = found.strengths
        """Strengths of the fit, in logits."""
        self._scatter = scatter
        self._one_sided = np.minimum(*counters.points()) < 2 * MIN_PAIRS
        self._quantile = t_quantile(CONFIDENCE, _freedom(counters.deals_of))
        self._deals = counters.deals_of
        self._most = NormalDist().inv_cdf(CONFIDENCE) * prior.bots  # no interval is wider than the prior's

    def half_widths(self, one: Ints, other: Ints) -> Floats:
        """Return the half-widths of the differences between bots, with broadcasting, in Elo."""
        quantile = np.maximum(self._quantile[one], self._quantile[other])  # quantile of the bot with fewer deals
        return self._limited(quantile * np.sqrt(self._variance(one, other)))

    def from_mean(self, some: Ints) -> Floats:
        """Return the half-width of the difference between each bot and the mean of `some`, in Elo: shape (bots,)."""
        seen, least = (errors.from_mean(some) for errors in (self._scatter.bots, self._scatter.model))
        return self._limited(self._quantile * np.sqrt(_larger(seen, least, self._one_sided)))

    def from_means(self, some: Ints) -> Floats:
        """Return the half-width of the difference between each bot and the mean of others, in Elo: shape (bots,).

        `some`: for each bot the numbers of these others, (bots, m). The scatter of a bot's thirty deals is uncertain.
        Therefore it is averaged with the scatter of all bots with enough deals, weighted as `_FIELD_DEALS` deals.
        """
        if not some.shape[1]:
            return np.full(len(some), round(self._most, _DECIMALS))
        seen, least = (errors.from_means(some) for errors in (self._scatter.bots, self._scatter.model))
        scatter = _larger(seen, least, self._one_sided) / np.maximum(least, _TINY)
        field = (self._deals >= RELIABLE_DEALS) & ~self._one_sided
        if not field.any():
            return self._limited(self._quantile * np.sqrt(least * scatter))
        of_field = np.average(scatter[field], weights=self._deals[field])
        scatter = (self._deals * scatter + _FIELD_DEALS * of_field) / (self._deals + _FIELD_DEALS)
        quantile = t_quantile(CONFIDENCE, self._deals + _FIELD_DEALS - 1)
        return self._limited(quantile * np.sqrt(least * scatter))

    def better(self, one: Ints, other: Ints) -> Floats:
        """Return the probability that bots are stronger than others, with broadcasting."""
        lead = self.strengths[one] - self.strengths[other]
        freedom = _freedom(np.minimum(self._deals[one], self._deals[other]))
        return t_cdf(lead / np.sqrt(np.maximum(self._variance(one, other), _TINY)), freedom).round(_DECIMALS)

    def certain(self, rated: Bools) -> tuple[Ints, Ints]:
        """Return for each bot how many `rated` bots are certainly stronger, and how many certainly weaker."""
        bots = np.flatnonzero(rated)
        above, below = np.zeros((2, len(rated)), np.int64)
        for start in range(0, len(bots), _ROWS):
            rows = bots[start : start + _ROWS, None]
            lead = self.strengths[rows] - self.strengths[bots]
            deviation = np.sqrt(np.maximum(self._variance(rows, bots), _TINY))
            certain = lead > np.maximum(self._quantile[rows], self._quantile[bots]) * deviation
            below[rows[:, 0]] = certain.sum(axis=1)
            above[bots] += certain.sum(axis=0)
        return above, below

    def _variance(self, one: Ints, other: Ints) -> Floats:
        seen, least = (errors.between(one, other) for errors in (self._scatter.bots, self._scatter.model))
        return _larger(seen, least, self._one_sided[one] | self._one_sided[other])

    def _limited(self, half_widths: Floats) -> Floats:
        return np.minimum(ELO * half_widths, self._most).round(_DECIMALS)


def _larger(seen: Floats, least: Floats, one_sided: Bools) -> Floats:
    return np.maximum(np.where(one_sided, np.maximum(seen, least), seen), 0)


def _seats(counters: Counters, found: Fit, covariance: Floats) -> Iterator[SeatEffect]:
    for size, at in found.seats_at.items():
        first = at - found.bots
        if size == 1:
            continue  # solo deals have a single seat, which has no effect
        terms = found.seats(size)
        from_mean = np.eye(size) - 1 / size
        variance = (from_mean @ covariance[first : first + size, first : first + size] @ from_mean).diagonal()
        t = t_quantile(CONFIDENCE, _freedom(np.array([counters.deals_at(size)])))
        elo = (ELO * (terms - terms.mean())).round(_DECIMALS)
        half_widths = (t * ELO * np.sqrt(np.maximum(variance, 0))).round(_DECIMALS)
        for seat in range(size):
            yield SeatEffect(size, seat, float(elo[seat]), float(half_widths[seat]))


def _freedom(deals: Numbers) -> Numbers:
    """Return the degrees of freedom: deals minus one; a single deal, which has no scatter, counts as two."""
    freedom: Numbers = np.maximum(deals - 1, 1)
    return freedom
