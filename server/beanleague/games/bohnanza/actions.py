"""What a player of the card games does."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Action, NamedDecision
from beanleague.games.core.kinds import Kind


class Decision(NamedDecision):
    """What a seat is asked."""

    WAIT = 0
    """Nothing: it is not this seat's turn to act."""
    PLANT_FIRST = 1
    """Phase 1: plant the first card of the hand (`Plant`)."""
    PLANT_SECOND = 2
    """Phase 1: plant the next card too (`Plant`), or not (`Pass`)."""
    TRADE = 3
    """Phase 2, active player: `Offer`, `Call` or `Stop`."""
    ANSWER = 4
    """Phase 2, seat addressed by an offer: `Accept`, `Decline` or `Counter`."""
    PICK = 5
    """Phase 2, active player: `Pick` an answer, or `Refuse` all."""
    PLANT_ASIDE = 6
    """Phase 3: plant a card set aside (`PlantAside`)."""
    INTERLUDE = 7
    """Between turns, if requested: `Harvest` or `Pass`."""


@dataclass(frozen=True, slots=True)
class Offer(Action):
    """Phase 2, active player: offer cards to other seats.

    Either side may be empty (a gift), but not both; each names at most eight cards. The others see which kinds of hand
    cards are offered, not where they lie.
    """

    to: tuple[int, ...]
    """The seats addressed, ascending."""
    turned: tuple[int, ...] = ()
    """Positions of the turned-over cards offered, ascending."""
    hand: tuple[int, ...] = ()
    """Positions of the hand cards offered, ascending."""
    wants: tuple[Kind, ...] = ()
    """The kinds wanted, one entry per card, in any order."""


@dataclass(frozen=True, slots=True)
class Call(Action):
    """Phase 2, active player: ask other seats for offers, which they make as counters."""

    to: tuple[int, ...]
    """The seats addressed, ascending."""


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """Phase 2, active player: end the trading of this turn."""


@dataclass(frozen=True, slots=True)
class Accept(Action):
    """Answer to an offer: accept it."""

    hand: tuple[int, ...] = ()
    """Positions of the hand cards given, ascending; exactly the kinds wanted."""


@dataclass(frozen=True, slots=True)
class Decline(Action):
    """Answer to an offer: decline it."""


@dataclass(frozen=True, slots=True)
class Counter(Action):
    """Answer to an offer: propose another trade. The sides are bounded as those of an `Offer`."""

    hand: tuple[int, ...] = ()
    """Positions of the hand cards given, ascending."""
    turned: tuple[int, ...] = ()
    """Positions of the turned-over cards wanted, ascending."""
    wants: tuple[Kind, ...] = ()
    """The kinds wanted from the active player's hand, one entry per card, in any order."""


@dataclass(frozen=True, slots=True)
class Pick(Action):
    """Phase 2, active player: carry out one of the answers."""

    seat: int
    """The seat whose answer is carried out."""
    hand: tuple[int, ...] = ()
    """For a counter that wants kinds: positions of the hand cards given for them, ascending; else empty."""


@dataclass(frozen=True, slots=True)
class Refuse(Action):
    """Phase 2, active player: pick none of the answers."""


@dataclass(frozen=True, slots=True)
class PlantAside(Action):
    """Phase 3: plant a card that was set aside."""

    card: int
    """The position of the card among those set aside."""
    field: int
    """The player's field, counted from 0."""
