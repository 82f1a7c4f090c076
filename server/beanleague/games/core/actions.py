"""Actions that several games share."""

from __future__ import annotations

from dataclasses import dataclass

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
