"""Arithmetic of floats that `tools/same_floats.py` refuses, and some that it does not: a test of `make lint`.

Strict mypy reports what is refused without a remark here, and a remark on what is not refused.
"""

import math
import operator
import random
import statistics
from collections import defaultdict
from collections.abc import Callable
from functools import reduce
from itertools import accumulate, starmap

FLOATS = [0.1, 0.2, 0.3]
INTS = [1, 2, 3]
LUCK = random.Random(1)
BY_COUNTS: defaultdict[tuple[int, ...], float] = defaultdict(float)
BELL = statistics.NormalDist()

REFUSED: tuple[Callable[[], object], ...] = (
    lambda: sum(FLOATS),  # type: ignore[same-floats]
    lambda: sum(x / 2 for x in INTS),  # type: ignore[same-floats]
    lambda: sum((0.1, 0.2, 3)),  # type: ignore[same-floats]
    lambda: [sum(pair) for pair in zip(FLOATS, FLOATS, strict=True)],  # type: ignore[same-floats]
    lambda: list(map(sum, [FLOATS, FLOATS])),  # type: ignore[same-floats]
    lambda: max([FLOATS, FLOATS], key=sum),  # type: ignore[same-floats]
    lambda: sorted([FLOATS, FLOATS], key=sum),  # type: ignore[same-floats]
    lambda: [FLOATS, FLOATS].sort(key=sum),  # type: ignore[same-floats]
    lambda: list(map(math.exp, FLOATS)),  # type: ignore[same-floats]
    lambda: reduce(math.hypot, FLOATS),  # type: ignore[same-floats]
    lambda: reduce(operator.pow, FLOATS),  # type: ignore[same-floats]
    lambda: list(starmap(math.pow, [(2.0, 0.5)])),  # type: ignore[same-floats]
    lambda: list(accumulate(FLOATS, math.pow)),  # type: ignore[same-floats]
    lambda: math.log(2),  # type: ignore[same-floats]
    lambda: FLOATS[0] ** 2,  # type: ignore[same-floats]
    lambda: 2 ** FLOATS[0],  # type: ignore[same-floats]
    lambda: 2**-1,  # type: ignore[same-floats]
    lambda: pow(FLOATS[0], 2),  # type: ignore[same-floats]
    lambda: operator.pow(FLOATS[0], 2),  # type: ignore[same-floats]
    lambda: statistics.correlation(FLOATS, FLOATS),  # type: ignore[same-floats]
    lambda: statistics.linear_regression(FLOATS, FLOATS),  # type: ignore[same-floats]
    lambda: statistics.fmean(FLOATS, weights=FLOATS),  # type: ignore[same-floats]
    lambda: statistics.geometric_mean(FLOATS),  # type: ignore[same-floats]
    lambda: BELL.cdf(0.5),  # type: ignore[same-floats]
    lambda: LUCK.gauss(0, 1),  # type: ignore[same-floats]
    lambda: random.gauss(0, 1),  # type: ignore[same-floats]
)

ALLOWED: tuple[Callable[[], object], ...] = (
    lambda: sum(INTS),
    lambda: list(map(sum, [INTS, INTS])),
    lambda: max([INTS, INTS], key=sum),
    lambda: sorted(BY_COUNTS, key=sum),
    lambda: reduce(operator.add, FLOATS),
    lambda: list(accumulate(FLOATS)),
    lambda: math.fsum(FLOATS),
    lambda: math.sqrt(2),
    lambda: INTS[0] ** 2,
    lambda: INTS[0] ** INTS[1],
    lambda: pow(2, 3, 5),
    lambda: statistics.fmean(FLOATS),
    lambda: statistics.stdev(FLOATS),
    LUCK.random,
)
