"""Is the mean of scores between 0 and 1 above a given one? A test for large differences, which needs only few scores.

Imagine a bet on every score: who stakes on high scores has 1 + t * (score - mean) times as much capital after it. If
the true mean is not above `mean`, no way of betting makes the capital grow on average. So the probability that it
*ever* reaches 1 / risk is at most risk, whatever the distribution of the scores (Ville's inequality). If the true mean
is far above, it doubles every few scores.
"""

from __future__ import annotations

import numpy as np

from beanleague.league.ratings.likelihood import Floats

_STAKES = np.array([0.125, 0.25, 0.5, 1.0])
"""Shares of the greatest stake that cannot lose more than the capital; a quarter of the capital is bet in each way."""


def log_capital(scores: Floats, weights: Floats, mean: float) -> float:
    """Return the logarithm of what a capital of 1 has become that was bet on a mean above `mean` (0 < mean < 1).

    `weights`: number of times that each of the `scores` was seen.
    """
    with np.errstate(divide="ignore"):  # a capital that is lost
        growth = np.log1p(np.maximum(_STAKES[:, None] * (scores / mean - 1), -1))
    return float(np.logaddexp.reduce(growth @ weights) - np.log(len(_STAKES)))
