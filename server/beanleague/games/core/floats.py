"""Arithmetic of floats with the same results on every Python, processor and C library.

Decisions of bots and figures of analysis hang on the last bit: whether two fields are worth the same depends on how
their values were added. `+`, `-`, `*`, `/` and `math.sqrt` round alike everywhere, and so do `math.fsum` and
`statistics.fmean`. Three things do not: `sum` of floats, which adds otherwise since Python 3.12; `math.exp`, `math.log`
and their kin, which every C library and processor rounds in its own way; and `**` of floats, for the same reason.
`tools/same_floats.py`, a part of `make lint`, refuses them where decisions could hang on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial, ldexp

# The logarithm of 2 in two parts, of which the first has so few bits that products with whole numbers are exact.
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_LOG2_E = 1 / (_LN2_HIGH + _LN2_LOW)
_LEAST = -746.0  # the exponential of less is 0
_SERIES = tuple(1 / factorial(n) for n in range(13, 1, -1))  # Taylor's; further terms are less than the last bit


def float_sum(values: Iterable[float]) -> float:
    """Return the sum of `values`, added one by one from the first to the last; 0.0 if there are none."""
    total = 0.0
    for value in values:
        total += value
    return total


def exp(x: float) -> float:
    """Return e to the power of `x`, up to the last bit; a fifteenth as fast as `math.exp`.

    Raises:
        OverflowError: if it is more than a float can be.
    """
    if x < _LEAST:
        return 0.0
    twos = round(x * _LOG2_E)
    high, low = x - twos * _LN2_HIGH, twos * _LN2_LOW
    rest = high - low  # at most half of the logarithm of 2
    series = 0.0
    for factor in _SERIES:
        series = series * rest + factor
    return ldexp(1 + (high + (rest * rest * series - low)), twos)


def power(base: float, exponent: int) -> float:
    """Return `base` to the power of a whole number from 0 on, rounded once."""
    above, below = base.as_integer_ratio()
    return float(above**exponent / below**exponent)
