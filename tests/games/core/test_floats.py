"""Floats come out the same on every Python, processor and C library: their last bits are written here."""

from decimal import Context, Decimal
from fractions import Fraction
from hashlib import blake2b
from math import inf, ulp

import pytest

from beanleague.games.core.floats import exp, float_sum, power

ARGUMENTS = [number * 0.0371 - 30 for number in range(1000)]


def digest(values: list[float]) -> str:
    return blake2b(" ".join(map(float.hex, values)).encode(), digest_size=8).hexdigest()


@pytest.mark.parametrize(
    ("values", "total"), [([], 0.0), ([0.1] * 10, 0.9999999999999999), ([1e16, 1.0, -1e16], 0.0), ([2, 0.5], 2.5)]
)
def test_a_float_sum_is_rounded_after_each_value(values: list[float], total: float) -> None:
    assert float_sum(values) == total


def test_an_exponential_errs_by_less_than_its_last_bit() -> None:
    precise = Context(prec=40)
    errors = [abs(Decimal(exp(x)) - precise.exp(Decimal(x))) / Decimal(ulp(exp(x))) for x in ARGUMENTS]
    assert max(errors) < 1


def test_exponentials_have_the_same_bits_everywhere() -> None:
    assert digest(list(map(exp, ARGUMENTS))) == "6b9ce54f45ab33d7"


@pytest.mark.parametrize(("x", "result"), [(0.0, 1.0), (-inf, 0.0), (-1000.0, 0.0), (-745.0, 5e-324)])
def test_the_exponential_of_an_extreme_is_that_of_math(x: float, result: float) -> None:
    assert exp(x) == result


def test_an_exponential_beyond_all_floats_is_refused() -> None:
    with pytest.raises(OverflowError):
        exp(710.0)


@pytest.mark.parametrize("exponent", range(12))
def test_a_power_is_the_float_next_to_the_exact_one(exponent: int) -> None:
    assert [power(x / 7, exponent) for x in range(9)] == [float(Fraction(x / 7) ** exponent) for x in range(9)]
