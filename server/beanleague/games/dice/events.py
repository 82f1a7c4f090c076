"""What happens in the dice games. `docs/records.md` says what each event changes.

A game of several players starts its turns with `TurnStarted` and ends with `GameEnded`, as the card games do.
Cards are numbers in the deck of the rules; dice are numbers among those of the rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Event
from beanleague.games.core.kinds import Kind

THIEF = 1
"""The Bean Thief, where an event names a seat; the player against it is the only seat, 0."""


@dataclass(frozen=True, slots=True)
class CardDrawn(Event):
    """`card` goes from the deck, face up, in front of `seat`: its top card if it has none, else its bottom card."""

    seat: int
    card: int


@dataclass(frozen=True, slots=True)
class Rolled(Event):
    """The active player rolls the dice `dice`, which show `kinds`.

    `roll`: 1, 2, ... in this turn. `again`: it is the last roll repeated with the bean piece.
    """

    seat: int
    roll: int
    dice: tuple[int, ...]
    kinds: tuple[Kind, ...]
    again: bool


@dataclass(frozen=True, slots=True)
class Saved(Event):
    """The active player puts the dice `dice` in the bean field."""

    seat: int
    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OrdersCompleted(Event):
    """`seat` completes `orders` more orders of its top card; now the lowest `completed` are."""

    seat: int
    orders: int
    completed: int


@dataclass(frozen=True, slots=True)
class CardHarvested(Event):
    """`seat` harvests its top card with `completed` orders for `dollars` dollars.

    The card itself becomes the first dollar, the others are drawn. The bottom card becomes the top card.
    """

    seat: int
    card: int
    completed: int
    dollars: int


@dataclass(frozen=True, slots=True)
class DollarsDrawn(Event):
    """`count` cards go from the deck, face down, to the dollars of `seat` (or `THIEF`); nobody sees `cards`."""

    seat: int
    count: int
    cards: tuple[int, ...]

    def seen_by(self, seat: int) -> Event:
        del seat
        return DollarsDrawn(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class DeckRenewed(Event):
    """The deck is empty: `seat` (or `THIEF`) trades five single dollars for a marker, and they become the deck.

    `number`: of the new deck, 1, 2, ... `cards`: the cards of these dollars; nobody sees them.
    """

    seat: int
    number: int
    cards: tuple[int, ...]

    def seen_by(self, seat: int) -> Event:
        del seat
        return DeckRenewed(self.seat, self.number, ())


@dataclass(frozen=True, slots=True)
class ThiefRolled(Event):
    """Field stealing: the Thief rolls the dice `dice`, which show `kinds`."""

    dice: tuple[int, ...]
    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class DieStolen(Event):
    """The Thief takes the die `die` out of the bean field, until the end of the turn."""

    die: int


@dataclass(frozen=True, slots=True)
class SuperStealRolled(Event):
    """The Thief rolls all dice, which show `kinds`, to steal cards."""

    kinds: tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class CardStolen(Event):
    """The Thief takes `card` for `dollars` dollars: the card itself is the first, the others are drawn.

    `order`: the order its roll meets, counted from the bottom, 1 the lowest; 0 if it took the card without a roll.
    `bottom`: it is the bottom card; else it is the top card, and the bottom card becomes the top card.
    In either case no order of the top card is completed any more.
    """

    card: int
    order: int
    bottom: bool
    dollars: int


@dataclass(frozen=True, slots=True)
class SoloEnded(Event):
    """The game against the Thief is over: the dollars of the player and of the Thief, and whether the player won."""

    dollars: int
    thief: int
    won: bool
