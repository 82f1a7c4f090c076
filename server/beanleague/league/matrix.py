"""The matrix of a league: for each pair of bots, which is better, and the share of their pairs that each won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from beanleague.league.counting import count
from beanleague.model import League
from beanleague.store.store import Store

UNKNOWN = -1.0
"""In place of a figure that is not known."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows and columns are entrants in a given order; UNKNOWN on the diagonal and where nothing is known."""

    better: list[list[float]]
    """How probable it is that the row's entrant is stronger than the column's, 0 to 1."""
    pair_scores: list[list[float]]
    """Share of their pairs that the row's entrant won, ties half, 0 to 1."""


def matrix(store: Store, league: League, order: Sequence[int]) -> Matrix:
    """Return the matrix of a league after its last snapshot; `order`: numbers of entrants."""
    latest = store.ratings.latest(league.id)
    bots = len(latest.ratings) if latest else 0
    better = np.full((league.entrants, league.entrants), UNKNOWN)
    if latest and len(latest.better) == bots * bots:
        better[:bots, :bots] = np.reshape(latest.better, (bots, bots))
    np.fill_diagonal(better, UNKNOWN)
    scores = np.nan_to_num(count(store, league).pair_scores(), nan=UNKNOWN)
    chosen = np.ix_(order, order)
    return Matrix(better[chosen].tolist(), scores[chosen].tolist())
