"""What a player of the card games is asked."""

from __future__ import annotations

from enum import IntEnum


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
