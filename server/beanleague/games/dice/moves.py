"""Actions, events and decisions of the dice games. `docs/records.md` gives the effect of each event.

`Pass` means not to harvest. A game of several players starts its turns with `TurnStarted` and ends with `GameEnded`, as
the card games do. Cards are given by their index in `rules.cards`, dice by their index in `rules.dice`.
"""

from beanleague.games.core.game import Action, Event, Kind, NamedDecision, SeatEvent
from beanleague.games.core.values import dataclass


class DiceDecision(NamedDecision):
    """Kinds of decisions that a seat can be asked for; a seat without a choice is not asked."""

    WAIT = 0
    """None: the seat is not asked now."""
    HARVEST = 1
    """Harvest the top card (`HarvestTop`) or decline (`Pass`): before one's turn, after a roll, or at the end of the
    turn."""
    SAVE = 2
    """Active player: `Save` dice, or `RollAgain` with the bean piece; or `HarvestTop` first."""
    LOSE = 3
    """Against the Thief: which die it steals (`LoseDie`); or `HarvestTop` first."""


@dataclass(frozen=True, slots=True)
class Save(Action):
    """Active player: put dice into the bean field, and roll the others."""

    dice: tuple[int, ...]
    """One or more of the dice just rolled, ascending."""


@dataclass(frozen=True, slots=True)
class RollAgain(Action):
    """Active player, 2022 edition: use the bean piece to reroll all dice just rolled."""


@dataclass(frozen=True, slots=True)
class HarvestTop(Action):
    """Harvest the player's top card, which needs at least three completed orders."""


@dataclass(frozen=True, slots=True)
class LoseDie(Action):
    """Against the Thief: choose the die that it steals from the bean field."""

    die: int
    """One of `view.at_risk`."""


THIEF = 1
"""The seat of the Bean Thief in events; the player against it has seat 0."""


@dataclass(frozen=True, slots=True)
class CardDrawn(SeatEvent):
    """A seat draws a card, face up: it becomes its top card if it has no top card, else its bottom card."""

    card: int
    """The card, by its index in `rules.cards`."""


@dataclass(frozen=True, slots=True)
class Rolled(SeatEvent):
    """The active player rolls dice."""

    roll: int
    """The number of the roll in this turn, from 1."""
    dice: tuple[int, ...]
    """The dice rolled."""
    kinds: tuple[Kind, ...]
    """Kind shown by each of these dice, in the same order."""
    again: bool
    """Whether this is a reroll with the bean piece."""


@dataclass(frozen=True, slots=True)
class Saved(SeatEvent):
    """The active player puts dice into the bean field."""

    reveals = False
    dice: tuple[int, ...]
    """The dice saved."""


@dataclass(frozen=True, slots=True)
class OrdersCompleted(SeatEvent):
    """A seat completes orders of its top card."""

    reveals = False
    orders: int
    """Number of orders completed."""
    completed: int
    """Number of orders of the card that are complete after this move; they are completed from the bottom up."""


@dataclass(frozen=True, slots=True)
class CardHarvested(SeatEvent):
    """A seat harvests its top card, which becomes its first new dollar; its bottom card becomes its top card."""

    card: int
    """The card, by its index in `rules.cards`."""
    completed: int
    """Number of orders that were complete on the card."""
    dollars: int
    """Dollars earned, including the card itself."""


@dataclass(frozen=True, slots=True)
class DollarsDrawn(SeatEvent):
    """Cards move from the deck, face down, to the dollars of a seat or of the Thief."""

    count: int
    """Number of cards."""
    cards: tuple[int, ...]
    """Cards drawn as dollars; set only in records, empty in the events sent to seats."""

    def seen_by(self, seat: int) -> Event:
        del seat
        return DollarsDrawn(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class DeckRenewed(SeatEvent):
    """The deck has run out: a seat or the Thief exchanges five dollars for a marker, and these form the new deck."""

    number: int
    """The number of the new deck, from 1."""
    cards: tuple[int, ...]
    """Dollar cards exchanged for the new deck; set only in records, empty in the events sent to seats."""

    def seen_by(self, seat: int) -> Event:
        del seat
        return DeckRenewed(self.seat, self.number, ())


@dataclass(frozen=True, slots=True)
class ThiefRolled(Event):
    """Field stealing: the Thief rolls dice."""

    dice: tuple[int, ...]
    """The dice rolled."""
    kinds: tuple[Kind, ...]
    """Kind shown by each of these dice, in the same order."""


@dataclass(frozen=True, slots=True)
class DieStolen(Event):
    """The Thief takes a die out of the bean field until the end of the turn."""

    die: int
    """The die, by its index in `rules.dice`."""


@dataclass(frozen=True, slots=True)
class SuperStealRolled(Event):
    """The Thief rolls all dice to steal cards."""

    kinds: tuple[Kind, ...]
    """Kind shown by each die."""


@dataclass(frozen=True, slots=True)
class CardStolen(Event):
    """The Thief takes a card; no order of the player's top card is complete after that."""

    card: int
    """The card, by its index in `rules.cards`."""
    order: int
    """The order met by the roll, counted from 1 at the bottom; 0 if the card is taken without a roll."""
    bottom: bool
    """Whether it is the bottom card. If not, it is the top card, and the bottom card becomes the top card."""
    dollars: int
    """Dollars that the Thief gains, including the card itself."""


@dataclass(frozen=True, slots=True)
class SoloEnded(Event):
    """The game against the Thief has ended."""

    dollars: int
    """Dollars of the player."""
    thief: int
    """Dollars of the Thief."""
    won: bool
    """Whether the player won."""
