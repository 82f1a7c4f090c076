"""Owen's empirical likelihood: how well a mean suits scores of which nothing is assumed but where they lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_MIN_STEP = 1e-12  # of Newton's method, as a share of where the result may be
_MAX_STEPS = 100


def shortfall(scores: Floats, weights: Floats, mean: float) -> float:
    """Return by how much the log likelihood of scores falls short of its maximum if their mean is `mean`.

    That of the best distribution over `scores`, of which each was seen so often (`weights`), and which lie on both
    sides of `mean`. It is the maximum over t of sum(weights * log(1 + t * (scores - mean))), found by Newton's method
    between bounds.
    """
    apart = scores - mean
    least, most = -1 / float(apart.max()), -1 / float(apart.min())
    t = 0.0
    for _ in range(_MAX_STEPS):
        parts = apart / (1 + t * apart)
        slope = float(parts @ weights)
        least, most = (t, most) if slope > 0 else (least, t)
        step = slope / float((parts * parts) @ weights)
        t, before = t + step, t
        if not least < t < most:
            t = (least + most) / 2
        if abs(t - before) <= _MIN_STEP * (most - least + abs(t)):
            break
    return float(np.log1p(t * apart) @ weights)
