"""Ratings of simulated leagues, 20 bots at 4 seats with 60 % luck, beside the strengths that were put in."""

from dataclasses import dataclass

import numpy as np
import pytest

from beanleague.league.ratings.ratings import rate
from tests.league.ratings.simulation import Floats, half_width, league

BOTS = 20
DEVIATION = 120
"""Of the strengths, Elo."""


@dataclass(frozen=True)
class Found:
    """Of many leagues: errors and half-widths, (leagues, bots) in Elo; Kendall's tau of the two orders, (leagues,)."""

    errors: Floats
    half_widths: Floats
    tau: Floats

    @property
    def coverage(self) -> float:
        return float((np.abs(self.errors) <= self.half_widths).mean())

    @property
    def rmse(self) -> float:
        return float(np.sqrt((self.errors**2).mean()))


def simulate(matches: int, leagues: int) -> Found:
    errors, half_widths, tau = [], [], []
    for number in range(leagues):
        rng = np.random.default_rng((matches, number))
        strengths = rng.normal(0, DEVIATION, BOTS)
        ratings = rate(league(rng, strengths, matches)).bots
        found = np.array([bot.rating for bot in ratings])
        errors.append(found - 1500 - (strengths - strengths.mean()))
        half_widths.append([half_width(bot) for bot in ratings])
        tau.append(kendall(found, strengths))
    return Found(np.array(errors), np.array(half_widths), np.array(tau))


def kendall(one: Floats, other: Floats) -> float:
    """Pairs in the same order less pairs in the other order, as a share of all."""
    pairs = np.triu_indices(len(one), 1)
    agree = np.sign(one[:, None] - one[None, :]) * np.sign(other[:, None] - other[None, :])
    return float(agree[pairs].mean())


@pytest.fixture(scope="module")
def long_leagues() -> Found:
    return simulate(2000, 60)


def test_two_thousand_matches_find_the_strengths(long_leagues: Found) -> None:
    assert long_leagues.rmse <= 11


def test_two_thousand_matches_find_the_order(long_leagues: Found) -> None:
    assert long_leagues.tau.mean() >= 0.94


def test_intervals_of_long_leagues_hold_what_they_promise(long_leagues: Found) -> None:
    assert 0.93 <= long_leagues.coverage <= 0.97


def test_intervals_of_short_leagues_hold_what_they_promise() -> None:
    assert 0.93 <= simulate(100, 125).coverage <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("matches", [100, 400, 2000])
def test_coverage_is_95_percent_within_a_hundredth(matches: int) -> None:
    """Its standard error is about 0.2 %."""
    assert 0.94 <= simulate(matches, 600).coverage <= 0.96
