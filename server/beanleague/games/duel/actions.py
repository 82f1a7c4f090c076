"""What a player of the duel does, besides `Plant`, `Pass` and `Harvest` of the other card games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from beanleague.games.core.game import Action, NamedDecision
from beanleague.games.core.kinds import Kind


class DuelDecision(NamedDecision):
    """What a seat is asked."""

    WAIT = 0
    """Nothing: it is not this seat's turn to act."""
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
    """Phase 4: a bo(h)nus card just drawn can be fulfilled: `Fulfil` or `Pass`."""
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
    """Phase 2: offer a bean as a gift. Offering a kind one does not have is a bluff."""

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
    """Where the card is: "hand" or, for the active player, "turned"."""
    position: int
    """The position of the card there, counted from 0."""


@dataclass(frozen=True, slots=True)
class PlantTurned(Action):
    """Phase 3, active player: plant a turned-over card."""

    card: int
    """The position of the card among the turned-over ones."""
    field: int
    """The player's field, counted from 0."""


@dataclass(frozen=True, slots=True)
class DiscardTurned(Action):
    """Phase 3, active player: discard a turned-over card; allowed once a turn."""

    card: int
    """The position of the card among the turned-over ones."""


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
