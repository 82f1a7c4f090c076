"""What a player of Bohnanza for two does, besides `Plant`, `Pass`, `Harvest` and `BuyField` of the other card games."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Action


@dataclass(frozen=True, slots=True)
class PlantOpen(Action):
    """Steps 1 and 3: plant the open card at position `card` in one's own field `field`."""

    card: int
    field: int


@dataclass(frozen=True, slots=True)
class DiscardOpen(Action):
    """Step 1: discard the open card at position `card`."""

    card: int


@dataclass(frozen=True, slots=True)
class DiscardHand(Action):
    """Step 2: discard the card at position `card` of the hand."""

    card: int
