"""Bohnanza for two: no trading; cards that a player leaves are offered to the other."""

from beanleague.games.bohnanza import CardRules as CardRules
from beanleague.games.two.actions import (
    DiscardHand,
    DiscardOpen,
    PlantOpen,
    TwoDecision,
)
from beanleague.games.two.events import (
    HandDiscarded,
    Joined,
    OpenDiscarded,
)
from beanleague.games.two.view import BohnanzaTwoView

__all__ = [
    "BohnanzaTwoView",
    "DiscardHand",
    "DiscardOpen",
    "HandDiscarded",
    "Joined",
    "OpenDiscarded",
    "PlantOpen",
    "TwoDecision",
]
