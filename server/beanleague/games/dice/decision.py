"""What a player of the dice games is asked."""

from __future__ import annotations

from enum import IntEnum


class DiceDecision(IntEnum):
    """What a seat is asked. Nobody is asked where there is nothing to choose."""

    WAIT = 0  # nothing: it is not this seat's move
    HARVEST = 1  # harvest the top card, or pass: before one's own turn, after a roll, at the end of a turn
    SAVE = 2  # active: save dice, or repeat the roll with the bean piece; or harvest first
    LOSE = 3  # against the Thief: which die it steals; or harvest first
