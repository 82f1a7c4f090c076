"""Is A better than B? A sequential test over deals that stops as soon as it knows.

A generalised sequential probability ratio test of "A is elo1 better" against "A is elo0 better", on the share of A's
pairs with B that A wins in a deal. Formulas, and how often it errs: docs/ratings.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from math import exp, inf, log, sqrt
from statistics import NormalDist

MIN_DEALS = 30
"""Before so many deals their variance is not known well enough to stop."""

_ELO = 400 / log(10)
_MOST_ELO = 2000  # 1 win in 100,000; beyond, no number of deals tells anything
_LEAST_VARIANCE = 1e-4
"""Of a deal's score. Two copies of a bot may draw every deal; that is no proof that no deal can end otherwise."""


class ComparisonError(ValueError):
    """A test that cannot be made, or a deal without a pair of the two bots."""


class Verdict(StrEnum):
    """What a comparison has found."""

    OPEN = "open"
    BETTER = "better"
    """A is better by elo1 rather than by elo0."""
    NOT_BETTER = "not better"
    """A is better by elo0 rather than by elo1."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """What is asked: is A better by `elo1` rather than by `elo0`?

    `alpha`: how often it may say yes when the truth is elo0. `beta`: how often it may say no when it is elo1.
    """

    elo0: float = 0.0
    elo1: float = 20.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -_MOST_ELO <= elo <= _MOST_ELO:
                raise ComparisonError(f"{name} must be between -{_MOST_ELO} and {_MOST_ELO}; it is {elo:g}")
        if not self.elo0 < self.elo1:
            raise ComparisonError(f"elo0 must be less than elo1; they are {self.elo0:g} and {self.elo1:g}")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise ComparisonError(f"{name} must be between 0 and 0.5; it is {value:g}")

    @property
    def lower(self) -> float:
        """The log likelihood ratio at which the answer is no."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log likelihood ratio at which the answer is yes."""
        return log((1 - self.beta) / self.alpha)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A test and the deals so far.

    `verdict`: that of the moment a bound was first reached; deals after it only refine `elo`. So count deals in the
    order of their numbers, whichever ended first, and a comparison that is resumed comes to the same verdict.
    `total`, `squares`: sums of the deals' scores and of their squares, exact.
    """

    test: SequentialTest
    deals: int = 0
    total: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)
    verdict: Verdict = Verdict.OPEN

    def with_deal(self, score: Fraction) -> Comparison:
        """The comparison after one more deal; `score` (0 ... 1) as `deal_score` tells it."""
        after = replace(self, deals=self.deals + 1, total=self.total + score, squares=self.squares + score * score)
        if self.verdict is Verdict.OPEN and after.deals >= MIN_DEALS:
            llr = after.llr
            if llr >= self.test.upper:
                return replace(after, verdict=Verdict.BETTER)
            if llr <= self.test.lower:
                return replace(after, verdict=Verdict.NOT_BETTER)
        return after

    @property
    def score(self) -> float:
        """Mean of the deals' scores; a half before the first."""
        return float(self.total / self.deals) if self.deals else 0.5

    @property
    def llr(self) -> float:
        """Log likelihood ratio of elo1 against elo0, each with the variance that suits it best."""
        if self.deals < 2:
            return 0.0
        mean, variance = self.score, self._variance()
        of_elo0 = variance + (mean - expected_score(self.test.elo0)) ** 2
        of_elo1 = variance + (mean - expected_score(self.test.elo1)) ** 2
        return self.deals / 2 * log(of_elo0 / of_elo1)

    @property
    def elo(self) -> float:
        """By how much A is better; infinite when it won or lost everything."""
        return _elo(self.score)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `elo`, as if the number of deals had been fixed before; infinite with fewer than two."""
        if self.deals < 2:
            return -inf, inf
        reach = NormalDist().inv_cdf(0.975) * sqrt(self._variance() / self.deals)
        return _elo(self.score - reach), _elo(self.score + reach)

    def _variance(self) -> float:
        scatter = self.squares - self.total * self.total / self.deals
        return max(float(scatter / (self.deals - 1)), _LEAST_VARIANCE)


def deal_score(matches: Iterable[tuple[Sequence[int], Sequence[int]]], a: int, b: int) -> Fraction:
    """Share of the pairs of `a` and `b`, over a deal's matches, that `a` won; ties count half.

    `matches`: (bots per seat, places per seat) each. Either bot may have several seats.
    Raises ComparisonError if the two never met.
    """
    half_wins = pairs = 0
    for bots, places in matches:
        of_a = [place for bot, place in zip(bots, places, strict=True) if bot == a]
        of_b = [place for bot, place in zip(bots, places, strict=True) if bot == b]
        pairs += len(of_a) * len(of_b)
        half_wins += sum((own < other) + (own <= other) for own in of_a for other in of_b)
    if not pairs:
        raise ComparisonError(f"bots {a} and {b} did not meet in this deal")
    return Fraction(half_wins, 2 * pairs)


def expected_score(elo: float) -> float:
    """Share of its pairs that a bot wins against one that is `elo` weaker."""
    return 1 / (1 + exp(-elo / _ELO))


def _elo(score: float) -> float:
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return _ELO * log(score / (1 - score))
