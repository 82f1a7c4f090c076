"""Enumeration of all results of planting some cards."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from beanbot.bohnanza import Kind
from beanbot.policies.worth import REMEMBERED, Cards, Fields, Worth, may_harvest


class Step(NamedTuple):
    """Planting of one card."""

    card: int
    """Position of the card among the cards still to plant."""
    field: int
    """Field to plant the card in."""
    harvest: bool
    """Whether to harvest the field before planting."""


class Outcome(NamedTuple):
    """The result of planting all cards in one way."""

    dollars: int
    """Dollars earned by harvests."""
    fields: Fields
    """Fields after planting."""
    steps: tuple[Step, ...]
    """Steps that lead to this outcome."""


@lru_cache(REMEMBERED)
def outcomes(fields: Fields, cards: Cards, worth: Worth) -> tuple[Outcome, ...]:
    """Return the distinct results of planting `cards` in `fields`. Kinds that grow are planted first."""
    found: dict[tuple[int, Fields, Cards], tuple[Step, ...]] = {(0, fields, cards): ()}
    for _ in cards:
        after: dict[tuple[int, Fields, Cards], tuple[Step, ...]] = {}
        for (dollars, plots, left), steps in found.items():
            for step in _next(plots, left, worth):
                earned, grown = _planted(plots, left[step.card], step, worth)
                rest = left[: step.card] + left[step.card + 1 :]
                after.setdefault((dollars + earned, grown, rest), (*steps, step))
        found = after
    return tuple([Outcome(dollars, settled, steps) for (dollars, settled, _), steps in found.items()])


def _planted(fields: Fields, card: Kind, step: Step, worth: Worth) -> tuple[int, Fields]:
    """Return the dollars earned by a step, and the fields after it."""
    kind, count = fields[step.field]
    earned = worth.dollars[kind][count] if kind and step.harvest else 0
    grown = count + 1 if kind == card and not step.harvest else 1
    return earned, (*fields[: step.field], (card, grown), *fields[step.field + 1 :])


def _next(fields: Fields, cards: Cards, worth: Worth) -> list[Step]:
    """Return the ways to plant the next card: a fitting one, else each in an empty field or replacing another kind."""
    kinds = [kind for kind, _ in fields]
    for position, card in enumerate(cards):
        if card in kinds:
            field = kinds.index(card)
            return [Step(position, field, fields[field][1] >= worth.full[card])]
    first = [position for position, card in enumerate(cards) if card not in cards[:position]]
    if None in kinds:
        return [Step(position, kinds.index(None), harvest=False) for position in first]
    return [Step(position, field, harvest=True) for position in first for field in may_harvest(fields)]
