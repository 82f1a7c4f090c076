"""Float arithmetic with the same results on every Python, processor and C library.

Decisions of bots and figures of analysis depend on the last bit: two fields may be equal or not, depending on the order
in which their values were added. `+`, `-`, `*`, `/` and `math.sqrt` round alike everywhere, and so do `math.fsum` and
`statistics.fmean`. Three things do not: `sum` of floats, which Python 3.12 changed; `math.exp`, `math.log` and related
functions, which each C library and processor rounds differently; and `**` of floats, for the same reason.
`tools/same_floats.py`, a part of `make lint`, rejects them where decisions could depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial, ldexp

# Logarithm of 2 in two parts; the first has few bits, so that its products with integers are exact.
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_LOG2_E = 1 / (_LN2_HIGH + _LN2_LOW)
_LEAST = -746.0  # exp(x) is 0 for smaller x
# coefficients of the Taylor series; further terms are below the last bit
_SERIES = tuple(1 / factorial(n) for n in range(13, 1, -1))


def float_sum(values: Iterable[float]) -> float:
    """Return the sum of `values`, added in order; 0.0 if there are none."""
    total = 0.0
    for value in values:
        total += value
    return total


def exp(x: float) -> float:
    """Return e to the power of `x`, correct up to the last bit; takes fifteen times as long as `math.exp`.

    Raises:
        OverflowError: if the result is too large for a float.
    """
    if x < _LEAST:
        return 0.0
    twos = round(x * _LOG2_E)
    high, low = x - twos * _LN2_HIGH, twos * _LN2_LOW
    rest = high - low  # remainder of at most half the logarithm of 2
    series = 0.0
    for factor in _SERIES:
        series = series * rest + factor
    return ldexp(1 + (high + (rest * rest * series - low)), twos)


def power(base: float, exponent: int) -> float:
    """Return `base` to the power of a whole number >= 0, rounded once."""
    above, below = base.as_integer_ratio()
    return float(above**exponent / below**exponent)
