"""What a player of the dice games does; besides these, `Pass` means not to harvest."""

from __future__ import annotations

from dataclasses import dataclass

from beanleague.games.core.game import Action, NamedDecision


class DiceDecision(NamedDecision):
    """What a seat is asked. Nobody is asked when there is nothing to choose."""

    WAIT = 0
    """Nothing: it is not this seat's turn to act."""
    HARVEST = 1
    """Harvest the top card (`HarvestTop`), or not (`Pass`): before one's turn, after a roll, or at the end of it."""
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
    """Active player, 2022 edition: use the bean piece to repeat the roll with all dice just rolled."""


@dataclass(frozen=True, slots=True)
class HarvestTop(Action):
    """Harvest the player's top card, which needs at least three completed orders."""


@dataclass(frozen=True, slots=True)
class LoseDie(Action):
    """Against the Thief: choose the die that it steals from the bean field."""

    die: int
    """One of `view.at_risk`."""
