"""Actions, events and decisions of the duel.

The duel shares `Plant`, `Pass` and `Harvest` with the other card games, and the events `Dealt`, `Drew`, `TurnStarted`,
`Planted`, `Passed`, `TurnedOver` and `RanOut`. `docs/records.md` gives the effect of each event.
"""

from typing import Literal

from beanleague.games.core.game import Action, Event, Kind, NamedDecision, SeatEvent
from beanleague.games.core.values import dataclass


class DuelDecision(NamedDecision):
    """Kinds of decisions that a seat can be asked for."""

    WAIT = 0
    """None: the seat is not asked now."""
    PLANT_FIRST = 1
    """Phase 1: plant the first card of the hand (`Plant`)."""
    PLANT_SECOND = 2
    """Phase 1: plant the next card too (`Plant`), or not (`Pass`)."""
    OFFER_GIFT = 3
    """Phase 2: offer a kind not yet offered in this phase (`OfferGift`)."""
    ANSWER_GIFT = 4
    """Phase 2: accept the gift (`AcceptGift`), or decline it and offer one in turn (`DeclineGift`)."""
    GIVE = 5
    """Phase 2: choose which card of the offered kind to give (`Give`)."""
    PLANT_TURNED = 6
    """Phase 3, active player: `PlantTurned`, `PlantGift`, or once a turn `DiscardTurned`."""
    PLANT_GIFT = 7
    """Phase 3, opponent: plant the gift (`PlantGift`)."""
    DISCARD_BOHNUS = 8
    """Phase 4: discard a bo(h)nus card (`DiscardBohnus`), or not (`Pass`)."""
    DRAWN_BOHNUS = 9
    """Phase 4: fulfil a bo(h)nus card just drawn (`Fulfil`), or not (`Pass`)."""
    INTERLUDE = 10
    """Between turns, if requested: `Harvest`, `Fulfil` or `Pass`."""


@dataclass(frozen=True, slots=True)
class Fulfil(Action):
    """Fulfil one of the player's bo(h)nus cards with a field of either player: allowed before any decision."""

    card: int
    """The number of the card: its index in `rules.bohnus`."""
    owner: int
    """The seat that owns the field."""
    field: int
    """The field, counted from 0."""


@dataclass(frozen=True, slots=True)
class OfferGift(Action):
    """Phase 2: offer a bean as a gift. Offering a kind that the seat does not have is a bluff."""

    kind: Kind
    """The kind offered."""


@dataclass(frozen=True, slots=True)
class AcceptGift(Action):
    """Phase 2: accept the gift offered."""


@dataclass(frozen=True, slots=True)
class DeclineGift(Action):
    """Phase 2: decline the gift offered, and offer one in turn."""


@dataclass(frozen=True, slots=True)
class Give(Action):
    """Phase 2: give a card of the kind offered."""

    source: Literal["hand", "turned"]
    """Origin of the card: "hand" or, for the active player, "turned"."""
    position: int
    """The position of the card at its origin, counted from 0."""


@dataclass(frozen=True, slots=True)
class PlantTurned(Action):
    """Phase 3, active player: plant a turned-over card."""

    card: int
    """The position of the card among the turned-over cards."""
    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class DiscardTurned(Action):
    """Phase 3, active player: discard a turned-over card; allowed once a turn."""

    card: int
    """The position of the card among the turned-over cards."""


@dataclass(frozen=True, slots=True)
class PlantGift(Action):
    """Phase 3: plant the gift received."""

    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class DiscardBohnus(Action):
    """Phase 4: discard one of the player's bo(h)nus cards."""

    card: int
    """The number of the card: its index in `rules.bohnus`."""


@dataclass(frozen=True, slots=True)
class FirstDollars(SeatEvent):
    """Cards become the first dollars of a seat, seen by neither player."""

    count: int
    """Number of cards."""
    cards: tuple[Kind, ...]
    """Kinds of the cards; set only in records, empty in the events sent to seats."""

    def seen_by(self, seat: int) -> Event:
        del seat
        return FirstDollars(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class BohnusDrawn(SeatEvent):
    """A seat draws bo(h)nus cards."""

    count: int
    """Number of cards."""
    cards: tuple[int, ...]
    """Numbers of the cards drawn; empty for the other seat."""

    def seen_by(self, seat: int) -> Event:
        return self if seat == self.seat else BohnusDrawn(self.seat, self.count, ())


@dataclass(frozen=True, slots=True)
class GiftOffered(SeatEvent):
    """Phase 2: a seat offers a bean. Whether it has one is hidden."""

    kind: Kind
    """The kind offered."""


@dataclass(frozen=True, slots=True)
class GiftDeclined(SeatEvent):
    """Phase 2: a seat declines the gift."""

    reveals = False


@dataclass(frozen=True, slots=True)
class GiftAccepted(SeatEvent):
    """Phase 2: a seat accepts the gift; `GiftGiven` or `BluffPaid` follows."""


@dataclass(frozen=True, slots=True)
class GiftGiven(SeatEvent):
    """Phase 2: a seat gives a bean."""

    reveals = False
    kind: Kind
    """The kind of the bean given."""
    source: Literal["hand", "turned"]
    """Origin of the card: "hand" or "turned"."""
    position: int
    """The position of the card at its origin, counted from 0; 0 for a hand card in the other seat's events."""

    def seen_by(self, seat: int) -> Event:
        hidden = self.source == "hand" and seat != self.seat and self.position
        return GiftGiven(self.seat, self.kind, self.source, 0) if hidden else self


@dataclass(frozen=True, slots=True)
class BluffPaid(SeatEvent):
    """Phase 2: a bluffing seat pays the other a bean dollar, else a bo(h)nus card, else nothing."""

    dollars: int
    """Bean dollars paid: 0 or 1."""
    bohnus: tuple[int, ...]
    """Numbers of the bo(h)nus cards paid: none or one."""


@dataclass(frozen=True, slots=True)
class TurnedDiscarded(SeatEvent):
    """Phase 3: the active player discards a turned-over card."""

    reveals = False
    position: int
    """The position of the card among the turned-over cards."""
    kind: Kind
    """The kind of the card."""


@dataclass(frozen=True, slots=True)
class BohnusDiscarded(SeatEvent):
    """Phase 4: a seat discards a bo(h)nus card, face up."""

    reveals = False
    card: int
    """The number of the card."""


@dataclass(frozen=True, slots=True)
class BohnusShuffled(Event):
    """All discarded bo(h)nus cards become the bo(h)nus pile, and a new pass with new draw orders begins."""

    number: int
    """Number of the pass through the pile, from 1."""
    cards: int
    """Number of cards shuffled."""


@dataclass(frozen=True, slots=True)
class Fulfilled(SeatEvent):
    """A seat fulfils a bo(h)nus card, which goes to its dollars."""

    reveals = False
    card: int
    """The number of the card."""
    owner: int
    """The seat that owns the field."""
    field: int
    """The field, counted from 0."""


@dataclass(frozen=True, slots=True)
class ColumnHarvested(SeatEvent):
    """A seat harvests a field. The cards planted last become dollars, the others are discarded."""

    reveals = False
    field: int
    """The field of the seat, counted from 0."""
    cards: tuple[Kind, ...]
    """The cards of the field, first planted first."""
    dollars: int
    """Number of cards that become dollars."""


@dataclass(frozen=True, slots=True)
class DuelEnded(Event):
    """The game has ended."""

    cents: tuple[int, ...]
    """Money in cents, per seat; a bean dollar is 100."""
    places: tuple[int, ...]
    """Places, per seat; 1 is best, and ties share a place."""
