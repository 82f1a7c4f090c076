"""Actions that several games share."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Action


@dataclass(frozen=True, slots=True)
class Harvest(Action):
    """Harvest one's own field `field`; a free step before any decision but an answer."""

    field: int


@dataclass(frozen=True, slots=True)
class BuyField(Action):
    """Buy a field more, where the rules sell one, once; a free step like `Harvest`."""


@dataclass(frozen=True, slots=True)
class Plant(Action):
    """Phase 1: plant the first card of the hand in one's own field `field`."""

    field: int


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Do nothing: do not plant a second card, or let an interlude go by."""
