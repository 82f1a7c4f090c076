"""Actions that several games share, and what is checked before a harvest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beanleague.games.core.errors import IllegalActionError, shown
from beanleague.games.core.game import Action


@dataclass(frozen=True, slots=True)
class Harvest(Action):
    """Harvest one of the player's fields.

    Allowed before any decision but an answer to an offer; the seat is then asked again.
    """

    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class BuyField(Action):
    """Buy one more field, once per player, if the rules sell fields: allowed whenever `Harvest` is."""


@dataclass(frozen=True, slots=True)
class Plant(Action):
    """Phase 1: plant the first card of the hand."""

    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Do nothing: plant no second card, discard nothing, do not harvest, or let an interlude go by."""


def harvestable(counts: Sequence[int]) -> tuple[int, ...]:
    """Return the fields that may be harvested, given the number of cards in each field.

    The bean protection rule: a field with one bean must not be harvested if another field has more.
    """
    least = 2 if max(counts) > 1 else 1
    return tuple([i for i, count in enumerate(counts) if count >= least])


def check_field(field: int, fields: int) -> None:
    """Check that `field` is one of `fields` fields."""
    if type(field) is not int or not 0 <= field < fields:
        raise IllegalActionError(f"there is no field {shown(field)}; your fields are 0 to {fields - 1}")


def check_harvest(field: int, counts: Sequence[int]) -> None:
    """Check that `field` may be harvested, given the number of cards in each field."""
    check_field(field, len(counts))
    if field not in harvestable(counts):
        if not counts[field]:
            raise IllegalActionError(f"field {field} is empty")
        raise IllegalActionError(f"field {field} has one bean and is protected: another field has more than one")
