"""What happens in the card games. `docs/records.md` says what each event changes."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Event
from beanleague.games.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Offered(Event):
    """Phase 2: the active player `seat` makes an offer to the seats `to`.

    `turned`, `hand`: positions of the cards given. `gives`: their kinds, turned-over ones first.
    `wants`: the kinds wanted. A call has all four empty.
    """

    seat: int
    to: tuple[int, ...]
    turned: tuple[int, ...]
    hand: tuple[int, ...]
    gives: tuple[Kind, ...]
    wants: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """An answer to the offer; all answers to it are revealed together, by ascending seat.

    `answer`: "accept", "decline" or "counter". `hand`: positions of the cards given, `gives`: their kinds.
    `turned`, `wants`: what a counter asks for; empty otherwise.
    """

    seat: int
    answer: str
    hand: tuple[int, ...] = ()
    gives: tuple[Kind, ...] = ()
    turned: tuple[int, ...] = ()
    wants: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Traded(Event):
    """A trade is carried out: what each receives goes behind the cards it has aside.

    The active player `seat` gives the turned-over cards at `turned` and the hand cards at `hand` (`gives`: their
    kinds, turned-over ones first); `partner` gives the hand cards at `partner_hand` (`receives`: their kinds).
    """

    seat: int
    partner: int
    turned: tuple[int, ...]
    hand: tuple[int, ...]
    gives: tuple[Kind, ...]
    partner_hand: tuple[int, ...]
    receives: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Refused(Event):
    """The active player `seat` picks none of the answers."""

    seat: int


@dataclass(frozen=True, slots=True)
class TradingEnded(Event):
    """Phase 2 ends; the turned-over cards `left` go behind the cards `seat` has aside."""

    seat: int
    left: tuple[Kind, ...]
