"""The Elo scale."""

from __future__ import annotations

from math import exp, inf, log

ELO = 400 / log(10)
"""Elo points in one unit of strength (a logit)."""

BASE = 1500.0
"""Rating of the anchor."""


def expected_score(elo: float) -> float:
    """Share of its pairs that a bot wins against one that is `elo` weaker."""
    return 1 / (1 + exp(-elo / ELO))


def lead(score: float) -> float:
    """Return by how much a bot is stronger that wins this share of its pairs, in Elo; infinite if it is 0 or 1."""
    if score <= 0:
        return -inf
    if score >= 1:
        return inf
    return ELO * log(score / (1 - score))
