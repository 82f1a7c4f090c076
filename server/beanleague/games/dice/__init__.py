"""The dice games: one engine, two editions, and the solo game against the Bean Thief."""

from beanleague.games.dice.moves import *
from beanleague.games.dice.orders import *
from beanleague.games.dice.rules import DiceHidden, DiceRules, HarvestCard, ThiefRules
from beanleague.games.dice.view import DiceView

__all__ = [
    "CardDrawn",
    "CardHarvested",
    "CardStolen",
    "DeckRenewed",
    "DiceDecision",
    "DiceHidden",
    "DiceRules",
    "DiceView",
    "DieStolen",
    "DollarsDrawn",
    "HarvestCard",
    "HarvestTop",
    "LoseDie",
    "Order",
    "OrdersCompleted",
    "RollAgain",
    "Rolled",
    "Rolls",
    "Save",
    "Saved",
    "SoloEnded",
    "SuperStealRolled",
    "ThiefRolled",
    "ThiefRules",
    "code",
    "counts",
    "covers",
    "needs",
    "rolls",
]
