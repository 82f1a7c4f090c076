"""Deals until bots of a ladder are rated: simulated results of tables that the real scheduler plans.

Matches follow docs/ratings.md: strength and a Gumbel variate, of which the luck of a seat in its deal is 60 %. Where
company matters, and how well intervals hold then: `company`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from beanleague.league.ladder.deals import LadderDeals
from beanleague.league.ladder.entries import MIN_DEALS, PLACING_DEALS, deals_needed, placing_limit
from beanleague.league.ladder.inputs import Known, estimates
from beanleague.league.ratings.scores import BASE, ELO
from beanleague.league.schedule.plans import RATED_ELO, Candidate, Epoch, Meetings, plan_epoch, queue, with_queue
from beanleague.league.schedule.schedule import rotations
from benchmarks.figures import Figure

Floats = NDArray[np.float64]

_NEW = (20, 36)  # bots of new ladders
_FORECASTS, _FIELD, _NEWCOMERS = 3, 35, 8  # ladders, bots that are rated, and newcomers
_UNUSUAL = 3  # newcomers before which none came to a settled field: nothing foretells how many deals these take
_OWNERS, _FLOOD = 300, 1000
_SEATS = 4
_SECRET = bytes(32)
_NEW_SD_ELO = 200.0  # of strengths in a new ladder
_LUCK = 0.6
_LITTLE_LUCK = 0.1  # as of four policies that slip more or less often: see `newcomers`
_PRIOR_ELO = 350.0
_CONFIDENCE = 0.975


def measure() -> list[Figure]:
    """Return the waiting times of bots in a queue, in a new ladder, and as newcomers."""
    alone, beside = (_waits(flood) for flood in (3, _FLOOD))
    name = f"{_OWNERS} owners with 3 bots each"
    longer = np.median(beside, axis=1) / np.median(alone, axis=1)
    flooded = [
        Figure(f"{name}: median wait", "tables", (float(np.median(alone)),), ""),
        Figure(f"{name}, one with {_FLOOD}: median wait of others", "tables", (float(np.median(beside)),), ""),
        Figure(f"{name}, one with {_FLOOD}: longest, in its median wait without", "x", (float(longer.max()),), ""),
    ]
    new = [
        Figure(
            f"new ladder of {bots}: until all are rated",
            "tables",
            tuple(_new(bots, seed).place(bots) for seed in range(3)),
            "",
        )
        for bots in _NEW
    ]
    foretold = [figure for luck in (_LUCK, _LITTLE_LUCK) for figure in _forecasts(luck)]
    return flooded + new + foretold


def _submissions(first: int, flooder: int, flood: int) -> list[int]:
    """Return the owner of each new bot, in the order of submission: three bots of each from `first` on."""
    rng = random.Random(1)
    owners = [first + owner for owner in range(_OWNERS) for _ in range(3)]
    rng.shuffle(owners)
    for _ in range(flood):
        owners.insert(rng.randrange(len(owners) + 1), flooder)
    return owners


def _waits(flood: int) -> Floats:
    """Return how many tables the ladder plays until a bot is rated: of owners who submit three at once, in any order.

    (owners, 3): of all but one owner, who submits `flood` bots among theirs.
    """
    field = [Candidate(number, number, placing=False, rating=1500, half_width=15, deals=500) for number in range(100)]
    flooder = len(field) + _OWNERS
    owners = _submissions(len(field), flooder, flood)
    placing = {number: Candidate(number, owner, True, 1500, 686, 0) for number, owner in enumerate(owners, len(field))}
    left = dict.fromkeys(placing, PLACING_DEALS)
    meetings, tables = Meetings(), 0
    rated: dict[int, list[int]] = {}
    while sum(map(len, rated.values())) < 3 * _OWNERS:
        now, later = queue(placing.values(), meetings)
        waiting = tuple(replace(each, waiting=True) for each in later[:8])
        for seed, *_ in plan_epoch(Epoch(_SEATS, 8, 0, (*field, *now, *waiting)), meetings, _SECRET):
            tables += 1
            left[seed] -= 1
            if not left[seed] and (owner := placing.pop(seed).group) != flooder:
                rated.setdefault(owner, []).append(tables)
    return np.array([rated[owner] for owner in sorted(rated)], float)


class _NewLadder:
    """A new ladder with no rated bots; 16 tables per epoch, all bots fitted after each as in a run."""

    def __init__(self, truth: Floats, luck: float, rng: np.random.Generator) -> None:
        self._truth, self._luck, self._rng = truth, luck, rng
        self._deals, self._meetings, self._epochs = LadderDeals(rotations(range(_SEATS))), Meetings(), 0
        unknown = Known(round(BASE), round(NormalDist().inv_cdf(_CONFIDENCE) * _PRIOR_ELO), 0)
        self._known = [unknown] * len(truth)
        self._deals.grow(len(truth))
        self._placing = np.full(len(truth), True)

    def place(self, bots: int) -> float:
        """Play until the first `rated` bots are rated; return the number of tables."""
        while self._placing[:bots].any():
            entries = (Candidate(each, each, bool(self._placing[each]), *self._known[each]) for each in range(bots))
            epoch = Epoch(_SEATS, 16, 0, with_queue(entries, self._meetings, _SEATS))
            first = self._meetings.tables + 1
            tables = plan_epoch(epoch, self._meetings, _SECRET)
            self._meetings.today.clear()
            self._epochs += 1
            self._deals.plan(self._epochs, first, epoch.field, tables)
            for number, table in enumerate(tables, first):
                noise = _gumbel(self._rng, (_SEATS, _SEATS), self._rng.normal(size=_SEATS), self._luck)
                performance = self._truth[np.array(rotations(table))] + noise
                self._deals.add(number, (1 + (-performance).argsort().argsort()).astype(np.uint8).tobytes())
            self._known[:bots] = estimates(self._deals.weighted(range(bots), range(bots)), [0])
            played = self._deals.played[:bots]
            _, widths, deals = np.array(self._known[:bots]).T
            limit = placing_limit(zip(played.tolist(), widths.tolist(), strict=True))
            self._placing[:bots] &= (played < limit) & ((deals < MIN_DEALS) | (widths > RATED_ELO))
        return float(self._meetings.tables)

    def foretold(self) -> float:
        """Return how many deals a newcomer needs, as an author is told."""
        return float(deals_needed((each.deals, each.half_width) for each in self._known))

    def deals(self, bots: slice) -> tuple[float, ...]:
        return tuple(self._deals.played[bots].astype(float).tolist())


def _new(bots: int, seed: int, luck: float = _LUCK) -> _NewLadder:
    rng = np.random.default_rng(seed)
    return _NewLadder(rng.normal(0, _NEW_SD_ELO / ELO, bots), luck, rng)


def _forecasts(luck: float) -> Iterator[Figure]:
    """Compare the deals that successive newcomers take with their forecasts."""
    foretold: list[float] = []
    taken: list[float] = []
    for seed in range(_FORECASTS):
        ladder = _new(_FIELD + _NEWCOMERS, seed, luck)
        ladder.place(_FIELD)
        for bot in range(_FIELD, _FIELD + _NEWCOMERS):
            before = ladder.foretold()
            ladder.place(bot + 1)
            if bot >= _FIELD + _UNUSUAL:
                foretold.append(before)
                taken += ladder.deals(slice(bot, bot + 1))
    name = f"newcomer in a ladder of {_FIELD}, {luck:.0%} luck"
    yield Figure(f"{name}: until it is rated", "deals", tuple(taken), "")
    yield Figure(f"{name}: foretold", "deals", tuple(foretold), "")


def _gumbel(rng: np.random.Generator, shape: tuple[int, ...], luck: Floats, share: float = _LUCK) -> Floats:
    """Return how well seats play, beside strength. `luck`: of the seats in a deal, normal; `share`: of the variance."""
    seat = np.sqrt(share) * luck + np.sqrt(1 - share) * rng.normal(size=shape)
    gumbel: Floats = -np.log(-np.log(np.clip(ndtr(seat), 1e-15, 1 - 1e-16)))
    return gumbel
