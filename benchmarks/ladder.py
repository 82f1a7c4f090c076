"""Deals until a ladder's newcomer is rated, and the errors then: simulated results of the real scheduler's tables.

A field of settled bots keeps its estimates, with errors as large as settled half-widths allow; the newcomer is fitted
after each epoch. Matches follow docs/ratings.md: strength and a Gumbel variate, 60 % of it luck of the seat in its
deal. "Pair effects": each pair has an effect of its own, so that strengths are not all there is.

In a new ladder nobody is rated: all are fitted as a run does it, after each epoch.

BEANLEAGUE_LADDER="100*1000 1000*200" replaces `FIELDS`: numbers of bots and of runs.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from beanleague.league.ladder import inputs
from beanleague.league.ladder.entries import MAX_PLACING_DEALS, MIN_DEALS, PLACING_DEALS, deals_needed
from beanleague.league.ratings.counters import Counters
from beanleague.league.ratings.intervals import t_quantile
from beanleague.league.ratings.scores import BASE, ELO
from beanleague.league.schedule.plans import RATED_ELO, SETTLED_ELO, Candidate, Epoch, Meetings, planned, queue
from benchmarks.figures import Figure

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIELDS = ("30*1000", "100*1000", "1000*200")
"""Bots in the field, and number of runs."""
_NEW = (20, 36)  # bots of new ladders
_FORECASTS, _FIELD, _NEWCOMERS = 3, 35, 5  # ladders, bots that are rated, and newcomers
_OWNERS, _FLOOD = 300, 1000
_SEATS = 4
_DEALS = 60  # of the newcomer
_SHOWN = (30, 40, 60)  # after which its rating is looked at
_AT_ONCE = 2  # tables of the newcomer in an epoch
_QUIRK_ELO = 60.0
_NEW_SD_ELO = 200.0  # of strengths in a new ladder
_LUCK = 0.6
_LITTLE_LUCK = 0.1  # as of four policies that slip more or less often: see `newcomers`
_PRIOR_ELO = 350.0
_FIELD_DEALS = 30  # as which the scatter of the field counts beside that of the newcomer
_CONFIDENCE = 0.975
_NEWTON_STEPS = 30


@dataclass(slots=True)
class _Newcomers:
    """Newcomers, one a run: true strength, rating and opponents."""

    truth: Floats
    """(runs, n + 1): strengths in logits, that of the newcomer last."""
    known: Floats
    """(runs, n): estimates of the field."""
    quirks: Floats
    """(runs, n): extra strength of each bot of the field against the newcomer, in logits."""
    opponents: Ints
    """(runs, deals, seats - 1)"""
    wins: Floats
    """(runs, deals, seats - 1): matches of the deal in which the newcomer was placed before the opponent."""
    strength: Floats
    """(runs,): of the newcomer, as fitted."""
    variance: Floats
    """(runs,): of that."""

    @property
    def deals(self) -> int:
        return int(self.wins.shape[1])


def measure() -> list[Figure]:
    """Return how newcomers of each field fare."""
    fields = [field.split("*") for field in os.environ.get("BEANLEAGUE_LADDER", "").split() or FIELDS]
    cases = [(int(bots), int(runs), quirk) for bots, runs in fields for quirk in (0.0, _QUIRK_ELO)]
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
    return [figure for case in cases for figure in _measure(*case)] + flooded + new + foretold


def _measure(bots: int, count: int, quirk: float) -> list[Figure]:
    began = time.process_time()
    rng = np.random.default_rng(1)
    error = SETTLED_ELO / NormalDist().inv_cdf(_CONFIDENCE) / 2**0.5 / ELO
    new = _newcomers(rng, bots, count, error, quirk)
    fields = [_settled(known) for known in new.known]
    meetings = [Meetings() for _ in range(count)]
    half = np.full(count, NormalDist().inv_cdf(_CONFIDENCE) * _PRIOR_ELO)
    needed = np.full(count, np.inf)
    planning = 0.0
    rows: list[tuple[str, str, float]] = []
    while new.deals < _DEALS:
        before = time.process_time()
        ratings = BASE + (ELO * new.strength).round()
        plans = [_planned(*run) for run in zip(fields, ratings, half.round(), needed == np.inf, meetings, strict=True)]
        planning += time.process_time() - before
        _play(rng, new, np.array(plans))
        half = _fit(new, error)
        needed = np.where((needed == np.inf) & (half <= RATED_ELO), new.deals, needed)
        rows += _state(new, half) if new.deals in _SHOWN else []
    rows += [
        (f"deals until {RATED_ELO} Elo, median", "", float(np.quantile(needed, 0.5, method="lower"))),
        (f"deals until {RATED_ELO} Elo, 90 %", "", float(np.quantile(needed, 0.9, method="lower"))),
        ("planning", "ms a table", 1000 * planning / count / new.deals),
        ("all of it", "CPU s", time.process_time() - began),
    ]
    name = f"ladder of {bots}{', pair effects' if quirk else ''}"
    return [Figure(f"{name}: {what}", unit, (value,), "") for what, unit, value in rows]


def _waits(flood: int) -> Floats:
    """Return how many tables the ladder plays until a bot is rated: of owners who submit three at once, in any order.

    (owners, 3): of all but one owner, who submits `flood` bots among theirs.
    """
    rng = random.Random(1)
    field = [
        Candidate(number, number, placing=False, rating=1000 + 10 * number, half_width=15) for number in range(100)
    ]
    flooder = len(field) + _OWNERS
    owners = [len(field) + owner for owner in range(_OWNERS) for _ in range(3)]
    rng.shuffle(owners)
    for _ in range(flood):
        owners.insert(rng.randrange(len(owners) + 1), flooder)
    placing = {number: Candidate(number, owner, True, 1500, 686) for number, owner in enumerate(owners, len(field))}
    left = dict.fromkeys(placing, PLACING_DEALS)
    meetings, tables = Meetings(), 0
    rated: dict[int, list[int]] = {}
    while sum(map(len, rated.values())) < 3 * _OWNERS:
        now, later = queue(placing.values(), meetings)
        for seed, *_ in planned(Epoch(_SEATS, 8, 0, (*field, *now, *later[:8])), meetings):
            tables += 1
            left[seed] -= 1
            if not left[seed] and (owner := placing.pop(seed).group) != flooder:
                rated.setdefault(owner, []).append(tables)
    return np.array([rated[owner] for owner in sorted(rated)], float)


class _NewLadder:
    """A new ladder with no rated bots; 16 tables per epoch, all bots fitted after each as in a run."""

    def __init__(self, truth: Floats, luck: float, rng: np.random.Generator) -> None:
        self._truth, self._luck, self._rng = truth, luck, rng
        self._counters, self._meetings = Counters(len(truth)), Meetings()
        unknown = (round(BASE), round(NormalDist().inv_cdf(_CONFIDENCE) * _PRIOR_ELO))
        self._known = [unknown] * len(truth)
        self._placing = np.full(len(truth), True)

    def place(self, bots: int) -> float:
        """Play until the first `rated` bots are rated; return the number of tables."""
        while self._placing[:bots].any():
            entries = [Candidate(each, each, bool(self._placing[each]), *self._known[each]) for each in range(bots)]
            for table in planned(Epoch(_SEATS, 16, 0, tuple(entries)), self._meetings):
                seatings = np.array([np.roll(table, shift) for shift in range(_SEATS)])
                noise = _gumbel(self._rng, (_SEATS, _SEATS), self._rng.normal(size=_SEATS), self._luck)
                performance = self._truth[seatings] + noise
                self._counters.add_deals([seatings], [1 + (-performance).argsort().argsort()])
            self._known = inputs.known(self._counters, [0])
            widths, deals = np.array([width for _, width in self._known]), self._counters.deals_of
            self._placing &= (deals < MAX_PLACING_DEALS) & ((deals < MIN_DEALS) | (widths > RATED_ELO))
        return float(self._meetings.tables)

    def foretold(self) -> float:
        """Return the deals that a newcomer needs, as forecast for its author."""
        widths = [width for _, width in self._known]
        return float(deals_needed(zip(self._counters.deals_of.tolist(), widths, strict=True)))

    def deals(self, bots: slice) -> tuple[float, ...]:
        return tuple(self._counters.deals_of[bots].astype(float).tolist())


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
            foretold.append(ladder.foretold())
            ladder.place(bot + 1)
            taken += ladder.deals(slice(bot, bot + 1))
    name = f"newcomer in a ladder of {_FIELD}, {luck:.0%} luck"
    yield Figure(f"{name}: until it is rated", "deals", tuple(taken), "")
    yield Figure(f"{name}: foretold", "deals", tuple(foretold), "")


def _newcomers(rng: np.random.Generator, bots: int, count: int, error: float, quirk: float) -> _Newcomers:
    """Return newcomers of ladders as real ones are: few broken bots, many copies of the starter, a thin top."""
    parts = rng.choice(4, (count, bots + 1), p=[0.05, 0.25, 0.5, 0.2])
    truth = rng.normal(np.array([-700.0, -300.0, 0.0, 250.0])[parts], np.array([60.0, 60.0, 150.0, 90.0])[parts]) / ELO
    return _Newcomers(
        truth=truth,
        known=truth[:, :-1] + rng.normal(0, error, (count, bots)),
        quirks=rng.normal(0, quirk / ELO, (count, bots)),
        opponents=np.zeros((count, 0, _SEATS - 1), np.int64),
        wins=np.zeros((count, 0, _SEATS - 1)),
        strength=np.zeros(count),
        variance=np.full(count, (_PRIOR_ELO / ELO) ** 2),
    )


def _settled(known: Floats) -> tuple[Candidate, ...]:
    ratings = (BASE + ELO * known).round().astype(int).tolist()
    return tuple(Candidate(number, number, False, rating, SETTLED_ELO) for number, rating in enumerate(ratings))


def _planned(field: tuple[Candidate, ...], rating: float, half: float, placing: bool, met: Meetings) -> list[list[int]]:  # noqa: FBT001  # a row of arrays
    """Return the next tables of the newcomer, without itself."""
    newcomer = Candidate(len(field), len(field), bool(placing), int(rating), int(half))
    tables = planned(Epoch(_SEATS, _AT_ONCE, 0, (*field, newcomer)), met)
    return [[entry for entry in table if entry != newcomer.number] for table in tables]


def _play(rng: np.random.Generator, new: _Newcomers, opponents: Ints) -> None:
    """Play deals of all rotations. `opponents`: (runs, deals, seats - 1)."""
    runs, deals, _ = opponents.shape
    row = np.arange(runs)[:, None, None]
    strength = np.concatenate(
        [
            new.truth[row, opponents] + new.quirks[row, opponents],
            np.broadcast_to(new.truth[:, None, -1:], (runs, deals, 1)),
        ],
        axis=2,
    )
    gumbel = _gumbel(rng, (runs, deals, _SEATS, _SEATS), rng.normal(size=(runs, deals, 1, _SEATS)))
    turns = (np.arange(_SEATS)[None, :] - np.arange(_SEATS)[:, None]) % _SEATS  # the seat, by rotation and bot
    performance = strength[:, :, None] + np.take_along_axis(gumbel, np.broadcast_to(turns, gumbel.shape), axis=3)
    won = (performance[..., -1:] > performance[..., :-1]).sum(axis=2)
    new.opponents = np.concatenate([new.opponents, opponents], axis=1)
    new.wins = np.concatenate([new.wins, won], axis=1)


def _gumbel(rng: np.random.Generator, shape: tuple[int, ...], luck: Floats, share: float = _LUCK) -> Floats:
    """Return how well seats play, beside strength. `luck`: of the seats in a deal, normal; `share`: of the variance."""
    seat = np.sqrt(share) * luck + np.sqrt(1 - share) * rng.normal(size=shape)
    gumbel: Floats = -np.log(-np.log(np.clip(ndtr(seat), 1e-15, 1 - 1e-16)))
    return gumbel


def _fit(new: _Newcomers, error: float) -> Floats:
    """Fit the newcomers' strengths; return half-widths of their differences from neighbours, in Elo."""
    against = np.take_along_axis(new.known[:, None], new.opponents, axis=2)
    prior = (ELO / _PRIOR_ELO) ** 2
    surplus, known = new.wins.sum(axis=2), np.ones(len(new.strength))
    for _ in range(_NEWTON_STEPS):
        chance = 1 / (1 + np.exp(against - new.strength[:, None, None]))
        surplus = (new.wins - _SEATS * chance).sum(axis=2)
        known = (_SEATS * chance * (1 - chance)).sum(axis=(1, 2))
        new.strength = new.strength + ((surplus.sum(axis=1) - prior * new.strength) / (known + prior)).clip(-1, 1)
    scatter = (surplus**2).sum(axis=1) / known
    of_field = float(scatter.mean())  # all bots scatter alike here
    scatter = (new.deals * scatter + _FIELD_DEALS * of_field) / (new.deals + _FIELD_DEALS)
    new.variance = (scatter * known + prior) / (known + prior) ** 2
    return _quantile(new.deals) * ELO * np.sqrt(new.variance + error**2)


def _quantile(deals: int) -> float:
    return float(t_quantile(_CONFIDENCE, deals + _FIELD_DEALS - 1))


def _state(new: _Newcomers, half: Floats) -> list[tuple[str, str, float]]:
    """Return the newcomers' ratings and their errors."""
    truth, after = new.truth[:, -1], f"after {new.deals} deals"
    rank = (new.truth[:, :-1] > truth[:, None]).sum(axis=1)
    found = (new.known > new.strength[:, None]).sum(axis=1)
    off = np.abs(new.strength - truth)
    within = off <= _quantile(new.deals) * np.sqrt(new.variance)
    return [
        (f"half-width {after}, median", "Elo", float(np.median(half))),
        (f"half-width {after}, 90 %", "Elo", float(np.quantile(half, 0.9))),
        (f"mean error {after}", "Elo", float(ELO * off.mean())),
        (f"rank within 3 {after}", "%", float(100 * (np.abs(rank - found) <= 3).mean())),
        (f"truth within its 95 % interval {after}", "%", float(100 * within.mean())),
    ]
