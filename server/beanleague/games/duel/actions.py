"""What a player of the duel does, besides `Plant`, `Pass` and `Harvest` of the other card games."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from beanleague.games.core.game import Action
from beanleague.games.core.kinds import Kind


class DuelDecision(IntEnum):
    """What a seat is asked. The rule book's phase is in the comment."""

    WAIT = 0  # nothing: it is not this seat's move
    PLANT_FIRST = 1  # phase 1: the first card of the hand, a must
    PLANT_SECOND = 2  # phase 1: one more, or pass
    OFFER_GIFT = 3  # phase 2: offer a kind not yet offered in this phase, a must
    ANSWER_GIFT = 4  # phase 2: accept the gift, or decline it and offer one oneself
    GIVE = 5  # phase 2: which card of the kind offered to give
    PLANT_TURNED = 6  # phase 3, active: plant a turned-over card or the gift, or discard one turned-over card
    PLANT_GIFT = 7  # phase 3, opponent: plant the gift
    DISCARD_BOHNUS = 8  # phase 4: discard a bo(h)nus card, or pass
    DRAWN_BOHNUS = 9  # phase 4: a bo(h)nus card just drawn can be fulfilled; do, or pass
    INTERLUDE = 10  # between turns: harvest, fulfil, or pass


@dataclass(frozen=True, slots=True)
class Fulfil(Action):
    """Fulfil the own bo(h)nus card number `card` with field `field` of seat `owner`; a free step at any decision."""

    card: int
    owner: int
    field: int


@dataclass(frozen=True, slots=True)
class OfferGift(Action):
    """Phase 2: offer a bean of `kind`, which one may have or not."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class AcceptGift(Action):
    """Phase 2: take what is offered."""


@dataclass(frozen=True, slots=True)
class DeclineGift(Action):
    """Phase 2: say no, and offer something oneself."""


@dataclass(frozen=True, slots=True)
class Give(Action):
    """Phase 2: give the card at `position`. `source`: "hand" or, for the active player, "turned"."""

    source: str
    position: int


@dataclass(frozen=True, slots=True)
class PlantTurned(Action):
    """Phase 3, active player: plant the turned-over card at position `card` in one's own field `field`."""

    card: int
    field: int


@dataclass(frozen=True, slots=True)
class DiscardTurned(Action):
    """Phase 3, active player: discard the turned-over card at position `card`; once a turn."""

    card: int


@dataclass(frozen=True, slots=True)
class PlantGift(Action):
    """Phase 3: plant the gift received in one's own field `field`."""

    field: int


@dataclass(frozen=True, slots=True)
class DiscardBohnus(Action):
    """Phase 4: discard the own bo(h)nus card number `card`."""

    card: int
