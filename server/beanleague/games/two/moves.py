"""Actions, events and decisions of Bohnanza for two.

It shares `Plant`, `Pass`, `Harvest` and `BuyField` with the other card games, and all events of `beanleague.games.core`
except `Shuffled`. `docs/records.md` gives the effect of each event.
"""

from beanleague.games.core.game import Action, Event, Kind, NamedDecision, SeatEvent
from beanleague.games.core.values import dataclass


class TwoDecision(NamedDecision):
    """Kinds of decisions that a seat can be asked for."""

    WAIT = 0
    """None: the seat is not asked now."""
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


@dataclass(frozen=True, slots=True)
class Joined(SeatEvent):
    """Step 3: cards from the top of the discard pile are placed behind the open cards, one after the other."""

    cards: tuple[Kind, ...]
    """Kinds of the cards, in order."""


@dataclass(frozen=True, slots=True)
class OpenDiscarded(SeatEvent):
    """Step 1: an open card is discarded."""

    reveals = False
    position: int
    """The position of the card among the open cards."""
    kind: Kind
    """The kind of the card."""


@dataclass(frozen=True, slots=True)
class HandDiscarded(SeatEvent):
    """Step 2: a card of the hand is discarded."""

    reveals = False
    position: int
    """The position of the card in the hand; 0 for the other seat, from which it is hidden."""
    kind: Kind
    """The kind of the card."""

    def seen_by(self, seat: int) -> Event:
        return self if seat == self.seat or not self.position else HandDiscarded(self.seat, 0, self.kind)
