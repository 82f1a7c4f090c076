"""All that fields can become when cards are planted."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from beanbot.bohnanza import Kind
from beanbot.policies.worth import REMEMBERED, Cards, Fields, Worth, may_harvest


class Step(NamedTuple):
    """How a card is planted."""

    card: int
    """Its position among those that are left to be planted."""
    field: int
    """The field."""
    harvest: bool
    """Whether the field is harvested before."""


class Outcome(NamedTuple):
    """What becomes of fields when all cards are planted in one of the ways there are."""

    dollars: int
    """The dollars that harvests earn."""
    fields: Fields
    """The fields then."""
    steps: tuple[Step, ...]
    """How to plant."""


@lru_cache(REMEMBERED)
def outcomes(fields: Fields, cards: Cards, worth: Worth) -> tuple[Outcome, ...]:
    """Return what `fields` can become, each once. Cards of kinds that grow are planted first."""
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
    """Return the dollars that a step earns, and the fields after it."""
    kind, count = fields[step.field]
    earned = worth.dollars[kind][count] if kind and step.harvest else 0
    grown = count + 1 if kind == card and not step.harvest else 1
    return earned, (*fields[: step.field], (card, grown), *fields[step.field + 1 :])


def _next(fields: Fields, cards: Cards, worth: Worth) -> list[Step]:
    """Return the ways to plant the next card: one that fits, else each in an empty field or in place of another."""
    kinds = [kind for kind, _ in fields]
    for position, card in enumerate(cards):
        if card in kinds:
            field = kinds.index(card)
            return [Step(position, field, fields[field][1] >= worth.full[card])]
    first = [position for position, card in enumerate(cards) if card not in cards[:position]]
    if None in kinds:
        return [Step(position, kinds.index(None), harvest=False) for position in first]
    return [Step(position, field, harvest=True) for position in first for field in may_harvest(fields)]
