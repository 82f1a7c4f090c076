"""Rulesets that differ little from another one: only slow tests play them where one of a family proves it."""

from collections.abc import Iterable

import pytest

VARIANTS = {
    "bohnanza-extended",
    "bohnanza-classic",
    "dice-2012",
    "bean-thief-easy",
    "bean-thief-normal",
    "bean-thief-hard",
}


def games(*cases: Iterable[object]) -> list[pytest.ParameterSet]:
    """Return parameters, the first of which is a ruleset's id; those of variants are slow."""
    return [pytest.param(*case, marks=[pytest.mark.slow] * (next(iter(case)) in VARIANTS)) for case in cases]
