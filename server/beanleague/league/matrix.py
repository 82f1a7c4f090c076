"""Each bot against each other one: who is better, and what their pairs came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beanleague.league.standings import count
from beanleague.model import League
from beanleague.store.store import Store

UNKNOWN = -1.0
"""In place of a figure that there is none of."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows and columns are entrants in a given order; UNKNOWN on the diagonal and where nothing is known.

    `better`: how probable it is that the row's is stronger. `pair_scores`: share of their pairs that the row's won.
    """

    better: list[list[float]]
    pair_scores: list[list[float]]


def matrix(store: Store, league: League, order: Sequence[int]) -> Matrix:
    """Return the matrix of a league after its last snapshot; `order`: numbers of entrants."""
    latest = store.ratings.latest(league.id)
    bots = len(latest.ratings) if latest else 0
    better = np.full((league.entrants, league.entrants), UNKNOWN)
    if latest and len(latest.better) == bots * bots:
        better[:bots, :bots] = np.reshape(latest.better, (bots, bots))
    np.fill_diagonal(better, UNKNOWN)
    scores = np.nan_to_num(_pair_scores(store, league), nan=UNKNOWN)
    chosen = np.ix_(order, order)
    return Matrix(better[chosen].tolist(), scores[chosen].tolist())


def stored_pairs(store: Store, league: League) -> NDArray[np.int64]:
    """Return the pair counters of a league as `Counters.pairs` has them: (seats, seats, entrants, entrants)."""
    seats, bots = league.seats, league.entrants
    pairs = np.zeros((seats, seats, bots, bots), np.int64)
    counts = store.pairs.list(league.id)
    if counts:
        first = np.array([pair.first for pair in counts])
        second = np.array([pair.second for pair in counts])
        pairs[:, :, first, second] = np.array([pair.of_first for pair in counts]).T.reshape(seats, seats, -1)
        pairs[:, :, second, first] = np.array([pair.of_second for pair in counts]).T.reshape(seats, seats, -1)
    return pairs


def _pair_scores(store: Store, league: League) -> NDArray[np.float64]:
    """Return the share of its pairs with the column's that the row's won; NaN if they never met."""
    if league.solo:
        return count(store, league).pair_scores()
    wins = stored_pairs(store, league).sum(axis=(0, 1))
    met = wins + wins.T
    scores: NDArray[np.float64] = np.divide(wins, met, out=np.full(met.shape, np.nan), where=met > 0)
    return scores
