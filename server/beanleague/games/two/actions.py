"""What a player of Bohnanza for two does, besides `Plant`, `Pass`, `Harvest` and `BuyField` of the other card games."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Action, NamedDecision


class TwoDecision(NamedDecision):
    """What a seat is asked."""

    WAIT = 0
    """Nothing: it is not this seat's turn to act."""
    PLANT_OFFERED = 1
    """Step 1: plant or discard an open card left by the opponent (`PlantOpen`, `DiscardOpen`)."""
    PLANT_FIRST = 2
    """Step 2: plant the first card of the hand (`Plant`)."""
    PLANT_SECOND = 3
    """Step 2: plant the next card too (`Plant`), or not (`Pass`)."""
    DISCARD_HAND = 4
    """Step 2: discard a card of the hand (`DiscardHand`), or not (`Pass`)."""
    PLANT_DRAWN = 5
    """Step 3: plant an open card (`PlantOpen`), or leave the rest to the opponent (`Pass`)."""


@dataclass(frozen=True, slots=True)
class PlantOpen(Action):
    """Steps 1 and 3: plant an open card."""

    card: int
    """The position of the card among the open cards."""
    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class DiscardOpen(Action):
    """Step 1: discard an open card."""

    card: int
    """The position of the card among the open cards."""


@dataclass(frozen=True, slots=True)
class DiscardHand(Action):
    """Step 2: discard a card of the hand."""

    card: int
    """The position of the card in the hand."""
