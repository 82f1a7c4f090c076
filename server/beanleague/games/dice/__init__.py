"""The dice games: one engine, two editions, and the solo game against the Bean Thief."""

from beanleague.games.dice.actions import (
    DiceDecision,
    HarvestTop,
    LoseDie,
    RollAgain,
    Save,
)
from beanleague.games.dice.chances import Rolls, rolls
from beanleague.games.dice.deck import HarvestCard
from beanleague.games.dice.events import (
    CardDrawn,
    CardHarvested,
    CardStolen,
    DeckRenewed,
    DieStolen,
    DollarsDrawn,
    OrdersCompleted,
    Rolled,
    Saved,
    SoloEnded,
    SuperStealRolled,
    ThiefRolled,
)
from beanleague.games.dice.hidden import DiceHidden
from beanleague.games.dice.orders import Order, code, counts, covers, needs
from beanleague.games.dice.rules import DiceRules, ThiefRules
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
