"""What happens in the card games. `docs/records.md` says what each event changes.

Positions of hand cards are for their owner alone: the others see which kinds are given, not where a card lies or lay.
So kinds that come from a hand, and kinds wanted, are in the order of the rules, rarest first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from beanleague.games.core.game import Event
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Offered(Event):
    """Phase 2: the active player makes an offer. In a call, all fields but `seat` and `to` are empty."""

    seat: int
    """The active player."""
    to: tuple[int, ...]
    """The seats addressed, ascending."""
    turned: tuple[int, ...]
    """Positions of the turned-over cards offered."""
    hand: tuple[int, ...]
    """Positions of the hand cards offered; empty for all other seats."""
    gives: tuple[Kind, ...]
    """The kinds of the cards offered: turned-over ones first, then those of the hand, rarest first."""
    wants: tuple[Kind, ...]
    """The kinds wanted, one entry per card, rarest first."""

    def seen_by(self, seat: int) -> Offered:
        if seat == self.seat or not self.hand:
            return self
        return Offered(self.seat, self.to, self.turned, (), self.gives, self.wants)


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """A seat answers an offer. All answers are revealed together, by ascending seat."""

    seat: int
    """The seat that answers."""
    answer: Literal["accept", "decline", "counter"]
    """What it answers."""
    hand: tuple[int, ...] = ()
    """Positions of the hand cards it gives; empty for all other seats."""
    gives: tuple[Kind, ...] = ()
    """The kinds of these cards, rarest first."""
    turned: tuple[int, ...] = ()
    """In a counter: positions of the turned-over cards wanted."""
    wants: tuple[Kind, ...] = ()
    """In a counter: the kinds wanted from the active player's hand, rarest first."""

    def seen_by(self, seat: int) -> Answered:
        if seat == self.seat or not self.hand:
            return self
        return Answered(self.seat, self.answer, (), self.gives, self.turned, self.wants)


@dataclass(frozen=True, slots=True)
class Traded(Event):
    """A trade is carried out. Each player puts the cards received behind those already set aside."""

    reveals = False
    seat: int
    """The active player."""
    partner: int
    """The other seat."""
    turned: tuple[int, ...]
    """Positions of the turned-over cards that the active player gives."""
    hand: tuple[int, ...]
    """Positions of the hand cards that the active player gives; empty for all other seats."""
    gives: tuple[Kind, ...]
    """The kinds of the cards given: turned-over ones first, then those of the hand, rarest first."""
    partner_hand: tuple[int, ...]
    """Positions of the hand cards that the partner gives; empty for all other seats."""
    receives: tuple[Kind, ...]
    """The kinds of these cards, rarest first."""

    def seen_by(self, seat: int) -> Traded:
        hand = self.hand if seat == self.seat else ()
        partner_hand = self.partner_hand if seat == self.partner else ()
        if hand == self.hand and partner_hand == self.partner_hand:
            return self
        return Traded(self.seat, self.partner, self.turned, hand, self.gives, partner_hand, self.receives)


@dataclass(frozen=True, slots=True)
class Refused(Event):
    """The active player picks none of the answers."""

    reveals = False
    seat: int
    """The active player."""


@dataclass(frozen=True, slots=True)
class TradingEnded(Event):
    """Phase 2 ends. The remaining turned-over cards go behind those the active player has set aside."""

    reveals = False
    seat: int
    """The active player."""
    left: tuple[Kind, ...]
    """The remaining turned-over cards."""
