"""Is A better than B? A sequential test over deals that stops as soon as the answer is known.

A generalised sequential probability ratio test of "A is elo1 better" against "A is elo0 better", on the share of A's
pairs with B that A wins in a deal. Formulas, and how often it errs: docs/ratings.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from math import inf, log, log1p, sqrt
from statistics import NormalDist

from beanleague.league.ratings.elo import expected_score
from beanleague.league.ratings.elo import lead as elo_lead

MIN_DEALS = 30
"""Minimum number of deals: with fewer, the scatter of their scores is not known well enough."""

_MAX_ELO = 2000  # 1 win in 100,000; beyond, no number of deals shows anything
_PRIOR_DEALS = 0.1
"""Deals won, and as many deals lost, that are added to the results.

However many deals were split, others may still be won or lost. Without these additions, a test of two bots that split
most deals would answer "no" too often, before the few deals that distinguish them are played.
"""
_MIN_STEP = 1e-12  # of Newton's method, as a share of where the result may be
_MAX_STEPS = 100


class ComparisonError(ValueError):
    """Raised for a test with impossible numbers, or a deal in which the two bots did not meet."""


class Verdict(StrEnum):
    """What a comparison has found."""

    OPEN = "open"
    BETTER = "better"
    """A is better by elo1 rather than by elo0."""
    NOT_BETTER = "not_better"
    """A is better by elo0 rather than by elo1."""


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The question: is A better by `elo1` rather than by `elo0`?"""

    elo0: float = 0.0
    """Elo lead that counts as not better."""
    elo1: float = 20.0
    """Elo lead that counts as better."""
    alpha: float = 0.05
    """Probability of the answer yes if A is better by elo0."""
    beta: float = 0.05
    """Probability of the answer no if A is better by elo1."""

    def __post_init__(self) -> None:
        for name, elo in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not -_MAX_ELO <= elo <= _MAX_ELO:
                raise ComparisonError(f"{name} must be between -{_MAX_ELO} and {_MAX_ELO}; it is {elo:g}")
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

    Count deals in the order of their numbers, whichever ended first, so that a comparison that is resumed comes to the
    same verdict.
    """

    test: SequentialTest
    """What is tested, with which errors."""
    counts: Mapping[Fraction, int] = field(default_factory=dict)
    """Number of deals with each score."""
    verdict: Verdict = Verdict.OPEN
    """Set when a bound is first reached; later deals only refine `elo`."""

    def with_deal(self, score: Fraction) -> Comparison:
        """The comparison after one more deal; `score` (0 ... 1) as `deal_score` returns it."""
        counts = {**self.counts, score: self.counts.get(score, 0) + 1}
        after = replace(self, counts=counts)
        if self.verdict is Verdict.OPEN and after.deals >= MIN_DEALS:
            llr = after.llr
            if llr >= self.test.upper:
                return replace(after, verdict=Verdict.BETTER)
            if llr <= self.test.lower:
                return replace(after, verdict=Verdict.NOT_BETTER)
        return after

    @property
    def deals(self) -> int:
        """How many there were."""
        return sum(self.counts.values())

    @property
    def score(self) -> float:
        """Mean of the deals' scores; a half before the first."""
        return float(self._total() / self.deals) if self.deals else 0.5

    @property
    def llr(self) -> float:
        """Log likelihood ratio of elo1 against elo0, each with the distribution of scores that suits it best."""
        if self.deals < 2:
            return 0.0
        weights = [
            (0.0, _PRIOR_DEALS),
            (1.0, _PRIOR_DEALS),
            *((float(score), count) for score, count in sorted(self.counts.items())),
        ]
        return _shortfall(weights, expected_score(self.test.elo0)) - _shortfall(weights, expected_score(self.test.elo1))

    @property
    def elo(self) -> float:
        """By how much A is better; infinite when it won or lost everything."""
        return elo_lead(self.score)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `elo`, as if the number of deals had been fixed before; infinite with fewer than two."""
        if self.deals < 2:
            return -inf, inf
        reach = NormalDist().inv_cdf(0.975) * sqrt(self._variance() / self.deals)
        return elo_lead(self.score - reach), elo_lead(self.score + reach)

    def _total(self) -> Fraction:
        return sum((score * count for score, count in self.counts.items()), Fraction(0))

    def _variance(self) -> float:
        """Of a deal's score; what is counted with the deals scatters too, so that it is never nothing."""
        squares = sum((score * score * count for score, count in self.counts.items()), Fraction(0))
        return (float(squares - self._total() ** 2 / self.deals) + _PRIOR_DEALS / 2) / (self.deals - 1)


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


def _shortfall(weights: Sequence[tuple[float, float]], mean: float) -> float:
    """Return by how much the log likelihood of scores falls short of its maximum if their mean is `mean`.

    That of the best distribution over the scores in `weights` (score, how often), which 0 and 1 are among. It is the
    maximum over t of sum(how often * log(1 + t * (score - mean))), found by Newton's method between bounds.
    """
    apart = [(score - mean, weight) for score, weight in weights]
    least, most = -1 / (1 - mean), 1 / mean
    t = 0.0
    for _ in range(_MAX_STEPS):
        parts = [(d / (1 + t * d), weight) for d, weight in apart]
        slope = sum(part * weight for part, weight in parts)
        least, most = (t, most) if slope > 0 else (least, t)
        step = slope / sum(part * part * weight for part, weight in parts)
        t, before = t + step, t
        if not least < t < most:
            t = (least + most) / 2
        if abs(t - before) <= _MIN_STEP * (most - least + abs(t)):
            break
    return sum(weight * log1p(t * d) for d, weight in apart)
