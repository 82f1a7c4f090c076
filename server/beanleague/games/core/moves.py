"""Actions and events that several games share, and checks of harvests.

`docs/records.md` gives the effect of each event.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from beanleague.games.core.game import Action, Event, IllegalActionError, Kind, SeatEvent, brief
from beanleague.games.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Harvest(Action):
    """Harvest one of the player's fields.

    Allowed before any decision but an answer to an offer; the seat is then asked again.
    """

    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class BuyField(Action):
    """Buy one more field, once per player, if the rules sell fields: allowed whenever `Harvest` is."""


@dataclass(frozen=True, slots=True)
class Plant(Action):
    """Phase 1: plant the first card of the hand."""

    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Do nothing: plant no second card, discard nothing, do not harvest, or let an interlude go by."""


def harvestable(counts: Sequence[int]) -> tuple[int, ...]:
    """Return the fields that may be harvested, given the number of cards in each field.

    The bean protection rule: a field with one bean must not be harvested if another field has more.
    """
    least = 2 if max(counts) > 1 else 1
    return tuple([i for i, count in enumerate(counts) if count >= least])


def check_field(field: int, fields: int) -> None:
    """Check that `field` is one of `fields` fields."""
    if type(field) is not int or not 0 <= field < fields:
        raise IllegalActionError(f"there is no field {brief(field)}; your fields are 0 to {fields - 1}")


def check_harvest(field: int, counts: Sequence[int]) -> None:
    """Check that `field` may be harvested, given the number of cards in each field."""
    check_field(field, len(counts))
    if field not in harvestable(counts):
        if not counts[field]:
            raise IllegalActionError(f"field {field} is empty")
        raise IllegalActionError(f"field {field} has one bean and is protected: another field has more than one")


Source: TypeAlias = Literal["hand", "aside", "open", "turned", "gift"]
"""Origin of a planted card."""


@dataclass(frozen=True, slots=True)
class _Received(SeatEvent):
    """Cards move from the draw pile to the back of a hand."""

    count: int
    """Number of cards."""
    cards: tuple[Kind, ...]
    """Kinds of the cards in the order drawn; empty for all other seats."""

    def seen_by(self, seat: int) -> Event:
        return self if seat == self.seat else type(self)(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class Dealt(_Received):
    """A seat receives its starting hand."""


@dataclass(frozen=True, slots=True)
class Drew(_Received):
    """A seat draws at the end of a turn."""


@dataclass(frozen=True, slots=True)
class TurnStarted(Event):
    """A turn begins."""

    turn: int
    """The number of the turn, from 1."""
    seat: int
    """The active player."""


@dataclass(frozen=True, slots=True)
class Planted(SeatEvent):
    """A seat plants a card."""

    reveals = False
    field: int
    """Field of the seat, counted from 0."""
    kind: Kind
    """The kind of the card."""
    source: Source
    """Origin of the card: "hand" (the first card), "aside" (trading games), "open" (for two), "turned" or "gift"
    (duel)."""
    position: int
    """Position of the card at its origin, counted from 0."""


@dataclass(frozen=True, slots=True)
class Passed(SeatEvent):
    """A seat plants no second card; in the game for two, it also discards no hand card or plants no more open cards."""

    reveals = False


@dataclass(frozen=True, slots=True)
class Harvested(SeatEvent):
    """A seat harvests a field; the cards that do not become dollars are discarded."""

    reveals = False
    field: int
    """Field of the seat, counted from 0."""
    kind: Kind
    """Kind of the cards harvested."""
    cards: int
    """Number of cards in the field."""
    dollars: int
    """Number of cards kept as dollars."""


@dataclass(frozen=True, slots=True)
class FieldBought(SeatEvent):
    """A seat buys one more field, which comes after its others. It pays with the dollars earned last."""

    reveals = False
    price: int
    """Price of the field in dollars."""
    discarded: tuple[Kind, ...]
    """The kinds of the cards paid, in the order in which they go to the discard pile; empty if they leave the game."""


@dataclass(frozen=True, slots=True)
class TurnedOver(SeatEvent):
    """The active player turns over cards, which are placed behind the open cards."""

    cards: tuple[Kind, ...]
    """Kinds of the cards turned over, in order."""


@dataclass(frozen=True, slots=True)
class RanOut(Event):
    """The draw pile runs out."""

    time: int
    """Number of times the draw pile has run out in this game, from 1."""


@dataclass(frozen=True, slots=True)
class Shuffled(Event):
    """All discarded cards become the draw pile, and a new pass with new draw orders begins."""

    number: int
    """Number of the pass through the pile, from 1."""
    cards: int
    """Number of cards shuffled."""


@dataclass(frozen=True, slots=True)
class GameEnded(Event):
    """The game has ended."""

    dollars: tuple[int, ...]
    """Dollars, per seat."""
    places: tuple[int, ...]
    """Places, per seat; 1 is best, and ties share a place."""
