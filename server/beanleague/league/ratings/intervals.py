"""Student's t: distribution function and quantiles, without scipy."""

from functools import lru_cache
from math import lgamma, log, pi
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

_TINY = 1e-300
_MAX_TERMS = 10_000


def t_cdf(t: ArrayLike, df: ArrayLike) -> NDArray[np.float64]:
    """Return the probability that Student's T <= t with `df` > 0 degrees of freedom; the arguments broadcast."""
    t, df = np.broadcast_arrays(np.asarray(t, np.float64), np.asarray(df, np.float64))
    square = t * t
    tail = 0.5 * _beta(df / 2, df / (df + square), square / (df + square))
    return np.where(t > 0, 1 - tail, tail)


def t_quantile(p: float, df: ArrayLike) -> NDArray[np.float64]:
    """Return the t with P(T <= t) = p, for 0.5 <= p < 1 and each of the `df` > 0."""
    wanted = np.asarray(df, np.float64)
    distinct, where = np.unique(wanted, return_inverse=True)
    return _quantiles(p, tuple(distinct.tolist()))[where].reshape(wanted.shape)


@lru_cache(maxsize=64)
def _quantiles(p: float, df: tuple[float, ...]) -> NDArray[np.float64]:
    """Return `t_quantile`, cached: computing the same values again would dominate the time of the ratings."""
    distinct = np.array(df)
    norm = np.array([lgamma((v + 1) / 2) - lgamma(v / 2) - 0.5 * log(v * pi) for v in df])
    t, left = _expand(NormalDist().inv_cdf(p), distinct), np.arange(len(distinct))
    for _ in range(100):  # Newton's method: the distribution function is concave here, so it converges from below
        at, freedom = t[left], distinct[left]
        density = np.exp(norm[left] - (freedom + 1) / 2 * np.log1p(at * at / freedom))
        step = (p - t_cdf(at, freedom)) / density
        t[left] = at + step
        # stop after small steps, since the next step would be about the square
        left = left[np.abs(step) > 1e-6 * t[left]]
        if not len(left):
            break
    return t


def _expand(z: float, df: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Cornish-Fisher expansion of quantiles about `z` >= 0, the quantile of the normal distribution.

    For p = 0.975 it is below the quantile, by less than 1 % from 3 degrees of freedom on.
    """
    first = z * (z**2 + 1) / 4
    second = z * (5 * z**4 + 16 * z**2 + 3) / 96
    third = z * (3 * z**6 + 19 * z**4 + 17 * z**2 - 15) / 384
    return z + first / df + second / df**2 + max(third, 0) / df**3


def _beta(a: NDArray[np.float64], x: NDArray[np.float64], complement: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the regularised incomplete beta function I_x(a, 1/2), with `complement` = 1 - x."""
    distinct, where = np.unique(a, return_inverse=True)
    log_beta = np.array([lgamma(v) + lgamma(0.5) - lgamma(v + 0.5) for v in distinct.tolist()])[where].reshape(a.shape)
    with np.errstate(divide="ignore"):
        front = np.exp(a * np.log(x) + 0.5 * np.log(complement) - log_beta)
    near = x < (a + 1) / (a + 2.5)  # region of fast convergence; outside it, the other tail converges fast
    direct = front * _fraction(np.where(near, a, 0.5), np.where(near, 0.5, a), np.where(near, x, complement))
    result: NDArray[np.float64] = np.where(near, direct / a, 1 - direct * 2)
    return result


def _fraction(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c = np.ones_like(x)
    d = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MAX_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = np.ones_like(x)
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            change = change * (c * d)
        value = value * change
        if np.all(np.abs(change - 1) < 1e-12):
            break
    return value


def _not_zero(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(value) < _TINY, _TINY, value)
