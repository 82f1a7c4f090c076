"""Bohnanza for two: no trading; cards left by a player are offered to the other."""

from beanleague.games.bohnanza import CardRules as CardRules
from beanleague.games.two.moves import *
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
