"""What a player of the duel is asked."""

from __future__ import annotations

from enum import IntEnum


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
