"""What happens in Bohnanza for two, besides the events it shares with the other card games.

It shares all events of `beanleague.games.core` but `Shuffled`. `docs/records.md` says what each event changes.
"""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Event
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Joined(Event):
    """Step 3: cards from the top of the discard pile go behind the open cards, one after the other."""

    seat: int
    """The active player."""
    cards: tuple[Kind, ...]
    """The cards, in order."""


@dataclass(frozen=True, slots=True)
class OpenDiscarded(Event):
    """Step 1: an open card is discarded."""

    reveals = False
    seat: int
    """The active player."""
    position: int
    """The position of the card among the open cards."""
    kind: Kind
    """The kind of the card."""


@dataclass(frozen=True, slots=True)
class HandDiscarded(Event):
    """Step 2: a card of the hand is discarded."""

    reveals = False
    seat: int
    """The active player."""
    position: int
    """The position of the card in the hand; 0 for the other seat, which does not see where the card lay."""
    kind: Kind
    """The kind of the card."""

    def seen_by(self, seat: int) -> Event:
        return self if seat == self.seat or not self.position else HandDiscarded(self.seat, 0, self.kind)
