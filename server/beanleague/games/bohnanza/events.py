"""What happens in the card games. `docs/records.md` says what each event changes."""

from __future__ import annotations

from dataclasses import dataclass

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
    """Positions of the hand cards offered."""
    gives: tuple[Kind, ...]
    """The kinds of the cards offered, turned-over ones first."""
    wants: tuple[Kind, ...]
    """The kinds wanted, one entry per card."""


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """A seat answers an offer. All answers are revealed together, by ascending seat."""

    seat: int
    """The seat that answers."""
    answer: str
    """"accept", "decline" or "counter"."""
    hand: tuple[int, ...] = ()
    """Positions of the hand cards it gives."""
    gives: tuple[Kind, ...] = ()
    """The kinds of these cards."""
    turned: tuple[int, ...] = ()
    """In a counter: positions of the turned-over cards wanted."""
    wants: tuple[Kind, ...] = ()
    """In a counter: the kinds wanted from the active player's hand."""


@dataclass(frozen=True, slots=True)
class Traded(Event):
    """A trade is carried out. Each player puts the cards received behind those already set aside."""

    seat: int
    """The active player."""
    partner: int
    """The other seat."""
    turned: tuple[int, ...]
    """Positions of the turned-over cards that the active player gives."""
    hand: tuple[int, ...]
    """Positions of the hand cards that the active player gives."""
    gives: tuple[Kind, ...]
    """The kinds of the cards given, turned-over ones first."""
    partner_hand: tuple[int, ...]
    """Positions of the hand cards that the partner gives."""
    receives: tuple[Kind, ...]
    """The kinds of these cards."""


@dataclass(frozen=True, slots=True)
class Refused(Event):
    """The active player picks none of the answers."""

    seat: int
    """The active player."""


@dataclass(frozen=True, slots=True)
class TradingEnded(Event):
    """Phase 2 ends. The remaining turned-over cards go behind those the active player has set aside."""

    seat: int
    """The active player."""
    left: tuple[Kind, ...]
    """The remaining turned-over cards."""
