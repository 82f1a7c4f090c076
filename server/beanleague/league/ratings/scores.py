"""Elo scale, and scores of one bot against another in a deal. Free of numpy, for modules that only display them."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import exp, inf, log

ELO = 400 / log(10)
"""Elo points in one unit of strength (a logit)."""

BASE = 1500.0
"""Rating of the anchor."""


def expected_score(elo: float) -> float:
    """Return the share of pairs that a bot wins against one that is `elo` points weaker."""
    return 1 / (1 + exp(-elo / ELO))


def lead(score: float) -> float:
    """Return the Elo lead of a bot that wins the share `score` of its pairs; infinite for 0 or 1."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return ELO * log(score / (1 - score))


class ComparisonError(ValueError):
    """Raised for a test with impossible numbers, or a deal in which the two bots did not meet."""


class By(StrEnum):
    """Quantity by which two bots are compared."""

    PLACES = "places"
    """By how often a bot has the better place."""
    DOLLARS = "dollars"
    """By the lead in dollars."""


@dataclass(frozen=True, slots=True)
class DealScore:
    """Result of A against B in a deal, over all pairs of a seat of A and a seat of B in one match."""

    share: float
    """Share of the pairs in which A was ahead; ties count half."""
    lead: float = 0.0
    """Mean of A's lead in dollars, in the unit of scores; only in tests by dollars."""
    square: float = 0.0
    """Mean of the squares of A's leads; only in tests by dollars."""


def deal_score(matches: Iterable[Iterable[tuple[int, int, int]]], a: int, b: int, by: By = By.PLACES) -> DealScore:
    """Return the result of bot `a` against bot `b` in a deal.

    `matches`: seats of each match as (bot, place, score). Either bot may have several seats. Raises ComparisonError if
    the two never met.
    """
    leads: list[int] = []
    for seats in matches:
        values = [(bot, score if by is By.DOLLARS else -place) for bot, place, score in seats]
        leads += [own - other for one, own in values if one == a for two, other in values if two == b]
    if not leads:
        raise ComparisonError(f"bots {a} and {b} did not meet in this deal")
    share = sum((lead > 0) + (lead >= 0) for lead in leads) / (2 * len(leads))
    if by is By.PLACES:
        return DealScore(share)
    return DealScore(share, sum(leads) / len(leads), sum(lead**2 for lead in leads) / len(leads))
