"""What a player of the dice games does; besides these, `Pass` means not to harvest."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from beanleague.games.core.game import Action


class DiceDecision(IntEnum):
    """What a seat is asked. Nobody is asked where there is nothing to choose."""

    WAIT = 0  # nothing: it is not this seat's move
    HARVEST = 1  # harvest the top card, or pass: before one's own turn, after a roll, at the end of a turn
    SAVE = 2  # active: save dice, or repeat the roll with the bean piece; or harvest first
    LOSE = 3  # against the Thief: which die it steals; or harvest first


@dataclass(frozen=True, slots=True)
class Save(Action):
    """Active player: put the dice `dice`, some of those just rolled (ascending), in the bean field; roll the rest."""

    dice: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RollAgain(Action):
    """Active player, edition of 2022: use the bean piece to repeat the roll with all dice just rolled."""


@dataclass(frozen=True, slots=True)
class HarvestTop(Action):
    """Harvest one's own top card, on which at least three orders are completed."""


@dataclass(frozen=True, slots=True)
class LoseDie(Action):
    """Against the Thief: let it steal the die `die` out of the bean field."""

    die: int
