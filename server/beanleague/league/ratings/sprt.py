"""Sequential test of "A is better than B" over deals, which stops as soon as the answer is clear.

A generalised sequential probability ratio test of "A is elo1 better" against "A is elo0 better", on the scores of A and
B in each deal. A second test, for large differences, ends a comparison early when the answer is obvious. Formulas and
error rates: docs/ratings.md.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import fsum, inf, log, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from beanleague.league.ratings.scores import By, ComparisonError, DealScore, expected_score, lead as elo_lead

MIN_DEALS = 30
"""Minimum number of deals for the likelihood ratio: with fewer, the scatter of the scores is too uncertain."""
OBVIOUS = 0.2
"""Share of both error risks assigned to the test for large differences."""
_MAX_ELO = 2000  # lead of 1 loss in 100,000; for larger leads no number of deals gives an answer
_MIN_RISK = 1e-300  # minimum risk: parts of a smaller one could underflow to 0, which has no logarithm
_PRIOR_DEALS = 0.1
"""Number of imaginary deals won, and of deals lost, added to the results.

However many deals were split, later ones may still be won or lost. Without these additions, a test of two bots that
split most deals would answer "no" too often, before the few deals that distinguish them are played.
"""

Floats = NDArray[np.float64]

_MIN_STEP = 1e-12  # minimum step of Newton's method, relative to the interval of the result
_MAX_STEPS = 100


def shortfall(scores: Floats, weights: Floats, mean: float) -> float:
    """Return the gap between the log likelihood of scores with mean `mean` and its maximum.

    This is Owen's empirical likelihood: the distribution of the scores is arbitrary within their range. The likelihood
    is that of the best-fitting distribution over `scores`, which lie on both sides of `mean` and were observed
    `weights` times each. The gap is the maximum over t of sum(weights * log(1 + t * (scores - mean))), found by
    Newton's method between bounds.
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


_STAKES = np.array([0.125, 0.25, 0.5, 1.0])
"""Stakes of four bets, as shares of the largest stake that cannot lose more than the capital; a quarter of the capital
is assigned to each bet."""


def log_capital(scores: Floats, weights: Floats, mean: float) -> float:
    """Return the logarithm of a capital of 1 after bets on a mean above `mean` (0 < mean < 1).

    It is a test for large differences, which needs only few scores. Imagine a bet on every score: a stake on high
    scores multiplies the capital by 1 + t * (score - mean). If the true mean is not above `mean`, no betting strategy
    makes the capital grow on average. Therefore the probability that it *ever* reaches 1 / risk is at most risk,
    whatever the distribution of the scores (Ville's inequality). If the true mean is far above, it doubles every few
    scores.

    `weights`: number of observations of each of the `scores`.
    """
    with np.errstate(divide="ignore"):  # the logarithm of a capital of 0 is -inf
        growth = np.log1p(np.maximum(_STAKES[:, None] * (scores / mean - 1), -1))
    return float(np.logaddexp.reduce(growth @ weights) - np.log(len(_STAKES)))


_NORMAL = NormalDist()


class Verdict(StrEnum):
    """Result of a comparison."""

    OPEN = "open"
    BETTER = "better"
    """A is better by elo1 rather than by elo0."""
    NOT_BETTER = "not_better"
    """A is better by elo0 rather than by elo1."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Question of a test: is A better by `elo1` rather than by `elo0`?"""

    elo0: float = 0.0
    """Elo lead that counts as not better."""
    elo1: float = 20.0
    """Elo lead that counts as better."""
    alpha: float = 0.05
    """Probability of a wrong yes, if A is better by elo0."""
    beta: float = 0.05
    """Probability of a wrong no, if A is better by elo1."""
    by: By = By.PLACES
    """Quantity that the test compares."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", By(self.by))  # the store passes `by` as a string
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -_MAX_ELO <= elo <= _MAX_ELO:
                raise ComparisonError(f"{name} must be between -{_MAX_ELO} and {_MAX_ELO}; it is {elo:g}")
        if not self.elo0 < self.elo1:
            raise ComparisonError(f"elo0 must be less than elo1; they are {self.elo0:g} and {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not _MIN_RISK <= value < 0.5:
                raise ComparisonError(f"{name} must be between 0 and 0.5; it is {value:g}")

    @property
    def lower(self) -> float:
        """Log likelihood ratio at which the answer is no."""
        return log((1 - OBVIOUS) * self.beta / (1 - (1 - OBVIOUS) * self.alpha))

    @property
    def upper(self) -> float:
        """Log likelihood ratio at which the answer is yes."""
        return log((1 - (1 - OBVIOUS) * self.beta) / ((1 - OBVIOUS) * self.alpha))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A sequential test and its deals so far.

    Deals must be counted in the order of their numbers, whichever ended first, so that a resumed comparison comes to
    the same verdict.
    """

    test: SequentialTest
    """Hypotheses and error risks of the test."""
    counts: Mapping[DealScore, int] = field(default_factory=dict)
    """Number of deals with each score."""
    verdict: Verdict = Verdict.OPEN
    """Verdict at the first end of the test; later deals only refine `elo`."""
    obvious: bool = False
    """Whether the test for large differences gave the verdict."""

    def with_deal(self, score: DealScore) -> "Comparison":
        """Return the comparison after one more deal."""
        return replace(self, counts={**self.counts, score: self.counts.get(score, 0) + 1}).judged()

    def judged(self) -> "Comparison":
        """Return the comparison with a verdict for its deals, unless it has one already."""
        if self.verdict is not Verdict.OPEN:
            return self
        if (verdict := _obvious_verdict(self)) is not Verdict.OPEN:
            return replace(self, verdict=verdict, obvious=True)
        llr = self.llr if self.deals >= MIN_DEALS else 0.0
        if llr >= self.test.upper:
            return replace(self, verdict=Verdict.BETTER)
        return replace(self, verdict=Verdict.NOT_BETTER) if llr <= self.test.lower else self

    @property
    def deals(self) -> int:
        """Number of deals."""
        return sum(self.counts.values())

    @property
    def score(self) -> float:
        """Share of pairs in which A was ahead; a half before the first deal."""
        return fsum(score.share * times for score, times in self.counts.items()) / self.deals if self.counts else 0.5

    @property
    def llr(self) -> float:
        """Log likelihood ratio of elo1 against elo0, each with its best-fitting distribution of scores."""
        if self.deals < 2:
            return 0.0
        values, weights = self._values()
        low, high = _ends(self.test.by, values)
        values = np.concatenate([[low, high], values])
        weights = np.concatenate([[_PRIOR_DEALS, _PRIOR_DEALS], weights])
        at0, at1 = (shortfall(values, weights, _mean_of(self.test.by, elo)) for elo in (self.test.elo0, self.test.elo1))
        return at0 - at1

    @property
    def elo(self) -> float:
        """Elo lead of A; infinite if A won or lost all pairs."""
        return _elo_of(self.test.by, self._mean()) if self.counts else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of `elo`, as if the number of deals had been fixed; infinite with fewer than two deals."""
        if self.deals < 2:
            return -inf, inf
        mean, reach = self._mean(), self._reach()
        return _elo_of(self.test.by, mean - reach), _elo_of(self.test.by, mean + reach)

    @property
    def lead(self) -> float:
        """In a comparison by dollars, A's mean lead per match, in the unit of scores."""
        return self._mean() * self._scale() if self.counts else 0.0

    @property
    def lead_interval(self) -> tuple[float, float]:
        """95 % interval of `lead`, as if the number of deals had been fixed in advance."""
        if self.deals < 2:
            return -inf, inf
        reach = self._reach() * self._scale()
        return self.lead - reach, self.lead + reach

    def _values(self) -> tuple[Floats, Floats]:
        """Return the tested values, ascending, and their frequencies.

        Values are shares, or leads as multiples of `_scale`.
        """
        if self.test.by is By.PLACES:
            return _in_order((score.share, times) for score, times in self.counts.items())
        values, weights = _in_order((score.lead, times) for score, times in self.counts.items())
        return values / self._scale(), weights

    def _scale(self) -> float:
        """Root mean square of A's lead in a pair, for comparisons by dollars; else 1."""
        squares = fsum(score.square * times for score, times in self.counts.items())
        return sqrt(squares / self.deals) if squares else 1.0

    def _mean(self) -> float:
        values, weights = self._values()
        return float(values @ weights) / self.deals

    def _reach(self) -> float:
        """Half the width of the 95 % interval of the mean.

        It is never 0, since the added prior deals scatter, too.
        """
        values, weights = self._values()
        low, high = _ends(self.test.by, values)
        apart = float((values - self._mean()) ** 2 @ weights) + _PRIOR_DEALS * (high - low) ** 2 / 2
        return _NORMAL.inv_cdf(0.975) * sqrt(apart / (self.deals - 1) / self.deals)


def _obvious_verdict(so_far: Comparison) -> Verdict:
    """Return the verdict of the test for large differences."""
    test = so_far.test
    shares, weights = _in_order((score.share, times) for score, times in so_far.counts.items())
    if log_capital(shares, weights, expected_score(test.elo0)) >= -log(OBVIOUS * test.alpha):
        return Verdict.BETTER
    if log_capital(1 - shares, weights, 1 - expected_score(test.elo1)) >= -log(OBVIOUS * test.beta):
        return Verdict.NOT_BETTER
    return Verdict.OPEN


def _in_order(values: Iterable[tuple[float, int]]) -> tuple[Floats, Floats]:
    """Return values and frequencies, sorted, so that the order of the deals does not matter."""
    ordered = np.array(sorted(values), np.float64)
    return ordered[:, 0], ordered[:, 1]


def _ends(by: By, values: Floats) -> tuple[float, float]:
    """Return the values of a lost and of a won deal, which bound all values."""
    if by is By.PLACES:
        return 0.0, 1.0
    most = max(1.0, float(np.abs(values).max()))
    return -most, most


def _mean_of(by: By, elo: float) -> float:
    """Return the mean of `Comparison._values` if A is `elo` better.

    By dollars, A's leads are modelled as normal with the share above 0 that wins at this Elo lead.
    """
    share = expected_score(elo)
    if by is By.PLACES:
        return share
    lead = _NORMAL.inv_cdf(share)
    return lead / sqrt(1 + lead * lead)


def _elo_of(by: By, mean: float) -> float:
    """Return the Elo lead of A, the inverse of `_mean_of`."""
    if by is By.PLACES:
        return elo_lead(mean)
    if not -1 < mean < 1:
        return inf if mean > 0 else -inf
    return elo_lead(_NORMAL.cdf(mean / sqrt(1 - mean * mean)))
