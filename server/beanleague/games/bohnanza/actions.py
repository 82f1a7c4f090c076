"""What a player of the card games does."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from beanleague.games.core.game import Action
from beanleague.games.core.kinds import Kind


class Decision(IntEnum):
    """What a seat is asked. The rule book's phase is in the comment."""

    WAIT = 0  # nothing: it is not this seat's move
    PLANT_FIRST = 1  # phase 1: the first card of the hand, a must
    PLANT_SECOND = 2  # phase 1: one more, or pass
    TRADE = 3  # phase 2, active: offer, call or stop
    ANSWER = 4  # phase 2, addressed: accept, decline or counter
    PICK = 5  # phase 2, active: pick an answer, or refuse all
    PLANT_ASIDE = 6  # phase 3: plant the cards aside
    INTERLUDE = 7  # between turns: harvest, or pass


@dataclass(frozen=True, slots=True)
class Offer(Action):
    """Phase 2, active player: offer cards to other seats.

    `to`: the seats addressed, ascending. `turned`: positions among the turned-over cards, ascending.
    `hand`: positions in one's own hand, ascending. `wants`: the kinds wanted, one entry a card, any order.
    One side may be empty (a gift), not both.
    """

    to: tuple[int, ...]
    turned: tuple[int, ...] = ()
    hand: tuple[int, ...] = ()
    wants: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Call(Action):
    """Phase 2, active player: give nothing, want nothing, and ask the seats `to` (ascending) for offers."""

    to: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stop(Action):
    """Phase 2, active player: end the trading of this turn."""


@dataclass(frozen=True, slots=True)
class Accept(Action):
    """Answer: take the offer and give the cards at the positions `hand` (ascending), exactly what is wanted."""

    hand: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Decline(Action):
    """Answer: no."""


@dataclass(frozen=True, slots=True)
class Counter(Action):
    """Answer: something else instead.

    Gives the own cards at the positions `hand` (ascending) for the turned-over cards at the positions
    `turned` (ascending) and for cards of the kinds `wants` out of the active player's hand. One side may
    be empty, not both.
    """

    hand: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()
    wants: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class Pick(Action):
    """Active player: carry out the answer of `seat`.

    `hand`: for a counter that wants kinds, the positions (ascending) of the own cards given for them; else empty.
    """

    seat: int
    hand: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Refuse(Action):
    """Active player: pick none of the answers."""


@dataclass(frozen=True, slots=True)
class PlantAside(Action):
    """Phase 3: plant the card at position `card` of those lying aside in one's own field `field`."""

    card: int
    field: int
