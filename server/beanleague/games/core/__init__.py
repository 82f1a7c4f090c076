"""Common base of all games: interface, order of questions, chance, draw pile and options."""

from typing import TYPE_CHECKING

from beanleague.games.lazy import exported_by

if TYPE_CHECKING:
    from beanleague.games.core.moves import *
else:
    __getattr__ = exported_by(__name__, "moves")

__all__ = [
    "BuyField",
    "Dealt",
    "Drew",
    "FieldBought",
    "GameEnded",
    "Harvest",
    "Harvested",
    "Pass",
    "Passed",
    "Plant",
    "Planted",
    "RanOut",
    "Shuffled",
    "TurnStarted",
    "TurnedOver",
]
