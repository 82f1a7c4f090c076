"""Choices about one's own fields in the duel that most bots make alike."""

from __future__ import annotations

from beanbot.fields import part_of_next_dollar
from beanleague.games import Kind
from beanleague.games.duel import DuelView


def best_place(view: DuelView, kind: Kind) -> int | None:
    """Return the own field to plant `kind` in, None if it has no place.

    One that ends with its kind comes before one that ends with the kind below it, and this before an empty one; of
    equals the longest.
    """
    fields = view.own_fields

    def suits(i: int) -> tuple[bool, int]:
        return fields[i].last == kind, len(fields[i].cards)

    return max(view.places_for(kind), key=suits, default=None)


def least_loss(view: DuelView) -> int:
    """Return the field to harvest when room is needed: the one where the least part of a next dollar is lost.

    Of equals, the one that earns most. There must be a field that may be harvested.
    """

    def lost(field: int) -> float:
        own = view.own_fields[field]
        assert own.last is not None  # an empty field cannot be harvested
        return part_of_next_dollar(len(own.cards), view.rules.kind(own.last).beanometer)

    return min(view.harvestable, key=lambda i: (lost(i), -view.earns(i), i))
