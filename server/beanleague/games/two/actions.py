"""What a player of Bohnanza for two does, besides `Plant`, `Pass`, `Harvest` and `BuyField` of the other card games."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from beanleague.games.core.game import Action


class TwoDecision(IntEnum):
    """What a seat is asked. The step of the turn is in the comment."""

    WAIT = 0  # nothing: it is not this seat's move
    PLANT_OFFERED = 1  # step 1: plant or discard each open card, which the opponent left
    PLANT_FIRST = 2  # step 2: the first card of the hand, a must
    PLANT_SECOND = 3  # step 2: one more, or pass
    DISCARD_HAND = 4  # step 2: discard a card of the hand, or pass
    PLANT_DRAWN = 5  # step 3: plant an open card, or pass and leave what is open to the opponent


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
